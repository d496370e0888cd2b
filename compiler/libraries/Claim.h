//===- Claim.h - a region of the graph that a library's function does -------------------------===//
//
// A claim is a root op, the values that the region begins with, and the library function that
// computes the root's result from them. The claimer puts the region's ops into a private function,
// the *alternative*, and a relax.call_library with `otherwise` in their place:
//
//   %p = relax.matmul %x, %w : …                %y = relax.call_library "onednn.matmul"(%x, %w, %b)
//   %q = relax.add %p, %b : …           ->          {bias, relu = 1, otherwise = @alternative,
//   %y = relax.relu %q : …                           when = [#relax.expr<…>], at_least = …}
//
// The alternative is compiled as everything else is, so nothing that the compiler can do is lost
// where the library isn't called. Its symbols are s0, s1, …, one for each size of its parameters:
// equal regions share one.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/Relax.h"
#include "compiler/symbolic/Facts.h"
#include "compiler/transforms/GraphRegion.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"

namespace relax::libraries {

/// The library is called where `expr` is at least so much.
struct Measure {
  symbolic::Expr expr;
  int64_t atLeast = 0;
  std::optional<int64_t> tuned;
};

struct Claim {
  mlir::Operation *root = nullptr;
  /// The library function's operands, in its order.
  mlir::SmallVector<mlir::Value> inputs;
  std::string function;
  mlir::SmallVector<mlir::NamedAttribute> options;
  mlir::SmallVector<Measure> measures;
  /// What `tuned` numbers were measured with.
  std::string version, cpu;
  /// There is no alternative: the library must be there.
  bool required = false;
};

class Claimer {
public:
  explicit Claimer(mlir::ModuleOp module)
      : module(module), alternatives(module, "library_alternative") {}

  /// Facts hold for what is claimed from now on.
  void enter(mlir::func::FuncOp function);

  /// Whether the claim can be made: the region is one, its sizes follow from its inputs, and the
  /// library may be called for some values of the symbols.
  [[nodiscard]] bool isLegal(const Claim &claim);
  /// Makes a legal claim; the call that stands for the root now, or null.
  ir::CallLibraryOp make(mlir::RewriterBase &rewriter, const Claim &claim);

  /// Erases the alternatives of claims that were legal and weren't made.
  void eraseUnused();

private:
  [[nodiscard]] bool canHold(const Claim &claim) const;

  mlir::ModuleOp module;
  transforms::RegionOutliner alternatives;
  symbolic::Facts facts;
};

} // namespace relax::libraries
