#include "tools/relax/TargetFlags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace relax::tool {

void addTarget(CLI::App &command, std::string &target, const std::string &what, bool several) {
  const auto check = [several](std::string &text) -> std::string {
    static constexpr std::string_view known[] = {"native",    "x86-64-v2",
                                                 "x86-64-v3", "x86-64-v3+avxvnni",
                                                 "x86-64-v4", "x86-64-v4+avx512vnni"};
    for (size_t begin = 0; begin <= text.size();) {
      const size_t comma = several ? std::min(text.find(',', begin), text.size()) : text.size();
      const std::string name = text.substr(begin, comma - begin);
      if (std::ranges::find(known, name) == std::end(known))
        return fmt::format("found '{}', expected {}one of {}", name,
                           several ? "a list, with commas between, each entry " : "",
                           fmt::join(known, ", "));
      begin = comma + 1;
    }
    return "";
  };
  command.add_option("--target", target, what)
      ->check(CLI::Validator(check, several ? "TARGET[,TARGET...]" : "TARGET"))
      ->capture_default_str()
      ->type_name("");
}

void addActivations(CLI::App &command, std::string &activations, const std::string &what) {
  command.add_option("--activations", activations, what)
      ->check(isActivations())
      ->capture_default_str()
      ->type_name("MODE");
}

void addCacheType(CLI::App &command, std::string &cacheType, const std::string &what) {
  command.add_option("--cache-type", cacheType, what)->check(isCacheType())->type_name("TYPE");
}

CLI::Validator isActivations() { return CLI::IsMember({"int8", "int16", "float32"}); }
CLI::Validator isCacheType() { return CLI::IsMember({"f32", "f16", "q8_0"}); }

std::string codeTarget(const std::string &target) { return target == "native" ? "" : target; }

} // namespace relax::tool
