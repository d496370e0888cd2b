#include "compiler/importers/text/ReadText.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace relax::text {
namespace {

/// The text of a definition, without its `%`.
StringRef textOf(SMRange range) {
  if (!range.isValid())
    return {};
  StringRef text(range.Start.getPointer(), range.End.getPointer() - range.Start.getPointer());
  text.consume_front("%");
  return text;
}

void nameParameters(func::FuncOp function, const AsmParserState &state) {
  if (function.isDeclaration())
    return;
  const AsmParserState::BlockDefinition *body = state.getBlockDef(&function.getBody().front());
  if (!body)
    return;
  const size_t known = std::min<size_t>(body->arguments.size(), function.getNumArguments());
  for (size_t i = 0; i < known; ++i) {
    const StringRef name = textOf(body->arguments[i].loc);
    const bool isNumber = llvm::all_of(name, llvm::isDigit);
    if (!isNumber && !function.getArgAttr(i, "relax.name"))
      function.setArgAttr(i, "relax.name", StringAttr::get(function.getContext(), name));
  }
}

} // namespace

OwningOpRef<ModuleOp> readText(const std::string &path, MLIRContext *context) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer) {
    emitError(UnknownLoc::get(context)) << path << ": " << buffer.getError().message();
    return {};
  }
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*buffer), SMLoc());
  const ParserConfig config(context);
  Block block;
  AsmParserState state;
  if (failed(parseAsmSourceFile(sources, &block, config, &state)))
    return {};
  OwningOpRef<ModuleOp> module = detail::constructContainerOpForParserIfNecessary<ModuleOp>(
      &block, context, FileLineColLoc::get(context, path, 0, 0));
  if (module)
    module->walk([&](func::FuncOp function) { nameParameters(function, state); });
  return module;
}

} // namespace relax::text
