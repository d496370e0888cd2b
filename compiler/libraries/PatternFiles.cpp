#include "compiler/libraries/PatternFiles.h"

#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDL/IR/PDLOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::libraries {
namespace {

LogicalResult report(MLIRContext *context, const Twine &message) {
  return emitError(UnknownLoc::get(context)) << message;
}

/// A file that is gone when this is.
class TemporaryFile {
public:
  explicit TemporaryFile(StringRef suffix) {
    failed = bool(llvm::sys::fs::createTemporaryFile("relax-patterns", suffix, path));
  }
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;
  ~TemporaryFile() { (void)llvm::sys::fs::remove(path); }
  SmallString<128> path;
  bool failed = false;
};

std::string textOf(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().trim().str() : std::string();
}

/// The PDL text of a PDLL file, by the tool that LLVM has for it.
FailureOr<std::string> translatePdll(MLIRContext *context, const std::string &path) {
  llvm::ErrorOr<std::string> tool = std::error_code(ENOENT, std::generic_category());
  for (StringRef name : {"mlir-pdll-22", "mlir-pdll"})
    if (!tool)
      tool = llvm::sys::findProgramByName(name);
  if (!tool)
    tool = llvm::sys::findProgramByName("mlir-pdll", {RELAX_LLVM_TOOLS_DIR});
  if (!tool)
    return report(context, path + ": PDLL is translated by mlir-pdll, which isn't there; Debian's "
                                  "package mlir-22-tools has it. PDL as text IR needs no tool");
  TemporaryFile output(".mlir"), errors(".txt");
  if (output.failed || errors.failed)
    return report(context, path + ": no temporary file can be made");
  StringRef arguments[] = {*tool, path, "-x=mlir", "-o", output.path};
  std::optional<StringRef> redirects[] = {std::nullopt, std::nullopt, StringRef(errors.path)};
  std::string problem;
  int status =
      llvm::sys::ExecuteAndWait(*tool, arguments, std::nullopt, redirects, 60, 0, &problem);
  if (status != 0) {
    std::string found = textOf(errors.path);
    return report(context, found.empty() ? path + ": mlir-pdll failed: " + problem : found);
  }
  return textOf(output.path);
}

/// Reads the file into a module of PDL patterns.
FailureOr<OwningOpRef<ModuleOp>> readFile(MLIRContext *context, const std::string &path) {
  if (!llvm::sys::fs::exists(path))
    return report(context, path + ": no such file");
  OwningOpRef<ModuleOp> module;
  if (llvm::sys::path::extension(path) == ".pdll") {
    FailureOr<std::string> text = translatePdll(context, path);
    if (failed(text))
      return failure();
    module = parseSourceString<ModuleOp>(*text, context, path);
  } else {
    module = parseSourceFile<ModuleOp>(path, context);
  }
  if (!module)
    return report(context, path + ": not readable as patterns (PDL as text IR, or PDLL in a file "
                                  "that ends in .pdll)");
  if (module->getOps<pdl::PatternOp>().empty())
    return report(context, path + ": has no pattern");
  return module;
}

/// The name "x0_1" stands for dimension 1 of operand 0.
std::optional<std::map<std::string, Expr>> dimensionNames(ValueRange inputs) {
  std::map<std::string, Expr> names;
  for (auto [i, input] : llvm::enumerate(inputs)) {
    auto tensor = dyn_cast<RankedTensorType>(input.getType());
    if (!tensor)
      return std::nullopt;
    for (auto [axis, dim] : llvm::enumerate(ir::shapeOf(tensor))) {
      if (!dim)
        return std::nullopt;
      names["x" + std::to_string(i) + "_" + std::to_string(axis)] = dim;
    }
  }
  return names;
}

/// Adds the sizes of `when`. False, with `problem`, where an expression isn't one.
bool readMeasures(DictionaryAttr when, ValueRange inputs, Claim &claim, std::string &problem) {
  auto names = dimensionNames(inputs);
  if (!names)
    return false;
  symbolic::Context &context = ir::symbolicContext(when.getContext());
  for (NamedAttribute entry : when) {
    auto number = dyn_cast<IntegerAttr>(entry.getValue());
    std::string message;
    Expr expr = context.parse(entry.getName().strref(), &message);
    std::set<std::string> used;
    if (expr)
      expr.collectSymbols(used);
    for (const std::string &name : used)
      if (!names->contains(name))
        message = "there is no dimension '" + name + "'";
    if (!number || !expr || !message.empty()) {
      problem = ("`when` compares expressions over x<operand>_<dimension> with integers; found '" +
                 entry.getName().strref() + "'" + (message.empty() ? "" : ": " + message))
                    .str();
      return false;
    }
    claim.measures.push_back(
        {symbolic::substitute(expr, *names), number.getValue().getSExtValue(), {}});
  }
  return true;
}

/// The claim that a pattern describes; a problem with its text is reported, once for each match.
std::optional<Claim> claimOf(Operation *root, ValueRange inputs, Attribute description) {
  auto fields = dyn_cast_or_null<DictionaryAttr>(description);
  auto function = fields ? fields.getAs<StringAttr>("function") : StringAttr();
  Claim claim;
  std::string problem;
  if (!function)
    problem = "a claim is a dictionary with `function`";
  else {
    claim.root = root;
    claim.inputs.assign(inputs.begin(), inputs.end());
    claim.function = function.str();
    claim.required = fields.contains("required");
    if (auto options = fields.getAs<DictionaryAttr>("options"))
      claim.options.assign(options.begin(), options.end());
    if (auto when = fields.getAs<DictionaryAttr>("when");
        !when || readMeasures(when, inputs, claim, problem))
      return claim;
  }
  if (!problem.empty())
    root->emitWarning("a library pattern isn't applied: ") << problem;
  return std::nullopt;
}

/// The tensor type of argument `index` of a constraint; null if it is none.
RankedTensorType typeOf(ArrayRef<PDLValue> arguments, size_t index) {
  Value value = index < arguments.size() ? arguments[index].dyn_cast<Value>() : Value();
  return value ? dyn_cast<RankedTensorType>(value.getType()) : RankedTensorType();
}

template <typename T> T attributeOf(ArrayRef<PDLValue> arguments, size_t index) {
  Attribute attribute =
      index < arguments.size() ? arguments[index].dyn_cast<Attribute>() : Attribute();
  return dyn_cast_or_null<T>(attribute);
}

/// What patterns may call; anything else is an error, with what there is.
LogicalResult checkNames(ModuleOp module, const std::string &path) {
  auto check = [&](Operation *op, StringRef name, ArrayRef<StringRef> known) -> WalkResult {
    if (llvm::is_contained(known, name))
      return WalkResult::advance();
    (void)report(op->getContext(), path + ": there is no '" + name + "' for patterns; there are " +
                                       llvm::join(known, ", "));
    return WalkResult::interrupt();
  };
  WalkResult walked = module.walk([&](Operation *op) -> WalkResult {
    if (auto constraint = dyn_cast<pdl::ApplyNativeConstraintOp>(op))
      return check(op, constraint.getName(), {"Claimable", "ElementType", "Rank", "SameShape"});
    if (auto rewrite = dyn_cast<pdl::ApplyNativeRewriteOp>(op))
      return check(op, rewrite.getName(), {"ClaimLibrary"});
    if (auto rewrite = dyn_cast<pdl::RewriteOp>(op); rewrite && rewrite.getName())
      return check(op, *rewrite.getName(), {"ClaimLibrary"});
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

void registerFunctions(PDLPatternModule &patterns, PatternHost &host) {
  // (root, inputs…, claim): patterns declare as many inputs as they have.
  auto describe = [](ArrayRef<PDLValue> arguments) -> std::optional<Claim> {
    if (arguments.size() < 2)
      return std::nullopt;
    auto *root = arguments.front().dyn_cast<Operation *>();
    auto description = arguments.back().dyn_cast<Attribute>();
    SmallVector<Value> inputs;
    for (PDLValue argument : arguments.drop_front().drop_back()) {
      if (auto value = argument.dyn_cast<Value>())
        inputs.push_back(value);
      else if (argument.isa<ValueRange>())
        llvm::append_range(inputs, argument.cast<ValueRange>());
      else
        return std::nullopt;
    }
    return root ? claimOf(root, inputs, description) : std::nullopt;
  };
  patterns.registerConstraintFunction(
      "Claimable",
      [&host, describe](PatternRewriter &, PDLResultList &,
                        ArrayRef<PDLValue> arguments) -> LogicalResult {
        std::optional<Claim> claim = describe(arguments);
        return success(claim && host.claimer && host.claimer->isLegal(*claim));
      });
  patterns.registerRewriteFunction(
      "ClaimLibrary",
      [&host, describe](PatternRewriter &rewriter, PDLResultList &,
                        ArrayRef<PDLValue> arguments) -> LogicalResult {
        // A pattern that doesn't ask whether it may is asked here; its match just isn't used.
        if (std::optional<Claim> claim = describe(arguments);
            claim && host.claimer && host.claimer->isLegal(*claim))
          host.made = host.claimer->make(rewriter, *claim);
        return success();
      });
  patterns.registerConstraintFunction(
      "ElementType",
      [](PatternRewriter &, PDLResultList &, ArrayRef<PDLValue> arguments) -> LogicalResult {
        RankedTensorType type = typeOf(arguments, 0);
        auto wanted = attributeOf<StringAttr>(arguments, 1);
        std::string text;
        if (type)
          llvm::raw_string_ostream(text) << type.getElementType();
        return success(wanted && wanted == text);
      });
  patterns.registerConstraintFunction(
      "Rank",
      [](PatternRewriter &, PDLResultList &, ArrayRef<PDLValue> arguments) -> LogicalResult {
        RankedTensorType type = typeOf(arguments, 0);
        auto wanted = attributeOf<IntegerAttr>(arguments, 1);
        return success(type && wanted && wanted.getValue() == type.getRank());
      });
  patterns.registerConstraintFunction(
      "SameShape",
      [](PatternRewriter &, PDLResultList &, ArrayRef<PDLValue> arguments) -> LogicalResult {
        RankedTensorType a = typeOf(arguments, 0), b = typeOf(arguments, 1);
        return success(a && b && !llvm::is_contained(ir::shapeOf(a), Expr()) &&
                       ir::shapeOf(a) == ir::shapeOf(b));
      });
}

} // namespace

FailureOr<FrozenRewritePatternSet>
readPatternFiles(MLIRContext *context, ArrayRef<std::string> paths, PatternHost &host) {
  RewritePatternSet set(context);
  for (const std::string &path : paths) {
    FailureOr<OwningOpRef<ModuleOp>> module = readFile(context, path);
    if (failed(module))
      return failure();
    if (failed(checkNames(**module, path)))
      return failure();
    PDLPatternModule patterns(std::move(*module));
    registerFunctions(patterns, host);
    set.add(std::move(patterns));
  }
  return FrozenRewritePatternSet(std::move(set));
}

} // namespace relax::libraries
