//===- ShapeValues.h - what the elements of small integer tensors are -------------------------===//
//
// Shape arithmetic of importers is written on tensors: Shape, Gather, Multiply, Concat. Here each
// element of such a tensor is followed as an expression over the function's symbols, whatever ops
// it goes through: by value, not by patterns of ops. An element that isn't known stays unknown; the
// others are still followed.
//
// Elements are exact integers. One whose value might not fit its element type is unknown, except of
// i64: there an overflow is an error at run time instead of a wrong size.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/Relax.h"
#include "compiler/symbolic/Facts.h"

#include "llvm/ADT/DenseMap.h"

namespace relax::transforms {

class ShapeValues {
public:
  /// Tensors with more elements aren't followed.
  static constexpr int64_t maxElements = 64;

  /// The elements in row-major order, null where unknown.
  using Elements = llvm::SmallVector<symbolic::Expr>;

  ShapeValues(mlir::MLIRContext *context, symbolic::Facts facts)
      : context(ir::symbolicContext(context)), facts(std::move(facts)) {}

  /// Follows the results of an op, whose operands were followed before.
  void follow(mlir::Operation *op);

  /// Null where nothing is known of the value.
  [[nodiscard]] const Elements *find(mlir::Value value) const {
    auto it = known.find(value);
    return it == known.end() ? nullptr : &it->second;
  }
  /// All elements, if every one is known.
  [[nodiscard]] std::optional<Elements> whole(mlir::Value value) const;
  /// All elements, if every one is a known constant.
  [[nodiscard]] std::optional<llvm::SmallVector<int64_t>> constants(mlir::Value value) const;

  symbolic::Facts &getFacts() { return facts; }

private:
  using Index = llvm::ArrayRef<int64_t>;
  std::optional<Elements> evaluate(mlir::Operation *op);
  std::optional<Elements> constantElements(mlir::Operation *op);
  std::optional<Elements> elementwise(mlir::Operation *op);
  std::optional<Elements> concatenate(mlir::Operation *op);
  std::optional<Elements> take(mlir::Operation *op);
  std::optional<Elements> slice(mlir::Operation *op);
  std::optional<Elements> reduce(mlir::Operation *op);
  symbolic::Expr combine(llvm::StringRef name, llvm::ArrayRef<symbolic::Expr> operands);
  symbolic::Expr compare(llvm::StringRef name, symbolic::Expr a, symbolic::Expr b);
  /// `expr` if its value certainly fits the element type.
  symbolic::Expr fitting(symbolic::Expr expr, mlir::Type elementType);

  symbolic::Context &context;
  symbolic::Facts facts;
  llvm::DenseMap<mlir::Value, Elements> known;
};

} // namespace relax::transforms
