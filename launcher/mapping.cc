// SPDX-License-Identifier: BSD-3-Clause
// Deals ranks out to hosts.
#include "launcher/mapping.h"

#include <algorithm>
#include <climits>
#include <cstdint>

namespace ompi_lite::launcher {
namespace {

// How the ranks are dealt: an order of hosts, one entry a rank.
using Deal = std::vector<int>;

std::int64_t most_on(const Host& host) { return host.max_slots > 0 ? host.max_slots : INT_MAX; }

// Rounds in which each host gets up to `share(host)` at a time, at most `limit(host)` in all.
template <class Share, class Limit>
void deal_rounds(std::span<const Host> hosts, std::size_t ranks, Share share, Limit limit, std::vector<std::int64_t>& given,
                 Deal& deal) {
  bool any = true;
  while (deal.size() < ranks && any) {
    any = false;
    for (std::size_t host = 0; host < hosts.size() && deal.size() < ranks; ++host) {
      const std::int64_t room = std::min({static_cast<std::int64_t>(share(hosts[host])), limit(hosts[host]) - given[host],
                                          static_cast<std::int64_t>(ranks - deal.size())});
      if (room <= 0) continue;
      any = true;
      given[host] += room;
      deal.insert(deal.end(), static_cast<std::size_t>(room), static_cast<int>(host));
    }
  }
}

// The same numbers of ranks on each host, with consecutive ranks on each or one after the other round the hosts.
Deal renumbered(const Deal& deal, std::size_t hosts, RankBy rank_by) {
  std::vector<std::int64_t> count(hosts);
  for (const int host : deal) ++count[static_cast<std::size_t>(host)];
  Deal result;
  while (result.size() < deal.size()) {
    for (std::size_t host = 0; host < hosts; ++host) {
      const std::int64_t now = rank_by == RankBy::node ? std::min<std::int64_t>(count[host], 1) : count[host];
      count[host] -= now;
      result.insert(result.end(), static_cast<std::size_t>(now), static_cast<int>(host));
    }
  }
  return result;
}

}  // namespace

int slots_of(const Host& host, const Options& options) {
  if (options.ranks_per_host > 0) return options.ranks_per_host;
  return std::max(host.slots, 1);
}

MaybeFailure map_ranks(std::span<const Host> hosts, const Options& options, int ranks, std::vector<int>& host_of_rank) {
  const auto slots = [&](const Host& host) -> std::int64_t { return slots_of(host, options); };
  std::int64_t all_slots = 0, most = 0;
  for (const Host& host : hosts) {
    all_slots += slots(host);
    most += most_on(host);
  }
  const bool fixed = options.host_map == HostMap::fixed;
  if (fixed) all_slots = static_cast<std::int64_t>(options.ranks_on_node) * static_cast<std::int64_t>(hosts.size());
  const std::int64_t wanted = ranks > 0 ? ranks : all_slots;
  if (fixed && wanted > all_slots) {
    return Failure{"--map-by ppr:" + std::to_string(options.ranks_on_node) + ":node gives " + std::to_string(all_slots) +
                       " ranks on " + std::to_string(hosts.size()) + (hosts.size() == 1 ? " host" : " hosts") + ", but " +
                       std::to_string(wanted) + " are asked for",
                   ExitCode::failure};
  }
  if (wanted > most) {
    return Failure{"the host file allows at most " + std::to_string(most) + " ranks (max_slots), but " +
                       std::to_string(wanted) + " are asked for",
                   ExitCode::failure};
  }
  Deal deal;
  std::vector<std::int64_t> given(hosts.size());
  const auto count = static_cast<std::size_t>(wanted);
  if (fixed) {
    const auto share = [&](const Host&) { return options.ranks_on_node; };
    deal_rounds(hosts, count, share, most_on, given, deal);
  } else if (options.host_map == HostMap::node) {
    const auto one = [](const Host&) { return 1; };
    const auto within_slots = [&](const Host& host) { return std::min(slots(host), most_on(host)); };
    deal_rounds(hosts, count, one, within_slots, given, deal);
    deal_rounds(hosts, count, one, most_on, given, deal);
  } else {
    deal_rounds(hosts, count, slots, most_on, given, deal);
  }
  const RankBy by = options.rank_by != RankBy::as_mapped ? options.rank_by
                    : options.host_map == HostMap::node  ? RankBy::as_mapped
                                                         : RankBy::slot;
  host_of_rank = by == RankBy::as_mapped ? deal : renumbered(deal, hosts.size(), by);
  return std::nullopt;
}

}  // namespace ompi_lite::launcher
