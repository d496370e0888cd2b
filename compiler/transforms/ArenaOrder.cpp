#include "compiler/transforms/ArenaOrder.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <tuple>

namespace relax::transforms {

Conflicts findConflicts(const std::vector<BlockTime> &times) {
  std::vector<uint32_t> byStart(times.size());
  std::iota(byStart.begin(), byStart.end(), 0u);
  std::sort(byStart.begin(), byStart.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(times[a].first, a) < std::pair(times[b].first, b);
  });
  Conflicts conflicts(times.size());
  std::vector<uint32_t> active;
  for (uint32_t block : byStart) {
    std::erase_if(active, [&](uint32_t other) { return times[other].last < times[block].first; });
    for (uint32_t other : active) {
      conflicts[other].push_back(block);
      conflicts[block].push_back(other);
    }
    active.push_back(block);
  }
  for (std::vector<uint32_t> &list : conflicts)
    std::sort(list.begin(), list.end());
  return conflicts;
}

int64_t liveBytes(const std::vector<BlockTime> &times, const BlockSizes &sizes) {
  std::vector<std::pair<int64_t, int64_t>> changes;
  for (size_t i = 0; i < times.size(); ++i) {
    changes.emplace_back(times[i].first, sizes[i]);
    changes.emplace_back(times[i].last + 1, -sizes[i]);
  }
  std::sort(changes.begin(), changes.end()); // At one time, what ends comes first.
  int64_t live = 0, most = 0;
  for (auto [time, change] : changes)
    most = std::max(most, live += change);
  return most;
}

namespace {

using Order = std::vector<uint32_t>;

/// How much work, in pairs of blocks that are looked at, trying to improve an order may take.
constexpr size_t improvementWork = 1'000'000;
constexpr size_t mostImprovements = 24;

/// Packs blocks of fixed sizes: each goes into the smallest gap that it fits, or on top.
class Packing {
public:
  Packing(const Conflicts &conflicts, const BlockSizes &sizes)
      : conflicts(conflicts), sizes(sizes), offsets(sizes.size(), -1) {}

  void place(const Order &order) {
    std::fill(offsets.begin(), offsets.end(), -1);
    total = 0;
    for (uint32_t block : order) {
      offsets[block] = placeFor(block);
      total = std::max(total, offsets[block] + sizes[block]);
    }
  }

  /// The blocks from the lowest to the highest.
  [[nodiscard]] Order byOffset() const {
    Order order(offsets.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return std::tuple(offsets[a], sizes[a], a) < std::tuple(offsets[b], sizes[b], b);
    });
    return order;
  }

  [[nodiscard]] bool isOnTop(uint32_t block) const {
    return offsets[block] + sizes[block] == total;
  }
  int64_t total = 0;

private:
  int64_t placeFor(uint32_t block) {
    taken.clear();
    for (uint32_t other : conflicts[block])
      if (offsets[other] >= 0 && sizes[other] > 0)
        taken.emplace_back(offsets[other], offsets[other] + sizes[other]);
    std::sort(taken.begin(), taken.end());
    int64_t end = 0, best = -1, bestGap = std::numeric_limits<int64_t>::max();
    for (auto [from, to] : taken) {
      int64_t gap = from - end;
      if (gap >= sizes[block] && gap < bestGap) {
        best = end;
        bestGap = gap;
      }
      end = std::max(end, to);
    }
    return best >= 0 ? best : end;
  }

  const Conflicts &conflicts;
  const BlockSizes &sizes;
  std::vector<int64_t> offsets;
  std::vector<std::pair<int64_t, int64_t>> taken;
};

/// How good an order is: the worst ratio to the live bytes over all points, then the sum of ratios.
using Score = std::pair<double, double>;

class OrderSearch {
public:
  OrderSearch(const std::vector<BlockTime> &times, const Conflicts &conflicts,
              const std::vector<BlockSizes> &points)
      : times(times), conflicts(conflicts), points(points) {
    for (const BlockSizes &sizes : points)
      bounds.push_back(std::max<int64_t>(1, liveBytes(times, sizes)));
    for (const std::vector<uint32_t> &list : conflicts)
      numPairs += list.size();
    numPairs += times.size();
  }

  Order run() {
    best.resize(times.size());
    std::iota(best.begin(), best.end(), 0u);
    bestScore = scoreOf(best);
    for (const BlockSizes &sizes : points)
      for (const Order &order : startingOrders(sizes)) {
        if (isTight())
          return best;
        Packing packing(conflicts, sizes);
        packing.place(order);
        consider(packing.byOffset());
      }
    improve();
    return best;
  }

private:
  [[nodiscard]] bool isTight() const { return bestScore.first <= 1; }

  std::vector<Order> startingOrders(const BlockSizes &sizes) const {
    auto length = [&](uint32_t i) { return times[i].last - times[i].first; };
    using Key = std::tuple<double, double, uint32_t>;
    const std::function<Key(uint32_t)> keys[] = {
        [&](uint32_t i) { return Key(-double(sizes[i]), double(times[i].first), i); },
        [&](uint32_t i) {
          return Key(-double(sizes[i]) * double(length(i) + 1), double(times[i].first), i);
        },
        [&](uint32_t i) { return Key(double(times[i].first), -double(sizes[i]), i); },
        [&](uint32_t i) { return Key(-double(times[i].last), -double(sizes[i]), i); },
        [&](uint32_t i) { return Key(-double(length(i)), -double(sizes[i]), i); },
    };
    std::vector<Order> orders;
    for (const auto &key : keys) {
      std::vector<Key> sorted;
      sorted.reserve(sizes.size());
      for (uint32_t i = 0; i < sizes.size(); ++i)
        sorted.push_back(key(i));
      std::sort(sorted.begin(), sorted.end());
      Order &order = orders.emplace_back();
      for (const Key &entry : sorted)
        order.push_back(std::get<2>(entry));
    }
    return orders;
  }

  /// What the rule of ArenaLayout.h gives for an order, at all points.
  Score scoreOf(const Order &order) {
    rank.resize(order.size());
    for (size_t i = 0; i < order.size(); ++i)
      rank[order[i]] = static_cast<uint32_t>(i);
    Score score{0, 0};
    ends.resize(order.size());
    for (size_t p = 0; p < points.size(); ++p) {
      int64_t total = 0;
      for (uint32_t block : order) {
        int64_t offset = 0;
        for (uint32_t other : conflicts[block])
          if (rank[other] < rank[block])
            offset = std::max(offset, ends[other]);
        ends[block] = offset + points[p][block];
        total = std::max(total, ends[block]);
      }
      double ratio = double(std::max<int64_t>(1, total)) / double(bounds[p]);
      score.first = std::max(score.first, ratio);
      score.second += ratio;
    }
    return score;
  }

  bool consider(Order order) {
    Score score = scoreOf(order);
    if (score >= bestScore)
      return false;
    best = std::move(order);
    bestScore = score;
    return true;
  }

  /// Packs again with the blocks that reached the top placed first, where that is likely to help.
  void improve() {
    size_t tries = std::min(mostImprovements, improvementWork / numPairs / (points.size() + 1));
    for (size_t p = 0; p < points.size(); ++p) {
      Packing packing(conflicts, points[p]);
      Order order = startingOrders(points[p]).front();
      for (size_t i = 0; i < tries / points.size() && !isTight(); ++i) {
        packing.place(order);
        consider(packing.byOffset());
        if (packing.total <= bounds[p])
          break;
        Order next;
        for (bool top : {true, false})
          for (uint32_t block : order)
            if (packing.isOnTop(block) == top)
              next.push_back(block);
        order = std::move(next);
      }
    }
  }

  const std::vector<BlockTime> &times;
  const Conflicts &conflicts;
  const std::vector<BlockSizes> &points;
  std::vector<int64_t> bounds;
  size_t numPairs = 0;
  Order best;
  Score bestScore;
  std::vector<uint32_t> rank;
  std::vector<int64_t> ends;
};

} // namespace

std::vector<uint32_t> chooseOrder(const std::vector<BlockTime> &times, const Conflicts &conflicts,
                                  const std::vector<BlockSizes> &points) {
  return OrderSearch(times, conflicts, points).run();
}

} // namespace relax::transforms
