// Kernels in place: whatever AliasAnalysis allows gives the same bits whether the result has memory
// of its own or the operand's, in one piece or in several; and what must not be allowed isn't.

#include "compiler/dialect/Relax.h"
#include "compiler/transforms/AliasAnalysis.h"
#include "tests/unit/kernels/KernelRunner.h"
#include "tests/unit/kernels/SchedulePrograms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <random>

namespace relax::test {
namespace {

/// Which of the program's arguments result `result` may be written over.
std::vector<bool> allowed(const std::string &text, unsigned result = 0) {
  mlir::MLIRContext context;
  context.loadDialect<ir::RelaxDialect, mlir::arith::ArithDialect, mlir::func::FuncDialect,
                      mlir::linalg::LinalgDialect, mlir::math::MathDialect,
                      mlir::tensor::TensorDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  EXPECT_TRUE(module) << text;
  if (!module)
    return {};
  auto program = *module->getOps<mlir::func::FuncOp>().begin();
  std::vector<bool> answers;
  for (unsigned i = 0; i < program.getNumArguments(); ++i)
    answers.push_back(transforms::mayShareMemory(program, result, i));
  return answers;
}

std::vector<float> randomFloats(size_t count) {
  static std::mt19937 generator(11);
  std::uniform_real_distribution<float> distribution(-2, 2);
  std::vector<float> values(count);
  for (float &value : values)
    value = distribution(generator);
  return values;
}

/// Runs the program, whose arguments are matrices [s0, s1], apart and over each argument that is
/// allowed.
void runInPlace(const std::string &text, size_t numArguments) {
  Kernel kernel(text);
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  std::vector<bool> may = allowed(text);
  ASSERT_EQ(may.size(), numArguments);
  for (int64_t rows : {0, 1, 3, 67})
    for (int64_t columns : {0, 1, 7, 8, 33, 2500})
      for (int64_t pieces : {1, 5}) {
        auto count = static_cast<size_t>(rows * columns);
        std::vector<std::vector<float>> values(numArguments);
        std::vector<const void *> inputs;
        for (std::vector<float> &argument : values) {
          argument = randomFloats(count);
          inputs.push_back(argument.data());
        }
        std::vector<float> apart(count);
        kernel.run(inputs, {apart.data()}, {rows, columns}, pieces);
        for (size_t over = 0; over < numArguments; ++over) {
          if (!may[over])
            continue;
          std::vector<float> memory = values[over];
          std::vector<const void *> shared = inputs;
          shared[over] = memory.data();
          kernel.run(shared, {memory.data()}, {rows, columns}, pieces);
          EXPECT_EQ(memory, apart) << rows << " x " << columns << " over argument " << over;
        }
      }
}

const std::string map2 = row2 + ", " + row2;

std::string twoSteps() {
  return program("%x: " + matrix + ", %y: " + matrix, matrix,
                 prologue + "%a = " + generic(map2, parallel2) + "ins(%x : " + matrix +
                     ") outs(%e : " + matrix + R"() {
      ^bb0(%v: f32, %o: f32):
        %t = math.exp %v : f32
        linalg.yield %t : f32 } -> )" +
                     matrix + "\n%b = " + generic(map2 + ", " + row2 + ", " + row2, parallel2) +
                     "ins(%a, %x, %y : " + matrix + ", " + matrix + ", " + matrix +
                     ") outs(%e : " + matrix + R"() {
      ^bb0(%p: f32, %q: f32, %r2: f32, %o: f32):
        %t = arith.addf %p, %q : f32
        %u = arith.mulf %t, %r2 : f32
        linalg.yield %u : f32 } -> )" +
                     matrix + "\nreturn %b : " + matrix + "\n");
}

TEST(AliasTest, ElementwiseChains) {
  EXPECT_EQ(allowed(twoSteps()), (std::vector<bool>{true, true}));
  runInPlace(twoSteps(), 2);
}

TEST(AliasTest, BroadcastOperandsAreApart) {
  std::string text =
      program("%x: " + matrix + ", %y: " + vectorS1, matrix,
              prologue + "%b = " + generic(row2 + ", " + columns + ", " + row2, parallel2) +
                  "ins(%x, %y : " + matrix + ", " + vectorS1 + ") outs(%e : " + matrix + R"() {
      ^bb0(%p: f32, %q: f32, %o: f32):
        %t = arith.addf %p, %q : f32
        linalg.yield %t : f32 } -> )" +
                  matrix + "\nreturn %b : " + matrix + "\n");
  EXPECT_EQ(allowed(text), (std::vector<bool>{true, false}));
}

TEST(AliasTest, WhatIsReadElsewhereIsApart) {
  // A transposition of a square matrix: the types agree, the places don't.
  const std::string square = "tensor<?x?xf32, #relax.shape<[s0, s0]>>";
  std::string text = program(
      "%x: " + square, square,
      "%n = relax.symbol_value #relax.expr<s0>\n%e = tensor.empty(%n, %n) : " + square + "\n%b = " +
          generic("affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>", parallel2) +
          "ins(%x : " + square + ") outs(%e : " + square + R"() {
      ^bb0(%p: f32, %o: f32):
        linalg.yield %p : f32 } -> )" +
          square + "\nreturn %b : " + square + "\n",
      "\"s0\"");
  EXPECT_EQ(allowed(text), (std::vector<bool>{false}));
}

TEST(AliasTest, RowsThatAreReducedAreApart) {
  EXPECT_EQ(allowed(softmaxProgram()), (std::vector<bool>{false}));
}

/// %x times %y, plus %z; all square, so that types never decide.
std::string matmulAdd() {
  const std::string square = "tensor<?x?xf32, #relax.shape<[s0, s0]>>";
  return program("%x: " + square + ", %y: " + square + ", %z: " + square, square,
                 "%n = relax.symbol_value #relax.expr<s0>\n%zero = arith.constant 0.0 : f32\n"
                 "%e = tensor.empty(%n, %n) : " +
                     square + "\n%i = linalg.fill ins(%zero : f32) outs(%e : " + square + ") -> " +
                     square + "\n%p = " +
                     generic("affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, "
                             "affine_map<(i, j, k) -> (i, j)>",
                             "\"parallel\", \"parallel\", \"reduction\"") +
                     "ins(%x, %y : " + square + ", " + square + ") outs(%i : " + square + R"() {
      ^bb0(%a: f32, %b: f32, %acc: f32):
        %t = arith.mulf %a, %b : f32
        %u = arith.addf %acc, %t : f32
        linalg.yield %u : f32 } -> )" +
                     square + "\n%r = " + generic(map2 + ", " + row2, parallel2) +
                     "ins(%p, %z : " + square + ", " + square + ") outs(%e : " + square + R"() {
      ^bb0(%a: f32, %b: f32, %o: f32):
        %t = arith.addf %a, %b : f32
        linalg.yield %t : f32 } -> )" +
                     square + "\nreturn %r : " + square + "\n",
                 "\"s0\"");
}

TEST(AliasTest, ContractionsOverTheirEpiloguesOperand) {
  EXPECT_EQ(allowed(matmulAdd()), (std::vector<bool>{false, false, true}));
  Kernel kernel(matmulAdd());
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  for (int64_t n : {0, 1, 5, 24, 97, 130})
    for (int64_t pieces : {1, 3}) {
      auto count = static_cast<size_t>(n * n);
      std::vector<float> x = randomFloats(count), y = randomFloats(count), z = randomFloats(count);
      std::vector<float> apart(count), memory = z;
      kernel.run({x.data(), y.data(), z.data()}, {apart.data()}, {n}, pieces);
      kernel.run({x.data(), y.data(), memory.data()}, {memory.data()}, {n}, pieces);
      EXPECT_EQ(memory, apart) << n;
    }
}

} // namespace
} // namespace relax::test
