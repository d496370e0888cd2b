// The formulas of exp, sin, pow and their kind against the C library's long double: over their
// usual range, over random bit patterns, at the special values; and the same bits from scalar and
// vector code, with and without fused multiply-add.

#include "tests/unit/kernels/KernelRunner.h"
#include "tests/unit/kernels/MathPrograms.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>

namespace relax::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Function {
  std::string name;
  long double (*reference)(long double);
  double low, high;        ///< Where dense inputs lie.
  double units32, units64; ///< Largest errors in units in the last place.
};

const std::vector<Function> functions = {
    {"exp", std::exp, -104, 89, 1.5, 1},
    {"exp2", std::exp2, -150, 128, 1.5, 1.5},
    {"expm1", std::expm1, -20, 20, 0.51, 2},
    {"log", std::log, 0, 20, 0.51, 1},
    {"log2", std::log2, 0, 20, 0.51, 2},
    {"log10", std::log10, 0, 20, 0.51, 2},
    {"log1p", std::log1p, -1, 20, 0.51, 2},
    {"sin", std::sin, -100, 100, 0.51, 1},
    {"cos", std::cos, -100, 100, 0.51, 1},
    {"tan", std::tan, -100, 100, 0.51, 2},
    {"asin", std::asin, -1, 1, 0.51, 1},
    {"acos", std::acos, -1, 1, 0.51, 1},
    {"atan", std::atan, -20, 20, 0.51, 1},
    {"sinh", std::sinh, -10, 10, 0.51, 2.5},
    {"cosh", std::cosh, -10, 10, 0.51, 2},
    {"tanh", std::tanh, -10, 10, 3, 2.5},
    {"asinh", std::asinh, -20, 20, 0.51, 2},
    {"acosh", std::acosh, 1, 20, 0.51, 2.5},
    {"atanh", std::atanh, -1, 1, 0.51, 2.5},
    {"cbrt", std::cbrt, -20, 20, 0.51, 1.5},
    {"erf", std::erf, -7, 7, 0.51, 2},
    {"erfc", std::erfc, -7, 28, 0.51, 5},
    {"rsqrt", [](long double x) { return 1 / std::sqrt(x); }, 0, 100, 1.5, 1.5},
};

struct Function2 {
  std::string name;
  long double (*reference)(long double, long double);
  double units32, units64;
};

const std::vector<Function2> functions2 = {
    {"powf", std::pow, 0.51, 1.5},
    {"atan2", std::atan2, 0.51, 2},
    {"remf", std::fmod, 0, 0},
};

/// |found - expected| in units in the last place of `expected`; infinite where one is a special
/// value and the other isn't it.
template <typename T> double unitsApart(T found, long double expected) {
  T rounded = static_cast<T>(expected);
  if (std::isnan(found) || std::isnan(rounded))
    return std::isnan(found) && std::isnan(rounded) ? 0 : infinity;
  if (found == rounded)
    return std::signbit(found) == std::signbit(rounded) || expected != 0 ? 0 : infinity;
  if (std::isinf(found) || std::isinf(rounded)) {
    // The largest finite number and infinity are neighbours.
    T other = std::isinf(found) ? rounded : found;
    return std::abs(other) == std::numeric_limits<T>::max() ? 1 : infinity;
  }
  int exponent;
  std::frexp(static_cast<T>(std::abs(expected)), &exponent);
  exponent = std::max(exponent, std::numeric_limits<T>::min_exponent);
  long double unit = std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits);
  return double(std::abs(found - expected) / unit);
}

/// Any bit pattern, so all magnitudes alike.
template <typename T> T randomBits(std::mt19937_64 &generator) {
  uint64_t bits = generator();
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

template <typename T> std::vector<T> inputsOf(const Function &function, std::mt19937_64 &random) {
  std::vector<T> x;
  constexpr int dense = 60000;
  for (int i = 0; i <= dense; ++i)
    x.push_back(T(function.low + (function.high - function.low) * (double(i) / dense)));
  for (int i = 0; i < dense; ++i)
    x.push_back(randomBits<T>(random));
  for (T special : {T(0), T(-0.0), T(infinity), T(-infinity), T(NAN), T(1), T(-1), T(0.5), T(2),
                    std::numeric_limits<T>::min(), std::numeric_limits<T>::denorm_min(),
                    std::numeric_limits<T>::max(), std::numeric_limits<T>::lowest(),
                    std::numeric_limits<T>::epsilon()})
    x.push_back(special);
  return x;
}

/// The same bits from a call of one element as from a vector.
template <typename T>
void checkAlone(const Kernel &kernel, const std::vector<T> &x, const std::vector<T> &y) {
  for (size_t i = 0; i < x.size(); i += 97) {
    T alone = 0;
    kernel.run({&x[i]}, {&alone}, {1});
    if (!std::isnan(alone) || !std::isnan(y[i])) {
      ASSERT_EQ(0, std::memcmp(&alone, &y[i], sizeof(T))) << x[i];
    }
  }
}

template <typename T> void checkUnary(const Function &function, const std::string &target) {
  constexpr bool isDouble = sizeof(T) == 8;
  Kernel kernel(unaryProgram("math." + function.name, isDouble ? "f64" : "f32"), {target});
  ASSERT_TRUE(kernel.ok()) << function.name << ": " << kernel.error();
  std::mt19937_64 random(11);
  std::vector<T> x = inputsOf<T>(function, random), y(x.size());
  kernel.run({x.data()}, {y.data()}, {int64_t(x.size())});
  checkAlone(kernel, x, y);
  double limit = isDouble ? function.units64 : function.units32, worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    double units = unitsApart(y[i], function.reference(x[i]));
    worst = std::max(worst, units);
    ASSERT_LE(units, limit) << function.name << "(" << x[i] << ") = " << y[i] << ", expected "
                            << T(function.reference(x[i])) << " on " << target;
  }
  printf("%-6s %s %-9s %.3f units in the last place\n", function.name.c_str(),
         isDouble ? "f64" : "f32", target.c_str(), worst);
}

class ExpandMath : public testing::TestWithParam<Function> {};

TEST_P(ExpandMath, StaysNearLongDoubleAloneAndInAVector) {
  for (const char *target : {"native", "x86-64-v2"}) {
    checkUnary<float>(GetParam(), target);
    checkUnary<double>(GetParam(), target);
  }
}

INSTANTIATE_TEST_SUITE_P(Unary, ExpandMath, testing::ValuesIn(functions),
                         [](const auto &info) { return info.param.name; });

template <typename T> std::vector<std::pair<T, T>> pairsOf(std::mt19937_64 &random) {
  std::vector<std::pair<T, T>> pairs;
  std::uniform_real_distribution<double> near(-30, 30);
  for (int i = 0; i < 60000; ++i) {
    pairs.push_back({T(near(random)), T(near(random))});
    pairs.push_back({T(std::abs(near(random))), T(near(random))});
    pairs.push_back({randomBits<T>(random), randomBits<T>(random)});
    // Powers near the ends of the range.
    T base = std::abs(randomBits<T>(random));
    double logarithm = std::log2(double(base));
    if (std::isfinite(logarithm) && logarithm != 0)
      pairs.push_back({base, T((sizeof(T) == 8 ? 1020 : 125) / logarithm * near(random) / 30)});
    // Near 1, with large exponents.
    pairs.push_back({T(1 + near(random) / 3000), T(near(random) * 1000)});
  }
  std::vector<T> special = {T(0),
                            T(-0.0),
                            T(1),
                            T(-1),
                            T(0.5),
                            T(-0.5),
                            T(2),
                            T(-2),
                            T(3),
                            T(-3),
                            T(infinity),
                            T(-infinity),
                            T(NAN),
                            std::numeric_limits<T>::max(),
                            std::numeric_limits<T>::lowest(),
                            std::numeric_limits<T>::min(),
                            std::numeric_limits<T>::denorm_min(),
                            T(1e6),
                            T(7.5),
                            T(-7.5)};
  for (T x : special)
    for (T y : special)
      pairs.push_back({x, y});
  return pairs;
}

template <typename T> void checkBinary(const Function2 &function, const std::string &target) {
  constexpr bool isDouble = sizeof(T) == 8;
  std::string dialect = function.name == "remf" ? "arith." : "math.";
  Kernel kernel(binaryProgram(dialect + function.name, isDouble ? "f64" : "f32"), {target});
  ASSERT_TRUE(kernel.ok()) << function.name << ": " << kernel.error();
  std::mt19937_64 random(13);
  std::vector<std::pair<T, T>> pairs = pairsOf<T>(random);
  std::vector<T> x, y, z(pairs.size());
  for (auto [a, b] : pairs) {
    x.push_back(a);
    y.push_back(b);
  }
  kernel.run({x.data(), y.data()}, {z.data()}, {int64_t(x.size())});
  double limit = isDouble ? function.units64 : function.units32, worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    long double expected = function.reference(x[i], y[i]);
    double units = unitsApart(z[i], expected);
    worst = std::max(worst, units);
    ASSERT_LE(units, limit) << function.name << "(" << x[i] << ", " << y[i] << ") = " << z[i]
                            << ", expected " << T(expected) << " on " << target;
  }
  printf("%-6s %s %-9s %.3f units in the last place\n", function.name.c_str(),
         isDouble ? "f64" : "f32", target.c_str(), worst);
}

TEST(ExpandMath2, StaysNearLongDouble) {
  for (const Function2 &function : functions2)
    for (const char *target : {"native", "x86-64-v2"}) {
      checkBinary<float>(function, target);
      checkBinary<double>(function, target);
    }
}

/// Half precision: computed in float32, rounded once.
TEST(ExpandMath, HalfGoesThroughFloat32) {
  for (const char *target : {"native", "x86-64-v2"}) {
    Kernel kernel(unaryProgram("math.sin", "f16"), {target});
    ASSERT_TRUE(kernel.ok()) << kernel.error();
    std::vector<uint16_t> x(65536), y(65536);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = uint16_t(i);
    kernel.run({x.data()}, {y.data()}, {int64_t(x.size())});
    for (size_t i = 0; i < x.size(); ++i) {
      float expected = fromHalf(toHalf(std::sin(fromHalf(x[i]))));
      if (std::isnan(expected))
        EXPECT_TRUE(std::isnan(fromHalf(y[i])));
      else
        EXPECT_EQ(fromHalf(y[i]), expected) << fromHalf(x[i]);
    }
  }
}

/// float64 to 16 bits is rounded once: a number just above a tie goes up, though its float32 is the
/// tie itself.
TEST(Conversion, DoubleToHalfRoundsOnce) {
  for (const char *target : {"native", "x86-64-v2"}) {
    Kernel kernel(conversionProgram("arith.truncf", "f64", "f16"), {target});
    ASSERT_TRUE(kernel.ok()) << kernel.error();
    std::vector<double> x = {1 + 0x1p-11 + 0x1p-40,
                             1 + 0x1p-11,
                             1 + 0x1p-11 - 0x1p-40,
                             65520,
                             65519.999999,
                             -65536,
                             infinity,
                             NAN,
                             0x1p-25,
                             0x1p-25 + 0x1p-60,
                             1e300,
                             -1e-300,
                             -0.0};
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> near(-70000, 70000);
    for (int i = 0; i < 20000; ++i)
      x.push_back(i % 2 ? near(random) : near(random) * 0x1p-30);
    std::vector<uint16_t> y(x.size());
    kernel.run({x.data()}, {y.data()}, {int64_t(x.size())});
    for (size_t i = 0; i < x.size(); ++i) {
      auto expected = float(static_cast<_Float16>(x[i]));
      if (std::isnan(expected))
        EXPECT_TRUE(std::isnan(fromHalf(y[i])));
      else
        EXPECT_EQ(fromHalf(y[i]), expected) << x[i] << " on " << target;
    }
  }
}

} // namespace
} // namespace relax::test
