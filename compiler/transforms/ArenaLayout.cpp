#include "compiler/transforms/ArenaLayout.h"

#include "compiler/symbolic/Prove.h"
#include "compiler/transforms/ArenaOrder.h"
#include "compiler/transforms/PlainProof.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <optional>
#include <unordered_map>

using relax::symbolic::Expr;
using relax::symbolic::Facts;
using relax::symbolic::Kind;
using relax::symbolic::Proof;

namespace relax::transforms {
namespace {

/// Sizes that are taken for "many" and "few" where a symbol has no bound, and the most that a
/// representative point has for any symbol.
constexpr int64_t largeValue = 512, mediumValue = 32, largestValue = 65536;
constexpr size_t mostPoints = 8;
/// No arena that is worth planning is larger.
constexpr int64_t largestArena = int64_t(1) << 56;
/// An offset's expression has at most so many nodes, and its maximum so many operands.
constexpr size_t mostNodes = 96, mostOperands = 4;
/// So many questions, of so many nodes, are asked of the prover for one arena: it takes up to
/// milliseconds for each.
constexpr size_t mostProofs = 32, mostNodesOfProofs = 32;

using Point = symbolic::Assignment;

/// The multiple of `divisor` in the range that is nearest to `value`, from below if there is one.
int64_t valueNear(int64_t value, const symbolic::SymbolRange &range) {
  int64_t divisor = std::max<int64_t>(1, range.divisor);
  int64_t lo = std::max<int64_t>(range.lo, 0);
  if (range.hi)
    value = std::min(value, *range.hi);
  value = std::max(value, lo);
  int64_t multiple = value / divisor * divisor;
  return multiple < lo ? multiple + divisor : multiple;
}

/// Values of the symbols that stand for how a function is used: all large, all small, in between,
/// and each large where the others are small.
std::vector<Point> representativePoints(llvm::ArrayRef<ArenaBlock> blocks, const Facts &facts) {
  std::set<std::string> names;
  for (const ArenaBlock &block : blocks)
    block.size.collectSymbols(names);
  auto value = [&](const std::string &name, int64_t wanted) {
    const symbolic::SymbolRange *range = facts.find(name);
    return valueNear(wanted, range ? *range : symbolic::SymbolRange());
  };
  auto large = [&](const std::string &name) {
    const symbolic::SymbolRange *range = facts.find(name);
    return value(name, range && range->hi ? std::min(*range->hi, largestValue) : largeValue);
  };
  std::vector<Point> points(3);
  for (const std::string &name : names) {
    points[0][name] = large(name);
    points[1][name] = value(name, 1);
    points[2][name] = value(name, mediumValue);
  }
  if (names.size() > 1)
    for (const std::string &name : names) {
      if (points.size() == mostPoints)
        break;
      Point point = points[1];
      point[name] = large(name);
      points.push_back(std::move(point));
    }
  return points;
}

/// A sum as its products of symbols with their coefficients; the key of the constant is null.
std::map<Expr, int64_t> termsOf(Expr expr) {
  std::map<Expr, int64_t> terms;
  auto add = [&](Expr term) {
    if (term.isConstant()) {
      terms[Expr()] += term.constantValue();
    } else if (term.kind() == Kind::Mul && term.lhs().isConstant()) {
      Expr rest = term.rhs();
      for (Expr factor : term.operands().subspan(2))
        rest = rest * factor;
      terms[rest] += term.lhs().constantValue();
    } else {
      terms[term] += 1;
    }
  };
  if (expr.kind() == Kind::Add)
    llvm::for_each(expr.operands(), add);
  else
    add(expr);
  return terms;
}

/// Gives blocks symbolic offsets, in a given order.
class SymbolicPlacer {
public:
  SymbolicPlacer(symbolic::Context &context, llvm::ArrayRef<ArenaBlock> blocks, const Facts &facts,
                 const Conflicts &conflicts, llvm::ArrayRef<Point> points)
      : context(context), blocks(blocks), facts(facts), conflicts(conflicts), points(points) {}

  /// None if an expression can't be kept short.
  std::optional<ArenaLayout> run(llvm::ArrayRef<uint32_t> order) {
    rank.resize(order.size());
    for (size_t i = 0; i < order.size(); ++i)
      rank[order[i]] = i;
    ends.resize(order.size());
    lowerThan.assign(order.size(), UINT32_MAX);
    ArenaLayout layout;
    layout.offsets.resize(order.size());
    std::vector<bool> isCovered(order.size());
    for (uint32_t block : order) {
      std::optional<Expr> offset = offsetOf(block, isCovered);
      if (!offset)
        return std::nullopt;
      layout.offsets[block] = *offset;
      ends[block] = *offset + blocks[block].size;
    }
    std::vector<uint32_t> top;
    llvm::copy_if(order, std::back_inserter(top),
                  [&](uint32_t block) { return !isCovered[block]; });
    std::optional<Expr> size = totalSize(top);
    if (!size)
      return std::nullopt;
    layout.size = *size;
    return layout;
  }

private:
  /// The maximum of the ends of all blocks below. Those on which another of them stands end lower.
  std::optional<Expr> offsetOf(uint32_t block, std::vector<bool> &isCovered) {
    std::vector<uint32_t> below;
    for (uint32_t other : conflicts[block])
      if (rank[other] < rank[block]) {
        below.push_back(other);
        isCovered[other] = true;
      }
    for (uint32_t upper : below)
      markLower(upper, below, block);
    std::erase_if(below, [&](uint32_t other) { return lowerThan[other] == block; });
    return highestEnd(below);
  }

  /// Notes which of `among` lie below `upper`, by looking at those or at all that `upper` meets,
  /// whichever are fewer: a block that is used all the time meets every other.
  void markLower(uint32_t upper, llvm::ArrayRef<uint32_t> among, uint32_t block) {
    auto note = [&](uint32_t lower) {
      if (rank[lower] < rank[upper])
        lowerThan[lower] = block;
    };
    if (conflicts[upper].size() <= among.size()) {
      llvm::for_each(conflicts[upper], note);
      return;
    }
    for (uint32_t lower : among)
      if (blocks[lower].first <= blocks[upper].last && blocks[upper].first <= blocks[lower].last)
        note(lower);
  }

  std::optional<Expr> highestEnd(llvm::ArrayRef<uint32_t> of) {
    llvm::SmallVector<Expr> candidates;
    std::set<const void *> seen;
    for (uint32_t block : of)
      if (seen.insert(ends[block].getAsOpaquePointer()).second)
        candidates.push_back(ends[block]);
    return maximum(candidates);
  }

  /// The candidates that may be the highest somewhere.
  llvm::SmallVector<Expr> highest(llvm::ArrayRef<Expr> candidates) {
    llvm::SmallVector<Expr> kept;
    for (Expr candidate : candidates) {
      if (llvm::any_of(kept, [&](Expr other) { return isAtMost(candidate, other); }))
        continue;
      llvm::erase_if(kept, [&](Expr other) { return isAtMost(other, candidate); });
      kept.push_back(candidate);
    }
    return kept;
  }

  /// None if it is too long.
  std::optional<Expr> exactMaximum(llvm::ArrayRef<Expr> kept) {
    if (kept.size() == 1)
      return kept.front();
    if (kept.size() > mostOperands)
      return std::nullopt;
    Expr exact = context.max(kept);
    return nodesOf(exact) <= mostNodes ? std::optional(exact) : std::nullopt;
  }

  std::optional<Expr> maximum(llvm::ArrayRef<Expr> candidates) {
    if (candidates.empty())
      return context.constant(0);
    llvm::SmallVector<Expr> kept = highest(candidates);
    std::optional<Expr> exact = exactMaximum(kept);
    return exact ? exact : bound(kept);
  }

  /// The size of the arena, which people read: without maxima inside of sums, where that is
  /// shorter.
  std::optional<Expr> totalSize(llvm::ArrayRef<uint32_t> top) {
    std::optional<Expr> size = highestEnd(top);
    if (!size)
      return size;
    std::vector<Expr> cases = casesOfMaximum(*size, 2 * mostOperands);
    std::optional<Expr> flat = exactMaximum(highest(cases));
    return flat && nodesOf(*flat) <= nodesOf(*size) ? flat : size;
  }

  /// At least each of `exprs`: for each product of symbols the largest coefficient.
  std::optional<Expr> bound(llvm::ArrayRef<Expr> exprs) {
    std::map<Expr, int64_t> largest, smallest;
    for (Expr expr : exprs)
      for (auto [term, coefficient] : termsOf(expr)) {
        largest.try_emplace(term, coefficient);
        smallest.try_emplace(term, coefficient);
      }
    for (Expr expr : exprs) {
      std::map<Expr, int64_t> terms = termsOf(expr);
      for (auto &[term, coefficient] : largest) {
        auto it = terms.find(term);
        int64_t own = it == terms.end() ? 0 : it->second;
        coefficient = std::max(coefficient, own);
        smallest[term] = std::min(smallest[term], own);
      }
    }
    Expr sum = context.constant(0), zero = sum;
    for (auto [term, coefficient] : largest) {
      if (term && coefficient != smallest[term] && !isAtMost(zero, term))
        return std::nullopt;
      sum = sum + (term ? term * coefficient : context.constant(coefficient));
    }
    sum = alignedSize(sum, facts);
    if (nodesOf(sum) > mostNodes)
      return std::nullopt;
    return sum;
  }

  bool isAtMost(Expr a, Expr b) {
    if (a == b)
      return true;
    auto [it, isNew] = proofs.try_emplace({a, b}, false);
    if (!isNew)
      return it->second;
    for (size_t p = 0; p < points.size(); ++p) {
      std::optional<int64_t> x = valueAt(a, p), y = valueAt(b, p);
      if (x && y && *x > *y)
        return false;
    }
    if (isPlainlyAtMost(a, b, facts))
      return proofs[{a, b}] = true;
    if (numProofs == mostProofs || nodesOf(a) + nodesOf(b) > mostNodesOfProofs)
      return false;
    ++numProofs;
    return proofs[{a, b}] = symbolic::proveLessEqual(a, b, facts) == Proof::Proved;
  }

  std::optional<int64_t> valueAt(Expr expr, size_t point) {
    auto [it, isNew] = values.try_emplace({expr.getAsOpaquePointer(), point});
    if (isNew)
      it->second = symbolic::evaluate(expr, points[point]);
    return it->second;
  }

  size_t nodesOf(Expr expr) {
    auto it = nodes.find(expr);
    if (it != nodes.end())
      return it->second;
    size_t count = 1;
    for (Expr operand : expr.operands())
      count = std::min<size_t>(count + nodesOf(operand), 4 * mostNodes);
    return nodes[expr] = count;
  }

  symbolic::Context &context;
  llvm::ArrayRef<ArenaBlock> blocks;
  const Facts &facts;
  const Conflicts &conflicts;
  llvm::ArrayRef<Point> points;
  std::vector<size_t> rank;
  std::vector<Expr> ends;
  /// The block under whose offset each was last found to be below another.
  std::vector<uint32_t> lowerThan;
  std::map<std::pair<Expr, Expr>, bool> proofs;
  std::map<std::pair<const void *, size_t>, std::optional<int64_t>> values;
  std::unordered_map<Expr, size_t> nodes;
  size_t numProofs = 0;
};

/// The sizes of all blocks at those points where they make sense.
std::vector<BlockSizes> sizesAt(llvm::ArrayRef<ArenaBlock> blocks, std::vector<Point> &points) {
  std::vector<BlockSizes> all;
  llvm::erase_if(points, [&](const Point &point) {
    std::unordered_map<Expr, int64_t> known;
    BlockSizes sizes;
    int64_t total = 0;
    for (const ArenaBlock &block : blocks) {
      auto [it, isNew] = known.try_emplace(block.size, 0);
      if (isNew)
        it->second = symbolic::evaluate(block.size, point).value_or(-1);
      if (it->second < 0 || it->second > largestArena - total)
        return true;
      total += it->second;
      sizes.push_back(it->second);
    }
    all.push_back(std::move(sizes));
    return false;
  });
  return all;
}

} // namespace

Expr alignedSize(Expr bytes, const Facts &facts) {
  Expr alignment = bytes.getContext().constant(arenaAlignment);
  symbolic::Context &context = bytes.getContext();
  return symbolic::simplify(context.mul(alignment, context.ceilDiv(bytes, alignment)), facts);
}

ArenaLayout layOutArena(symbolic::Context &context, llvm::ArrayRef<ArenaBlock> blocks,
                        const Facts &facts) {
  std::vector<BlockTime> times;
  for (const ArenaBlock &block : blocks)
    times.push_back({block.first, block.last});
  Conflicts conflicts = findConflicts(times);
  std::vector<Point> points = representativePoints(blocks, facts);
  std::vector<BlockSizes> sizes = sizesAt(blocks, points);
  std::vector<uint32_t> order = chooseOrder(times, conflicts, sizes);
  if (std::optional<ArenaLayout> layout =
          SymbolicPlacer(context, blocks, facts, conflicts, points).run(order))
    return std::move(*layout);
  return blockReuse(context, blocks, facts);
}

} // namespace relax::transforms
