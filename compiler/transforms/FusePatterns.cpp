// Puts regions of graph ops that patterns of the user name into functions that become one kernel.
//
// Before:  %p = relax.matmul %x, %w : …
//          %y = relax.gelu %p : …
//
// After:   %y = relax.call @pattern_group(%x, %w) : …
//          func.func private @pattern_group(…) attributes {relax.group, …} { both ops }
//
// with the file
//
//   Constraint Fusible(root: Op, x: Value, w: Value);
//   Rewrite Fuse(root: Op, x: Value, w: Value);
//   Pattern {
//     let root = op<relax.gelu>(op<relax.matmul>(x: Value, w: Value));
//     Fusible(root, x, w);
//     rewrite root with { Fuse(root, x, w); };
//   }
//
// Fusible(root, inputs…) holds where the ops between the inputs and the root are used nowhere else,
// and their sizes follow from those of the inputs; Fuse(root, inputs…) makes the group. The rest is
// in PatternFiles.h. What a group becomes, and what it may hold, is in MergeGroups.cpp; whether the
// rules of fusion would have merged it isn't asked. Ops are asked from the last to the first.
// Precondition: sizes have names and checks are ops. Test: tests/ir/transforms/fuse-patterns.mlir

#include "compiler/dialect/Relax.h"
#include "compiler/transforms/Application.h"
#include "compiler/transforms/FunctionForm.h"
#include "compiler/transforms/GraphRegion.h"
#include "compiler/transforms/MergePrograms.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/PatternFiles.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace relax::transforms {
namespace {

struct FusePatterns : PassWrapper<FusePatterns, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FusePatterns)
  FusePatterns() = default;
  FusePatterns(const FusePatterns &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "relax-fuse-patterns"; }
  StringRef getDescription() const override {
    return "Group the ops that patterns of the user name, as one kernel";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    FilePatterns::addDialects(registry);
  }

  LogicalResult initialize(MLIRContext *context) override {
    return patterns.read(context, SmallVector<std::string>(files.begin(), files.end()),
                         functions());
  }

  void runOnOperation() override {
    if (files.empty())
      return markAllAnalysesPreserved();
    RegionOutliner regions(getOperation(), "pattern_group");
    outliner = &regions;
    SmallVector<Block *> blocks;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (isGraphFunction(function) && !function->hasAttr(groupAttr))
        function.walk([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks)
      for (Operation *op = block->empty() ? nullptr : &block->back(); op; op = op->getPrevNode())
        if (Operation *made = patterns.apply(op))
          op = made;
    llvm::DenseSet<StringRef> used;
    getOperation().walk([&](ir::CallOp call) { used.insert(call.getCallee()); });
    regions.eraseUnused([&](StringRef name) { return used.contains(name); });
    outliner = nullptr;
  }

  ListOption<std::string> files{*this, "patterns",
                                llvm::cl::desc("files of patterns, PDL or PDLL")};

private:
  /// The function of the region; null where it can't be one.
  func::FuncOp groupOf(const RegionArguments &arguments) {
    FailureOr<SmallVector<Operation *>> region = regionOf(arguments.root, arguments.inputs);
    const bool sized = llvm::all_of(arguments.inputs, [](Value input) {
      auto type = dyn_cast<RankedTensorType>(input.getType());
      return type && type.getElementType().isIntOrFloat() &&
             !llvm::is_contained(ir::shapeOf(type), symbolic::Expr());
    });
    if (failed(region) || !sized || !outliner)
      return {};
    func::FuncOp group = outliner->outline(*region, arguments.inputs);
    if (group)
      group->setAttr(groupAttr, UnitAttr::get(group.getContext()));
    return group;
  }

  PatternFunctions functions() {
    PatternFunctions result;
    result.constraints["Fusible"] = [this](PatternRewriter &, PDLResultList &,
                                           ArrayRef<PDLValue> arguments) -> LogicalResult {
      std::optional<RegionArguments> region = regionArguments(arguments);
      return success(region && groupOf(*region));
    };
    result.rewrites["Fuse"] = [this](PatternRewriter &rewriter, PDLResultList &,
                                     ArrayRef<PDLValue> arguments) -> LogicalResult {
      // A pattern that doesn't ask whether it may is asked here; its match just isn't used.
      std::optional<RegionArguments> region = regionArguments(arguments);
      func::FuncOp group = region ? groupOf(*region) : func::FuncOp();
      if (!group || !mayApply(region->root, "makes @" + group.getName() + " of what ends in '" +
                                                region->root->getName().getStringRef() + "'"))
        return success();
      FailureOr<SmallVector<Operation *>> ops = regionOf(region->root, region->inputs);
      rewriter.setInsertionPoint(region->root);
      auto made =
          ir::CallOp::create(rewriter, region->root->getLoc(), region->root->getResultTypes(),
                             group.getName(), region->inputs);
      rewriter.replaceOp(region->root, made);
      for (Operation *op : llvm::reverse(ArrayRef(*ops).drop_back()))
        rewriter.eraseOp(op);
      patterns.put(made);
      return success();
    };
    return result;
  }

  FilePatterns patterns;
  RegionOutliner *outliner = nullptr; ///< While the pass runs.
};

} // namespace

std::unique_ptr<Pass> createFusePatternsPass(ArrayRef<std::string> files) {
  auto pass = std::make_unique<FusePatterns>();
  for (const std::string &path : files)
    pass->files.push_back(path);
  return pass;
}

} // namespace relax::transforms
