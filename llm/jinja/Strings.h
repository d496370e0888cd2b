//===- Strings.h - Python's string functions, on UTF-8 ----------------------------------------===//
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace relax::llm::jinja {

/// The characters of `text`; a byte that is no UTF-8 is one by itself.
std::vector<std::string_view> splitCharacters(std::string_view text);
size_t countCharacters(std::string_view text);

std::string toUpper(std::string_view text);
std::string toLower(std::string_view text);
std::string capitalize(std::string_view text); ///< "hELLO wORLD" -> "Hello world"
std::string titleCase(std::string_view text);  ///< "hELLO wORLD" -> "Hello World"

/// Without the characters of `set` at either chosen end; an empty `set` means white space.
std::string_view strip(std::string_view text, std::string_view set, bool left, bool right);

/// Python's split: without a separator at runs of white space, none at the ends. At most `limit`
/// cuts where that is not negative. `separator` must not be empty if given.
std::vector<std::string> splitAtSpaces(std::string_view text, int64_t limit);
std::vector<std::string> splitAt(std::string_view text, std::string_view separator, int64_t limit);
std::vector<std::string> splitAtFromRight(std::string_view text, std::string_view separator,
                                          int64_t limit);
std::vector<std::string> splitLines(std::string_view text);

/// How often `from`, which is not empty, occurs without overlap, at most `limit` unless negative.
size_t countOccurrences(std::string_view text, std::string_view from, int64_t limit);
std::string replaceAll(std::string_view text, std::string_view from, std::string_view to,
                       int64_t limit);

} // namespace relax::llm::jinja
