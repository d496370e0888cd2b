// Products with packed weights against float64 over the same (quantised) activations, for every
// format, at sizes around the tiles', and bit-equal however tokens and row blocks are cut.

#include "tests/unit/kernels/contraction/Weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace relax::test {
namespace {

constexpr int64_t maxTokens = 140; // More than one block of tokens.
const std::vector<int64_t> tokenCounts = {0, 1, 2, 3, 5, 6, 7, 8, 9, 13, 16, 33};

struct Size {
  int64_t rows, columns;
};
const std::vector<Size> sizes = {{1, 32},   {15, 64},  {16, 96},   {17, 32},
                                 {33, 576}, {17, 672}, {48, 1536}, {192, 576}};

/// The sizes in whole blocks of a format: fewer where a block is large.
std::vector<Size> sizesOf(const StoredFormat &format) {
  if (format.elements == 32)
    return sizes;
  return {{1, 256}, {33, 512}, {17, 1280}};
}

/// What the quantised activations stand for.
std::vector<double> dequantized(const QuantizedRows &rows, int64_t tokens, int64_t columns,
                                int64_t planes) {
  std::vector<double> x(tokens * columns);
  for (int64_t t = 0; t < tokens; ++t)
    for (int64_t p = 0; p < planes; ++p)
      for (int64_t k = 0; k < columns; ++k) {
        int64_t at = (t * planes + p) * columns + k;
        x[t * columns + k] += double(rows.scales[at / 32]) * rows.quants[at];
      }
  return x;
}

/// |found - exact| / sum of |weight * activation|, the largest over all elements.
double largestError(const StoredMatrix &matrix, const std::vector<double> &x,
                    const std::vector<float> &found) {
  double largest = 0;
  int64_t tokens = static_cast<int64_t>(x.size()) / matrix.columns;
  for (int64_t t = 0; t < tokens; ++t)
    for (int64_t n = 0; n < matrix.rows; ++n) {
      double sum = 0, magnitude = 0;
      for (int64_t k = 0; k < matrix.columns; ++k) {
        sum += x[t * matrix.columns + k] * matrix.values[n * matrix.columns + k];
        magnitude +=
            std::fabs(x[t * matrix.columns + k]) * matrix.magnitudes[n * matrix.columns + k];
      }
      double error = std::fabs(sum - found[t * matrix.rows + n]) / std::max(magnitude, 1e-300);
      largest =
          std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(largest, error);
    }
  return largest;
}

/// Runs for fewer tokens and compares with the first rows of `all`, bit by bit. One float past the
/// end of the result must survive.
template <typename Run> void expectBitEqual(const std::vector<float> &all, int64_t rows, Run run) {
  for (int64_t tokens : tokenCounts)
    for (int64_t pieces : {1, 3}) {
      std::vector<float> y(tokens * rows + 1, 7.0f);
      run(y.data(), tokens, pieces);
      EXPECT_EQ(std::memcmp(y.data(), all.data(), tokens * rows * sizeof(float)), 0)
          << tokens << " tokens in " << pieces << " pieces";
      EXPECT_EQ(y.back(), 7.0f) << tokens << " tokens";
    }
}

void checkQuantized(const StoredFormat &format, Size size, int64_t planes,
                    const KernelOptions &options = {}) {
  SCOPED_TRACE(format.name + " " + std::to_string(size.rows) + "x" + std::to_string(size.columns) +
               " planes " + std::to_string(planes));
  StoredMatrix matrix(format, size.rows, size.columns);
  std::vector<uint8_t> packed = pack(matrix, options);
  QuantizedRows x =
      quantize(randomActivations(maxTokens, size.columns), size.columns, planes, options);
  Kernel kernel(quantizedMatmulProgram(matrix, planes), options);
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  EXPECT_EQ(kernel.strategy(), "quantized-matmul");
  auto run = [&](float *y, int64_t tokens, int64_t pieces) {
    kernel.run({x.quants.data(), x.scales.data(), x.sums.data(), packed.data()}, {y}, {tokens},
               pieces);
  };
  std::vector<float> all(maxTokens * size.rows, 7.0f);
  run(all.data(), maxTokens, 1);
  // Minimums of groups are a second rounded sum.
  double limit = format.elements > 32 ? 3e-7 : 2e-7;
  EXPECT_LT(largestError(matrix, dequantized(x, maxTokens, size.columns, planes), all), limit);
  expectBitEqual(all, size.rows, run);
}

void checkPacked(const StoredFormat &format, Size size, const KernelOptions &options = {}) {
  SCOPED_TRACE(format.name + " " + std::to_string(size.rows) + "x" + std::to_string(size.columns));
  StoredMatrix matrix(format, size.rows, size.columns);
  std::vector<uint8_t> packed = pack(matrix, options);
  std::vector<float> x = randomActivations(maxTokens, size.columns);
  Kernel kernel(packedMatmulProgram(matrix), options);
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  EXPECT_EQ(kernel.strategy(), "packed-matmul");
  auto run = [&](float *y, int64_t tokens, int64_t pieces) {
    kernel.run({x.data(), packed.data()}, {y}, {tokens}, pieces);
  };
  std::vector<float> all(maxTokens * size.rows, 7.0f);
  run(all.data(), maxTokens, 1);
  // One float32 sum over up to 1536 columns: errors grow with the number of terms.
  EXPECT_LT(largestError(matrix, std::vector<double>(x.begin(), x.end()), all), 2e-6);
  expectBitEqual(all, size.rows, run);
}

TEST(QuantizedMatmul, MatchesFloat64InEveryFormat) {
  for (const StoredFormat &format : storedFormats())
    if (!format.isFloat())
      for (Size size : sizesOf(format))
        checkQuantized(format, size, 1);
}

TEST(QuantizedMatmul, AddsTheResidualPlane) {
  for (const StoredFormat &format : storedFormats())
    if (!format.isFloat())
      for (Size size : format.elements == 32 ? std::vector<Size>{{17, 64}, {48, 576}, {16, 672}}
                                             : std::vector<Size>{{33, 512}, {16, 1280}})
        checkQuantized(format, size, 2);
}

TEST(QuantizedMatmul, RunsOnTheLowestLevel) {
  for (const StoredFormat &format : storedFormats())
    if (!format.isFloat())
      checkQuantized(format, {17, format.elements == 32 ? 96 : 256}, 1, {"x86-64-v2"});
}

TEST(QuantizedMatmul, RunsOnTheLevelBelow) {
  // Other instructions on a machine with AVX-512, the same as everywhere else on one without.
  for (const StoredFormat &format : storedFormats())
    if (!format.isFloat())
      checkQuantized(format, {33, format.elements == 32 ? 672 : 1280}, 1, {"x86-64-v3"});
}

TEST(QuantizedMatmul, HoldsTheLargestSums) {
  // Quants of 0 are -offset, so activations of one sign give sums of 16 bits all that they can
  // hold.
  struct Case {
    std::string name;
    BlockBytes quants;
  };
  for (const Case &c : {Case{"q4_0", {2, 18}}, Case{"q5_0", {2, 22}}, Case{"q3_k", {0, 96}},
                        Case{"q6_k", {0, 192}}})
    for (const char *target : {"x86-64-v2", "x86-64-v3"}) {
      SCOPED_TRACE(c.name + " on " + target);
      const StoredFormat &format =
          *std::find_if(storedFormats().begin(), storedFormats().end(),
                        [&](const StoredFormat &other) { return other.name == c.name; });
      int64_t rows = 17, columns = 256, tokens = 6;
      StoredMatrix matrix(format, rows, columns, c.quants);
      std::vector<float> ones(tokens * columns, 1.0f);
      std::fill(ones.begin() + tokens / 2 * columns, ones.end(), -1.0f);
      KernelOptions options{target};
      std::vector<uint8_t> packed = pack(matrix, options);
      QuantizedRows x = quantize(ones, columns, 1, options);
      Kernel kernel(quantizedMatmulProgram(matrix, 1), options);
      ASSERT_TRUE(kernel.ok()) << kernel.error();
      std::vector<float> y(tokens * rows);
      kernel.run({x.quants.data(), x.scales.data(), x.sums.data(), packed.data()}, {y.data()},
                 {tokens});
      EXPECT_LT(largestError(matrix, dequantized(x, tokens, columns, 1), y), 3e-7);
    }
}

TEST(QuantizedMatmul, FusesAnEpilogue) {
  for (int64_t rows : {48, 35}) {
    StoredMatrix matrix(storedFormats()[1], rows, 64);
    std::vector<uint8_t> packed = pack(matrix);
    int64_t tokens = 7;
    QuantizedRows x = quantize(randomActivations(tokens, 64), 64, 1);
    std::vector<float> bias = randomActivations(1, rows),
                       residual = randomActivations(tokens, rows);
    Kernel plain(quantizedMatmulProgram(matrix, 1));
    Kernel fused(quantizedMatmulProgram(matrix, 1, /*withEpilogue=*/true));
    ASSERT_TRUE(plain.ok()) << plain.error();
    ASSERT_TRUE(fused.ok()) << fused.error();
    std::vector<float> y(tokens * rows), z(tokens * rows);
    plain.run({x.quants.data(), x.scales.data(), x.sums.data(), packed.data()}, {y.data()},
              {tokens});
    fused.run({x.quants.data(), x.scales.data(), x.sums.data(), packed.data(), bias.data(),
               residual.data()},
              {z.data()}, {tokens}, 2);
    for (int64_t i = 0; i < tokens * rows; ++i) {
      volatile float product = y[i] * bias[i % rows]; // Rounded before the sum.
      EXPECT_EQ(z[i], product + residual[i]) << i;
    }
  }
}

TEST(PackedMatmul, MatchesFloat64InEveryFormat) {
  for (const StoredFormat &format : storedFormats())
    for (Size size : format.elements == 32 ? std::vector<Size>{{1, 32}, {17, 96}, {48, 1536}}
                                           : std::vector<Size>{{17, 1280}})
      checkPacked(format, size);
}

TEST(PackedMatmul, RunsOnTheLowestLevel) {
  for (const StoredFormat &format : storedFormats())
    checkPacked(format, {17, format.elements}, {"x86-64-v2"});
}

TEST(PackWeights, PutsScalesFirstAndInterleavesRows) {
  StoredMatrix matrix(storedFormats()[1], 17, 64);
  std::vector<uint8_t> packed = pack(matrix);
  constexpr int64_t unitBytes = 320;
  ASSERT_EQ(packed.size(), 2u * 2u * unitBytes);
  for (int64_t row = 0; row < 32; ++row)
    for (int64_t block = 0; block < 2; ++block) {
      std::vector<uint8_t> expected(20);
      if (row < 17)
        std::memcpy(expected.data(), &matrix.bytes[(row * 2 + block) * 20], 20);
      const uint8_t *unit = &packed[((row / 16) * 2 + block) * unitBytes];
      EXPECT_EQ(std::memcmp(unit + row % 16 * 2, expected.data(), 2), 0) << row;
      EXPECT_EQ(std::memcmp(unit + 32 + row % 16 * 2, expected.data() + 2, 2), 0) << row;
      for (int64_t quad = 0; quad < 4; ++quad)
        EXPECT_EQ(
            std::memcmp(unit + 64 + quad * 64 + row % 16 * 4, expected.data() + 4 + 4 * quad, 4), 0)
            << row << " quad " << quad;
    }
}

TEST(QuantizeActivations, RoundsHalfToEvenAndSums) {
  for (int64_t planes : {1, 2})
    for (int64_t columns : {32, 96}) {
      std::vector<float> x = randomActivations(9, columns);
      for (int64_t k = 0; k < 32; ++k)
        x[columns + k] = 0;
      for (int64_t k = 0; k < 32; ++k) // Scale 1: halves are exact.
        x[2 * columns + k] = k == 0 ? 127.0f : float(k) - 16.5f;
      QuantizedRows rows = quantize(x, columns, planes);
      for (int64_t block = 0; block < 9 * columns / 32; ++block) {
        int64_t token = block / (columns / 32), inRow = block % (columns / 32);
        std::vector<float> rest(&x[block * 32], &x[block * 32] + 32);
        for (int64_t plane = 0; plane < planes; ++plane) {
          float largest = 0;
          for (float value : rest)
            largest = std::max(largest, std::fabs(value));
          float scale = largest / 127;
          int64_t at = (token * planes + plane) * columns / 32 + inRow;
          EXPECT_EQ(rows.scales[at], scale);
          int32_t sums[2] = {0, 0};
          for (int64_t k = 0; k < 32; ++k) {
            int expected = scale > 0 ? int(std::nearbyint(rest[k] / scale)) : 0;
            EXPECT_EQ(rows.quants[at * 32 + k], expected) << block << " " << plane << " " << k;
            sums[k / 16] += expected;
            // x - d * q is exact to far below what changes plane 1's rounding, save at ties.
            rest[k] = std::fma(-scale, float(expected), rest[k]);
          }
          EXPECT_EQ(static_cast<int16_t>(rows.sums[at]), sums[0]);
          EXPECT_EQ(rows.sums[at] >> 16, sums[1]);
        }
      }
    }
}

TEST(QuantizeActivations, KeepsNanAndInfinityInTheScale) {
  float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  for (int64_t planes : {1, 2}) {
    std::vector<float> x(4 * 32, 1.0f);
    x[5] = nan;
    x[32 + 5] = -inf;
    for (int64_t k = 0; k < 32; ++k)
      x[64 + k] = 2e-43f; // 143 times the least subnormal: the scale is 1 of it, q is clamped.
    QuantizedRows rows = quantize(x, 32, planes);
    EXPECT_TRUE(std::isnan(rows.scales[0]));
    EXPECT_EQ(rows.scales[planes], inf);
    EXPECT_EQ(rows.sums[0], 0);
    EXPECT_EQ(rows.sums[planes], 0);
    for (int64_t k = 0; k < 32; ++k)
      EXPECT_EQ(rows.quants[2 * planes * 32 + k], 127);
    EXPECT_EQ(rows.quants[3 * planes * 32], 127);
  }
}

} // namespace
} // namespace relax::test
