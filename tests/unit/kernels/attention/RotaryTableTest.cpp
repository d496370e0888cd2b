// Cosines and sines against the C library's in long double.

#include "tests/unit/kernels/KernelRunner.h"
#include "tests/unit/kernels/attention/Programs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace relax::test {
namespace {

/// Half a unit in the last place for the rounding to f32, and a little for the f64 arithmetic;
/// where the result is near 0, the angle's own rounding (2^20 * 2^-53) shows.
double tolerance(double expected) {
  float magnitude = float(std::fabs(expected));
  double ulp = std::nextafter(magnitude, 2.0f) - magnitude;
  return 0.51 * ulp + std::ldexp(1.0, -32);
}

void checkTable(double base, int64_t dims, const std::vector<int32_t> &positions,
                const std::string &target = {}) {
  Kernel kernel(rotaryTableProgram(base, dims), {target});
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  EXPECT_EQ(kernel.strategy(), "rotary-table");
  int64_t half = dims / 2, tokens = int64_t(positions.size());
  std::vector<float> table(tokens * dims, 7.0f);
  kernel.run({positions.data()}, {table.data()}, {tokens}, 3);
  for (int64_t token = 0; token < tokens; ++token)
    for (int64_t i = 0; i < half; ++i) {
      long double frequency = std::pow((long double)(base), -2.0L * i / dims);
      long double angle = positions[token] * frequency;
      double cosine = double(std::cos(angle)), sine = double(std::sin(angle));
      ASSERT_NEAR(table[token * dims + i], cosine, tolerance(cosine))
          << "position " << positions[token] << ", " << i;
      ASSERT_NEAR(table[token * dims + half + i], sine, tolerance(sine))
          << "position " << positions[token] << ", " << i;
    }
}

std::vector<int32_t> manyPositions() {
  std::vector<int32_t> positions;
  for (int32_t i = 0; i < 3000; ++i)
    positions.push_back(i);
  std::mt19937 random(1);
  for (int32_t i = 0; i < 20000; ++i)
    positions.push_back(int32_t(random() % (1 << 20)));
  positions.push_back(1 << 20);
  return positions;
}

TEST(RotaryTable, MatchesTheLibrary) {
  checkTable(10000.0, 64, manyPositions());
  checkTable(100000.0, 128, manyPositions());
}

TEST(RotaryTable, OddSizes) {
  std::vector<int32_t> positions = {0, 1, 2, 3, 1000, 8191, 131071};
  for (int64_t dims : {2, 4, 6, 10, 18, 80, 256})
    checkTable(10000.0, dims, positions);
  checkTable(500000.0, 64, {});
  checkTable(500000.0, 64, {5});
}

TEST(RotaryTable, Targets) {
  for (const char *target : {"x86-64-v2", "x86-64-v3"})
    checkTable(10000.0, 20, manyPositions(), target);
}

} // namespace
} // namespace relax::test
