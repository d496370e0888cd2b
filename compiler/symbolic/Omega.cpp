//===- Omega.cpp - the Omega test -------------------------------------------------------------===//

#include "compiler/symbolic/Omega.h"

#include <algorithm>
#include <numeric>

namespace relax::symbolic::detail {

namespace {

using Wide = __int128;

/// Splinters of one elimination, and eliminations within splinters and shadows.
constexpr Wide maxSplinters = 4096;
constexpr int maxDepth = 24;

class OmegaTest {
public:
  OmegaTest(LinearSystem &system, Budget &budget, int depth)
      : columns(system.columns), equalities(system.equalities), inequalities(system.inequalities),
        budget(budget), depth(depth) {}

  Solutions run();

private:
  /// What is known so far of the whole system: Open until it is decided.
  enum class State : uint8_t { Open, None, GaveUp };
  /// How a variable can be eliminated.
  struct Choice {
    size_t column = 0, lowers = 0, uppers = 0;
    bool exact = false;
  };

  bool combine(const Row &a, Wide factorA, const Row &b, Wide factorB, Wide extra, Row &out);
  State normalise(std::vector<Row> &rows, bool areEqualities);
  State solveEqualities();
  State solveOneEquality();
  bool eliminateThrough(const Row &equality, size_t column);
  State mergeParallel();
  void dropColumn(size_t column);
  size_t dropUnbounded();
  [[nodiscard]] Choice chooseColumn() const;
  bool shadow(size_t column, bool dark, std::vector<Row> &out);
  Solutions solveRest(std::vector<Row> rows, std::vector<Row> equations);
  Solutions splinter(const Choice &choice);
  Solutions solveInexactly(const Choice &choice);

  size_t &columns;
  std::vector<Row> &equalities, &inequalities;
  Budget &budget;
  int depth;
};

} // namespace

static Wide floorOf(Wide a, Wide b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

static Wide gcdOf(Wide a, Wide b) {
  while (b != 0) {
    Wide rest = a % b;
    a = b;
    b = rest;
  }
  return a < 0 ? -a : a;
}

/// out = factorA * a + factorB * b + extra, divided by what divides all but the constant, which is
/// rounded down: only for inequalities. False if a number is too large.
bool OmegaTest::combine(const Row &a, Wide factorA, const Row &b, Wide factorB, Wide extra,
                        Row &out) {
  if (!budget.take(columns + 16)) // For its memory, too.
    return false;
  std::vector<Wide> wide(columns);
  Wide common = 0, limit = Wide(maxCoefficient) / 2;
  if (factorA > limit || factorA < -limit || factorB > limit || factorB < -limit)
    return false;
  for (size_t i = 0; i < columns; ++i) {
    wide[i] = factorA * a[i] + factorB * b[i];
    if (i)
      common = common == 1 ? 1 : gcdOf(common, wide[i]);
  }
  wide[0] += extra;
  out.resize(columns);
  for (size_t i = 0; i < columns; ++i) {
    Wide value = common > 1 ? floorOf(wide[i], common) : wide[i];
    if (value > maxCoefficient || value < -maxCoefficient)
      return false;
    out[i] = static_cast<int64_t>(value);
  }
  return true;
}

/// Divides each row by what divides all of its coefficients, and drops those that always hold.
OmegaTest::State OmegaTest::normalise(std::vector<Row> &rows, bool areEqualities) {
  size_t kept = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    Row &row = rows[i];
    int64_t common = 0;
    for (size_t j = 1; j < row.size() && common != 1; ++j)
      common = std::gcd(common, row[j]);
    if (common == 0) {
      if (areEqualities ? row[0] != 0 : row[0] < 0)
        return State::None;
      continue;
    }
    if (common > 1) {
      if (areEqualities && row[0] % common != 0)
        return State::None;
      row[0] = static_cast<int64_t>(floorOf(row[0], common));
      for (size_t j = 1; j < row.size(); ++j)
        row[j] /= common;
    }
    if (kept != i)
      rows[kept] = std::move(row);
    ++kept;
  }
  rows.resize(kept);
  return budget.take(kept * columns) ? State::Open : State::GaveUp;
}

/// The last column takes the place of one that has become 0.
void OmegaTest::dropColumn(size_t column) {
  for (std::vector<Row> *rows : {&equalities, &inequalities})
    for (Row &row : *rows) {
      row[column] = row.back();
      row.pop_back();
    }
  --columns;
}

/// Uses `equality`, in which `column` has +-1, to make it 0 everywhere.
bool OmegaTest::eliminateThrough(const Row &equality, size_t column) {
  for (std::vector<Row> *rows : {&equalities, &inequalities})
    for (Row &row : *rows) {
      if (row[column] == 0)
        continue;
      if (!budget.take(columns))
        return false;
      Wide factor = -Wide(row[column]) * equality[column];
      for (size_t i = 0; i < columns; ++i) {
        Wide value = row[i] + factor * equality[i];
        if (value > maxCoefficient || value < -maxCoefficient)
          return false;
        row[i] = static_cast<int64_t>(value);
      }
    }
  return true;
}

/// Removes one variable, or makes the last equality's coefficients smaller.
OmegaTest::State OmegaTest::solveOneEquality() {
  auto magnitude = [](int64_t value) { return value < 0 ? -value : value; };
  // The smallest coefficient of all equalities.
  size_t bestRow = 0, bestColumn = 0;
  for (size_t r = 0; r < equalities.size(); ++r)
    for (size_t i = 1; i < columns; ++i)
      if (equalities[r][i] != 0 &&
          (bestColumn == 0 ||
           magnitude(equalities[r][i]) < magnitude(equalities[bestRow][bestColumn]))) {
        bestRow = r;
        bestColumn = i;
      }
  if (!budget.take(columns * equalities.size()))
    return State::GaveUp;
  Row equality = equalities[bestRow];
  int64_t modulus = magnitude(equality[bestColumn]) + 1;
  if (modulus > 2) {
    // hat(v) = v - modulus * floor(v / modulus + 1/2); the sum of hat(a_i) * x_i is modulus *
    // sigma.
    for (std::vector<Row> *rows : {&equalities, &inequalities})
      for (Row &row : *rows)
        row.push_back(0);
    ++columns;
    for (int64_t &value : equality)
      value = static_cast<int64_t>(value -
                                   modulus * floorOf(2 * Wide(value) + modulus, 2 * Wide(modulus)));
    equality.push_back(-modulus);
  } else {
    equalities.erase(equalities.begin() + static_cast<ptrdiff_t>(bestRow));
  }
  if (!eliminateThrough(equality, bestColumn))
    return State::GaveUp;
  dropColumn(bestColumn);
  return State::Open;
}

OmegaTest::State OmegaTest::solveEqualities() {
  State state = normalise(equalities, true);
  while (state == State::Open && !equalities.empty()) {
    state = solveOneEquality();
    if (state == State::Open)
      state = normalise(equalities, true);
  }
  return state == State::Open ? normalise(inequalities, false) : state;
}

/// Of rows with the same coefficients the tightest stays; two that are opposite may contradict each
/// other or make an equality.
OmegaTest::State OmegaTest::mergeParallel() {
  // Of a row and its negative, the one whose first coefficient is positive is the key.
  auto sign = [](const Row &row) {
    auto first = std::find_if(row.begin() + 1, row.end(), [](int64_t v) { return v != 0; });
    return *first < 0 ? -1 : 1;
  };
  struct Entry {
    Row row;
    int sign;
  };
  std::vector<Entry> entries;
  for (Row &row : inequalities) {
    int s = sign(row);
    for (size_t i = 1; s < 0 && i < columns; ++i)
      row[i] = -row[i];
    entries.push_back({std::move(row), s});
  }
  auto compare = [](const Entry &a, const Entry &b) {
    for (size_t i = 1; i < a.row.size(); ++i)
      if (a.row[i] != b.row[i])
        return a.row[i] < b.row[i] ? -1 : 1;
    return 0;
  };
  std::sort(entries.begin(), entries.end(), [&](const Entry &a, const Entry &b) {
    int order = compare(a, b);
    return order ? order < 0 : a.sign != b.sign ? a.sign < b.sign : a.row[0] < b.row[0];
  });
  inequalities.clear();
  for (size_t i = 0; i < entries.size();) {
    size_t end = i;
    std::optional<int64_t> lower, upper; // -lower <= v <= upper
    for (; end < entries.size() && compare(entries[i], entries[end]) == 0; ++end) {
      std::optional<int64_t> &side = entries[end].sign > 0 ? lower : upper;
      side = side ? std::min(*side, entries[end].row[0]) : entries[end].row[0];
    }
    Row row = std::move(entries[i].row);
    i = end;
    if (lower && upper && *upper < -*lower)
      return State::None;
    if (lower) {
      row[0] = *lower;
      (upper && *upper == -*lower ? equalities : inequalities).push_back(row);
    }
    if (upper && !(lower && *upper == -*lower)) {
      row[0] = *upper;
      for (size_t j = 1; j < columns; ++j)
        row[j] = -row[j];
      inequalities.push_back(std::move(row));
    }
  }
  return budget.take(entries.size() * columns) ? State::Open : State::GaveUp;
}

/// A variable without lower or without upper bounds takes its rows with it. Returns how many rows
/// went.
size_t OmegaTest::dropUnbounded() {
  size_t before = inequalities.size();
  for (size_t column = 1; column < columns;) {
    bool below = false, above = false;
    for (const Row &row : inequalities) {
      below |= row[column] > 0;
      above |= row[column] < 0;
    }
    if (below && above) {
      ++column;
      continue;
    }
    std::erase_if(inequalities, [&](const Row &row) { return row[column] != 0; });
    dropColumn(column);
  }
  return before - inequalities.size();
}

/// Exact eliminations first, then those that add the fewest rows.
OmegaTest::Choice OmegaTest::chooseColumn() const {
  Choice best;
  int64_t bestGrowth = 0;
  for (size_t column = 1; column < columns; ++column) {
    Choice choice{column};
    int64_t largestLower = 0, largestUpper = 0;
    for (const Row &row : inequalities) {
      choice.lowers += row[column] > 0;
      choice.uppers += row[column] < 0;
      largestLower = std::max(largestLower, row[column]);
      largestUpper = std::max(largestUpper, -row[column]);
    }
    choice.exact = largestLower == 1 || largestUpper == 1;
    auto growth = static_cast<int64_t>(choice.lowers * choice.uppers) -
                  static_cast<int64_t>(choice.lowers + choice.uppers);
    if (best.column == 0 || (choice.exact && !best.exact) ||
        (choice.exact == best.exact && growth < bestGrowth)) {
      best = choice;
      bestGrowth = growth;
    }
  }
  return best;
}

/// The inequalities without `column`; false if the budget or the size of numbers ends it.
bool OmegaTest::shadow(size_t column, bool dark, std::vector<Row> &out) {
  std::vector<const Row *> lowers, uppers;
  for (const Row &row : inequalities) {
    if (row[column] == 0)
      out.push_back(row);
    else
      (row[column] > 0 ? lowers : uppers).push_back(&row);
  }
  for (const Row *lower : lowers)
    for (const Row *upper : uppers) {
      Wide b = (*lower)[column], a = -Wide((*upper)[column]);
      Wide extra = dark ? -(a - 1) * (b - 1) : Wide(0);
      Wide common = dark ? 1 : gcdOf(a, b);
      Row row;
      if (!combine(*lower, a / common, *upper, b / common, extra, row))
        return false;
      out.push_back(std::move(row));
    }
  return true;
}

Solutions OmegaTest::solveRest(std::vector<Row> rows, std::vector<Row> equations) {
  if (depth >= maxDepth)
    return Solutions::GaveUp;
  LinearSystem rest{columns, std::move(equations), std::move(rows)};
  return OmegaTest(rest, budget, depth + 1).run();
}

/// Solutions close to one of the lower bounds (or, if that is less work, upper bounds).
Solutions OmegaTest::splinter(const Choice &choice) {
  size_t column = choice.column;
  int64_t largest[2] = {0, 0};
  for (const Row &row : inequalities) {
    largest[0] = std::max(largest[0], row[column]);
    largest[1] = std::max(largest[1], -row[column]);
  }
  // Near the lower bounds, the largest coefficient of the upper bounds counts.
  auto lastOf = [&](Wide coefficient, bool low) {
    Wide opposite = largest[low];
    return floorOf(opposite * coefficient - opposite - coefficient, opposite);
  };
  Wide work[2] = {0, 0};
  for (const Row &row : inequalities)
    if (row[column] != 0)
      work[row[column] > 0] += lastOf(std::abs(row[column]), row[column] > 0) + 1;
  bool low = work[1] <= work[0];
  if (work[low] > maxSplinters)
    return Solutions::GaveUp;
  Solutions result = Solutions::None;
  for (const Row &row : inequalities) {
    if (row[column] == 0 || (row[column] > 0) != low)
      continue;
    Wide last = lastOf(std::abs(row[column]), low);
    for (Wide i = 0; i <= last; ++i) {
      Row equation = row;
      Wide constant = Wide(equation[0]) - i;
      if (constant < -maxCoefficient || !budget.take(columns * inequalities.size()))
        return Solutions::GaveUp;
      equation[0] = static_cast<int64_t>(constant);
      Solutions found = solveRest(inequalities, {equation});
      if (found == Solutions::Some)
        return found;
      if (found == Solutions::GaveUp)
        result = found;
    }
  }
  return result;
}

Solutions OmegaTest::solveInexactly(const Choice &choice) {
  std::vector<Row> real, dark;
  if (!shadow(choice.column, false, real))
    return Solutions::GaveUp;
  Solutions without = solveRest(std::move(real), {});
  if (without != Solutions::Some)
    return without;
  if (shadow(choice.column, true, dark) && solveRest(std::move(dark), {}) == Solutions::Some)
    return Solutions::Some;
  return splinter(choice);
}

Solutions OmegaTest::run() {
  auto answer = [](State state) {
    return state == State::None ? Solutions::None : Solutions::GaveUp;
  };
  State state = normalise(inequalities, false);
  while (true) {
    if (state == State::Open)
      state = solveEqualities();
    if (state == State::Open)
      state = mergeParallel();
    if (state != State::Open)
      return answer(state);
    if (!equalities.empty())
      continue;
    if (dropUnbounded())
      continue;
    if (inequalities.empty())
      return Solutions::Some;
    Choice choice = chooseColumn();
    if (!choice.exact)
      return solveInexactly(choice);
    std::vector<Row> rest;
    if (!shadow(choice.column, false, rest))
      return Solutions::GaveUp;
    inequalities = std::move(rest);
    dropColumn(choice.column);
  }
}

Solutions findSolutions(LinearSystem system, Budget &budget) {
  return OmegaTest(system, budget, 0).run();
}

} // namespace relax::symbolic::detail
