// SPDX-License-Identifier: BSD-3-Clause
// Recursive partition of a graph along the levels of the machine.
#include "ompi_lite/core/reorder.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <utility>

namespace ompi_lite {

constinit Knob<bool> reorder_on_node("reorder_on_node", false, Unit::none,
                                     "Let topologies with reorder change ranks also where all are on one node.");

namespace {

constexpr std::size_t kMostSwapped = 1024;  // larger parts are left as they grew: swapping looks at all pairs
constexpr int kMostRounds = 8;

std::size_t shared_levels(const Place& a, const Place& b) {
  std::size_t level = 0;
  while (level < a.size() && level < b.size() && a[level] == b[level] && a[level] >= 0) ++level;
  return level;
}

bool unknown_below(const Place& place, std::size_t level) { return level >= place.size() || place[level] < 0; }

class Partition {
 public:
  Partition(std::span<const Link> links, std::span<const Place> places)
      : places_(places), edges_(places.size()), part_(places.size(), -1), order_(places.size()) {
    for (const Link& link : links) {
      if (link.a == link.b) continue;
      edges_[index(link.a)].push_back({link.b, link.weight});
      edges_[index(link.b)].push_back({link.a, link.weight});
    }
  }

  std::vector<int> run() {
    std::vector<int> all(places_.size());
    std::iota(all.begin(), all.end(), 0);
    split(all, all, 0);
    return std::move(order_);
  }

 private:
  struct Edge {
    int to;
    std::int64_t weight;
  };
  static std::size_t index(int value) { return static_cast<std::size_t>(value); }

  // Gives the ranks to the processes, which share all levels above this one.
  void split(std::vector<int> ranks, const std::vector<int>& processes, std::size_t level) {
    std::map<int, std::vector<int>> groups;  // by their number at this level
    bool flat = ranks.size() <= 1;
    for (const int process : processes) flat |= unknown_below(places_[index(process)], level);
    if (flat) {
      for (std::size_t i = 0; i < ranks.size(); ++i) order_[index(ranks[i])] = processes[i];
      return;
    }
    for (const int process : processes) groups[places_[index(process)][level]].push_back(process);
    if (groups.size() == 1) return split(std::move(ranks), processes, level + 1);
    std::vector<std::size_t> sizes;
    for (const auto& [number, members] : groups) sizes.push_back(members.size());
    std::vector<std::vector<int>> parts = grow(ranks, sizes);
    improve(parts, ranks);
    for (const int rank : ranks) part_[index(rank)] = -1;
    std::size_t next = 0;
    for (const auto& [number, members] : groups) split(std::move(parts[next++]), members, level + 1);
  }

  // Parts of the given sizes: each takes, one by one, the free rank with the heaviest links to it, the lowest of several.
  std::vector<std::vector<int>> grow(const std::vector<int>& ranks, const std::vector<std::size_t>& sizes) {
    constexpr int kFree = -2;
    for (const int rank : ranks) part_[index(rank)] = kFree;
    std::vector<std::vector<int>> parts;
    std::vector<std::int64_t> pull(places_.size());
    for (std::size_t part = 0; part < sizes.size(); ++part) {
      for (const int rank : ranks) pull[index(rank)] = 0;
      std::vector<int> members;
      while (members.size() < sizes[part]) {
        int best = -1;
        for (const int rank : ranks) {
          if (part_[index(rank)] != kFree) continue;
          if (best < 0 || pull[index(rank)] > pull[index(best)]) best = rank;
        }
        part_[index(best)] = static_cast<int>(part);
        members.push_back(best);
        for (const Edge& edge : edges_[index(best)]) pull[index(edge.to)] += edge.weight;
      }
      parts.push_back(std::move(members));
    }
    return parts;
  }

  std::int64_t weight_to(int rank, int part) const {
    std::int64_t sum = 0;
    for (const Edge& edge : edges_[index(rank)])
      if (part_[index(edge.to)] == part) sum += edge.weight;
    return sum;
  }

  std::int64_t weight_between(int a, int b) const {
    std::int64_t sum = 0;
    for (const Edge& edge : edges_[index(a)])
      if (edge.to == b) sum += edge.weight;
    return sum;
  }

  // How much less the links within parts would miss if a and b changed places.
  std::int64_t gain(int a, int b) const {
    const int of_a = part_[index(a)], of_b = part_[index(b)];
    return weight_to(a, of_b) - weight_to(a, of_a) + weight_to(b, of_a) - weight_to(b, of_b) - 2 * weight_between(a, b);
  }

  void improve(std::vector<std::vector<int>>& parts, const std::vector<int>& ranks) {
    if (ranks.size() > kMostSwapped) return;
    bool better = true;
    for (int round = 0; better && round < kMostRounds; ++round) {
      better = false;
      for (std::size_t i = 0; i < ranks.size(); ++i)
        for (std::size_t k = i + 1; k < ranks.size(); ++k) {
          const int a = ranks[i], b = ranks[k];
          if (part_[index(a)] == part_[index(b)] || gain(a, b) <= 0) continue;
          std::swap(part_[index(a)], part_[index(b)]);
          better = true;
        }
    }
    for (std::vector<int>& part : parts) part.clear();
    for (const int rank : ranks) parts[index(part_[index(rank)])].push_back(rank);  // keeps the order of ranks within a part
  }

  std::span<const Place> places_;
  std::vector<std::vector<Edge>> edges_;  // of each rank
  std::vector<int> part_;                 // of each rank, within the split that runs; else -1
  std::vector<int> order_;
};

}  // namespace

std::int64_t distance(const Place& a, const Place& b) {
  const std::size_t shared = shared_levels(a, b), levels = std::max(a.size(), b.size());
  if (shared == levels || unknown_below(a, shared) || unknown_below(b, shared)) return 0;  // nothing is known to part them
  return std::int64_t{1} << (2 * (levels - shared - 1));
}

std::int64_t total_distance(std::span<const Link> links, std::span<const Place> places, std::span<const int> order) {
  std::int64_t sum = 0;
  const auto place = [&](int rank) -> const Place& {
    return places[static_cast<std::size_t>(order[static_cast<std::size_t>(rank)])];
  };
  for (const Link& link : links) sum += link.weight * distance(place(link.a), place(link.b));
  return sum;
}

std::vector<int> reorder(std::span<const Link> links, std::span<const Place> places) {
  std::vector<int> identity(places.size());
  std::iota(identity.begin(), identity.end(), 0);
  const std::int64_t now = total_distance(links, places, identity);
  if (now == 0) return identity;
  std::vector<int> order = Partition(links, places).run();
  return total_distance(links, places, order) < now ? order : identity;
}

}  // namespace ompi_lite
