#include "tools/relax/Lists.h"

#include "llm/tokenizer/Unicode.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <sys/stat.h>

namespace relax::tool {
namespace {

Status badEntry(std::string_view flag, size_t index, std::string_view found,
                std::string_view expected) {
  return Status(StatusCode::InvalidArgument,
                fmt::format("{}: entry {}: found '{}', expected {}", flag, index, found, expected));
}

std::string_view withoutSpaces(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(" \t\n") + 1 - first);
}

} // namespace

Expected<std::vector<int64_t>> parseNumbers(std::string_view flag, std::string_view text,
                                            int64_t least, int64_t most) {
  std::vector<int64_t> numbers;
  if (withoutSpaces(text).empty())
    return numbers;
  for (size_t start = 0;;) {
    const size_t comma = std::min(text.find(',', start), text.size());
    const std::string_view entry = withoutSpaces(text.substr(start, comma - start));
    int64_t number = 0;
    const auto result = std::from_chars(entry.data(), entry.data() + entry.size(), number);
    if (entry.empty() || result.ec != std::errc() || result.ptr != entry.data() + entry.size() ||
        number < least || number > most)
      return badEntry(flag, numbers.size(), entry,
                      fmt::format("an integer from {} to {}, with commas between", least, most));
    numbers.push_back(number);
    if (comma == text.size())
      return numbers;
    start = comma + 1;
  }
}

CLI::Validator wholeNumber(int64_t least, uint64_t most) {
  return CLI::Validator(
      [least, most](std::string &text) -> std::string {
        const std::string_view entry = text;
        const char *begin = entry.data(), *end = begin + entry.size();
        int64_t negative = 0;
        uint64_t number = 0;
        const bool isNegative = entry.starts_with('-');
        const auto read = isNegative ? std::from_chars(begin, end, negative)
                                     : std::from_chars(begin, end, number);
        if (read.ec == std::errc() && read.ptr == end &&
            (isNegative ? negative >= least
                        : number <= most && (least < 0 || number >= static_cast<uint64_t>(least))))
          return {};
        return fmt::format("found '{}', expected a whole number from {} to {}", text, least, most);
      },
      fmt::format("{} to {}", least, most));
}

Expected<std::vector<int32_t>> parseTokens(std::string_view flag, std::string_view text,
                                           size_t vocabulary) {
  auto numbers = parseNumbers(flag, text, 0, static_cast<int64_t>(vocabulary) - 1);
  if (!numbers)
    return numbers.takeStatus();
  if (numbers->empty())
    return Status(StatusCode::InvalidArgument,
                  fmt::format("{}: found no tokens, expected at least one", flag));
  return std::vector<int32_t>(numbers->begin(), numbers->end());
}

Expected<std::vector<int32_t>> parsePositions(std::string_view flag, std::string_view text,
                                              size_t count) {
  std::vector<int32_t> positions;
  const auto size = static_cast<int64_t>(count);
  if (text == "last")
    return std::vector<int32_t>{static_cast<int32_t>(size - 1)};
  if (text == "all") {
    for (int64_t i = 0; i < size; ++i)
      positions.push_back(static_cast<int32_t>(i));
    return positions;
  }
  auto numbers = parseNumbers(flag, text, -size, size - 1);
  if (!numbers)
    return Status(StatusCode::InvalidArgument, numbers.status().message() + ", or 'all' or 'last'");
  if (numbers->empty())
    return Status(StatusCode::InvalidArgument,
                  fmt::format("{}: found nothing, expected 'all', 'last' or a list", flag));
  for (const int64_t number : *numbers)
    positions.push_back(static_cast<int32_t>(number < 0 ? number + size : number));
  return positions;
}

Status checkUtf8(std::string_view what, std::string_view text) {
  const auto at = llm::findInvalidUtf8(text);
  if (!at)
    return {};
  return Status(StatusCode::InvalidArgument,
                fmt::format("{}: found byte 0x{:02x} at offset {}, expected UTF-8", what,
                            static_cast<unsigned char>(text[*at]), *at));
}

Status textTooLong(std::string_view what) {
  return Status(StatusCode::InvalidArgument,
                fmt::format("{}: found more than {} bytes of text, expected at most that", what,
                            maxTextBytes));
}

Expected<std::string> readText(const std::string &path) {
  const auto fail = [&](StatusCode code) {
    return Status(code, fmt::format("{}: {}", path, std::strerror(errno)));
  };
  struct stat info = {};
  if (path != "-" && stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode))
    return Status(StatusCode::NotFound, path + ": found a folder, expected a file");
  std::FILE *file = path == "-" ? stdin : std::fopen(path.c_str(), "rb");
  if (!file)
    return fail(errno == ENOENT ? StatusCode::NotFound : StatusCode::InvalidFile);
  std::string text;
  char buffer[65536];
  for (size_t count;
       text.size() <= maxTextBytes && (count = std::fread(buffer, 1, sizeof buffer, file)) > 0;)
    text.append(buffer, count);
  Status error;
  if (std::ferror(file))
    error = fail(StatusCode::Io);
  else if (text.size() > maxTextBytes)
    error = textTooLong(path);
  if (file != stdin)
    std::fclose(file);
  if (!error.ok())
    return error;
  return text;
}

} // namespace relax::tool
