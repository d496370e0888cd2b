// Gives regions of graph ops to libraries, for the sizes where these are faster.
//
// Before:  %p = relax.matmul %x, %w : … -> tensor<?x512xf32, #relax.shape<[t, 512]>>
//          %y = relax.add %p, %b : …
//
// After:   %y = relax.call_library "onednn.matmul"(%x, %w, %b)
//                   {at_least = array<i64: 32, 16777216>, bias, otherwise = @library_alternative,
//                    when = [#relax.expr<min(t, 512)>, #relax.expr<262144 * t>]} : …
//          func.func private @library_alternative(%x, %w, %b) { relax.matmul, relax.add }
//
// One program, two ways: which one a call takes is decided when it runs, by its sizes. The ops of
// the alternative go through all passes that follow, so what isn't claimed is optimised as before.
//
// Each op is asked from the last to the first, so that the largest region is found: first patterns
// from files, then the table of Entries.h. Precondition: sizes have names and checks are ops
// (name-unknown-dims, materialize-guards). A region whose sizes don't follow from its inputs alone
// isn't claimed. Tests: tests/ir/libraries/claim-*.mlir

#include "compiler/libraries/Entries.h"
#include "compiler/libraries/LibraryPatterns.h"
#include "compiler/libraries/Passes.h"
#include "compiler/transforms/FunctionForm.h"
#include "compiler/transforms/MergePrograms.h"
#include "runtime/loader/CpuFeatures.h"

#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace relax::libraries {
namespace {

struct ClaimLibrary : PassWrapper<ClaimLibrary, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ClaimLibrary)
  ClaimLibrary() = default;
  ClaimLibrary(const ClaimLibrary &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "relax-claim-library"; }
  StringRef getDescription() const override {
    return "Give regions of graph ops to libraries, for the sizes where these are faster";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    transforms::FilePatterns::addDialects(registry);
  }

  LogicalResult initialize(MLIRContext *context) override {
    SmallVector<StringRef> known = libraryNames();
    for (const std::string &name : libraries)
      if (name != "auto" && name != "none" && !llvm::is_contained(known, name))
        return emitError(UnknownLoc::get(context))
               << "unknown library '" << name << "'; expected auto, none or some of "
               << llvm::join(known, ", ");
    if (!thresholds.empty()) {
      Expected<std::vector<TunedEntry>> entries = readThresholds(thresholds);
      if (!entries)
        return emitError(UnknownLoc::get(context)) << entries.status().message();
      tuned = std::move(*entries);
    }
    return host.patterns.read(context, SmallVector<std::string>(patterns.begin(), patterns.end()),
                              libraryPatternFunctions(host));
  }

  void runOnOperation() override {
    if (libraries.empty() && patterns.empty())
      return markAllAnalysesPreserved();
    Claimer claimer(getOperation());
    host.claimer = &claimer;
    SmallVector<func::FuncOp> functions;
    for (auto function : getOperation().getOps<func::FuncOp>())
      // What shall be one kernel is left to it.
      if (transforms::isGraphFunction(function) && !function->hasAttr(transforms::groupAttr))
        functions.push_back(function);
    for (func::FuncOp function : functions) {
      claimer.enter(function);
      SmallVector<Block *> blocks;
      function.walk([&](Block *block) { blocks.push_back(block); });
      for (Block *block : blocks)
        claimIn(*block, claimer);
    }
    claimer.eraseUnused();
    host.claimer = nullptr;
  }

  ListOption<std::string> libraries{
      *this, "libraries",
      llvm::cl::desc("which libraries: openblas, onednn, auto (measured ones)")};
  Option<bool> required{*this, "required", llvm::cl::desc("make no alternatives"),
                        llvm::cl::init(false)};
  Option<std::string> thresholds{*this, "thresholds",
                                 llvm::cl::desc("the file of relax tune-dispatch")};
  ListOption<std::string> patterns{*this, "patterns",
                                   llvm::cl::desc("files of patterns, PDL or PDLL")};

private:
  void claimIn(Block &block, Claimer &claimer) {
    PatternRewriter rewriter(&getContext());
    for (Operation *op = block.empty() ? nullptr : &block.back(); op;) {
      if (Operation *call = host.patterns.apply(op)) {
        op = call->getPrevNode();
        continue;
      }
      if (std::optional<Claim> claim = bestClaim(op, claimer))
        if (ir::CallLibraryOp call = claimer.make(rewriter, *claim))
          op = call;
      op = op->getPrevNode();
    }
  }

  /// Of the legal claims that end at `root` the one that takes the most ops, then the cheapest.
  std::optional<Claim> bestClaim(Operation *root, Claimer &claimer) {
    std::optional<Claim> best;
    size_t bestSize = 0;
    double bestCost = 0;
    for (const Entry &entry : libraryEntries()) {
      std::optional<Claim> claim = isAllowed(entry) ? entry.match(root, entry) : std::nullopt;
      if (!claim || !setThresholds(*claim))
        continue;
      claim->required = required;
      if (!claimer.isLegal(*claim))
        continue;
      size_t size = transforms::regionOf(root, claim->inputs)->size();
      if (best && (size < bestSize || (size == bestSize && entry.cost >= bestCost)))
        continue;
      best = std::move(claim);
      bestSize = size;
      bestCost = entry.cost;
    }
    return best;
  }

  bool isAllowed(const Entry &entry) {
    return llvm::any_of(libraries, [&](const std::string &name) {
      return name == "auto" || name == entry.library;
    });
  }

  /// Puts in what was measured. False where only what was measured counts and nothing was, or where
  /// the library was never faster.
  bool setThresholds(Claim &claim) {
    const TunedEntry *entry =
        findThreshold(tuned, claim.function, dtypeOf(claim), runtime::cpuName());
    if (!entry)
      return !llvm::is_contained(libraries, "auto");
    if (entry->rows == INT64_MAX || entry->work == INT64_MAX)
      return false;
    claim.version = entry->version;
    claim.cpu = entry->cpu;
    claim.measures[0].tuned = entry->rows;
    claim.measures[1].tuned = entry->work;
    return true;
  }

  std::vector<TunedEntry> tuned;
  PatternHost host;
};

} // namespace

std::unique_ptr<Pass> createClaimLibraryPass(const ClaimOptions &options) {
  auto pass = std::make_unique<ClaimLibrary>();
  for (const std::string &name : options.libraries)
    pass->libraries.push_back(name);
  pass->required = options.required;
  pass->thresholds = options.thresholds;
  for (const std::string &path : options.patterns)
    pass->patterns.push_back(path);
  return pass;
}

void registerLibraryPasses() {
  registerPass([] { return createClaimLibraryPass(); });
  registerPass([] { return createInlineAlternativesPass(); });
}

} // namespace relax::libraries
