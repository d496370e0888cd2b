// The interpreter on text: tensor programs, control flow, annotations, and what it refuses.

#include "compiler/interpreter/Interpreter.h"
#include "compiler/driver/Dialects.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

using mlir::ModuleOp, mlir::OwningOpRef;
using namespace relax;
using interpreter::TensorPointer;
using interpreter::Value;

namespace {

class InterpreterTest : public ::testing::Test {
protected:
  InterpreterTest() {
    mlir::DialectRegistry registry;
    driver::registerCompilerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  TensorPointer reals(std::vector<int64_t> dims, std::vector<double> numbers) {
    TensorPointer tensor =
        interpreter::makeTensor(mlir::Float32Type::get(&context), std::move(dims));
    for (size_t i = 0; i != numbers.size(); ++i)
      tensor->elements[i] = interpreter::realScalar(numbers[i]);
    return tensor;
  }
  TensorPointer integers(unsigned width, std::vector<int64_t> dims, std::vector<int64_t> numbers) {
    TensorPointer tensor =
        interpreter::makeTensor(mlir::IntegerType::get(&context, width), std::move(dims));
    for (size_t i = 0; i != numbers.size(); ++i)
      tensor->elements[i] = interpreter::integerScalar(numbers[i]);
    return tensor;
  }
  static std::vector<double> realsOf(const Value &value) {
    std::vector<double> numbers;
    for (interpreter::Scalar element : value.tensor()->elements)
      numbers.push_back(element.real);
    return numbers;
  }
  static std::vector<int64_t> integersOf(const Value &value) {
    std::vector<int64_t> numbers;
    for (interpreter::Scalar element : value.tensor()->elements)
      numbers.push_back(element.integer);
    return numbers;
  }

  Expected<std::vector<Value>> run(const char *text, std::vector<Value> arguments,
                                   const interpreter::Options &options = {}) {
    OwningOpRef<ModuleOp> module = mlir::parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    if (!module)
      return Status(StatusCode::InvalidArgument, "not parsed");
    return interpreter::interpret(*module, "f", std::move(arguments), options);
  }
  std::vector<Value> mustRun(const char *text, std::vector<Value> arguments) {
    Expected<std::vector<Value>> results = run(text, std::move(arguments));
    EXPECT_TRUE(results) << (results ? "" : results.status().message());
    return results ? std::move(*results) : std::vector<Value>();
  }

  mlir::MLIRContext context;
};

TEST_F(InterpreterTest, GraphOpsRunThroughTheirPrograms) {
  const char *text = R"(
    func.func @f(%x: tensor<?x2xf32, #relax.shape<[n, 2]>>, %b: tensor<2xf32>)
        -> tensor<?x2xf32, #relax.shape<[n, 2]>>
        attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
      %y = relax.add %x, %b : (tensor<?x2xf32, #relax.shape<[n, 2]>>, tensor<2xf32>)
          -> tensor<?x2xf32, #relax.shape<[n, 2]>>
      return %y : tensor<?x2xf32, #relax.shape<[n, 2]>>
    })";
  std::vector<Value> results = mustRun(text, {reals({2, 2}, {1, 2, 3, 4}), reals({2}, {10, 20})});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(realsOf(results[0]), (std::vector<double>{11, 22, 13, 24}));
  results = mustRun(text, {reals({0, 2}, {}), reals({2}, {10, 20})});
  EXPECT_EQ(results[0].tensor()->dims, (std::vector<int64_t>{0, 2}));
}

TEST_F(InterpreterTest, ArgumentsMustHaveTheirTypes) {
  const char *text = R"(
    func.func @f(%x: tensor<?x?xf32, #relax.shape<[n, n]>>) -> tensor<?x?xf32, #relax.shape<[n, n]>>
        attributes {relax.symbols = #relax.symbols<n = [0, 4]>} {
      return %x : tensor<?x?xf32, #relax.shape<[n, n]>>
    })";
  EXPECT_TRUE(run(text, {reals({2, 2}, {1, 2, 3, 4})}));
  auto message = [&](std::vector<Value> arguments) {
    Expected<std::vector<Value>> results = run(text, std::move(arguments));
    return results ? std::string("no error") : std::string(results.status().message());
  };
  EXPECT_NE(message({reals({2, 3}, {})}).find("dimension 1 is 3, not n = 2"), std::string::npos);
  EXPECT_NE(message({reals({5, 5}, {})}).find("symbol n of @f cannot be 5"), std::string::npos);
  EXPECT_NE(message({reals({4}, {})}).find("the rank is 1"), std::string::npos);
  EXPECT_NE(message({}).find("takes 1 arguments, found 0"), std::string::npos);
  EXPECT_NE(message({integers(32, {2, 2}, {})}).find("element type is i32"), std::string::npos);
}

/// Loops that carry a tensor: running sums.
constexpr const char *runningSums = R"(
    func.func private @sums(%x: tensor<?xf32, #relax.shape<[s0]>>)
        -> tensor<?xf32, #relax.shape<[s0]>>
        attributes {relax.kernel, relax.kernel_symbols = ["s0"]} {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %start = arith.constant 0.0 : f32
      %n = tensor.dim %x, %zero : tensor<?xf32, #relax.shape<[s0]>>
      %empty = tensor.empty(%n) : tensor<?xf32, #relax.shape<[s0]>>
      %r:2 = scf.for %i = %zero to %n step %one iter_args(%out = %empty, %sum = %start)
          -> (tensor<?xf32, #relax.shape<[s0]>>, f32) {
        %e = tensor.extract %x[%i] : tensor<?xf32, #relax.shape<[s0]>>
        %next = arith.addf %sum, %e : f32
        %more = tensor.insert %next into %out[%i] : tensor<?xf32, #relax.shape<[s0]>>
        scf.yield %more, %next : tensor<?xf32, #relax.shape<[s0]>>, f32
      }
      return %r#0 : tensor<?xf32, #relax.shape<[s0]>>
    }
    func.func @f(%x: tensor<?xf32, #relax.shape<[n]>>) -> tensor<?xf32, #relax.shape<[n]>>
        attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
      %y = relax.call_kernel @sums(%x) {symbols = [#relax.expr<n>]}
          : (tensor<?xf32, #relax.shape<[n]>>) -> tensor<?xf32, #relax.shape<[n]>>
      return %y : tensor<?xf32, #relax.shape<[n]>>
    })";

TEST_F(InterpreterTest, LoopsCarryTensors) {
  EXPECT_EQ(realsOf(mustRun(runningSums, {reals({4}, {1, 2, 3, 4})})[0]),
            (std::vector<double>{1, 3, 6, 10}));
  EXPECT_TRUE(realsOf(mustRun(runningSums, {reals({0}, {})})[0]).empty());
}

TEST_F(InterpreterTest, WhatALoopCarriesIsChangedInPlace) {
  // Copies for each of 200,000 trips would take minutes.
  int64_t count = 200000;
  TensorPointer x = interpreter::makeTensor(mlir::Float32Type::get(&context), {count});
  for (interpreter::Scalar &element : x->elements)
    element = interpreter::realScalar(1);
  EXPECT_EQ(realsOf(mustRun(runningSums, {x})[0]).back(), static_cast<double>(count));
  EXPECT_EQ(x->elements.front().real, 1);
}

TEST_F(InterpreterTest, StepsAreBounded) {
  interpreter::Options options;
  options.maxSteps = 10;
  Expected<std::vector<Value>> results =
      run(runningSums, {reals({20}, std::vector<double>(20, 1.0))}, options);
  ASSERT_FALSE(results);
  EXPECT_NE(std::string(results.status().message()).find("gave up after 10 steps"),
            std::string::npos);
}

TEST_F(InterpreterTest, AccessesAreChecked) {
  const char *text = R"(
    func.func private @k(%x: tensor<4xf32>, %i: tensor<i32>) -> tensor<1xf32>
        attributes {relax.kernel, relax.kernel_symbols = []} {
      %e = tensor.empty() : tensor<1xf32>
      %y = linalg.generic {indexing_maps = [affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>],
                           iterator_types = ["parallel"]} ins(%i : tensor<i32>) outs(%e : tensor<1xf32>) {
      ^bb0(%j: i32, %out: f32):
        %at = arith.index_cast %j : i32 to index
        %v = tensor.extract %x[%at] : tensor<4xf32>
        linalg.yield %v : f32
      } -> tensor<1xf32>
      return %y : tensor<1xf32>
    }
    func.func @f(%x: tensor<4xf32>, %i: tensor<i32>) -> tensor<1xf32> {
      %y = relax.call_kernel @k(%x, %i) : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
      return %y : tensor<1xf32>
    })";
  TensorPointer x = reals({4}, {1, 2, 3, 4});
  EXPECT_EQ(realsOf(mustRun(text, {x, integers(32, {}, {2})})[0]), (std::vector<double>{3}));
  for (int64_t outside : {-1, 4}) {
    Expected<std::vector<Value>> results = run(text, {x, integers(32, {}, {outside})});
    ASSERT_FALSE(results);
    EXPECT_NE(std::string(results.status().message()).find("reads at [" + std::to_string(outside)),
              std::string::npos);
  }
}

TEST_F(InterpreterTest, AGrowingLoop) {
  const char *text = R"(
    func.func @f(%count: tensor<i64>, %x: tensor<1xf32>) -> tensor<?xf32> {
      %zero = arith.constant dense<0> : tensor<i64>
      %one = arith.constant dense<1> : tensor<i64>
      %start = relax.erase %x : tensor<1xf32> to tensor<?xf32>
      %r:2 = relax.while (%i = %zero, %v = %start) : (tensor<i64>, tensor<?xf32>) {
        %more = relax.less %i, %count : (tensor<i64>, tensor<i64>) -> tensor<i1>
        relax.condition %more : tensor<i1>
      } do {
        %next = relax.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
        %c = relax.match_cast %v : tensor<?xf32> to tensor<?xf32, #relax.shape<[c]>>
        %longer = relax.concat %c, %x {axis = 0 : i64}
            : (tensor<?xf32, #relax.shape<[c]>>, tensor<1xf32>) -> tensor<?xf32, #relax.shape<[c + 1]>>
        %any = relax.erase %longer : tensor<?xf32, #relax.shape<[c + 1]>> to tensor<?xf32>
        relax.yield %next, %any : tensor<i64>, tensor<?xf32>
      }
      return %r#1 : tensor<?xf32>
    })";
  for (int64_t trips : {0, 1, 3}) {
    std::vector<Value> results = mustRun(text, {integers(64, {}, {trips}), reals({1}, {7})});
    EXPECT_EQ(realsOf(results[0]), std::vector<double>(static_cast<size_t>(trips + 1), 7.0));
  }
}

TEST_F(InterpreterTest, RecursionThroughSignatures) {
  const char *text = R"(
    func.func @f(%n: tensor<i64>) -> tensor<i64> {
      %one = arith.constant dense<1> : tensor<i64>
      %small = relax.less_equal %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %r = relax.if %small : tensor<i1> -> tensor<i64> {
        relax.yield %one : tensor<i64>
      } else {
        %less = relax.subtract %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
        %rest = relax.call @f(%less) : (tensor<i64>) -> tensor<i64>
        %product = relax.multiply %n, %rest : (tensor<i64>, tensor<i64>) -> tensor<i64>
        relax.yield %product : tensor<i64>
      }
      return %r : tensor<i64>
    })";
  EXPECT_EQ(integersOf(mustRun(text, {integers(64, {}, {10})})[0]),
            (std::vector<int64_t>{3628800}));
  Expected<std::vector<Value>> results = run(text, {integers(64, {}, {100000})});
  ASSERT_FALSE(results);
  EXPECT_NE(std::string(results.status().message()).find("calls nest more than 256 deep"),
            std::string::npos);
}

TEST_F(InterpreterTest, IntegersWrapAtTheirWidth) {
  const char *text = R"(
    func.func @f(%x: tensor<2xi8>, %y: tensor<2xi8>) -> tensor<2xi8> {
      %z = relax.multiply %x, %y : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
      return %z : tensor<2xi8>
    })";
  EXPECT_EQ(
      integersOf(mustRun(text, {integers(8, {2}, {100, -128}), integers(8, {2}, {3, -1})})[0]),
      (std::vector<int64_t>{44, -128}));
}

TEST_F(InterpreterTest, RoundingsTryBothNeighbours) {
  using interpreter::Rounding;
  const mlir::Type f32 = mlir::Float32Type::get(&context), f64 = mlir::Float64Type::get(&context);
  for (double value : {0.1, -0.3, 1e10 / 3, 1e-20 / 7}) {
    const double nearest = interpreter::roundResult(value, f32, Rounding::Nearest),
                 farther = interpreter::roundResult(value, f32, Rounding::Farther);
    EXPECT_EQ(nearest, double(float(value)));
    EXPECT_LT((nearest - value) * (farther - value), 0) << "the two are on the two sides";
    for (int pair = 0; pair != 3; ++pair) {
      auto both = [&](mlir::Type type) {
        return std::minmax({interpreter::roundResult(value, type, interpreter::mix(2 * pair)),
                            interpreter::roundResult(value, type, interpreter::mix(2 * pair + 1))});
      };
      EXPECT_EQ(both(f32), std::minmax({nearest, farther}));
      EXPECT_LT(both(f64).first, value);
      EXPECT_GT(both(f64).second, value);
    }
  }
  // What a type holds stays.
  for (mlir::Type type : {f32, f64})
    for (Rounding rounding : {Rounding::None, Rounding::Nearest, Rounding::Farther,
                              interpreter::mix(0), interpreter::mix(1)}) {
      EXPECT_EQ(interpreter::roundResult(1.5, type, rounding), 1.5);
      EXPECT_EQ(interpreter::roundResult(INFINITY, type, rounding), INFINITY);
      EXPECT_TRUE(std::isnan(interpreter::roundResult(NAN, type, rounding)));
    }
}

} // namespace
