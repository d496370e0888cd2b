// The expansions of exp, tanh and their kind against float64, over their whole range; and the same
// bits from scalar and vector code, with and without fused multiply-add.

#include "tests/unit/kernels/KernelRunner.h"
#include "tests/unit/kernels/SchedulePrograms.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

namespace relax::test {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

/// f of each element, where `body` computes %v from %a.
std::string unaryProgram(const std::string &body) {
  return program(
      "%x: " + vectorS0, vectorS0,
      "%n0 = relax.symbol_value #relax.expr<s0>\n%r = tensor.empty(%n0) : " + vectorS0 +
          "\n%y = " + generic("affine_map<(i) -> (i)>, affine_map<(i) -> (i)>", "\"parallel\"") +
          "ins(%x : " + vectorS0 + ") outs(%r : " + vectorS0 + ") {\n^bb0(%a: f32, %o: f32):\n" +
          body + "\nlinalg.yield %v : f32 } -> " + vectorS0 + "\nreturn %y : " + vectorS0 + "\n",
      "\"s0\"");
}

const std::string sigmoidBody = R"(
  %one = arith.constant 1.0 : f32
  %n = arith.negf %a : f32
  %e = math.exp %n : f32
  %p = arith.addf %e, %one : f32
  %v = arith.divf %one, %p : f32)";
const std::string siluBody = R"(
  %one = arith.constant 1.0 : f32
  %n = arith.negf %a : f32
  %e = math.exp %n : f32
  %p = arith.addf %e, %one : f32
  %v = arith.divf %a, %p : f32)";

struct Function {
  std::string name, body;
  std::function<double(double)> reference;
  float low, high;
  double tolerance;
};

const std::vector<Function> functions = {
    {"exp", "%v = math.exp %a : f32", [](double x) { return std::exp(x); }, -87, 88.7f, 1.5e-7},
    {"exp2", "%v = math.exp2 %a : f32", [](double x) { return std::exp2(x); }, -126, 127.9f,
     1.5e-7},
    {"tanh", "%v = math.tanh %a : f32", [](double x) { return std::tanh(x); }, -12, 12, 2e-7},
    {"sigmoid", sigmoidBody, [](double x) { return 1 / (1 + std::exp(-x)); }, -80, 80, 3e-7},
    {"silu", siluBody, [](double x) { return x / (1 + std::exp(-x)); }, -80, 80, 3e-7},
    {"rsqrt", "%v = math.rsqrt %a : f32", [](double x) { return 1 / std::sqrt(x); }, 1e-6f, 1e6f,
     1.2e-7},
    {"log", "%v = math.log %a : f32", [](double x) { return std::log(x); }, 2, 1e6f, 3e-7},
    {"sin", "%v = math.sin %a : f32", [](double x) { return std::sin(x); }, 0.1f, 3, 1e-6},
    {"erf", "%v = math.erf %a : f32", [](double x) { return std::erf(x); }, -4, 4, 2e-6},
};

TEST(ExpandMath, StaysNearFloat64) {
  for (const char *target : {"native", "x86-64-v2"})
    for (const Function &function : functions) {
      Kernel kernel(unaryProgram(function.body), {target});
      ASSERT_TRUE(kernel.ok()) << function.name << ": " << kernel.error();
      constexpr int64_t n = 200003;
      std::vector<float> x(n), y(n);
      for (int64_t i = 0; i < n; ++i)
        x[i] = function.low + (function.high - function.low) * (float(i) / float(n - 1));
      kernel.run({x.data()}, {y.data()}, {n});
      double worst = 0;
      for (int64_t i = 0; i < n; ++i) {
        double expected = function.reference(x[i]);
        if (expected != 0)
          worst = std::max(worst, std::abs(y[i] - expected) / std::abs(expected));
      }
      EXPECT_LE(worst, function.tolerance) << function.name << " on " << target;
      RecordProperty(function.name, std::to_string(worst));
      printf("%-8s %-10s largest relative error %.3g\n", function.name.c_str(), target, worst);
    }
}

TEST(ExpandMath, SameBitsAloneAndInAVector) {
  for (const char *target : {"native", "x86-64-v2"})
    for (const Function &function : functions) {
      Kernel kernel(unaryProgram(function.body), {target});
      ASSERT_TRUE(kernel.ok()) << kernel.error();
      constexpr int64_t n = 1024;
      std::vector<float> x(n), y(n);
      for (int64_t i = 0; i < n; ++i)
        x[i] = function.low + (function.high - function.low) * (float(i) / float(n - 1));
      kernel.run({x.data()}, {y.data()}, {n});
      for (int64_t i = 0; i < n; ++i) {
        float alone = 0;
        kernel.run({&x[i]}, {&alone}, {1});
        ASSERT_EQ(0, std::memcmp(&alone, &y[i], sizeof(float))) << function.name << " " << x[i];
      }
    }
}

std::vector<float> applied(const std::string &body, const std::vector<float> &x) {
  Kernel kernel(unaryProgram(body));
  EXPECT_TRUE(kernel.ok()) << kernel.error();
  std::vector<float> y(x.size());
  if (kernel.ok())
    kernel.run({x.data()}, {y.data()}, {int64_t(x.size())});
  return y;
}

/// The special values twice: in the vector part, and in the tail.
TEST(ExpandMath, TakesSpecialValues) {
  std::vector<float> x = {NAN, infinity, -infinity, 0.0f, -0.0f, 1e30f, -1e30f, 1e-40f,
                          NAN, infinity, -infinity, 0.0f, -0.0f, 1e30f, -1e30f};
  std::vector<float> exp = applied("%v = math.exp %a : f32", x);
  std::vector<float> tanh = applied("%v = math.tanh %a : f32", x);
  std::vector<float> sigmoid = applied(sigmoidBody, x);
  for (size_t base : {0, 8}) {
    EXPECT_TRUE(std::isnan(exp[base]) && std::isnan(tanh[base]) && std::isnan(sigmoid[base]));
    EXPECT_EQ(exp[base + 1], infinity);
    EXPECT_EQ(exp[base + 2], 0);
    EXPECT_EQ(exp[base + 3], 1);
    EXPECT_EQ(exp[base + 4], 1);
    EXPECT_EQ(exp[base + 5], infinity);
    EXPECT_EQ(exp[base + 6], 0);
    EXPECT_EQ(tanh[base + 1], 1);
    EXPECT_EQ(tanh[base + 2], -1);
    EXPECT_TRUE(std::signbit(tanh[base + 4]) && tanh[base + 4] == 0);
    EXPECT_EQ(sigmoid[base + 1], 1);
    EXPECT_EQ(sigmoid[base + 2], 0);
  }
}

/// Results that are subnormal, or round to the largest or smallest numbers.
TEST(ExpandMath, ExpAtTheEndsOfTheRange) {
  std::vector<float> x = {88.72283f, 88.72284f, -87.4f,   -90.0f,
                          -100.0f,   -103.27f,  -103.98f, -104.5f};
  std::vector<float> y = applied("%v = math.exp %a : f32", x);
  for (size_t i = 0; i < x.size(); ++i) {
    float expected = float(std::exp(double(x[i])));
    if (std::isinf(expected)) {
      EXPECT_EQ(y[i], expected) << x[i];
      continue;
    }
    double unit = std::max(double(std::abs(expected)) * 1.2e-7, 1.5e-45);
    EXPECT_NEAR(y[i], expected, 1.5 * unit) << x[i];
  }
}

} // namespace
} // namespace relax::test
