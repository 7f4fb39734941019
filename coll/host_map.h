// SPDX-License-Identifier: BSD-3-Clause
// Which ranks of a communicator share a host. Pure; the same at every rank.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

namespace ompi_lite::coll {

// Hosts are numbered in the order of their first ranks, and the ranks of a host in the order of their numbers (their
// places).
class HostMap {
 public:
  // From any numbers that are equal for ranks of one host.
  explicit HostMap(std::span<const int> names) : host_(names.size()), place_(names.size()) {
    std::vector<std::pair<int, int>> sorted;  // a name, and its first rank
    for (int rank = 0; rank < ranks(); ++rank) sorted.emplace_back(names[index(rank)], rank);
    std::ranges::sort(sorted);
    const auto same_name = [](const auto& one, const auto& other) { return one.first == other.first; };
    sorted.erase(std::unique(sorted.begin(), sorted.end(), same_name), sorted.end());
    std::ranges::sort(sorted, {}, &std::pair<int, int>::second);
    std::vector<std::pair<int, int>> number_of(sorted.size());
    for (std::size_t i = 0; i < sorted.size(); ++i) number_of[i] = {sorted[i].first, static_cast<int>(i)};
    std::ranges::sort(number_of);
    members_.resize(sorted.size());
    for (int rank = 0; rank < ranks(); ++rank) {
      const int host = std::ranges::lower_bound(number_of, names[index(rank)], {}, &std::pair<int, int>::first)->second;
      host_[index(rank)] = host;
      place_[index(rank)] = static_cast<int>(members_[index(host)].size());
      members_[index(host)].push_back(rank);
    }
    least_ = ranks();
    for (const auto& each : members_) least_ = std::min(least_, static_cast<int>(each.size()));
  }

  int ranks() const { return static_cast<int>(host_.size()); }
  int hosts() const { return static_cast<int>(members_.size()); }
  int least() const { return least_; }  // ranks of the smallest host
  int host(int rank) const { return host_[index(rank)]; }
  int place(int rank) const { return place_[index(rank)]; }
  int size(int host) const { return static_cast<int>(members_[index(host)].size()); }
  int member(int host, int place) const { return members_[index(host)][index(place)]; }

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  std::vector<int> host_, place_;  // by rank
  std::vector<std::vector<int>> members_;
  int least_ = 0;
};

}  // namespace ompi_lite::coll
