//===- Programs.h - the tensor program of each graph op ---------------------------------------===//
//
// One function for each family of ops writes the op's meaning as structured ops on tensors; the
// pass relax-legalize (Legalize.cpp) calls them through the table in programFor. A builder gets the
// op for its attributes, the program's arguments in place of its operands, and the result types
// over the program's symbols. It only ever writes linalg, tensor, scf, arith and math: what a
// strategy does with the program is not its business.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/Relax.h"

#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>

namespace relax::kernels {

struct ProgramBuilder {
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Operation *op;                          ///< The graph op.
  mlir::ValueRange inputs;                      ///< The program's arguments.
  llvm::ArrayRef<mlir::RankedTensorType> types; ///< Of the results.
  /// From the names of the graph's symbols, which the op's attributes use, to the program's.
  const std::map<std::string, symbolic::Expr> *renaming = nullptr;

  using Body = llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;

  [[nodiscard]] mlir::RankedTensorType inputType(unsigned i) const {
    return mlir::cast<mlir::RankedTensorType>(inputs[i].getType());
  }
  /// An expression of an attribute of the op, over the program's symbols.
  [[nodiscard]] symbolic::Expr rename(symbolic::Expr expr) const {
    return expr && renaming ? symbolic::substitute(expr, *renaming) : expr;
  }
  /// The value of an expression over the program's symbols, as an index.
  mlir::Value size(symbolic::Expr expr) const;
  /// A tensor of `type` without content; dynamic sizes come from its shape.
  mlir::Value empty(mlir::RankedTensorType type) const;
  /// A tensor of `type` with `value` everywhere.
  mlir::Value filled(mlir::RankedTensorType type, mlir::TypedAttr value) const;
  /// A tensor of `type`, each element from the elements of `inputs` that broadcasting (numpy's
  /// rule) puts at its place.
  mlir::Value pointwise(mlir::RankedTensorType type, mlir::ValueRange operands, Body body) const;
  /// One linalg.generic with one result that starts as `init`.
  mlir::Value generic(mlir::ValueRange operands, mlir::Value init,
                      llvm::ArrayRef<mlir::AffineMap> maps,
                      llvm::ArrayRef<mlir::utils::IteratorType> iterators, Body body) const;
  /// A reduction of the last dimension of `operands` (all of one shape, or lacking the last
  /// dimension) into a tensor of type `type`; body: operands' elements, then the accumulator.
  mlir::Value reduceLast(mlir::RankedTensorType type, mlir::TypedAttr init,
                         mlir::ValueRange operands, Body body) const;
  /// A constant of element type `type`.
  mlir::Value constant(mlir::OpBuilder &builder, mlir::Type type, double value) const;
};

/// Writes an op's program and returns its results.
using ProgramFunction = llvm::SmallVector<mlir::Value> (*)(ProgramBuilder &program);
/// Writes graph ops before `op` (where `b` stands) and gives values in place of its results.
/// Reports what can't be done at `op`.
using RewriteFunction = mlir::LogicalResult (*)(mlir::OpBuilder &b, mlir::Operation *op,
                                                llvm::SmallVectorImpl<mlir::Value> &values);
/// The program of the op of this name ("relax.silu").
struct ProgramEntry {
  llvm::StringLiteral op;
  ProgramFunction build;
  /// Where it is set: writes graph ops before `op` that check its operands. It sees the graph as it
  /// was, before any op is replaced.
  mlir::LogicalResult (*check)(mlir::OpBuilder &b, mlir::Operation *op) = nullptr;
  /// Where it is set: the types of the program's results, over the graph's symbols, in place of the
  /// op's: buffers at their upper bound, counts, and memory that the program needs as scratch.
  llvm::SmallVector<mlir::Type> (*buffers)(mlir::Operation *op) = nullptr;
  /// Where it is set: writes graph ops that make the op's results (`values`) of the program's;
  /// otherwise the first of those are the op's.
  mlir::LogicalResult (*finish)(mlir::OpBuilder &b, mlir::Operation *op, mlir::ValueRange results,
                                llvm::SmallVectorImpl<mlir::Value> &values) = nullptr;
};
/// Null where `op` has no program.
const ProgramEntry *programEntryFor(mlir::Operation *op);
/// Null where `op` has no program.
ProgramFunction programFor(mlir::Operation *op);

/// An op that is other graph ops: a squeeze is a reshape, a split some slices.
struct DecompositionEntry {
  llvm::StringLiteral op;
  RewriteFunction results;
  /// Where it is set: only ops for which it holds are decomposed; others have a program.
  bool (*applies)(mlir::Operation *op) = nullptr;
};
/// Null where `op` has none.
RewriteFunction decompositionFor(mlir::Operation *op);

// The entries of each family of ops, in the file of the family's name.
llvm::ArrayRef<ProgramEntry> arrangePrograms();
llvm::ArrayRef<ProgramEntry> attentionPrograms();
llvm::ArrayRef<ProgramEntry> contractionPrograms();
llvm::ArrayRef<ProgramEntry> convolutionPrograms();
llvm::ArrayRef<ProgramEntry> createPrograms();
llvm::ArrayRef<ProgramEntry> elementwisePrograms();
llvm::ArrayRef<ProgramEntry> indexPrograms();
llvm::ArrayRef<ProgramEntry> matrixPrograms();
llvm::ArrayRef<ProgramEntry> normalizePrograms();
llvm::ArrayRef<ProgramEntry> quantizePrograms();
llvm::ArrayRef<ProgramEntry> randomPrograms();
llvm::ArrayRef<ProgramEntry> reducePrograms();
llvm::ArrayRef<ProgramEntry> rotaryPrograms();
llvm::ArrayRef<ProgramEntry> searchPrograms();
llvm::ArrayRef<DecompositionEntry> arrangeDecompositions();
llvm::ArrayRef<DecompositionEntry> attentionDecompositions();
llvm::ArrayRef<DecompositionEntry> convolutionDecompositions();
llvm::ArrayRef<DecompositionEntry> createDecompositions();
llvm::ArrayRef<DecompositionEntry> matrixDecompositions();
llvm::ArrayRef<DecompositionEntry> normalizeDecompositions();
llvm::ArrayRef<DecompositionEntry> quantizeDecompositions();
llvm::ArrayRef<DecompositionEntry> reduceDecompositions();
llvm::ArrayRef<DecompositionEntry> searchDecompositions();

} // namespace relax::kernels
