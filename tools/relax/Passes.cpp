#include "tools/relax/Passes.h"

#include "tools/relax/CompilerLibrary.h"
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
