// The ops that have kernels of their own instead of tensor programs: products with packed weights,
// and attention over a paged cache. The formulas are those of their definitions
// (ops/ContractionOps.td, ops/LanguageModelOps.td), written as plainly as can be.

#include "compiler/interpreter/Evaluator.h"

#include "compiler/dialect/BlockFormat.h"
#include "compiler/dialect/ops/LikeliestOps.h"
#include "runtime/kv_cache/CacheType.h"

#include "llvm/ADT/TypeSwitch.h"

#include <array>
#include <cmath>
#include <limits>

using namespace mlir;

namespace relax::interpreter {
namespace {

/// Products and decoded numbers cost a fraction of what an element of a body does.
constexpr size_t stepProducts = 16;

double realFromBits(MLIRContext *context, ir::BlockFormat::Element element, uint64_t bits) {
  using Element = ir::BlockFormat::Element;
  Type type = element == Element::F32    ? Type(Float32Type::get(context))
              : element == Element::BF16 ? Type(BFloat16Type::get(context))
                                         : Type(Float16Type::get(context));
  auto real = cast<FloatType>(type);
  return llvm::APFloat(real.getFloatSemantics(), llvm::APInt(real.getWidth(), bits))
      .convertToDouble();
}

/// The numbers of one block of stored bytes.
void decodeBlock(MLIRContext *context, const ir::BlockFormat &format, const uint8_t *block,
                 double *numbers) {
  auto bitsAt = [&](int64_t place, unsigned count) {
    uint64_t bits = 0;
    for (unsigned i = 0; i != count; ++i)
      bits |= static_cast<uint64_t>(block[static_cast<size_t>(place) + i]) << (8 * i);
    return bits;
  };
  if (format.isPlain()) {
    *numbers = realFromBits(context, format.element,
                            bitsAt(0, static_cast<unsigned>(format.bytesPerBlock)));
    return;
  }
  auto half = [&](int64_t offset) {
    return realFromBits(context, ir::BlockFormat::Element::F16, bitsAt(offset, 2));
  };
  const double blockScale = half(format.scaleOffset),
               blockMinimum = format.hasMinimum() ? half(format.minimumOffset) : 0;
  for (int64_t first = 0; first != format.blockSize; first += format.group) {
    const int64_t g = first / format.group;
    double minimum = blockMinimum, scale = 1;
    if (format.scales.exists())
      scale = static_cast<double>(format.scales.value(block, g));
    if (format.minimums.exists())
      minimum *= static_cast<double>(format.minimums.value(block, g));
    if (format.subtractsMinimum)
      minimum = -minimum;
    for (int64_t j = first; j != first + format.group; ++j) {
      const double value = static_cast<double>(format.quants.value(block, j)) * blockScale * scale;
      numbers[j] = format.hasMinimum() ? value + minimum : value;
    }
  }
}

/// Row `row` of stored bytes [N, bytes of a row].
void decodeRow(MLIRContext *context, const Tensor &bytes, const ir::BlockFormat &format,
               int64_t row, std::vector<double> &numbers) {
  const Scalar *stored = &bytes.elements[static_cast<size_t>(row * bytes.dims[1])];
  std::vector<uint8_t> block(static_cast<size_t>(format.bytesPerBlock));
  for (size_t k = 0; k != numbers.size(); k += static_cast<size_t>(format.blockSize)) {
    for (uint8_t &byte : block)
      byte = static_cast<uint8_t>((stored++)->integer & 255);
    decodeBlock(context, format, block.data(), &numbers[k]);
  }
}

/// One block of 32 in one plane; x becomes what is left.
void quantizeBlock(double *x, Scalar *values, Scalar &scale, Scalar &sum) {
  double largest = 0;
  for (int i = 0; i != 32; ++i)
    largest =
        std::isnan(x[i]) || std::isnan(largest) ? std::nan("") : std::max(largest, std::fabs(x[i]));
  scale = realScalar(largest / 127);
  int64_t halves[2] = {0, 0};
  for (int i = 0; i != 32; ++i) {
    double q = scale.real > 0 && std::isfinite(scale.real) ? std::nearbyint(x[i] / scale.real) : 0;
    values[i] = integerScalar(static_cast<int64_t>(q));
    halves[i / 16] += values[i].integer;
    x[i] -= scale.real * q;
  }
  sum = integerScalar(halves[1] * 65536 + (halves[0] & 0xFFFF));
}

/// Where the tokens of a ragged batch stand (see LanguageModelOps.td).
struct Batch {
  const Tensor &starts, &pages, &cached;
  int64_t pageSize;

  [[nodiscard]] int64_t numSequences() const { return cached.dims[0]; }
  [[nodiscard]] int64_t start(int64_t s) const {
    return starts.elements[static_cast<size_t>(s)].integer;
  }
  [[nodiscard]] int64_t slot(int64_t s, int64_t token) const {
    return cached.elements[static_cast<size_t>(s)].integer + token - start(s);
  }
  /// The page of a slot; -1 if the table has none.
  [[nodiscard]] int64_t page(int64_t s, int64_t slot) const {
    int64_t column = slot / pageSize;
    if (slot < 0 || column >= pages.dims[1])
      return -1;
    return pages.elements[static_cast<size_t>(s * pages.dims[1] + column)].integer;
  }
};

/// Pages of keys or values whose heads have `width` elements, of any cache type
/// (runtime/kv_cache/CacheType.h).
struct PageView {
  MLIRContext *context;
  const Tensor &pages;
  bool keys;
  int64_t width;

  [[nodiscard]] int64_t pageSize() const { return pages.dims[keys ? 3 : 2]; }
  [[nodiscard]] bool isQuantized() const { return pages.element.isInteger(8); }
  /// The first element of a page's head.
  [[nodiscard]] int64_t base(int64_t page, int64_t head) const {
    return (page * pages.dims[1] + head) * pages.dims[2] * pages.dims[3];
  }
  [[nodiscard]] size_t at(int64_t page, int64_t head, int64_t place, int64_t i) const {
    return static_cast<size_t>(base(page, head) +
                               (keys ? i * pageSize() + place : place * width + i));
  }
  /// The first byte of the scale of element i.
  [[nodiscard]] size_t scaleAt(int64_t page, int64_t head, int64_t place, int64_t i) const {
    return static_cast<size_t>(base(page, head) + width * pageSize() +
                               2 * (i / runtime::cacheBlock * pageSize() + place));
  }

  [[nodiscard]] double read(int64_t page, int64_t head, int64_t place, int64_t i) const {
    const Scalar &element = pages.elements[at(page, head, place, i)];
    if (!isQuantized())
      return element.real;
    const size_t scale = scaleAt(page, head, place, i);
    const int64_t bits =
        (pages.elements[scale].integer & 255) | (pages.elements[scale + 1].integer & 255) << 8;
    return static_cast<double>(element.integer) *
           realFromBits(context, ir::BlockFormat::Element::F16, static_cast<uint64_t>(bits));
  }

  /// Puts the `width` elements of a head into a slot of `target`, which is what `pages` is.
  void write(Tensor &target, int64_t page, int64_t head, int64_t place,
             const Scalar *values) const {
    if (!isQuantized()) {
      for (int64_t i = 0; i != width; ++i)
        target.elements[at(page, head, place, i)] =
            realScalar(roundToType(values[i].real, pages.element));
      return;
    }
    for (int64_t first = 0; first < width; first += runtime::cacheBlock)
      writeBlock(target, page, head, place, first, std::min(width, first + runtime::cacheBlock),
                 values);
  }

private:
  void writeBlock(Tensor &target, int64_t page, int64_t head, int64_t place, int64_t first,
                  int64_t last, const Scalar *values) const {
    double largest = 0;
    for (int64_t i = first; i != last; ++i)
      largest = std::isnan(values[i].real) || std::isnan(largest)
                    ? std::nan("")
                    : std::max(largest, std::fabs(values[i].real));
    const double scale = roundToType(largest / 127, Float16Type::get(context));
    for (int64_t i = first; i != last; ++i) {
      const bool usable = scale > 0 && std::isfinite(scale);
      const double q = usable ? std::nearbyint(values[i].real / scale) : 0;
      target.elements[at(page, head, place, i)] =
          integerScalar(static_cast<int64_t>(std::clamp(q, -127.0, 127.0)));
    }
    llvm::APFloat half(scale);
    bool lost = false;
    half.convert(llvm::APFloat::IEEEhalf(), llvm::APFloat::rmNearestTiesToEven, &lost);
    const auto bits = static_cast<int64_t>(half.bitcastToAPInt().getZExtValue());
    const size_t at = scaleAt(page, head, place, first);
    target.elements[at] = integerScalar(static_cast<int8_t>(bits & 255));
    target.elements[at + 1] = integerScalar(static_cast<int8_t>(bits >> 8));
  }
};

/// The format that an op names; the op's verifier has found it.
template <typename Op> const ir::BlockFormat &formatOf(Op op) {
  return *ir::findBlockFormat(op.getContext(), op.getFormat());
}

Type elementOf(Operation *op, unsigned result = 0) {
  return cast<RankedTensorType>(op->getResult(result).getType()).getElementType();
}

} // namespace

Status Evaluator::execute(ir::RotaryTableOp table, Frame &frame) {
  Type result = elementOf(table);
  const Tensor &positions = tensorAt(table.getPositions(), frame);
  int64_t dims = table.getDims(), half = dims / 2;
  TensorPointer angles = makeTensor(result, {positions.dims[0], dims});
  for (int64_t t = 0; t != positions.dims[0]; ++t)
    for (int64_t j = 0; j != half; ++j) {
      double angle = static_cast<double>(positions.elements[static_cast<size_t>(t)].integer) *
                     std::pow(table.getBase().convertToDouble(),
                              -2.0 * static_cast<double>(j) / static_cast<double>(dims));
      if (table.getFactors())
        angle /= (*table.getFactors())[static_cast<size_t>(j)];
      double scale = table.getScale() ? table.getScale()->convertToDouble() : 1;
      angles->elements[static_cast<size_t>(t * dims + j)] = realScalar(scale * std::cos(angle));
      angles->elements[static_cast<size_t>(t * dims + half + j)] =
          realScalar(scale * std::sin(angle));
    }
  frame.values[table->getResult(0)] = std::move(angles);
  return {};
}

Status Evaluator::execute(ir::PackWeightsOp pack, Frame &frame) {
  Type result = elementOf(pack);
  auto packed = std::make_shared<Tensor>();
  packed->element = result;
  packed->packedFrom = at(pack.getBytes(), frame).tensor();
  const ir::BlockFormat &format = formatOf(pack);
  int64_t rows = packed->packedFrom->dims[0], bytes = packed->packedFrom->dims[1];
  packed->dims = {llvm::divideCeilSigned(rows, ir::BlockFormat::packedRows),
                  format.packedBytes(bytes / format.bytesPerBlock * format.blockSize)};
  frame.values[pack->getResult(0)] = TensorPointer(std::move(packed));
  return {};
}

/// x [t, K] times the transpose of packed weights of `rows` rows.
Expected<TensorPointer> Evaluator::multiplyPacked(Operation *op, const Tensor &x,
                                                  const Tensor &packed,
                                                  const ir::BlockFormat &format, int64_t rows) {
  if (!packed.packedFrom)
    return error(op, "its weights are not the result of relax.pack_weights");
  const auto t = static_cast<size_t>(x.dims[0]), depth = static_cast<size_t>(x.dims[1]);
  // Each sum goes in the order of k; several rows beside each other, so that it goes fast.
  constexpr size_t beside = 8;
  std::vector<double> row(depth), decoded(depth * beside);
  TensorPointer result = makeTensor(elementOf(op), {x.dims[0], rows});
  for (size_t first = 0; first < static_cast<size_t>(rows); first += beside) {
    const size_t count = std::min(beside, static_cast<size_t>(rows) - first);
    RELAX_RETURN_IF_ERROR(spend(op, count * (depth * (t + 8) / stepProducts + 1)));
    for (size_t n = 0; n != count; ++n) {
      decodeRow(op->getContext(), *packed.packedFrom, format, static_cast<int64_t>(first + n), row);
      for (size_t k = 0; k != depth; ++k)
        decoded[k * beside + n] = row[k];
    }
    for (size_t i = 0; i != t; ++i) {
      std::array<double, beside> sums = {};
      for (size_t k = 0; k != depth; ++k)
        for (size_t n = 0; n != beside; ++n)
          sums[n] += x.elements[i * depth + k].real * decoded[k * beside + n];
      for (size_t n = 0; n != count; ++n)
        result->elements[i * static_cast<size_t>(rows) + first + n] = realScalar(sums[n]);
    }
  }
  return result;
}

Status Evaluator::execute(ir::PackedMatmulOp product, Frame &frame) {
  Expected<TensorPointer> result =
      multiplyPacked(product, tensorAt(product.getX(), frame), tensorAt(product.getPacked(), frame),
                     formatOf(product), product.getRows());
  if (!result)
    return result.takeStatus();
  frame.values[product->getResult(0)] = std::move(*result);
  return {};
}

Status Evaluator::execute(ir::QuantizeActivationsOp quantize, Frame &frame) {
  const Tensor &x = tensorAt(quantize.getX(), frame);
  int64_t planes = quantize.getPlanes(), t = x.dims[0], depth = x.dims[1], blocks = depth / 32;
  TensorPointer values = makeTensor(elementOf(quantize, 0), {t, planes, depth});
  TensorPointer scales = makeTensor(elementOf(quantize, 1), {t, planes, blocks});
  TensorPointer sums = makeTensor(elementOf(quantize, 2), {t, planes, blocks});
  for (int64_t row = 0; row != t; ++row)
    for (int64_t block = 0; block != blocks; ++block) {
      double rest[32];
      for (int64_t i = 0; i != 32; ++i)
        rest[i] = x.elements[static_cast<size_t>(row * depth + block * 32 + i)].real;
      for (int64_t plane = 0; plane != planes; ++plane) {
        int64_t at = (row * planes + plane) * blocks + block;
        quantizeBlock(rest, &values->elements[static_cast<size_t>(at * 32)],
                      scales->elements[static_cast<size_t>(at)],
                      sums->elements[static_cast<size_t>(at)]);
      }
    }
  frame.values[quantize->getResult(0)] = std::move(values);
  frame.values[quantize->getResult(1)] = std::move(scales);
  frame.values[quantize->getResult(2)] = std::move(sums);
  return {};
}

Expected<TensorPointer> Evaluator::multiplyQuantized(Operation *op, const Tensor &values,
                                                     const Tensor &scales, const Tensor &packed,
                                                     const ir::BlockFormat &format, int64_t rows) {
  int64_t t = values.dims[0], planes = values.dims[1], depth = values.dims[2];
  TensorPointer x = makeTensor(elementOf(op), {t, depth});
  for (int64_t row = 0; row != t; ++row)
    for (int64_t plane = 0; plane != planes; ++plane)
      for (int64_t k = 0; k != depth; ++k) {
        int64_t at = (row * planes + plane) * depth + k;
        x->elements[static_cast<size_t>(row * depth + k)].real +=
            static_cast<double>(values.elements[static_cast<size_t>(at)].integer) *
            scales.elements[static_cast<size_t>(at / 32)].real;
      }
  return multiplyPacked(op, *x, packed, format, rows);
}

Status Evaluator::execute(ir::QuantizedMatmulOp product, Frame &frame) {
  auto result =
      multiplyQuantized(product, tensorAt(product.getValues(), frame),
                        tensorAt(product.getScales(), frame), tensorAt(product.getPacked(), frame),
                        formatOf(product), static_cast<int64_t>(product.getRows()));
  if (!result)
    return result.takeStatus();
  frame.values[product->getResult(0)] = std::move(*result);
  return {};
}

/// Bounds that leave all outputs in: what the kernels leave out is nobody's concern.
Status Evaluator::executeLikeliest(Operation *op, Frame &frame) {
  if (auto product = dyn_cast<ir::LikeliestMatmulOp>(op)) {
    auto result = multiplyQuantized(op, tensorAt(product.getValues(), frame),
                                    tensorAt(product.getScales(), frame),
                                    tensorAt(product.getPacked(), frame), formatOf(product),
                                    static_cast<int64_t>(product.getRows()));
    if (!result)
      return result.takeStatus();
    frame.values[op->getResult(0)] = std::move(*result);
    return {};
  }
  const int64_t tokens = tensorAt(op->getOperand(0), frame).dims[0];
  for (OpResult result : op->getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    std::vector<int64_t> dims(type.getShape().begin(), type.getShape().end());
    dims[0] = tokens;
    frame.values[result] = makeTensor(type.getElementType(), dims);
  }
  return {};
}

Status Evaluator::execute(ir::UpdateSlotsOp update, Frame &frame) {
  bool keys = update.getLayout() == "keys";
  TensorPointer pages = takeTensor(update.getPagesMutable(), frame);
  const Tensor &values = tensorAt(update.getValues(), frame);
  const PageView view{update.getContext(), *pages, keys, values.dims[2]};
  Batch batch{tensorAt(update.getSequenceStarts(), frame), tensorAt(update.getPageTable(), frame),
              tensorAt(update.getCachedLengths(), frame), view.pageSize()};
  for (int64_t s = 0; s != batch.numSequences(); ++s)
    for (int64_t token = batch.start(s); token < batch.start(s + 1); ++token) {
      int64_t slot = batch.slot(s, token), page = batch.page(s, slot);
      if (page < 0 || page >= pages->dims[0] || token < 0 || token >= values.dims[0])
        return error(update, "token " + std::to_string(token) + " has no place in the cache");
      for (int64_t h = 0; h != values.dims[1]; ++h)
        view.write(
            *pages, page, h, slot % batch.pageSize,
            &values.elements[static_cast<size_t>((token * values.dims[1] + h) * values.dims[2])]);
    }
  frame.values[update->getResult(0)] = std::move(pages);
  return {};
}

Status Evaluator::execute(ir::PagedAttentionOp attention, Frame &frame) {
  Type result = elementOf(attention);
  const Tensor &q = tensorAt(attention.getQ(), frame);
  const Tensor &keys = tensorAt(attention.getKPages(), frame);
  const Tensor &values = tensorAt(attention.getVPages(), frame);
  int64_t heads = q.dims[1], width = q.dims[2], kvHeads = keys.dims[1];
  Batch batch{tensorAt(attention.getSequenceStarts(), frame),
              tensorAt(attention.getPageTable(), frame),
              tensorAt(attention.getCachedLengths(), frame), keys.dims[3]};
  const PageView keyView{attention.getContext(), keys, true, width},
      valueView{attention.getContext(), values, false, width};
  TensorPointer out = makeTensor(result, q.dims);
  double scale = attention.getScale().convertToDouble();
  // Kernels compute in float32: of large scores a rounding shows in the result.
  auto rounded = [&, f32 = Float32Type::get(attention.getContext())](double value) {
    return roundResult(value, f32, options.rounding);
  };
  for (int64_t s = 0; s != batch.numSequences(); ++s)
    for (int64_t token = batch.start(s); token < batch.start(s + 1); ++token)
      for (int64_t h = 0; h != heads; ++h) {
        int64_t last = batch.slot(s, token), kvHead = h / (heads / kvHeads);
        RELAX_RETURN_IF_ERROR(spend(attention, static_cast<uint64_t>(last + 1)));
        std::vector<double> scores;
        double most = -std::numeric_limits<double>::infinity();
        int64_t first = 0;
        if (attention.getWindow())
          first = std::max<int64_t>(0, last + 1 - static_cast<int64_t>(*attention.getWindow()));
        for (int64_t slot = first; slot <= last; ++slot) {
          int64_t page = batch.page(s, slot);
          if (page < 0 || page >= keys.dims[0] || token >= q.dims[0])
            return error(attention, "slot " + std::to_string(slot) + " has no page");
          double sum = 0;
          for (int64_t i = 0; i != width; ++i)
            sum = rounded(sum +
                          q.elements[static_cast<size_t>((token * heads + h) * width + i)].real *
                              keyView.read(page, kvHead, slot % batch.pageSize, i));
          double score = rounded(sum * scale);
          if (attention.getSoftCap()) {
            double cap = attention.getSoftCap()->convertToDouble();
            score = rounded(cap * std::tanh(score / cap));
          }
          scores.push_back(score);
          most = std::max(most, scores.back());
        }
        double total = 0;
        for (double &score : scores)
          total += score = rounded(std::exp(score - most));
        for (int64_t i = 0; i != width; ++i) {
          double sum = 0;
          for (int64_t slot = first; slot <= last; ++slot)
            sum += scores[static_cast<size_t>(slot - first)] *
                   valueView.read(batch.page(s, slot), kvHead, slot % batch.pageSize, i);
          out->elements[static_cast<size_t>((token * heads + h) * width + i)] =
              realScalar(sum / total);
        }
      }
  frame.values[attention->getResult(0)] = std::move(out);
  return {};
}

/// Rounds what compiled code holds in a floating-point type.
void Evaluator::roundElements(Value &value) const {
  auto element = dyn_cast<FloatType>(value.tensor()->element);
  if (!element)
    return;
  TensorPointer tensor = std::make_shared<Tensor>(*value.tensor());
  for (Scalar &scalar : tensor->elements)
    scalar.real = roundResult(scalar.real, element, options.rounding);
  value = std::move(tensor);
}

Status Evaluator::executeStructured(Operation *op, Frame &frame) {
  if (!options.keptProducts || !isa<ir::PackedMatmulOp, ir::QuantizedMatmulOp>(op)) {
    RELAX_RETURN_IF_ERROR(executeAnew(op, frame));
    if (options.rounding != Rounding::None)
      for (mlir::Value result : op->getResults())
        roundElements(frame.values[result]);
    return {};
  }
  KeptProducts::key_type key{op, {}};
  for (mlir::Value operand : op->getOperands())
    key.second.push_back(at(operand, frame).tensor());
  TensorPointer &kept = (*options.keptProducts)[key];
  if (kept) {
    frame.values[op->getResult(0)] = kept;
    return {};
  }
  RELAX_RETURN_IF_ERROR(executeAnew(op, frame));
  kept = at(op->getResult(0), frame).tensor();
  return {};
}

Status Evaluator::executeAnew(Operation *op, Frame &frame) {
  return llvm::TypeSwitch<Operation *, Status>(op)
      .Case<ir::RotaryTableOp, ir::PackWeightsOp, ir::PackedMatmulOp, ir::QuantizeActivationsOp,
            ir::QuantizedMatmulOp, ir::UpdateSlotsOp, ir::PagedAttentionOp, ir::AttentionOp>(
          [&](auto structured) { return execute(structured, frame); })
      .Case<ir::LikeliestTermsOp, ir::LikeliestBoundsOp, ir::LikeliestThresholdOp,
            ir::LikeliestMatmulOp>([&](Operation *part) { return executeLikeliest(part, frame); })
      .Default([&](Operation *) { return error(op, "the interpreter doesn't know this op"); });
}

} // namespace relax::interpreter
