//===- Facts.h - what is known of symbols -----------------------------------------------------===//
//
// A function declares its symbols with a range and a divisor: `n = [1, 8192] % 16` says that n is
// one of 16, 32, ..., 8192. These hold on entry (the runtime checks them), so everything behind may
// rely on them: proofs, bounds and simplifications (Prove.h) take a Facts. So may everything behind
// a guard rely on what the guard checked, `n <= m` or `k == n * m`: relations between expressions.
//
// Where facts contradict each other the code behind them never runs, and any answer is right.
//
// Cost. A Facts without relations is a map of ranges; the relations of one that has them are shared
// between copies until one of those adds another. A query looks only at relations that are
// connected with its own symbols (related), so that facts about others don't slow it down.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/symbolic/Constraint.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace relax::symbolic {

/// The values that a symbol may have: lo <= n, n <= hi where there is one, n a multiple of divisor.
/// A lo of INT64_MIN says nothing; a divisor below 2 says nothing.
struct SymbolRange {
  int64_t lo = INT64_MIN;
  std::optional<int64_t> hi = std::nullopt;
  int64_t divisor = 1;
  bool operator==(const SymbolRange &) const = default;
};

/// Ranges by symbol name, and relations. Nothing is known of a symbol that isn't in here.
class Facts {
public:
  /// Sets the range of a symbol in place of what its range was before.
  void set(std::string_view name, SymbolRange range) {
    ranges.insert_or_assign(std::string(name), range);
  }
  /// Null if no range is known; valid until the next change.
  [[nodiscard]] const SymbolRange *find(std::string_view name) const {
    auto it = ranges.find(name);
    return it == ranges.end() ? nullptr : &it->second;
  }

  /// Adds a relation to what is known. One that compares a symbol with a constant narrows the
  /// symbol's range. The expressions must live as long as the facts.
  void add(const Constraint &relation);
  void addLessEqual(Expr a, Expr b) { add(Constraint::lessEqual(a, b)); }
  void addEqual(Expr a, Expr b) { add(Constraint::equal(a, b)); }
  /// `d` divides `a`; says nothing for d < 2.
  void addDivides(int64_t d, Expr a);

  [[nodiscard]] bool empty() const { return ranges.empty() && !relations; }
  [[nodiscard]] bool hasRelations() const { return relations != nullptr; }
  /// The relations that share a symbol with `names` or with each other in turn, the nearest first,
  /// 64 at most.
  [[nodiscard]] std::vector<Constraint> related(const std::set<std::string> &names) const;

  /// The ranges, by name.
  [[nodiscard]] auto begin() const { return ranges.begin(); }
  [[nodiscard]] auto end() const { return ranges.end(); }

private:
  struct Relations {
    std::vector<Constraint> list;
    std::map<std::string, std::vector<size_t>, std::less<>> bySymbol;
  };
  bool narrow(const Constraint &relation);

  std::map<std::string, SymbolRange, std::less<>> ranges;
  std::shared_ptr<Relations> relations; ///< Null if there are none; shared by copies.
};

} // namespace relax::symbolic
