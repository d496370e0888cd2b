//===- Lattice.h - the order of annotations from precise to imprecise -------------------------===//
//
// A type stands for the set of the values that have it. Fewer values, more precise:
//
//   tensor<4x4xf32>  <  tensor<?x4xf32, [n, 4]>  <  tensor<?x?xf32>  <  tensor<*xf32>
//                    <  tensor<*x!relax.any>     <  !relax.object
//   !relax.shape<[4, 4]>  <  !relax.shape<[?, 4]>  <  !relax.shape<rank 2>  <  !relax.shape<*>
//   tuples part by part; functions with their results, and against their parameters
//
// Symbols are those of one scope, the same in both types; so [n] and [m] compare by what is known
// of n and m there. The symbols of a function type are its own.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/Dialect.h"
#include "compiler/symbolic/Prove.h"

namespace relax::ir {

/// No shape has more dimensions, so that text can't make us reserve memory for billions.
constexpr int64_t maxShapeRank = 256;

/// Is every value of type `a` a value of type `b`? Proved: yes. Refuted: no value is. Unknown: a
/// check of the value decides. What stands against it is put into `why`, if that is given:
/// "dimension 1 is 4, expected 5".
symbolic::Proof isSubtypeOf(mlir::Type a, mlir::Type b, const symbolic::Facts &facts = {},
                            std::string *why = nullptr);

/// The most precise type that has all values of both: dimensions that aren't provably equal become
/// unknown, other ranks an unknown rank, other element types `!relax.any`, other kinds an object.
mlir::Type join(mlir::Type a, mlir::Type b, const symbolic::Facts &facts = {});

/// Whether two types are the same but for the names of the symbols in function types.
bool isRenamed(mlir::Type a, mlir::Type b);

/// Adds the dimensions of a tensor, a shape, or the parts of a tuple.
void collectDims(mlir::Type type, llvm::SmallVectorImpl<symbolic::Expr> &dims);
/// The symbols that a call with these parameter types binds: those that are a dimension of their
/// own somewhere, in tuples too.
std::set<std::string> boundSymbols(mlir::TypeRange inputs);
/// The symbols of a function type that occur in its inputs only inside expressions, so that no call
/// can bind them.
std::set<std::string> unboundSymbols(mlir::TypeRange inputs);

} // namespace relax::ir
