//===- Facts.h - what is known of symbols -----------------------------------------------------===//
//
// A function declares its symbols with a range and a divisor: `n = [1, 8192] % 16` says that n is
// one of 16, 32, ..., 8192. These hold on entry (the runtime checks them), so everything behind may
// rely on them: proofs, bounds and simplifications (Prove.h) take a Facts.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace relax::symbolic {

/// The values that a symbol may have: lo <= n, n <= hi where there is one, n a multiple of divisor.
/// A lo of INT64_MIN says nothing; a divisor below 2 says nothing.
struct SymbolRange {
  int64_t lo = INT64_MIN;
  std::optional<int64_t> hi = std::nullopt;
  int64_t divisor = 1;
  bool operator==(const SymbolRange &) const = default;
};

/// Ranges by symbol name. Nothing is known of a symbol that isn't in here. Where a range is empty
/// (lo > hi) the code behind it never runs, and any answer about that symbol is right.
class Facts {
public:
  void set(std::string_view name, SymbolRange range) {
    ranges.insert_or_assign(std::string(name), range);
  }
  /// Null if nothing is known; valid until the next set.
  [[nodiscard]] const SymbolRange *find(std::string_view name) const {
    auto it = ranges.find(name);
    return it == ranges.end() ? nullptr : &it->second;
  }
  [[nodiscard]] bool empty() const { return ranges.empty(); }
  [[nodiscard]] auto begin() const { return ranges.begin(); }
  [[nodiscard]] auto end() const { return ranges.end(); }

private:
  std::map<std::string, SymbolRange, std::less<>> ranges;
};

} // namespace relax::symbolic
