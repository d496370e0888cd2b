#include "tests/unit/kernels/attention/RaggedProblem.h"

#include "tests/unit/kernels/KernelRunner.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

namespace relax::test {

RaggedProblem::RaggedProblem(CacheShape shape, std::vector<int64_t> sequenceLengths, unsigned seed)
    : shape(shape), lengths(std::move(sequenceLengths)) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  int64_t pages = 0;
  for (int64_t length : lengths) {
    auto fill = [&](int64_t width) {
      std::vector<float> data(length * width);
      std::generate(data.begin(), data.end(), [&] { return normal(random); });
      return data;
    };
    queries.push_back(fill(shape.heads * shape.headDim));
    keys.push_back(fill(shape.kvHeads * shape.headDim));
    values.push_back(fill(shape.kvHeads * shape.headDim));
    int64_t count = (length + shape.pageSize - 1) / shape.pageSize;
    pagesPerSequence = std::max(pagesPerSequence, count);
    pages += count;
  }
  numPages = pages + 1;
  std::vector<int32_t> order(numPages);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  // Entries past a sequence's end must not be read: they point far outside.
  pageTable.assign(lengths.size() * pagesPerSequence, 1 << 28);
  int64_t next = 0;
  for (size_t s = 0; s < lengths.size(); ++s)
    for (int64_t i = 0; i * shape.pageSize < lengths[s]; ++i)
      pageTable[s * pagesPerSequence + i] = order[next++];
}

RaggedProblem::Step RaggedProblem::step(const std::vector<SequenceLengths> &batch) const {
  Step step;
  step.starts.push_back(0);
  for (size_t s = 0; s < batch.size(); ++s) {
    auto append = [&](std::vector<float> &to, const std::vector<float> &from, int64_t width) {
      to.insert(to.end(), from.begin() + batch[s].cached * width,
                from.begin() + (batch[s].cached + batch[s].tokens) * width);
    };
    append(step.queries, queries[s], shape.heads * shape.headDim);
    append(step.keys, keys[s], shape.kvHeads * shape.headDim);
    append(step.values, values[s], shape.kvHeads * shape.headDim);
    step.cached.push_back(int32_t(batch[s].cached));
    step.tokens += batch[s].tokens;
    step.starts.push_back(int32_t(step.tokens));
  }
  return step;
}

std::vector<char> RaggedProblem::emptyPages() const {
  // 0x7e7e is a NaN of f16.
  std::vector<char> pages(pageElements() * elementSize(), 0x7e);
  if (shape.q8)
    return pages;
  for (int64_t i = 0; i < pageElements(); ++i) {
    if (shape.half) {
      uint16_t nan = 0x7e00;
      std::memcpy(&pages[2 * i], &nan, 2);
    } else {
      float nan = std::numeric_limits<float>::quiet_NaN();
      std::memcpy(&pages[4 * i], &nan, 4);
    }
  }
  return pages;
}

std::vector<char> RaggedProblem::filledPages(bool isKeys,
                                             const std::vector<int64_t> &filled) const {
  std::vector<char> pages = emptyPages();
  for (size_t s = 0; s < lengths.size(); ++s)
    for (int64_t slot = 0; slot < filled[s]; ++slot) {
      if (shape.q8) {
        putQuantized(pages, isKeys, int64_t(s), slot);
        continue;
      }
      int64_t page = pageTable[s * pagesPerSequence + slot / shape.pageSize];
      int64_t place = slot % shape.pageSize;
      for (int64_t head = 0; head < shape.kvHeads; ++head)
        for (int64_t dim = 0; dim < shape.headDim; ++dim) {
          int64_t row = (page * shape.kvHeads + head) * shape.headDim * shape.pageSize;
          int64_t at = row + (isKeys ? dim * shape.pageSize + place : place * shape.headDim + dim);
          float value =
              (isKeys ? keys : values)[s][(slot * shape.kvHeads + head) * shape.headDim + dim];
          uint16_t half = toHalf(value);
          if (shape.half)
            std::memcpy(&pages[2 * at], &half, 2);
          else
            std::memcpy(&pages[4 * at], &value, 4);
        }
    }
  return pages;
}

RaggedProblem::Block RaggedProblem::quantized(bool isKeys, int64_t sequence, int64_t slot,
                                              int64_t head, int64_t dim) const {
  const float *row =
      &(isKeys ? keys : values)[sequence][(slot * shape.kvHeads + head) * shape.headDim];
  int64_t first = dim / 32 * 32, last = std::min(first + 32, shape.headDim);
  float largest = 0;
  for (int64_t i = first; i < last; ++i)
    largest = std::max(largest, std::fabs(row[i]));
  Block block{toHalf(largest / 127.0f), {}};
  float scale = fromHalf(block.scale);
  for (int64_t i = first; i < last; ++i)
    block.integers.push_back(int8_t(scale > 0 ? std::nearbyint(row[i] / scale) : 0));
  return block;
}

void RaggedProblem::putQuantized(std::vector<char> &pages, bool isKeys, int64_t sequence,
                                 int64_t slot) const {
  int64_t page = pageTable[sequence * pagesPerSequence + slot / shape.pageSize];
  int64_t place = slot % shape.pageSize;
  for (int64_t head = 0; head < shape.kvHeads; ++head) {
    char *base = &pages[(page * shape.kvHeads + head) * shape.storedHeadDim() * shape.pageSize];
    for (int64_t dim = 0; dim < shape.headDim; ++dim) {
      Block block = quantized(isKeys, sequence, slot, head, dim);
      base[isKeys ? dim * shape.pageSize + place : place * shape.headDim + dim] =
          char(block.integers[dim % 32]);
      std::memcpy(base + shape.headDim * shape.pageSize + 2 * (dim / 32 * shape.pageSize + place),
                  &block.scale, 2);
    }
  }
}

double RaggedProblem::cacheValue(bool isKeys, int64_t sequence, int64_t slot, int64_t head,
                                 int64_t dim) const {
  const std::vector<float> &data = (isKeys ? keys : values)[sequence];
  float value = data[(slot * shape.kvHeads + head) * shape.headDim + dim];
  if (shape.q8) {
    Block block = quantized(isKeys, sequence, slot, head, dim);
    return double(block.integers[dim % 32]) * fromHalf(block.scale);
  }
  return shape.half ? fromHalf(toHalf(value)) : value;
}

std::vector<double> RaggedProblem::reference(int64_t sequence, int64_t slot, double scale) const {
  std::vector<double> out(shape.heads * shape.headDim);
  std::vector<double> weights(slot + 1);
  for (int64_t head = 0; head < shape.heads; ++head) {
    int64_t kvHead = head / (shape.heads / shape.kvHeads);
    const float *query = &queries[sequence][(slot * shape.heads + head) * shape.headDim];
    int64_t first = shape.window > 0 ? std::max<int64_t>(0, slot + 1 - shape.window) : 0;
    for (int64_t other = 0; other <= slot; ++other) {
      weights[other] = 0;
      for (int64_t dim = 0; dim < shape.headDim; ++dim)
        weights[other] += query[dim] * cacheValue(true, sequence, other, kvHead, dim);
      weights[other] *= scale;
      if (shape.softCap > 0)
        weights[other] = shape.softCap * std::tanh(weights[other] / shape.softCap);
      if (other < first)
        weights[other] = -std::numeric_limits<double>::infinity();
    }
    double maximum = *std::max_element(weights.begin(), weights.end()), sum = 0;
    for (double &weight : weights)
      sum += weight = std::exp(weight - maximum);
    for (int64_t other = 0; other <= slot; ++other)
      for (int64_t dim = 0; dim < shape.headDim; ++dim)
        out[head * shape.headDim + dim] +=
            weights[other] / sum * cacheValue(false, sequence, other, kvHead, dim);
  }
  return out;
}

} // namespace relax::test
