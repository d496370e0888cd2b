//===- RandomOps.cpp - the shape rule of random numbers ---------------------------------------===//
#include "compiler/dialect/ops/RandomOps.h"

#include "compiler/dialect/Deduction.h"

using namespace mlir;

namespace relax::ir {

void registerRandomOps(RelaxDialect &dialect) {
  dialect.add<
#define GET_OP_LIST
#include "compiler/dialect/ops/RandomOps.cpp.inc"
      >();
}

namespace {
/// What a random op can make.
enum class RandomElements { Floats, Integers, Plain };
} // namespace

static LogicalResult deduceRandom(const Rule &rule, ShapeAttr shape, Type element,
                                  RandomElements elements, SmallVectorImpl<Type> &types) {
  bool isInteger = element.isInteger() && !element.isInteger(1);
  bool fits = elements == RandomElements::Floats     ? isa<FloatType>(element)
              : elements == RandomElements::Integers ? isInteger
                                                     : element.isIntOrFloat();
  if (!fits) {
    std::string text;
    llvm::raw_string_ostream(text) << element;
    return rule.error("dtype must be " +
                      Twine(elements == RandomElements::Floats     ? "a floating-point type"
                            : elements == RandomElements::Integers ? "a type of integers"
                                                                   : "a type of numbers or bool") +
                      ", found " + text);
  }
  for (auto [i, dim] : llvm::enumerate(shape.getDims()))
    if (!dim || (dim.isConstant() && dim.constantValue() < 0))
      return rule.error("dimension " + Twine(i) + " of the shape " + shapeText(shape.getDims()) +
                        " must be an expression that isn't negative");
  types.push_back(tensorType(rule.context, shape.getDims(), element));
  types.push_back(RankedTensorType::get({2}, IntegerType::get(rule.context, 64)));
  return success();
}

LogicalResult RandomIntegersOp::verify() {
  Rule rule(getContext(), getLoc(), getOperationName());
  // As the properties have them: dtype holds them, and their distance has 33 bits.
  auto low = static_cast<int64_t>(getLow()), high = static_cast<int64_t>(getHigh());
  if (low >= high)
    return rule.error("low must be below high, found " + Twine(low) + " and " + Twine(high));
  if (static_cast<uint64_t>(high) - static_cast<uint64_t>(low) > uint64_t(1) << 32)
    return rule.error("high - low must be at most 2^32");
  unsigned width = getDtype().getIntOrFloatBitWidth();
  bool isUnsigned = getDtype().isUnsignedInteger();
  auto fits = [&](int64_t value) {
    return isUnsigned ? llvm::isUIntN(width, static_cast<uint64_t>(value))
                      : llvm::isIntN(width, value);
  };
  if (!fits(low) || !fits(high - 1))
    return rule.error("dtype can't hold the numbers from " + Twine(low) + " up to " +
                      Twine(high - 1));
  return success();
}

LogicalResult RandomBernoulliOp::verify() {
  Rule rule(getContext(), getLoc(), getOperationName());
  double probability = getProbability().convertToDouble();
  if (probability >= 0 && probability <= 1)
    return success();
  return rule.error("probability must be within [0, 1], found " + std::to_string(probability));
}

} // namespace relax::ir

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_OP_CLASSES
#include "compiler/dialect/ops/RandomOps.cpp.inc"
#pragma GCC diagnostic pop
