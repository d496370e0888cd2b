//===- Context.cpp - the table of expressions, and what an Expr tells
//---------------------------===//

#include "compiler/symbolic/Node.h"

#include <algorithm>
#include <cassert>

namespace relax::symbolic {
namespace detail {

bool Interner::Same::operator()(const Node *a, const Node *b) const {
  return a->kind == b->kind && a->unfolded == b->unfolded && a->value == b->value &&
         a->name == b->name && a->operands == b->operands;
}

bool Interner::Same::operator()(const Operation &a, const Node *b) const {
  return a.kind == b->kind && a.unfolded == b->unfolded &&
         std::equal(a.operands.begin(), a.operands.end(), b->operands.begin(), b->operands.end());
}

static size_t mix(size_t hash, size_t value) {
  hash ^= value + 0x9e3779b97f4a7c15ull + (hash << 12) + (hash >> 4);
  return hash * 0xff51afd7ed558ccdull;
}

static size_t hashOfOperation(Kind kind, bool unfolded, std::span<const Expr> operands) {
  size_t hash = (static_cast<size_t>(kind) << 1) | size_t(unfolded);
  for (Expr operand : operands)
    hash = mix(hash, std::hash<Expr>()(operand));
  return hash;
}

static size_t hashOfLeaf(const Node &node) {
  return mix(mix(static_cast<size_t>(node.kind), static_cast<size_t>(node.value)),
             std::hash<std::string>()(node.name));
}

Expr Interner::intern(Node &&node) {
  node.context = &context;
  std::lock_guard lock(mutex);
  auto found = index.find(&node);
  if (found != index.end())
    return Expr(*found);
  nodes.push_back(std::move(node));
  const Node *stored = &nodes.back();
  index.insert(stored);
  return Expr(stored);
}

Expr Interner::getConstant(int64_t value) {
  bool isSmall = value >= smallest && value < smallest + static_cast<int64_t>(small.size());
  size_t place = isSmall ? static_cast<size_t>(value - smallest) : 0;
  if (const Node *known = isSmall ? small[place].load(std::memory_order_acquire) : nullptr)
    return Expr(known);
  Node node;
  node.value = value;
  node.coefficient = value;
  node.range = {value, value};
  node.hash = hashOfLeaf(node);
  Expr made = intern(std::move(node));
  if (isSmall)
    small[place].store(&detail::get(made), std::memory_order_release);
  return made;
}

Expr Interner::getSymbol(std::string_view name) {
  Node node;
  node.kind = Kind::Symbol;
  node.name = name;
  node.hash = hashOfLeaf(node);
  return intern(std::move(node));
}

static bool isDivision(Kind kind) {
  return kind == Kind::FloorDiv || kind == Kind::CeilDiv || kind == Kind::Mod;
}

Expr Interner::get(Kind kind, std::span<const Expr> operands, bool unfolded) {
  assert(operands.size() >= 2 && "every operation has two operands or more");
  size_t hash = hashOfOperation(kind, unfolded, operands);
  {
    std::lock_guard lock(mutex);
    auto found = index.find(Operation{kind, unfolded, operands, hash});
    if (found != index.end())
      return Expr(*found);
  }
  Node node;
  node.hash = hash;
  node.kind = kind;
  node.unfolded = unfolded;
  std::vector<Bounds> ranges;
  uint64_t size = 1;
  for (Expr operand : operands) {
    const Node &child = detail::get(operand);
    assert(child.context == &context && "operands come from one context");
    ranges.push_back(child.range);
    size += child.size;
    node.partial |= child.partial;
  }
  node.size = static_cast<uint32_t>(std::min<uint64_t>(size, UINT32_MAX));
  if (isDivision(kind))
    node.partial |= !ranges[1].lo || *ranges[1].lo < 1;
  node.range = rangeOf(kind, operands, ranges);
  if (kind == Kind::Mul && !unfolded && operands[0].isConstant()) {
    node.coefficient = operands[0].constantValue();
    node.monomial = operands.size() == 2 ? operands[1] : get(Kind::Mul, operands.subspan(1));
  }
  node.operands.assign(operands.begin(), operands.end());
  return intern(std::move(node));
}

int compare(Expr a, Expr b) {
  if (a == b)
    return 0;
  if (!a || !b)
    return a ? 1 : -1;
  const Node &x = get(a), &y = get(b);
  if (x.kind != y.kind)
    return x.kind < y.kind ? -1 : 1;
  if (x.kind == Kind::Constant)
    return x.value < y.value ? -1 : 1;
  if (x.kind == Kind::Symbol)
    return x.name < y.name ? -1 : 1;
  if (x.unfolded != y.unfolded)
    return x.unfolded ? 1 : -1;
  for (size_t i = 0; i < x.operands.size() && i < y.operands.size(); ++i)
    if (int order = compare(x.operands[i], y.operands[i]))
      return order;
  return x.operands.size() < y.operands.size() ? -1 : 1;
}

bool isUnfolded(Expr expr) { return get(expr).unfolded; }

} // namespace detail

bool Expr::operator<(const Expr &other) const { return detail::compare(*this, other) < 0; }
Kind Expr::kind() const { return node->kind; }
Context &Expr::getContext() const { return *node->context; }
bool Expr::isConstant(int64_t value) const { return isConstant() && node->value == value; }
int64_t Expr::constantValue() const {
  assert(isConstant());
  return node->value;
}
const std::string &Expr::symbolName() const {
  assert(isSymbol());
  return node->name;
}
std::span<const Expr> Expr::operands() const { return node->operands; }

template <typename Visit> static void forEachSymbol(Expr root, const Visit &visit) {
  std::unordered_set<Expr> seen{root};
  std::vector<Expr> pending{root};
  while (!pending.empty()) {
    Expr expr = pending.back();
    pending.pop_back();
    if (expr.isSymbol())
      visit(expr.symbolName());
    for (Expr operand : expr.operands())
      if (seen.insert(operand).second)
        pending.push_back(operand);
  }
}

void Expr::collectSymbols(std::set<std::string> &names) const {
  forEachSymbol(*this, [&](const std::string &name) { names.insert(name); });
}

bool Expr::usesSymbol(std::string_view name) const {
  bool uses = false;
  forEachSymbol(*this, [&](const std::string &used) { uses |= used == name; });
  return uses;
}

Context::Context() : interner(std::make_unique<detail::Interner>(*this)) {}
Context::~Context() = default;
Expr Context::constant(int64_t value) { return interner->getConstant(value); }
Expr Context::symbol(std::string_view name) { return interner->getSymbol(name); }

} // namespace relax::symbolic
