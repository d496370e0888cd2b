// The strategy loops: programs of scf and tensor ops, at sizes that end loops early and split in
// every way.

#include "tests/unit/kernels/KernelRunner.h"
#include "tests/unit/kernels/SchedulePrograms.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <random>

namespace relax::test {
namespace {

const std::vector<int64_t> sizes = {0, 1, 2, 3, 17, 1000};

const std::string constants = R"(
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n0 = relax.symbol_value #relax.expr<s0>
)";

std::vector<float> randomFloats(size_t count) {
  static std::mt19937 generator(7);
  std::uniform_real_distribution<float> distribution(-4, 4);
  std::vector<float> values(count);
  for (float &value : values)
    value = distribution(generator);
  return values;
}

TEST(Loops, CarryATensorAndAScalar) {
  Kernel kernel(program("%x: " + vectorS0, vectorS0,
                        constants + R"(
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty(%n0) : )" +
                            vectorS0 + R"(
    %y, %s = scf.for %i = %c0 to %n0 step %c1 iter_args(%t = %e, %sum = %zero) -> ()" +
                            vectorS0 + R"(, f32) {
      %v = tensor.extract %x[%i] : )" +
                            vectorS0 + R"(
      %next = arith.addf %sum, %v : f32
      %u = tensor.insert %next into %t[%i] : )" +
                            vectorS0 + R"(
      scf.yield %u, %next : )" +
                            vectorS0 + R"(, f32
    }
    return %y : )" + vectorS0 +
                            "\n",
                        "\"s0\""));
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  EXPECT_EQ(kernel.strategy(), "loops");
  EXPECT_EQ(kernel.extent({5}), 1);
  for (int64_t n : sizes) {
    std::vector<float> x = randomFloats(n), y(n, -1), expected(n);
    std::partial_sum(x.begin(), x.end(), expected.begin());
    kernel.run({x.data()}, {y.data()}, {n});
    EXPECT_EQ(y, expected) << n;
  }
}

/// Each row by itself: the outermost scf.forall gives the units.
TEST(Loops, SplitForallOverCalls) {
  Kernel kernel(program("%x: " + matrix, matrix,
                        constants + R"(
    %n1 = relax.symbol_value #relax.expr<s1>
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty(%n0, %n1) : )" +
                            matrix + R"(
    %y = scf.forall (%r) in (%n0) shared_outs(%o = %e) -> ()" +
                            matrix + R"() {
      %row = tensor.extract_slice %o[%r, 0] [1, %n1] [1, 1] : )" +
                            matrix + " to " + vectorS1 + R"(
      %z, %s = scf.for %i = %c0 to %n1 step %c1 iter_args(%t = %row, %sum = %zero) -> ()" +
                            vectorS1 + R"(, f32) {
        %v = tensor.extract %x[%r, %i] : )" +
                            matrix + R"(
        %next = arith.addf %sum, %v : f32
        %u = tensor.insert %next into %t[%i] : )" +
                            vectorS1 + R"(
        scf.yield %u, %next : )" +
                            vectorS1 + R"(, f32
      }
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %z into %o[%r, 0] [1, %n1] [1, 1] : )" +
                            vectorS1 + " into " + matrix + R"(
      }
    }
    return %y : )" + matrix +
                            "\n"));
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  EXPECT_EQ(kernel.strategy(), "loops");
  EXPECT_EQ(kernel.extent({7, 3}), 7);
  for (int64_t rowCount : {0, 1, 7})
    for (int64_t n : {0, 1, 2, 33})
      for (int64_t pieces : {1, 3}) {
        std::vector<float> x = randomFloats(rowCount * n), y(x.size(), -1), expected(x.size());
        for (int64_t i = 0; i < rowCount; ++i)
          std::partial_sum(&x[i * n], &x[i * n] + n, &expected[i * n]);
        kernel.run({x.data()}, {y.data()}, {rowCount, n}, pieces);
        EXPECT_EQ(y, expected);
      }
}

const std::string longs = "tensor<?xi64, #relax.shape<[s0]>>";

/// The greatest common divisor, by Euclid: a loop of unknown length in each element.
TEST(Loops, RunWhileLoopsInParallel) {
  Kernel kernel(program("%x: " + longs + ", %y: " + longs, longs,
                        constants + R"(
    %zero = arith.constant 0 : i64
    %e = tensor.empty(%n0) : )" +
                            longs + R"(
    %z = scf.forall (%i) in (%n0) shared_outs(%o = %e) -> ()" +
                            longs + R"() {
      %a = tensor.extract %x[%i] : )" +
                            longs + R"(
      %b = tensor.extract %y[%i] : )" +
                            longs + R"(
      %r:2 = scf.while (%p = %a, %q = %b) : (i64, i64) -> (i64, i64) {
        %more = arith.cmpi ne, %q, %zero : i64
        scf.condition(%more) %p, %q : i64, i64
      } do {
      ^bb0(%p: i64, %q: i64):
        %rest = arith.remsi %p, %q : i64
        scf.yield %q, %rest : i64, i64
      }
      %slice = tensor.extract_slice %o[%i] [1] [1] : )" +
                            longs + R"( to tensor<1xi64>
      %u = tensor.insert %r#0 into %slice[%c0] : tensor<1xi64>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %u into %o[%i] [1] [1] : tensor<1xi64> into )" +
                            longs + R"(
      }
    }
    return %z : )" + longs + "\n",
                        "\"s0\""));
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  EXPECT_EQ(kernel.extent({9}), 9);
  for (int64_t n : sizes) {
    std::mt19937 random(3);
    std::vector<int64_t> x(n), y(n), z(n, -1);
    for (int64_t i = 0; i < n; ++i) {
      x[i] = random() % 1000;
      y[i] = random() % 1000;
    }
    kernel.run({x.data(), y.data()}, {z.data()}, {n}, 2);
    for (int64_t i = 0; i < n; ++i)
      EXPECT_EQ(z[i], std::gcd(x[i], y[i]));
  }
}

/// linalg, a loop with a branch, and a scratch tensor: how often each of 8 numbers occurs, written
/// where it occurs at all.
TEST(Loops, MixWithLinalgAndBranches) {
  Kernel kernel(program("%x: " + longs, "(tensor<8xi64>, tensor<i64>)", constants + R"(
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %e = tensor.empty() : tensor<8xi64>
    %f = linalg.fill ins(%zero : i64) outs(%e : tensor<8xi64>) -> tensor<8xi64>
    %y, %last = scf.for %i = %c0 to %n0 step %c1 iter_args(%t = %f, %l = %zero) -> (tensor<8xi64>, i64) {
      %v = tensor.extract %x[%i] : )" + longs + R"(
      %at = arith.index_cast %v : i64 to index
      %c8 = arith.constant 8 : index
      %fits = arith.cmpi ult, %at, %c8 : index
      %r:2 = scf.if %fits -> (tensor<8xi64>, i64) {
        %old = tensor.extract %t[%at] : tensor<8xi64>
        %new = arith.addi %old, %one : i64
        %u = tensor.insert %new into %t[%at] : tensor<8xi64>
        scf.yield %u, %v : tensor<8xi64>, i64
      } else {
        scf.yield %t, %l : tensor<8xi64>, i64
      }
      scf.yield %r#0, %r#1 : tensor<8xi64>, i64
    }
    %es = tensor.empty() : tensor<i64>
    %z = tensor.insert %last into %es[] : tensor<i64>
    return %y, %z : tensor<8xi64>, tensor<i64>
)",
                        "\"s0\""));
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  for (int64_t n : sizes) {
    std::mt19937 random(3);
    std::vector<int64_t> x(n), counts(8, -1), expected(8, 0);
    int64_t last = -1, expectedLast = 0;
    for (int64_t &v : x) {
      v = random() % 10;
      if (v < 8) {
        ++expected[v];
        expectedLast = v;
      }
    }
    kernel.run({x.data()}, {counts.data(), &last}, {n});
    EXPECT_EQ(counts, expected);
    EXPECT_EQ(last, expectedLast);
  }
}

/// An argument that the program changes is copied first, into the result.
TEST(Loops, DoNotWriteToArguments) {
  Kernel kernel(program("%x: " + vectorS0, vectorS0,
                        constants + R"(
    %y = scf.for %i = %c1 to %n0 step %c1 iter_args(%t = %x) -> ()" +
                            vectorS0 + R"() {
      %j = arith.subi %i, %c1 : index
      %a = tensor.extract %t[%i] : )" +
                            vectorS0 + R"(
      %b = tensor.extract %t[%j] : )" +
                            vectorS0 + R"(
      %v = arith.addf %a, %b : f32
      %u = tensor.insert %v into %t[%i] : )" +
                            vectorS0 + R"(
      scf.yield %u : )" + vectorS0 +
                            R"(
    }
    return %y : )" + vectorS0 +
                            "\n",
                        "\"s0\""));
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  for (int64_t n : sizes) {
    std::vector<float> x = randomFloats(n), before = x, y(n, -1), expected(n);
    std::partial_sum(x.begin(), x.end(), expected.begin());
    kernel.run({x.data()}, {y.data()}, {n});
    EXPECT_EQ(y, expected);
    EXPECT_EQ(x, before);
  }
}

/// A small buffer of static size is memory on the stack.
TEST(Loops, KeepSmallBuffersOnTheStack) {
  Kernel kernel(program("%x: tensor<16xf32>", "tensor<16xf32>", R"(
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c15 = arith.constant 15 : index
    %c16 = arith.constant 16 : index
    %e = tensor.empty() : tensor<16xf32>
    %reversed = scf.for %i = %c0 to %c16 step %c1 iter_args(%t = %e) -> (tensor<16xf32>) {
      %j = arith.subi %c15, %i : index
      %v = tensor.extract %x[%j] : tensor<16xf32>
      %u = tensor.insert %v into %t[%i] : tensor<16xf32>
      scf.yield %u : tensor<16xf32>
    }
    %y = scf.for %i = %c0 to %c16 step %c1 iter_args(%t = %e) -> (tensor<16xf32>) {
      %a = tensor.extract %reversed[%i] : tensor<16xf32>
      %b = tensor.extract %x[%i] : tensor<16xf32>
      %v = arith.addf %a, %b : f32
      %u = tensor.insert %v into %t[%i] : tensor<16xf32>
      scf.yield %u : tensor<16xf32>
    }
    return %y : tensor<16xf32>
)",
                        ""));
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  std::vector<float> x = randomFloats(16), y(16);
  kernel.run({x.data()}, {y.data()}, {});
  for (int i = 0; i < 16; ++i)
    EXPECT_EQ(y[i], x[15 - i] + x[i]);
}

/// Arithmetic on whole tensors, a table, a branch that gives one of two tensors, and one value that
/// is two results.
TEST(Loops, TakeTensorArithmeticAndTables) {
  Kernel kernel(program("%x: tensor<4xf32>, %c: tensor<i1>", "(tensor<4xf32>, tensor<4xf32>)", R"(
    %c0 = arith.constant 0 : index
    %table = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    %t = tensor.extract %c[] : tensor<i1>
    %chosen = scf.if %t -> tensor<4xf32> {
      scf.yield %x : tensor<4xf32>
    } else {
      scf.yield %table : tensor<4xf32>
    }
    %v = tensor.extract %table[%c0] : tensor<4xf32>
    %i = tensor.insert %v into %chosen[%c0] : tensor<4xf32>
    %z = arith.addf %i, %table : tensor<4xf32>
    return %z, %z : tensor<4xf32>, tensor<4xf32>
)",
                        ""));
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  EXPECT_EQ(kernel.strategy(), "loops");
  for (uint8_t condition : {0, 1}) {
    std::vector<float> x = {10, 20, 30, 40}, table = {1, 2, 3, 4}, y(4), z(4), expected(4);
    for (int i = 0; i < 4; ++i)
      expected[i] = (i == 0 ? 1 : condition ? x[i] : table[i]) + table[i];
    kernel.run({x.data(), &condition}, {y.data(), z.data()}, {});
    EXPECT_EQ(y, expected);
    EXPECT_EQ(z, expected);
  }
}

} // namespace
} // namespace relax::test
