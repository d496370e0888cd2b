#include "compiler/transforms/PatternFiles.h"

#include "compiler/dialect/Relax.h"

#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDL/IR/PDLOps.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::transforms {
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

/// Legality that every kind of pattern may ask for.
void addCommonConstraints(PatternFunctions &functions) {
  functions.constraints["ElementType"] = [](PatternRewriter &, PDLResultList &,
                                            ArrayRef<PDLValue> arguments) -> LogicalResult {
    RankedTensorType type = typeOf(arguments, 0);
    auto wanted = attributeOf<StringAttr>(arguments, 1);
    std::string text;
    if (type)
      llvm::raw_string_ostream(text) << type.getElementType();
    return success(wanted && wanted == text);
  };
  functions.constraints["Rank"] = [](PatternRewriter &, PDLResultList &,
                                     ArrayRef<PDLValue> arguments) -> LogicalResult {
    RankedTensorType type = typeOf(arguments, 0);
    auto wanted = attributeOf<IntegerAttr>(arguments, 1);
    return success(type && wanted && wanted.getValue() == type.getRank());
  };
  functions.constraints["SameShape"] = [](PatternRewriter &, PDLResultList &,
                                          ArrayRef<PDLValue> arguments) -> LogicalResult {
    RankedTensorType a = typeOf(arguments, 0), b = typeOf(arguments, 1);
    return success(a && b && !llvm::is_contained(ir::shapeOf(a), Expr()) &&
                   ir::shapeOf(a) == ir::shapeOf(b));
  };
}

/// What patterns may call; anything else is an error, with what there is.
LogicalResult checkNames(ModuleOp module, const std::string &path,
                         const PatternFunctions &functions) {
  auto check = [&](Operation *op, StringRef name, const auto &known) -> WalkResult {
    if (known.contains(name))
      return WalkResult::advance();
    SmallVector<StringRef> names(known.keys());
    llvm::sort(names);
    (void)report(op->getContext(), path + ": there is no '" + name + "' for patterns; there are " +
                                       llvm::join(names, ", "));
    return WalkResult::interrupt();
  };
  WalkResult walked = module.walk([&](Operation *op) -> WalkResult {
    if (auto constraint = dyn_cast<pdl::ApplyNativeConstraintOp>(op))
      return check(op, constraint.getName(), functions.constraints);
    if (auto rewrite = dyn_cast<pdl::ApplyNativeRewriteOp>(op))
      return check(op, rewrite.getName(), functions.rewrites);
    if (auto rewrite = dyn_cast<pdl::RewriteOp>(op); rewrite && rewrite.getName())
      return check(op, *rewrite.getName(), functions.rewrites);
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

} // namespace

std::optional<RegionArguments> regionArguments(ArrayRef<PDLValue> arguments) {
  RegionArguments region;
  if (arguments.empty())
    return std::nullopt;
  region.root = arguments.front().dyn_cast<Operation *>();
  for (PDLValue argument : arguments.drop_front()) {
    if (auto value = argument.dyn_cast<Value>())
      region.inputs.push_back(value);
    else if (argument.isa<ValueRange>())
      llvm::append_range(region.inputs, argument.cast<ValueRange>());
    else
      return std::nullopt;
  }
  return region.root ? std::optional(region) : std::nullopt;
}

void FilePatterns::addDialects(DialectRegistry &registry) {
  registry.insert<func::FuncDialect, pdl::PDLDialect, pdl_interp::PDLInterpDialect>();
}

LogicalResult FilePatterns::read(MLIRContext *context, ArrayRef<std::string> paths,
                                 const PatternFunctions &functions) {
  if (paths.empty())
    return success();
  PatternFunctions all = functions;
  addCommonConstraints(all);
  RewritePatternSet set(context);
  for (const std::string &path : paths) {
    FailureOr<OwningOpRef<ModuleOp>> module = readFile(context, path);
    if (failed(module))
      return failure();
    if (failed(checkNames(**module, path, all)))
      return failure();
    PDLPatternModule patterns(std::move(*module));
    for (const auto &constraint : all.constraints)
      patterns.registerConstraintFunction(constraint.getKey(), constraint.getValue());
    for (const auto &rewrite : all.rewrites)
      patterns.registerRewriteFunction(rewrite.getKey(), rewrite.getValue());
    set.add(std::move(patterns));
  }
  patterns = std::make_unique<FrozenRewritePatternSet>(std::move(set));
  applicator = std::make_unique<PatternApplicator>(*patterns);
  applicator->applyDefaultCostModel();
  return success();
}

Operation *FilePatterns::apply(Operation *op) {
  if (!applicator || op->getNumResults() == 0)
    return nullptr;
  made = nullptr;
  PatternRewriter rewriter(op->getContext());
  rewriter.setInsertionPoint(op);
  return succeeded(applicator->matchAndRewrite(op, rewriter)) ? made : nullptr;
}

} // namespace relax::transforms
