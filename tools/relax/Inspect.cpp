#include "tools/relax/Inspect.h"

#include "tools/relax/Command.h"
#include "tools/relax/CompilerLibrary.h"
#include "tools/relax/GenerateFlags.h"
#include "tools/relax/Model.h"
#include "tools/relax/Terminal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace relax::tool {
namespace {

struct Options {
  std::string file;
  bool json = false, all = false, guards = false;
};

Status run(const Options &options) {
  auto kind = fileKind(options.file);
  if (!kind)
    return kind.takeStatus();
  const bool isProgram = *kind == FileKind::Other && options.file.ends_with(".mlir");
  if (*kind == FileKind::Other && !isProgram)
    return Status(StatusCode::InvalidFile,
                  options.file + ": found neither a GGUF file, a compiled model (.rlx) nor text IR "
                                 "(.mlir)");
  if (options.guards) {
    if (*kind == FileKind::Gguf)
      return Status(StatusCode::InvalidArgument,
                    options.file + ": --guards is for programs (.mlir, .rlx); compile the model");
    auto document = isProgram ? inspectProgram(options.file, true) : artifactGuards(options.file);
    if (!document)
      return document.takeStatus();
    const Json functions = isProgram ? (*document)["guards"] : *document;
    return writeOutput(options.json ? jsonText(functions) : guardsText(functions));
  }
  auto document = isProgram                 ? inspectProgram(options.file)
                  : *kind == FileKind::Gguf ? inspectGguf(options.file, options.all)
                                            : inspectArtifact(options.file, options.all);
  if (!document)
    return document.takeStatus();
  if (options.json)
    return writeOutput(jsonText(*document));
  return writeOutput(isProgram                 ? programText(*document)
                     : *kind == FileKind::Gguf ? ggufText(*document)
                                               : artifactText(*document));
}

/// A member as text, whatever it is; the compiler library made the document.
std::string member(const Json &object, const char *key) {
  const auto it = object.find(key);
  if (it == object.end())
    return "";
  return it->is_string() ? it->get<std::string>() : it->dump();
}

} // namespace

Expected<Json> inspectProgram(const std::string &path, bool guards) {
  auto compiler = CompilerLibrary::load();
  if (!compiler)
    return compiler.takeStatus();
  auto text = compiler->inspect(path, guards);
  if (!text)
    return text.takeStatus();
  Json document = Json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object())
    return Status(StatusCode::Internal, path + ": the compiler described it in no known way");
  return document;
}

std::string programText(const Json &document) {
  const auto list = [&](const Json &object, const char *key) {
    const auto it = object.find(key);
    return it != object.end() && it->is_array() ? *it : Json::array();
  };
  std::string text = fmt::format("Text IR, target {}\n", member(document, "target"));
  for (const Json &function : list(document, "functions")) {
    text += fmt::format("\nFunction @{}\n", member(function, "name"));
    for (const Json &symbol : list(function, "symbols"))
      text += fmt::format("  symbol  {} in [{}, {}], a multiple of {}\n", member(symbol, "name"),
                          member(symbol, "lower"),
                          member(symbol, "upper") == "null" ? "?" : member(symbol, "upper"),
                          member(symbol, "divisor"));
    for (const Json &parameter : list(function, "parameters"))
      text +=
          fmt::format("  takes   {}: {}{}\n", member(parameter, "name"), member(parameter, "type"),
                      member(parameter, "donated") == "true" ? ", donated" : "");
    for (const Json &result : list(function, "results"))
      text += fmt::format("  returns {}\n",
                          result.is_string() ? result.get<std::string>() : result.dump());
    text += fmt::format("  code    {} operations, {} calls of kernels\n",
                        member(function, "operations"), member(function, "calls"));
  }
  const Json kernels = list(document, "kernels");
  text += fmt::format("\nKernels ({})\n", kernels.size());
  for (const Json &kernel : kernels)
    text += fmt::format("  {:<44} {} calls\n", member(kernel, "name"), member(kernel, "calls"));
  const Json constants = list(document, "constants");
  text += fmt::format("\nConstants ({})\n", constants.size());
  for (const Json &constant : constants)
    text += fmt::format("  {:<44} {} {} bytes\n", member(constant, "name"),
                        member(constant, "type"), member(constant, "bytes"));
  return text;
}

void addInspect(CLI::App &app, int &exitCode) {
  CLI::App &command = *app.add_subcommand("inspect", "Show what is in a file");
  auto options = std::make_shared<Options>();
  command.add_option("FILE", options->file, "A .gguf, .rlx or .mlir file")
      ->type_name("")
      ->required();
  command.add_flag("--all", options->all, "Whole arrays and texts, and every tensor");
  command.add_flag("--json", options->json, "Print one JSON document");
  command.add_flag("--guards", options->guards,
                   "What each function assumes of sizes and values, where that comes from, and "
                   "whether it is proved or checked");
  command.footer("Shows metadata and sizes; of a compiled model also its functions with their "
                 "symbols and\nbounds, the checks of each call, its memory as a formula, and its "
                 "kernels.\n"
                 "Examples:\n"
                 "  relax inspect model.gguf\n"
                 "  relax inspect model.rlx --json\n"
                 "  relax inspect program.mlir --guards");
  onCall(command, exitCode, [options] { return run(*options); });
}

} // namespace relax::tool
