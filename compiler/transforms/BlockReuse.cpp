#include "compiler/symbolic/Prove.h"
#include "compiler/transforms/ArenaLayout.h"

#include "llvm/ADT/STLExtras.h"

#include <optional>

using relax::symbolic::Expr;
using relax::symbolic::Proof;

namespace relax::transforms {
namespace {

struct Place {
  Expr size;
  int64_t freeFrom; ///< The time after which nothing uses it.
};

class Places {
public:
  explicit Places(const symbolic::Facts &facts) : facts(facts) {}

  size_t take(const ArenaBlock &block) {
    std::optional<size_t> larger, smaller;
    for (size_t i = 0; i < places.size(); ++i) {
      if (places[i].freeFrom >= block.first)
        continue;
      if (isAtMost(block.size, places[i].size)) {
        if (!larger || isAtMost(places[i].size, places[*larger].size))
          larger = i;
      } else if (isAtMost(places[i].size, block.size)) {
        if (!smaller || isAtMost(places[*smaller].size, places[i].size))
          smaller = i;
      }
    }
    size_t taken = larger ? *larger : smaller ? *smaller : places.size();
    if (taken == places.size())
      places.push_back({block.size, 0});
    else if (!larger)
      places[taken].size = block.size;
    places[taken].freeFrom = block.last;
    return taken;
  }

  std::vector<Place> places;

private:
  bool isAtMost(Expr a, Expr b) const {
    return a == b || symbolic::proveLessEqual(a, b, facts) == Proof::Proved;
  }

  const symbolic::Facts &facts;
};

} // namespace

ArenaLayout blockReuse(symbolic::Context &context, llvm::ArrayRef<ArenaBlock> blocks,
                       const symbolic::Facts &facts) {
  std::vector<size_t> order(blocks.size()), placeOf(blocks.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::pair(blocks[a].first, a) < std::pair(blocks[b].first, b);
  });
  Places places(facts);
  for (size_t i : order)
    placeOf[i] = places.take(blocks[i]);
  std::vector<Expr> offsets;
  Expr total = context.constant(0);
  for (const Place &place : places.places) {
    offsets.push_back(total);
    total = total + place.size;
  }
  ArenaLayout layout;
  layout.isExact = false;
  layout.size = total;
  for (size_t place : placeOf)
    layout.offsets.push_back(offsets[place]);
  return layout;
}

} // namespace relax::transforms
