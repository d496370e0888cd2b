//===- Sample.cpp - trying constraints on values ----------------------------------------------===//

#include "compiler/symbolic/Sample.h"

#include <algorithm>

namespace relax::symbolic::detail {

static constexpr int surveyPoints = 28;

Sample::Sample(const Constraint &constraint, const Facts &facts) {
  question = prepare(constraint);
  if (facts.hasRelations()) {
    std::set<std::string> used(names.begin(), names.end());
    for (const Constraint &fact : facts.related(used)) {
      assumed.push_back(prepare(fact));
      if (fact.kind == Constraint::Kind::Equal)
        derive(fact);
    }
  }
  results.resize(steps.size());
  for (const std::string &name : names) {
    const SymbolRange *range = facts.find(name);
    ranges.push_back(range ? *range : SymbolRange());
    ranges.back().divisor = std::max<int64_t>(ranges.back().divisor, 1);
  }
}

size_t Sample::symbolIndex(const std::string &name) {
  auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    found = names.insert(names.end(), name);
  return static_cast<size_t>(found - names.begin());
}

size_t Sample::stepOf(Expr expr) {
  if (auto known = stepIndex.find(expr); known != stepIndex.end())
    return known->second;
  Step step{expr.kind()};
  if (expr.isConstant())
    step.value = expr.constantValue();
  else if (expr.isSymbol())
    step.value = static_cast<int64_t>(symbolIndex(expr.symbolName()));
  std::vector<size_t> indices;
  for (Expr operand : expr.operands())
    indices.push_back(stepOf(operand));
  step.first = operands.size();
  step.count = indices.size();
  operands.insert(operands.end(), indices.begin(), indices.end());
  steps.push_back(step);
  stepIndex.emplace(expr, steps.size() - 1);
  return steps.size() - 1;
}

Sample::Prepared Sample::prepare(const Constraint &constraint) {
  size_t a = stepOf(constraint.a);
  return {constraint.kind, a, stepOf(constraint.b)};
}

/// `k == n * m` gives k, unless it was given before.
void Sample::derive(const Constraint &fact) {
  for (auto [symbol, value] : {std::pair(fact.a, fact.b), std::pair(fact.b, fact.a)}) {
    if (!symbol.isSymbol() || value.usesSymbol(symbol.symbolName()))
      continue;
    size_t index = symbolIndex(symbol.symbolName());
    bool given = std::any_of(derived.begin(), derived.end(),
                             [&](const Derived &other) { return other.symbol == index; });
    if (given)
      continue;
    derived.push_back({index, stepOf(value)});
    return;
  }
}

static Wide roundUp(Wide value, Wide divisor) { return -floorQuotient(-value, divisor) * divisor; }

std::optional<int64_t> Sample::valueAt(size_t symbol, int64_t index) const {
  const SymbolRange &range = ranges[symbol];
  Wide divisor = range.divisor;
  bool bounded = range.lo != INT64_MIN;
  Wide lowest = bounded ? roundUp(range.lo, divisor) : roundUp(INT64_MIN, divisor);
  Wide highest = floorQuotient(range.hi.value_or(INT64_MAX), divisor) * divisor;
  Wide value = 0;
  if (lowest >= 0) {
    value = lowest + index * divisor;
  } else if (highest <= 0) {
    value = highest - index * divisor;
  } else {
    // 0, 1, -1, 2, -2, ... until one side ends.
    Wide up = highest / divisor, down = -lowest / divisor, both = 2 * std::min(up, down);
    value = index <= both ? (index % 2 ? Wide(index + 1) / 2 : -Wide(index) / 2)
                          : (up > down ? index - down : -(index - up));
    value *= divisor;
  }
  if (value < lowest || value > highest)
    return std::nullopt;
  return static_cast<int64_t>(value);
}

std::optional<int64_t> Sample::valueFromTop(size_t symbol, int64_t index) const {
  const SymbolRange &range = ranges[symbol];
  if (!range.hi)
    return std::nullopt;
  Wide value = (floorQuotient(*range.hi, range.divisor) - index) * Wide(range.divisor);
  if (value < range.lo || value < INT64_MIN)
    return std::nullopt;
  return static_cast<int64_t>(value);
}

bool Sample::inRange(size_t symbol, int64_t value) const {
  const SymbolRange &range = ranges[symbol];
  return value >= range.lo && (!range.hi || value <= *range.hi) && value % range.divisor == 0;
}

/// None for no value or one beyond 62 bits.
std::optional<Wide> Sample::compute(const Step &step) const {
  const Wide limit = Wide(1) << 62;
  std::optional<Wide> result = results[operands[step.first]];
  for (size_t i = 1; i < step.count && result; ++i) {
    const std::optional<Wide> &operand = results[operands[step.first + i]];
    bool isDivision =
        step.kind == Kind::FloorDiv || step.kind == Kind::CeilDiv || step.kind == Kind::Mod;
    if (!operand || (isDivision && *operand < 1))
      return std::nullopt;
    Wide a = *result, b = *operand;
    switch (step.kind) {
    case Kind::Add:
      result = a + b;
      break;
    case Kind::Mul:
      result = a * b;
      break;
    case Kind::Min:
      result = std::min(a, b);
      break;
    case Kind::Max:
      result = std::max(a, b);
      break;
    case Kind::FloorDiv:
      result = floorQuotient(a, b);
      break;
    case Kind::CeilDiv:
      result = -floorQuotient(-a, b);
      break;
    default:
      result = a - floorQuotient(a, b) * b;
    }
    if (*result > limit || *result < -limit)
      return std::nullopt;
  }
  return result;
}

void Sample::runSteps(size_t from, const std::vector<int64_t> &values) {
  ++evaluations;
  for (size_t i = from; i < steps.size(); ++i) {
    const Step &step = steps[i];
    if (step.kind == Kind::Constant)
      results[i] = step.value;
    else if (step.kind == Kind::Symbol)
      results[i] = values[static_cast<size_t>(step.value)];
    else
      results[i] = compute(step);
  }
}

std::optional<bool> Sample::check(const Prepared &constraint) const {
  const std::optional<Wide> &a = results[constraint.a], &b = results[constraint.b];
  if (!a || !b)
    return std::nullopt;
  switch (constraint.kind) {
  case Constraint::Kind::Equal:
    return *a == *b;
  case Constraint::Kind::LessEqual:
    return *a <= *b;
  case Constraint::Kind::Less:
    return *a < *b;
  case Constraint::Kind::Divides:
    return *a >= 1 && *b % *a == 0;
  case Constraint::Kind::Broadcast:
    return *a == *b || *a == 1 || *b == 1;
  }
  return std::nullopt;
}

std::optional<bool> Sample::holds(std::vector<int64_t> &values) {
  for (size_t symbol = 0; symbol < values.size(); ++symbol)
    if (!inRange(symbol, values[symbol]))
      return std::nullopt;
  runSteps(0, values);
  for (const Derived &symbol : derived) {
    std::optional<Wide> value = results[symbol.step];
    if (!value || !fitsInt64(*value) || !inRange(symbol.symbol, static_cast<int64_t>(*value)))
      return std::nullopt;
    if (values[symbol.symbol] == *value)
      continue;
    values[symbol.symbol] = static_cast<int64_t>(*value);
    runSteps(0, values);
  }
  for (const Prepared &fact : assumed)
    if (check(fact) != true)
      return std::nullopt;
  return check(question);
}

/// The values of a choice: first all symbols alike, so that equalities hold; then mixed.
bool Sample::choose(int point, std::vector<int64_t> &values) const {
  for (size_t symbol = 0; symbol < names.size(); ++symbol) {
    auto mixed = static_cast<uint64_t>(point) * 0x9e3779b97f4a7c15ull + symbol * 0xbf58476d1ce4e5b9;
    mixed ^= mixed >> 29;
    mixed *= 0x94d049bb133111ebull;
    mixed ^= mixed >> 32;
    int64_t spread = point < 12 ? 4 : point < 20 ? 40 : 3000;
    int64_t index = point < 4 ? point : static_cast<int64_t>(mixed % uint64_t(spread));
    std::optional<int64_t> value;
    if (point >= 6 && mixed >> 40 & 1)
      value = valueFromTop(symbol, index);
    if (!value)
      value = valueAt(symbol, index);
    if (!value)
      value = valueAt(symbol, 0);
    if (!value)
      return false;
    values[symbol] = *value;
  }
  return true;
}

std::optional<Proof> Sample::survey() {
  bool held = false, failed = false;
  std::vector<int64_t> values(names.size());
  for (int point = 0; point < surveyPoints && !(held && failed); ++point) {
    if (!choose(point, values))
      return std::nullopt;
    if (std::optional<bool> answer = holds(values))
      (*answer ? held : failed) = true;
    if (names.empty())
      break;
  }
  if (!held && !failed)
    return std::nullopt;
  return held && failed ? Proof::Unknown : held ? Proof::Proved : Proof::Refuted;
}

} // namespace relax::symbolic::detail
