#include "tools/relax/Inspect.h"

#include "tools/relax/Command.h"
#include "tools/relax/CompilerLibrary.h"
#include "tools/relax/GenerateFlags.h"
#include "tools/relax/InspectMemory.h"
#include "tools/relax/MemorySize.h"
#include "tools/relax/Model.h"
#include "tools/relax/Terminal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

namespace relax::tool {
namespace {

struct Options {
  std::string file;
  bool json = false, all = false, guards = false, memory = false;
  std::vector<std::string> symbols; ///< "t=512"
  MemoryQuery query;
};

/// The values that --symbol gives.
Expected<MemoryQuery> readQuery(const Options &options) {
  MemoryQuery query = options.query;
  for (const std::string &text : options.symbols) {
    const size_t equals = text.find('=');
    int64_t value = 0;
    const char *end = text.data() + text.size();
    if (equals == std::string::npos || equals == 0 ||
        std::from_chars(text.data() + equals + 1, end, value).ptr != end ||
        equals + 1 == text.size())
      return Status(StatusCode::InvalidArgument,
                    fmt::format("--symbol: found '{}', expected NAME=INTEGER", text));
    if (!query.symbols.emplace(text.substr(0, equals), value).second)
      return Status(StatusCode::InvalidArgument,
                    fmt::format("--symbol {}: is given twice", text.substr(0, equals)));
  }
  return query;
}

Status run(const Options &options) {
  auto kind = fileKind(options.file);
  if (!kind)
    return kind.takeStatus();
  const bool isProgram = *kind == FileKind::Other && options.file.ends_with(".mlir");
  if (*kind == FileKind::Other && !isProgram)
    return Status(StatusCode::InvalidFile,
                  options.file + ": found neither a GGUF file, a compiled model (.rlx) nor text IR "
                                 "(.mlir)");
  if (options.memory) {
    auto query = readQuery(options);
    if (!query)
      return query.takeStatus();
    auto document = inspectMemory(options.file, *query);
    if (!document)
      return document.takeStatus();
    return writeOutput(options.json ? jsonText(*document) : memoryText(*document));
  }
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
  const std::string target = member(document, "target");
  std::string text = target == "null" ? "Text IR\n" : fmt::format("Text IR, target {}\n", target);
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
  CLI::Option *memory = command.add_flag("--memory", options->memory,
                                         "How much memory it needs: weights, cache of keys and "
                                         "values, activations as a formula and as "
                                         "a number. A .gguf or .mlir is compiled first");
  command
      .add_option("--symbol", options->symbols,
                  "With --memory, NAME=VALUE: the value of a symbol; others are at their upper "
                  "bounds. May be repeated")
      ->type_name("NAME=VALUE")
      ->needs(memory);
  command
      .add_option_function<std::string>(
          "--limit",
          [options](const std::string &text) {
            auto size = parseMemorySize(text);
            if (!size)
              throw CLI::ValidationError("--limit", size.status().message());
            options->query.limit = *size;
          },
          "With --memory: whether it fits into so much, such as 8GiB, and of a language model "
          "which context and which batch would")
      ->type_name("SIZE")
      ->needs(memory);
  command
      .add_option("--context", options->query.context,
                  "With --memory, of a language model: tokens in each sequence; 0, the default: as "
                  "many as it was compiled for")
      ->check(CLI::Range(int64_t(0), int64_t(INT32_MAX)))
      ->type_name("N")
      ->needs(memory);
  command
      .add_option("--batch", options->query.batch,
                  "With --memory, of a language model: sequences at once; the default is 1")
      ->check(CLI::Range(int64_t(1), int64_t(1024)))
      ->type_name("N")
      ->needs(memory);
  command.footer("Shows metadata and sizes; of a compiled model also its functions with their "
                 "symbols and\nbounds, the checks of each call, its memory as a formula, and its "
                 "kernels.\n"
                 "Examples:\n"
                 "  relax inspect model.gguf\n"
                 "  relax inspect model.rlx --json\n"
                 "  relax inspect model.gguf --memory --context 4096 --batch 8 --limit 8GiB\n"
                 "  relax inspect program.mlir --memory --symbol n=1000\n"
                 "  relax inspect program.mlir --guards");
  onCall(command, exitCode, [options] { return run(*options); });
}

} // namespace relax::tool
