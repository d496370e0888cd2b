#include "tools/relax/MemorySize.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

namespace relax::tool {

Expected<uint64_t> parseMemorySize(const std::string &text) {
  const auto wrong = [&] {
    return Status(StatusCode::InvalidArgument,
                  fmt::format("found '{}', expected a size such as 8GiB, 500MB or 4096", text));
  };
  double number = 0;
  const auto read =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (read.ec != std::errc() || !(number >= 0))
    return wrong();
  std::string unit;
  for (const char *c = read.ptr; c != text.data() + text.size(); ++c)
    if (*c != ' ')
      unit += static_cast<char>(std::tolower(static_cast<unsigned char>(*c)));
  double factor = 1;
  constexpr std::array prefixes = {'k', 'm', 'g', 't'};
  if (!unit.empty() && unit != "b") {
    size_t power = 0;
    while (power < prefixes.size() && prefixes[power] != unit[0])
      ++power;
    const std::string rest = unit.substr(1);
    if (power == prefixes.size() || (!rest.empty() && rest != "b" && rest != "ib"))
      return wrong();
    factor = std::pow(rest == "b" ? 1000.0 : 1024.0, static_cast<double>(power + 1));
  }
  const double bytes = std::floor(number * factor);
  if (!(bytes < 9e18))
    return wrong();
  return static_cast<uint64_t>(bytes);
}

void addMemoryLimit(CLI::App &command, uint64_t &limit) {
  command
      .add_option_function<std::string>(
          "--memory-limit",
          [&limit](const std::string &text) {
            auto size = parseMemorySize(text);
            if (!size)
              throw CLI::ValidationError("--memory-limit", size.status().message());
            limit = *size;
          },
          "The most memory that packed weights, the cache of keys and values, and activations may "
          "take together, such as 2GiB; what would need more is refused before it starts. Weights "
          "that are read in place from the model's file don't count. Default: no limit")
      ->type_name("SIZE");
}

} // namespace relax::tool
