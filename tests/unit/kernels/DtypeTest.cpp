// Every element type through the pointwise emitter and code generation, at sizes around the
// vectors: integer arithmetic at each width, bool as one byte an element, conversions, 16-bit
// floats.

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

const std::vector<int64_t> sizes = {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 2000};

template <typename T> std::string nameOf() {
  if constexpr (std::is_same_v<T, float>)
    return "f32";
  else if constexpr (std::is_same_v<T, double>)
    return "f64";
  else
    return "i" + std::to_string(8 * sizeof(T));
}

template <typename T> std::vector<T> randomIntegers(size_t count, bool small = false) {
  static std::mt19937_64 generator(7);
  std::vector<T> values(count);
  for (T &value : values)
    value = small ? T(generator() % 13) : T(generator());
  return values;
}

template <typename T> struct IntegerOp {
  std::string body;
  std::function<T(T, T)> reference;
  bool smallRight = false;
};

template <typename T> std::vector<IntegerOp<T>> integerOps() {
  using U = std::make_unsigned_t<T>;
  std::string type = nameOf<T>();
  auto op = [&](const std::string &name) { return "%v = arith." + name + " %a0, %a1 : " + type; };
  return {
      {op("addi"), [](T x, T y) { return T(U(x) + U(y)); }},
      {op("subi"), [](T x, T y) { return T(U(x) - U(y)); }},
      {op("muli"), [](T x, T y) { return T(uint64_t(x) * uint64_t(y)); }},
      {op("andi"), [](T x, T y) { return T(x & y); }},
      {op("ori"), [](T x, T y) { return T(x | y); }},
      {op("xori"), [](T x, T y) { return T(x ^ y); }},
      {op("minsi"), [](T x, T y) { return std::min(x, y); }},
      {op("maxsi"), [](T x, T y) { return std::max(x, y); }},
      {op("minui"), [](T x, T y) { return T(std::min(U(x), U(y))); }},
      {op("maxui"), [](T x, T y) { return T(std::max(U(x), U(y))); }},
      // Divisors of 1 to 13; the lowest number by -1 has no value.
      {"%one = arith.constant 1 : " + type + "\n%d = arith.addi %a1, %one : " + type +
           "\n%v = arith.divsi %a0, %d : " + type,
       [](T x, T y) { return T(x / (y + 1)); }, true},
      {"%one = arith.constant 1 : " + type + "\n%d = arith.addi %a1, %one : " + type +
           "\n%v = arith.remsi %a0, %d : " + type,
       [](T x, T y) { return T(x % (y + 1)); }, true},
      {"%one = arith.constant 1 : " + type + "\n%d = arith.addi %a1, %one : " + type +
           "\n%v = arith.divui %a0, %d : " + type,
       [](T x, T y) { return T(U(x) / U(y + 1)); }, true},
      {"%one = arith.constant 1 : " + type + "\n%d = arith.addi %a1, %one : " + type +
           "\n%v = arith.remui %a0, %d : " + type,
       [](T x, T y) { return T(U(x) % U(y + 1)); }, true},
      {"%m = arith.constant 7 : " + type + "\n%d = arith.andi %a1, %m : " + type +
           "\n%v = arith.shli %a0, %d : " + type,
       [](T x, T y) { return T(U(x) << (y & 7)); }},
      {"%m = arith.constant 7 : " + type + "\n%d = arith.andi %a1, %m : " + type +
           "\n%v = arith.shrsi %a0, %d : " + type,
       [](T x, T y) { return T(x >> (y & 7)); }},
      {"%m = arith.constant 7 : " + type + "\n%d = arith.andi %a1, %m : " + type +
           "\n%v = arith.shrui %a0, %d : " + type,
       [](T x, T y) { return T(U(x) >> (y & 7)); }},
      {"%less = arith.cmpi slt, %a0, %a1 : " + type + "\n%d = arith.subi %a1, %a0 : " + type +
           "\n%v = arith.select %less, %d, %a0 : " + type,
       [](T x, T y) { return x < y ? T(U(y) - U(x)) : x; }},
  };
}

template <typename T> void checkIntegers() {
  for (const IntegerOp<T> &op : integerOps<T>())
    for (const char *target : {"native", "x86-64-v2"}) {
      // One width shows what the older target does.
      if (target[0] == 'x' && sizeof(T) != 2)
        continue;
      Kernel kernel(vectorProgram({nameOf<T>(), nameOf<T>()}, nameOf<T>(), op.body), {target});
      ASSERT_TRUE(kernel.ok()) << kernel.error();
      for (int64_t n : sizes) {
        std::vector<T> x = randomIntegers<T>(n), y = randomIntegers<T>(n, op.smallRight),
                       z(n + 1, 99);
        kernel.run({x.data(), y.data()}, {z.data()}, {n});
        for (int64_t i = 0; i < n; ++i)
          ASSERT_EQ(z[i], op.reference(x[i], y[i])) << nameOf<T>() << ": " << op.body;
        EXPECT_EQ(z[n], T(99));
      }
    }
}

TEST(Dtype, IntegersOfEveryWidth) {
  checkIntegers<int8_t>();
  checkIntegers<int16_t>();
  checkIntegers<int32_t>();
  checkIntegers<int64_t>();
}

std::vector<uint8_t> randomBools(size_t count) {
  std::vector<uint8_t> values = randomIntegers<uint8_t>(count);
  for (uint8_t &value : values)
    value &= 1;
  return values;
}

/// One byte an element, 0 or 1, loaded and stored by vectors and alone.
TEST(Dtype, BoolsAreBytes) {
  struct Case {
    std::string body;
    bool (*reference)(bool, bool);
  };
  for (const Case &test :
       {Case{"%v = arith.andi %a0, %a1 : i1", [](bool x, bool y) { return x && y; }},
        Case{"%v = arith.ori %a0, %a1 : i1", [](bool x, bool y) { return x || y; }},
        Case{"%v = arith.cmpi eq, %a0, %a1 : i1", [](bool x, bool y) { return x == y; }},
        Case{"%v = arith.select %a0, %a1, %a0 : i1", [](bool x, bool y) { return x ? y : x; }}}) {
    Kernel kernel(vectorProgram({"i1", "i1"}, "i1", test.body));
    ASSERT_TRUE(kernel.ok()) << kernel.error();
    for (int64_t n : sizes) {
      std::vector<uint8_t> x = randomBools(n), y = randomBools(n), z(n + 1, 99);
      kernel.run({x.data(), y.data()}, {z.data()}, {n});
      for (int64_t i = 0; i < n; ++i)
        ASSERT_EQ(z[i], test.reference(x[i], y[i])) << test.body;
      EXPECT_EQ(z[n], 99);
    }
  }
}

TEST(Dtype, BoolsFromAndToOthers) {
  Kernel compare(vectorProgram({"f32", "f32"}, "i1", "%v = arith.cmpf olt, %a0, %a1 : f32"));
  Kernel widen(vectorProgram({"i1"}, "f32", "%v = arith.uitofp %a0 : i1 to f32"));
  Kernel choose(
      vectorProgram({"i1", "f64", "f64"}, "f64", "%v = arith.select %a0, %a1, %a2 : f64"));
  ASSERT_TRUE(compare.ok() && widen.ok() && choose.ok());
  for (int64_t n : sizes) {
    std::vector<uint8_t> bools = randomBools(n), less(n);
    std::vector<float> x(n), y(n), wide(n);
    std::vector<double> a(n), b(n), chosen(n);
    for (int64_t i = 0; i < n; ++i) {
      x[i] = float(i % 5);
      y[i] = i % 7 == 0 ? NAN : float(i % 3);
      a[i] = double(i);
      b[i] = -double(i);
    }
    compare.run({x.data(), y.data()}, {less.data()}, {n});
    widen.run({bools.data()}, {wide.data()}, {n});
    choose.run({bools.data(), a.data(), b.data()}, {chosen.data()}, {n});
    for (int64_t i = 0; i < n; ++i) {
      EXPECT_EQ(less[i], x[i] < y[i]);
      EXPECT_EQ(wide[i], bools[i] ? 1.0f : 0.0f);
      EXPECT_EQ(chosen[i], bools[i] ? a[i] : b[i]);
    }
  }
}

template <typename From, typename To> void checkConversion(const std::string &op) {
  Kernel kernel(conversionProgram(op, nameOf<From>(), nameOf<To>()));
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  for (int64_t n : sizes) {
    std::vector<From> x(n);
    std::vector<To> y(n);
    for (int64_t i = 0; i < n; ++i)
      x[i] = From((i * 37) % 120 - 50);
    kernel.run({x.data()}, {y.data()}, {n});
    for (int64_t i = 0; i < n; ++i)
      ASSERT_EQ(y[i], To(x[i])) << op << " " << nameOf<From>() << " to " << nameOf<To>();
  }
}

TEST(Dtype, Conversions) {
  checkConversion<int8_t, int16_t>("arith.extsi");
  checkConversion<int8_t, int64_t>("arith.extsi");
  checkConversion<int32_t, int64_t>("arith.extsi");
  checkConversion<int64_t, int8_t>("arith.trunci");
  checkConversion<int32_t, int16_t>("arith.trunci");
  checkConversion<int8_t, float>("arith.sitofp");
  checkConversion<int16_t, double>("arith.sitofp");
  checkConversion<int64_t, double>("arith.sitofp");
  checkConversion<int64_t, float>("arith.sitofp");
  checkConversion<float, int8_t>("arith.fptosi");
  checkConversion<double, int64_t>("arith.fptosi");
  checkConversion<float, int64_t>("arith.fptosi");
  checkConversion<float, double>("arith.extf");
  checkConversion<double, float>("arith.truncf");
}

/// Arithmetic on 16-bit floats that a program doesn't widen itself: computed in float32 and
/// rounded, on targets with conversion instructions and without.
TEST(Dtype, SixteenBitFloats) {
  for (const char *target : {"native", "x86-64-v2"})
    for (const char *op : {"addf", "mulf", "maximumf"}) {
      Kernel half(binaryProgram(std::string("arith.") + op, "f16"), {target});
      Kernel brain(binaryProgram(std::string("arith.") + op, "bf16"), {target});
      ASSERT_TRUE(half.ok() && brain.ok()) << half.error() << brain.error();
      for (int64_t n : sizes) {
        std::vector<uint16_t> x(n), y(n), z(n), bx(n), by(n), bz(n);
        auto brainOf = [](float v) {
          uint32_t bits;
          std::memcpy(&bits, &v, 4);
          return uint16_t((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
        };
        auto floatOf = [](uint16_t v) {
          uint32_t bits = uint32_t(v) << 16;
          float result;
          std::memcpy(&result, &bits, 4);
          return result;
        };
        for (int64_t i = 0; i < n; ++i) {
          x[i] = toHalf(float(i) * 0.37f - 9);
          y[i] = toHalf(3.0f - float(i % 11) * 0.7f);
          bx[i] = brainOf(float(i) * 0.37f - 9);
          by[i] = brainOf(3.0f - float(i % 11) * 0.7f);
        }
        half.run({x.data(), y.data()}, {z.data()}, {n});
        brain.run({bx.data(), by.data()}, {bz.data()}, {n});
        auto reference = [&](float a, float b) {
          return op[0] == 'a' ? a + b : op[1] == 'u' ? a * b : std::max(a, b);
        };
        for (int64_t i = 0; i < n; ++i) {
          EXPECT_EQ(z[i], toHalf(reference(fromHalf(x[i]), fromHalf(y[i])))) << op << target;
          EXPECT_EQ(bz[i], brainOf(reference(floatOf(bx[i]), floatOf(by[i])))) << op << target;
        }
      }
    }
}

} // namespace
} // namespace relax::test
