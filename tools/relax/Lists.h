//===- Lists.h - lists and texts given on the command line ------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace relax::tool {

/// "1,2,3", spaces allowed around the commas. `flag` names the flag in errors, which also say which
/// entry is wrong. Each number is in [least, most]; an empty text is an empty list.
Expected<std::vector<int64_t>> parseNumbers(std::string_view flag, std::string_view text,
                                            int64_t least, int64_t most);

/// Checks that a flag's value is a whole number in [least, most]; CLI11 alone would cut one that
/// doesn't fit its variable.
CLI::Validator wholeNumber(int64_t least, uint64_t most);

/// A list of token ids below `vocabulary`; not empty.
Expected<std::vector<int32_t>> parseTokens(std::string_view flag, std::string_view text,
                                           size_t vocabulary);

/// "all", "last", or a list of positions in [0, count); negative ones count from the end.
Expected<std::vector<int32_t>> parsePositions(std::string_view flag, std::string_view text,
                                              size_t count);

/// An error if `text`, named `what`, is not UTF-8: which byte, and where.
Status checkUtf8(std::string_view what, std::string_view text);

/// What is read as text has so many bytes at most, so that an endless input ends.
inline constexpr size_t maxTextBytes = size_t(1) << 26;
/// The error that `what` has more.
Status textTooLong(std::string_view what);

/// The whole file, or the standard input for "-".
Expected<std::string> readText(const std::string &path);

} // namespace relax::tool
