//===- Omega.h - whether linear constraints have an integer solution; for this folder only ----===//
//
// The Omega test (W. Pugh, "The Omega Test: a fast and practical integer programming algorithm for
// dependence analysis", 1991). A complete procedure for conjunctions of linear equalities and
// inequalities over the integers, fast on the small systems that shapes give:
//
//   1. An equality with a coefficient +-1 gives its variable; any other is first made smaller by a
//      new variable (the "mod hat" step), until one has.
//   2. A variable x between lower bounds l <= b * x and upper bounds a * x <= u is eliminated: each
//      pair gives a * l <= b * u. That is exact where a or b is 1; variables for which it is go
//      first.
//   3. Otherwise that "real shadow" only shows that there is none. The "dark shadow",
//      a * l + (a - 1) * (b - 1) <= b * u, only shows that there is one. Where neither decides, a
//      solution would lie close to a lower bound: b * x = l + i for a few i, tried one by one.
//
// Every step is paid from a budget; when that is used up, or a coefficient grows beyond 62 bits,
// the answer is GaveUp.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace relax::symbolic::detail {

/// How much work is left, in coefficients touched. Shared by all that one query tries.
struct Budget {
  int64_t left;
  /// False if it is used up.
  bool take(size_t amount) {
    left -= static_cast<int64_t>(amount);
    return left > 0;
  }
};

/// row[0] + sum of row[i] * x_i, which is == 0 or >= 0.
using Row = std::vector<int64_t>;

/// Each row has `columns` numbers; column 0 is the constant, the others are integer variables.
struct LinearSystem {
  size_t columns = 1;
  std::vector<Row> equalities, inequalities;
};

enum class Solutions : uint8_t { None, Some, GaveUp };

/// Coefficients of magnitude up to this may stand in a system.
constexpr int64_t maxCoefficient = int64_t(1) << 62;

Solutions findSolutions(LinearSystem system, Budget &budget);

} // namespace relax::symbolic::detail
