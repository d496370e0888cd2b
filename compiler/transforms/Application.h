//===- Application.h - one application of an optimisation, which can be left out
//-----------------===//
//
// `relax bisect` finds the pass that makes a result wrong by leaving applications out. Whole passes
// it can always leave out, and so it can each rewrite of a pattern. A pass that works in another
// way names its steps:
//
//   if (!mayApply(call, "merges @a into @b"))
//     continue;
//
// The answer is yes unless somebody bisects. A step that is left out must leave a module that is
// right, as if the pass hadn't found the place.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Action.h"
#include "mlir/IR/Operation.h"

#include <string>

namespace relax::transforms {

/// What handlers of MLIR's actions see of a step.
class ApplicationAction : public mlir::tracing::ActionImpl<ApplicationAction> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ApplicationAction)
  static constexpr llvm::StringLiteral tag = "relax-application";
  ApplicationAction(llvm::ArrayRef<mlir::IRUnit> units, std::string what)
      : ActionImpl(units), what(std::move(what)) {}
  void print(llvm::raw_ostream &stream) const override { stream << what; }

private:
  std::string what;
};

/// Whether the step `what` at `op` shall be done.
inline bool mayApply(mlir::Operation *op, const llvm::Twine &what) {
  bool applied = false;
  op->getContext()->executeAction<ApplicationAction>([&] { applied = true; }, {op}, what.str());
  return applied;
}

} // namespace relax::transforms
