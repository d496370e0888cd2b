#include "tools/relax/Passes.h"

#include "tools/relax/Terminal.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace relax::tool {

void addDisablePass(CLI::App &command, std::vector<std::string> &names) {
  command
      .add_option("--disable-pass", names,
                  "Optimisations to leave out, by the names of `relax compile --list-passes`")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME[,NAME...]");
}

void addPluginFlags(CLI::App &command, CompileRequest &request) {
  command
      .add_option("--fusion-patterns", request.fusionPatterns,
                  "A file of patterns for what shall be one kernel, PDL (.mlir) or PDLL (.pdll); "
                  "may be given again (docs/architecture.md)")
      ->allow_extra_args(false)
      ->type_name("FILE");
  command
      .add_option("--pass-plugin", request.plugins,
                  "A shared library with MLIR passes of your own; may be given again")
      ->allow_extra_args(false)
      ->type_name("FILE.so");
  command
      .add_option("--insert-pass", request.inserted,
                  "One of their passes to run: on the graph level, or after the pass STEP")
      ->allow_extra_args(false)
      ->type_name("[STEP:]NAME");
}

void addPassFlags(CLI::App &command, CompileRequest &request) {
  command
      .add_option("--block-format", request.blockFormats,
                  "A weight format of your own, a record named after its file; may be given again")
      ->allow_extra_args(false)
      ->type_name("FILE.mlir");
  addDisablePass(command, request.disabled);
  addPluginFlags(command, request);
  command
      .add_option("--pass-limit", request.passLimit,
                  "Run the first N of the passes that can be disabled, and of the last of them the "
                  "first K steps; `relax bisect` finds the numbers")
      ->type_name("N[.K]");
  command
      .add_option("--pass-log", request.passLog, "Write a line to this file as each pass begins")
      ->type_name("FILE");
}

Status listPasses() {
  auto compiler = CompilerLibrary::load();
  if (!compiler)
    return compiler.takeStatus();
  auto text = compiler->passes();
  if (!text)
    return text.takeStatus();
  std::string table;
  for (const auto &pass : nlohmann::json::parse(*text)) {
    const auto reason = pass["required_because"].get<std::string>();
    table += fmt::format("{:22} {}\n", pass["name"].get<std::string>(),
                         pass["description"].get<std::string>());
    if (!reason.empty())
      table += fmt::format("{:22}   needed: {}\n", "", reason);
  }
  return writeOutput(table);
}

} // namespace relax::tool
