// What the pointwise emitter understands beyond float32 in place: element types, views, constants,
// rotations. Each program is compared with plain loops at sizes around the vector's.

#include "tests/unit/kernels/KernelRunner.h"
#include "tests/unit/kernels/SchedulePrograms.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace relax::test {
namespace {

constexpr int64_t sizes[] = {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 1000};

std::string vectorType(const std::string &element) {
  return "tensor<?x" + element + ", #relax.shape<[s0]>>";
}

/// An elementwise program from `from` to `to` with this body, %v from %a.
std::string castProgram(const std::string &from, const std::string &to, const std::string &body) {
  std::string in = vectorType(from), out = vectorType(to);
  return program(
      "%x: " + in, out,
      "%n = relax.symbol_value #relax.expr<s0>\n%e = tensor.empty(%n) : " + out +
          "\n%y = " + generic("affine_map<(i) -> (i)>, affine_map<(i) -> (i)>", "\"parallel\"") +
          "ins(%x : " + in + ") outs(%e : " + out + ") {\n^bb0(%a: " + from + ", %o: " + to +
          "):\n" + body + "\nlinalg.yield %v : " + to + " } -> " + out + "\nreturn %y : " + out +
          "\n",
      "\"s0\"");
}

float value(int64_t i) { return std::sin(float(i)) * 100; }

TEST(Types, HalfAndBack) {
  for (const char *target : {"native", "x86-64-v2"}) {
    Kernel narrow(castProgram("f32", "f16", "%v = arith.truncf %a : f32 to f16"), {target});
    Kernel wide(castProgram("f16", "f32", "%v = arith.extf %a : f16 to f32"), {target});
    ASSERT_TRUE(narrow.ok()) << narrow.error();
    ASSERT_TRUE(wide.ok()) << wide.error();
    for (int64_t n : sizes) {
      std::vector<float> x(n), back(n);
      std::vector<uint16_t> half(n);
      for (int64_t i = 0; i < n; ++i)
        x[i] = value(i);
      narrow.run({x.data()}, {half.data()}, {n});
      wide.run({half.data()}, {back.data()}, {n});
      for (int64_t i = 0; i < n; ++i) {
        ASSERT_EQ(half[i], toHalf(x[i]));
        ASSERT_EQ(back[i], fromHalf(half[i]));
      }
    }
  }
}

TEST(Types, BrainFloat) {
  Kernel narrow(castProgram("f32", "bf16", "%v = arith.truncf %a : f32 to bf16"));
  Kernel wide(castProgram("bf16", "f32", "%v = arith.extf %a : bf16 to f32"));
  ASSERT_TRUE(narrow.ok()) << narrow.error();
  ASSERT_TRUE(wide.ok()) << wide.error();
  for (int64_t n : sizes) {
    std::vector<float> x(n), back(n);
    std::vector<uint16_t> bits(n);
    for (int64_t i = 0; i < n; ++i)
      x[i] = value(i);
    narrow.run({x.data()}, {bits.data()}, {n});
    wide.run({bits.data()}, {back.data()}, {n});
    for (int64_t i = 0; i < n; ++i) {
      uint32_t word;
      std::memcpy(&word, &x[i], 4);
      word += 0x7fff + ((word >> 16) & 1);
      ASSERT_EQ(bits[i], word >> 16);
      ASSERT_NEAR(back[i], x[i], std::abs(x[i]) / 256);
    }
  }
}

TEST(Types, DoubleAndIntegers) {
  Kernel doubles(castProgram("f64", "f64", "%v = arith.mulf %a, %a : f64"));
  Kernel ints(castProgram("i32", "i64",
                          "%b = arith.extsi %a : i32 to i64\n"
                          "%v = arith.muli %b, %b : i64"));
  Kernel bytes(castProgram("i8", "f32", "%v = arith.uitofp %a : i8 to f32"));
  ASSERT_TRUE(doubles.ok()) << doubles.error();
  ASSERT_TRUE(ints.ok()) << ints.error();
  ASSERT_TRUE(bytes.ok()) << bytes.error();
  for (int64_t n : sizes) {
    std::vector<double> x(n), y(n);
    std::vector<int32_t> i32(n);
    std::vector<int64_t> i64(n);
    std::vector<uint8_t> i8(n);
    std::vector<float> f(n);
    for (int64_t i = 0; i < n; ++i) {
      x[i] = value(i);
      i32[i] = int32_t(i * 123457 - 50000000);
      i8[i] = uint8_t(i * 37);
    }
    doubles.run({x.data()}, {y.data()}, {n});
    ints.run({i32.data()}, {i64.data()}, {n});
    bytes.run({i8.data()}, {f.data()}, {n});
    for (int64_t i = 0; i < n; ++i) {
      ASSERT_EQ(y[i], x[i] * x[i]);
      ASSERT_EQ(i64[i], int64_t(i32[i]) * i32[i]);
      ASSERT_EQ(f[i], i8[i]);
    }
  }
}

/// Tensors of i1 keep a byte an element.
TEST(Types, Booleans) {
  Kernel compare(castProgram("f32", "i1",
                             "%z = arith.constant 0.0 : f32\n"
                             "%v = arith.cmpf ogt, %a, %z : f32"));
  Kernel choose(castProgram("i1", "f32",
                            "%p = arith.constant 2.0 : f32\n"
                            "%q = arith.constant -1.0 : f32\n"
                            "%v = arith.select %a, %p, %q : f32"));
  ASSERT_TRUE(compare.ok()) << compare.error();
  ASSERT_TRUE(choose.ok()) << choose.error();
  for (int64_t n : sizes) {
    std::vector<float> x(n), y(n);
    std::vector<uint8_t> bits(n + 1, 77);
    for (int64_t i = 0; i < n; ++i)
      x[i] = value(i);
    compare.run({x.data()}, {bits.data()}, {n});
    choose.run({bits.data()}, {y.data()}, {n});
    ASSERT_EQ(bits[n], 77);
    for (int64_t i = 0; i < n; ++i) {
      ASSERT_EQ(bits[i], x[i] > 0);
      ASSERT_EQ(y[i], x[i] > 0 ? 2 : -1);
    }
  }
}

/// [s0, 12] seen as [s0, 3, 4], a slice of it, and back in one dimension.
TEST(Views, ExpandSliceCollapse) {
  Kernel kernel(program("%x: tensor<?x12xf32, #relax.shape<[s0, 12]>>",
                        "tensor<?xf32, #relax.shape<[8 * s0]>>", R"(
    %n = relax.symbol_value #relax.expr<s0>
    %a = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, 3, 4]
        : tensor<?x12xf32, #relax.shape<[s0, 12]>> into tensor<?x3x4xf32>
    %b = tensor.extract_slice %a[0, 1, 0] [%n, 2, 4] [1, 1, 1] : tensor<?x3x4xf32> to tensor<?x2x4xf32>
    %c = tensor.collapse_shape %b [[0, 1, 2]] : tensor<?x2x4xf32> into tensor<?xf32>
    %d = tensor.cast %c : tensor<?xf32> to tensor<?xf32, #relax.shape<[8 * s0]>>
    return %d : tensor<?xf32, #relax.shape<[8 * s0]>>
)",
                        "\"s0\""));
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  EXPECT_EQ(kernel.strategy(), "elementwise");
  for (int64_t n : sizes) {
    std::vector<float> x(n * 12), y(n * 8);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = value(i);
    kernel.run({x.data()}, {y.data()}, {n});
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < 8; ++j)
        ASSERT_EQ(y[i * 8 + j], x[i * 12 + 4 + j]);
  }
}

TEST(Constants, TablesAndArithmeticOnTensors) {
  std::string type = "tensor<?x5xf32, #relax.shape<[s0, 5]>>";
  Kernel kernel(program("%x: " + type, type,
                        R"(
    %n = relax.symbol_value #relax.expr<s0>
    %e = tensor.empty(%n) : )" +
                            type + R"(
    %table = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.5]> : tensor<5xf32>
    %b = )" +
                            generic("affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>",
                                    "\"parallel\", \"parallel\"") +
                            "ins(%table : tensor<5xf32>) outs(%e : " + type + R"() {
      ^bb0(%a: f32, %o: f32):
        linalg.yield %a : f32 } -> )" +
                            type + R"(
    %y = arith.mulf %x, %b : )" +
                            type + "\nreturn %y : " + type + "\n",
                        "\"s0\""));
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  const float table[] = {1, 2, 3, 4, 5.5f};
  for (int64_t n : sizes) {
    std::vector<float> x(n * 5), y(n * 5);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = value(i);
    kernel.run({x.data()}, {y.data()}, {n});
    for (size_t i = 0; i < x.size(); ++i)
      ASSERT_EQ(y[i], x[i] * table[i % 5]);
  }
}

/// Memory of which nothing can be read past the last element.
class GuardedFloats {
public:
  explicit GuardedFloats(size_t count) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t bytes = count * sizeof(float), used = (bytes + page - 1) / page * page;
    size = used + page;
    memory = static_cast<char *>(
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (memory == MAP_FAILED || mprotect(memory + used, page, PROT_NONE) != 0)
      std::abort();
    floats = reinterpret_cast<float *>(memory + used - bytes);
  }
  ~GuardedFloats() { munmap(memory, size); }
  GuardedFloats(const GuardedFloats &) = delete;
  GuardedFloats &operator=(const GuardedFloats &) = delete;
  float *data() const { return floats; }

private:
  char *memory;
  float *floats;
  size_t size;
};

/// Element (i, j) of [s0, 64] is (i, %p) of [s0, columns], with %p of %j by `body`.
std::string readsAt(const std::string &body, int64_t columns) {
  std::string width = std::to_string(columns);
  std::string from = "tensor<?x" + width + "xf32, #relax.shape<[s0, " + width + "]>>";
  std::string to = "tensor<?x64xf32, #relax.shape<[s0, 64]>>";
  return program("%x: " + from, to,
                 R"(
    %n = relax.symbol_value #relax.expr<s0>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %c63 = arith.constant 63 : index
    %e = tensor.empty(%n) : )" +
                     to + "\n%y = " + generic(row2, parallel2) + "outs(%e : " + to + R"() {
      ^bb0(%o: f32):
        %i = linalg.index 0 : index
        %j = linalg.index 1 : index
        )" + body + "\n%v = tensor.extract %x[%i, %p] : " +
                     from + "\nlinalg.yield %v : f32 } -> " + to + "\nreturn %y : " + to + "\n",
                 "\"s0\"");
}

/// Halves of a row rotate into each other: positions chosen by comparison and select.
TEST(Indices, RotatesHalves) {
  Kernel kernel(readsAt(R"(
        %first = arith.cmpi ult, %j, %c32 : index
        %after = arith.addi %j, %c32 : index
        %before = arith.subi %j, %c32 : index
        %p = arith.select %first, %after, %before : index)",
                        64));
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  for (int64_t n : {0, 1, 3}) {
    std::vector<float> x(n * 64), y(n * 64);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = value(i);
    kernel.run({x.data()}, {y.data()}, {n});
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < 64; ++j)
        ASSERT_EQ(y[i * 64 + j], x[i * 64 + (j + 32) % 64]);
  }
}

/// Places at known distances from each other are read with whole vectors, and no place beyond the
/// last of them is.
TEST(Indices, KnownDistances) {
  struct Pattern {
    const char *name, *body;
    int64_t columns;
    int64_t (*place)(int64_t j);
  };
  const Pattern patterns[] = {
      {"partners exchanged",
       "%r = arith.remui %j, %c2 : index\n%even = arith.cmpi eq, %r, %c0 : index\n"
       "%a = arith.addi %j, %c1 : index\n%b = arith.subi %j, %c1 : index\n"
       "%p = arith.select %even, %a, %b : index",
       64, [](int64_t j) { return j ^ 1; }},
      {"each twice", "%p = arith.divui %j, %c2 : index", 32, [](int64_t j) { return j / 2; }},
      {"each four times, from 3 on",
       "%q = arith.shrui %j, %c2 : index\n%p = arith.addi %q, %c3 : index", 19,
       [](int64_t j) { return j / 4 + 3; }},
      {"four again and again", "%p = arith.remui %j, %c4 : index", 4,
       [](int64_t j) { return j % 4; }},
      {"every second", "%p = arith.muli %j, %c2 : index", 127, [](int64_t j) { return 2 * j; }},
      {"every third", "%p = arith.muli %j, %c3 : index", 190, [](int64_t j) { return 3 * j; }},
      {"backwards", "%p = arith.subi %c63, %j : index", 64, [](int64_t j) { return 63 - j; }},
      {"backwards in fours",
       "%q = arith.divui %j, %c4 : index\n%f = arith.muli %q, %c4 : index\n"
       "%r = arith.remui %j, %c4 : index\n%d = arith.subi %c3, %r : index\n"
       "%p = arith.addi %f, %d : index",
       64, [](int64_t j) { return j / 4 * 4 + 3 - j % 4; }},
      {"quotient by three", "%p = arith.divui %j, %c3 : index", 22,
       [](int64_t j) { return j / 3; }},
  };
  for (const Pattern &pattern : patterns) {
    SCOPED_TRACE(pattern.name);
    std::string text = readsAt(pattern.body, pattern.columns);
    for (const char *target : {"native", "x86-64-v2"}) {
      Kernel kernel(text, {target});
      ASSERT_TRUE(kernel.ok()) << kernel.error();
      for (int64_t n : {0, 1, 3}) {
        GuardedFloats x(n * pattern.columns), y(n * 64);
        for (int64_t i = 0; i < n * pattern.columns; ++i)
          x.data()[i] = value(i);
        kernel.run({x.data()}, {y.data()}, {n});
        for (int64_t i = 0; i < n; ++i)
          for (int64_t j = 0; j < 64; ++j)
            ASSERT_EQ(y.data()[i * 64 + j], x.data()[i * pattern.columns + pattern.place(j)])
                << i << ", " << j;
      }
    }
  }
}

/// Positions of no regular pattern, negative ones on the way, signed division: (i * 7 - 20) / 3
/// rounds towards zero, then + 10 is a valid place for i < 64.
TEST(Indices, SignedDivisionKeepsItsRounding) {
  Kernel kernel(program("%x: tensor<200xf32>", vectorType("f32"),
                        R"(
    %n = relax.symbol_value #relax.expr<s0>
    %c7 = arith.constant 7 : index
    %c20 = arith.constant 20 : index
    %c8 = arith.constant 8 : index
    %c10 = arith.constant 10 : index
    %e = tensor.empty(%n) : )" +
                            vectorType("f32") + R"(
    %y = )" + generic("affine_map<(i) -> (i)>", "\"parallel\"") +
                            "outs(%e : " + vectorType("f32") + R"() {
      ^bb0(%o: f32):
        %i = linalg.index 0 : index
        %s = arith.subi %i, %c20 : index
        %d = arith.divsi %s, %c8 : index
        %p = arith.addi %d, %c10 : index
        %m = arith.remsi %s, %c7 : index
        %q = arith.addi %p, %m : index
        %v = tensor.extract %x[%q] : tensor<200xf32>
        linalg.yield %v : f32 } -> )" +
                            vectorType("f32") + "\nreturn %y : " + vectorType("f32") + "\n",
                        "\"s0\""));
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  std::vector<float> x(200);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = value(i);
  for (int64_t n : {0, 1, 8, 33, 64}) {
    std::vector<float> y(n);
    kernel.run({x.data()}, {y.data()}, {n});
    for (int64_t i = 0; i < n; ++i)
      ASSERT_EQ(y[i], x[(i - 20) / 8 + 10 + (i - 20) % 7]) << i;
  }
}

} // namespace
} // namespace relax::test
