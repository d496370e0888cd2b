//===- PatternFiles.h - patterns of users, read when the compiler runs ------------------------===//
//
// A file of PDL (text IR) or PDLL describes regions of graph ops without building anything: those
// that shall be one kernel (FusePatterns.cpp), those that a library does
// (libraries/LibraryPatterns.h). What patterns may call beside PDL's own is
//
//   ElementType(value, "f32"), Rank(value, 2), SameShape(a, b)    legality
//
// and what the user of this file adds. PDLL is translated by mlir-pdll, which comes with MLIR's
// tools.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/PatternMatch.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "mlir/Rewrite/PatternApplicator.h"
#include "llvm/ADT/StringMap.h"

#include <optional>

namespace relax::transforms {

/// What patterns may call, by name.
struct PatternFunctions {
  llvm::StringMap<mlir::PDLConstraintFunction> constraints;
  llvm::StringMap<mlir::PDLRewriteFunction> rewrites;
};

/// The patterns of a pass that applies them.
class FilePatterns {
public:
  /// The dialects that the pass then depends on.
  static void addDialects(mlir::DialectRegistry &registry);

  /// Reads the files and prepares their patterns; reports on the context what is wrong. What
  /// `functions` refers to lives as long as this.
  mlir::LogicalResult read(mlir::MLIRContext *context, mlir::ArrayRef<std::string> paths,
                           const PatternFunctions &functions);
  /// Applies the first pattern that matches at `op`. Returns what it put in the op's place; null
  /// where there is none, or where it only matched.
  mlir::Operation *apply(mlir::Operation *op);
  /// A rewrite of the pattern that is being applied says what it put in the op's place.
  void put(mlir::Operation *op) { made = op; }

private:
  /// With an address of its own, which the applicator keeps.
  std::unique_ptr<mlir::FrozenRewritePatternSet> patterns;
  std::unique_ptr<mlir::PatternApplicator> applicator;
  mlir::Operation *made = nullptr;
};

/// (root, inputs…): the arguments of such a function.
struct RegionArguments {
  mlir::Operation *root = nullptr;
  mlir::SmallVector<mlir::Value> inputs;
};
std::optional<RegionArguments> regionArguments(mlir::ArrayRef<mlir::PDLValue> arguments);

} // namespace relax::transforms
