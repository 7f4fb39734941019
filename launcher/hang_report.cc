// SPDX-License-Identifier: BSD-3-Clause
// Putting a hang into words.
#include "launcher/hang_report.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <utility>

namespace ompi_lite::launcher {
namespace {

using flight::kNoRank;
using flight::Phase;
using flight::SeenCall;
using flight::Shape;

constexpr std::size_t kMostGroups = 24, kMostRuns = 12, kMostAbsent = 8, kMostInCycle = 16;
constexpr int kAnySource = -1, kAnyTag = -2, kProcNull = -3, kRoot = -4;  // values of the MPI 5.0 ABI

std::string rank_text(int rank) {
  if (rank == kAnySource) return "MPI_ANY_SOURCE";
  if (rank == kProcNull) return "MPI_PROC_NULL";
  return rank == kRoot ? "MPI_ROOT" : std::to_string(rank);
}

std::string tag_text(int tag) { return tag == kAnyTag ? "MPI_ANY_TAG" : std::to_string(tag); }

// What ranks call their communicators: contexts are the same everywhere, names may be given by some alone.
class Names {
 public:
  explicit Names(const std::vector<RankSight>& ranks) {
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      if (!ranks[rank].record) continue;
      for (const flight::SeenCommunicator& each : ranks[rank].record->communicators) {
        if (names_[each.context].empty()) names_[each.context] = each.name;
        members_[each.context].push_back({static_cast<int>(rank), each.rank, each.side});
      }
    }
  }
  std::string of(std::uint64_t context) const {
    const auto found = names_.find(context);
    if (found != names_.end() && !found->second.empty()) return found->second;
    std::array<char, 48> text{};
    (void)std::snprintf(text.data(), text.size(), "communicator %llx", static_cast<unsigned long long>(context));
    return text.data();
  }
  // The ranks of the job that are in it, as far as they said so.
  std::vector<int> members(std::uint64_t context) const {
    std::vector<int> ranks;
    for (const Member& each : list(context)) ranks.push_back(each.world);
    return ranks;
  }
  // Whom `caller` means by rank `rank` of the communicator; -1 if that is not known.
  int world_of(std::uint64_t context, int caller, int rank) const {
    int side = 0;
    for (const Member& each : list(context))
      if (each.world == caller) side = each.side;
    for (const Member& each : list(context))
      if (each.rank == rank && (side == 0 || each.side != side)) return each.world;
    return -1;
  }

 private:
  struct Member {
    int world, rank, side;
  };
  const std::vector<Member>& list(std::uint64_t context) const {
    static const std::vector<Member> nobody;
    const auto found = members_.find(context);
    return found == members_.end() ? nobody : found->second;
  }
  std::map<std::uint64_t, std::string> names_;
  std::map<std::uint64_t, std::vector<Member>> members_;
};

std::string since_text(std::int64_t since_ns, std::int64_t now_ns) {
  if (since_ns <= 0 || since_ns > now_ns) return "";
  const double seconds = static_cast<double>(now_ns - since_ns) * 1e-9;
  std::array<char, 48> text{};
  (void)std::snprintf(text.data(), text.size(), seconds < 10 ? " since %.1f s" : " since %.0f s", seconds);
  return text.data();
}

void add(std::string& list, const std::string& item) {
  if (!item.empty()) list += (list.empty() ? "" : ", ") + item;
}

std::string data_text(const SeenCall& call) {
  if (call.type.empty()) return "";
  if (call.count < 0) return call.type;
  return std::to_string(call.count) + " x " + call.type;
}

std::string wait_text(const flight::SeenWait& wait, const Names& names) {
  std::string text;
  if (wait.shape == Shape::collective) return "a nonblocking " + wait.word + " of " + names.of(wait.context);
  text = wait.shape == Shape::send ? "a send to " : "a receive from ";
  text += wait.shape == Shape::send ? "rank " + std::to_string(wait.world) + " of the job"
                                    : (wait.peer == kAnySource ? "" : "rank ") + rank_text(wait.peer);
  text += ", tag " + tag_text(wait.tag) + ", on " + names.of(wait.context & ~std::uint64_t{1});
  return text;
}

// "MPI_Recv on MPI_COMM_WORLD (source 3, tag 5, 10 x MPI_INT)".
std::string call_text(const SeenCall& call, const Names& names) {
  std::string text = call.function.empty() ? "an MPI call" : call.function;
  if (call.sequence > 0) text += " #" + std::to_string(call.sequence);
  if (call.context != 0 && call.shape != Shape::completion) text += " of " + names.of(call.context);
  std::string details;
  const auto peer = [&](const char* word, int rank) {
    if (rank != kNoRank) add(details, word + rank_text(rank));
  };
  if (call.shape == Shape::rooted) peer("root ", call.peer);
  if (call.shape == Shape::send || call.shape == Shape::exchange) peer("dest ", call.peer);
  if (call.shape == Shape::receive) peer("source ", call.peer);
  if (call.shape == Shape::exchange) peer("source ", call.second);
  if (call.tag != kNoRank) add(details, "tag " + tag_text(call.tag));
  add(details, data_text(call));
  add(details, call.op);
  if (!details.empty()) text += " (" + details + ")";
  if (call.phase != Phase::outside && call.waits) text += ", which waits for " + wait_text(*call.waits, names);
  return text;
}

// The calls that are open: of a thread each, or one within the other.
std::vector<const SeenCall*> open_calls(const RankSight& sight) {
  std::vector<const SeenCall*> open;
  if (!sight.record) return open;
  for (const SeenCall& call : sight.record->newest)
    if (call.phase != Phase::outside) open.push_back(&call);
  return open;
}

// The call that was left last; only one lane says when.
const SeenCall* last_left(const RankSight& sight) {
  return sight.record && !sight.record->newest.empty() ? &sight.record->newest.front() : nullptr;
}

struct Place {
  std::string text;  // without the time: ranks with the same text stand together
  std::int64_t since_ns = 0;
};

Place find_place(const RankSight& sight, const Names& names) {
  switch (sight.stage) {
    case RankStage::not_begun:
      return {"before MPI_Init", 0};
    case RankStage::starting:
      return {"in MPI_Init", 0};
    case RankStage::finalized:
      return {"after MPI_Finalize", 0};
    case RankStage::gone:
      return {"gone", 0};
    case RankStage::active:
      break;
  }
  if (!sight.record) return {"in MPI, but without a flight record", 0};
  const std::vector<const SeenCall*> open = open_calls(sight);
  if (open.empty()) {
    const SeenCall* last = last_left(sight);
    if (last == nullptr) return {"outside of MPI, after MPI_Init", 0};
    return {"outside of MPI, after " + call_text(*last, names), last->left_ns};
  }
  Place place{"", open.front()->began_ns};
  for (const SeenCall* call : open) {
    if (!place.text.empty()) place.text += "; and ";
    place.text += (call->phase == Phase::polling ? "polling with " : "in ") + call_text(*call, names);
    if (call->began_ns < place.since_ns) place.since_ns = call->began_ns;
  }
  return place;
}

// ---- who waits for whom ----

// A collective that some ranks are in: whoever of its communicator is not in it keeps them waiting.
struct Collective {
  std::uint64_t context = 0;
  std::uint32_t sequence = 0;
  bool operator<(const Collective& other) const {
    return std::pair(context, sequence) < std::pair(other.context, other.sequence);
  }
};

std::optional<Collective> collective_of(const RankSight& sight) {
  for (const SeenCall* call : open_calls(sight))
    if (call->sequence > 0 && call->phase == Phase::inside) return Collective{call->context, call->sequence};
  return std::nullopt;
}

class Graph {
 public:
  Graph(const std::vector<RankSight>& ranks, const Names& names) : targets_(ranks.size()) {
    std::map<Collective, std::vector<int>> groups;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      if (const auto collective = collective_of(ranks[rank])) groups[*collective].push_back(static_cast<int>(rank));
      for (const SeenCall* call : open_calls(ranks[rank])) add_message(static_cast<int>(rank), *call, names);
    }
    for (const auto& [collective, present] : groups) {
      std::vector<int> absent;
      for (const int member : names.members(collective.context))
        if (!std::binary_search(present.begin(), present.end(), member)) absent.push_back(member);
      if (absent.size() > kMostAbsent) absent.resize(kMostAbsent);
      for (const int rank : present) {
        auto& targets = targets_[static_cast<std::size_t>(rank)];
        targets.insert(targets.end(), absent.begin(), absent.end());
      }
    }
  }

  // A cycle, its first rank repeated at the end; empty if there is none. Depth first, without recursion.
  std::vector<int> cycle() const {
    enum class Mark : std::uint8_t { fresh, on_path, done };
    std::vector<Mark> marks(targets_.size(), Mark::fresh);
    for (std::size_t start = 0; start < targets_.size(); ++start) {
      if (marks[start] != Mark::fresh) continue;
      std::vector<std::pair<int, std::size_t>> path{{static_cast<int>(start), 0}};
      marks[start] = Mark::on_path;
      while (!path.empty()) {
        auto& [rank, next] = path.back();
        const auto& targets = targets_[static_cast<std::size_t>(rank)];
        if (next == targets.size()) {
          marks[static_cast<std::size_t>(rank)] = Mark::done;
          path.pop_back();
          continue;
        }
        const int target = targets[next++];
        Mark& mark = marks[static_cast<std::size_t>(target)];
        if (mark == Mark::on_path) return cut(path, target);
        if (mark == Mark::done) continue;
        mark = Mark::on_path;
        path.emplace_back(target, 0);
      }
    }
    return {};
  }

 private:
  // Of an exchange the receive is what one waits for.
  void add_message(int rank, const SeenCall& call, const Names& names) {
    int target = -1;
    const bool message = call.shape == Shape::send || call.shape == Shape::receive || call.shape == Shape::probe;
    if (message && call.peer >= 0) target = names.world_of(call.context, rank, call.peer);
    if (call.shape == Shape::exchange && call.second >= 0) target = names.world_of(call.context, rank, call.second);
    if (call.waits) target = call.waits->world;
    if (target >= 0 && static_cast<std::size_t>(target) < targets_.size())
      targets_[static_cast<std::size_t>(rank)].push_back(target);
  }
  static std::vector<int> cut(const std::vector<std::pair<int, std::size_t>>& path, int target) {
    std::vector<int> cycle;
    for (const auto& [rank, next] : path)
      if (!cycle.empty() || rank == target) cycle.push_back(rank);
    cycle.push_back(target);
    return cycle;
  }
  std::vector<std::vector<int>> targets_;
};

std::string cycle_text(const std::vector<int>& cycle) {
  std::string text = "rank " + std::to_string(cycle[0]);
  if (cycle.size() == 2) return text + " waits for itself";
  const std::size_t shown = std::min(cycle.size(), kMostInCycle);
  for (std::size_t i = 1; i < shown; ++i) text += " waits for rank " + std::to_string(cycle[i]);
  if (shown < cycle.size()) text += ", and so on through " + std::to_string(cycle.size() - 1) + " ranks";
  return "a cycle: " + text;
}

std::string ranks_text(const std::vector<int>& ranks) { return (ranks.size() == 1 ? "rank " : "ranks ") + rank_list(ranks); }

// Those of the communicator that are not in the collective where most are: the odd ones out.
void name_the_odd(const std::vector<RankSight>& ranks, const Names& names, std::vector<std::string>& lines) {
  std::map<Collective, std::vector<int>> groups;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    if (const auto collective = collective_of(ranks[rank])) groups[*collective].push_back(static_cast<int>(rank));
  const auto largest = std::max_element(groups.begin(), groups.end(),
                                        [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  if (largest == groups.end()) return;
  const auto& [collective, present] = *largest;
  std::map<std::string, std::vector<int>> by_function;
  for (const int rank : present) {
    for (const SeenCall* call : open_calls(ranks[static_cast<std::size_t>(rank)]))
      if (call->context == collective.context && call->sequence == collective.sequence)
        by_function[call->function].push_back(rank);
  }
  std::string where = "collective call";
  if (by_function.size() == 1) where = by_function.begin()->first;
  where += " #" + std::to_string(collective.sequence) + " of " + names.of(collective.context);
  if (by_function.size() > 1) {
    const auto most = std::max_element(by_function.begin(), by_function.end(),
                                       [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    for (const auto& [function, odd] : by_function) {
      if (&odd != &most->second)
        lines.push_back(ranks_text(odd) + (odd.size() == 1 ? " is" : " are") + " in " + function + " where " +
                        ranks_text(most->second) + (most->second.size() == 1 ? " is" : " are") + " in " + most->first +
                        " (" + where + ")");
    }
  }
  std::vector<int> absent;
  for (const int member : names.members(collective.context))
    if (!std::binary_search(present.begin(), present.end(), member)) absent.push_back(member);
  if (absent.empty()) return;
  lines.push_back(ranks_text(absent) + (absent.size() == 1 ? " is" : " are") + " not in " + where + ", where " +
                  std::to_string(present.size()) + " of " + std::to_string(present.size() + absent.size()) + " wait");
}

}  // namespace

std::string rank_list(const std::vector<int>& ranks) {
  std::string text;
  std::size_t runs = 0;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t end = i + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
    if (++runs > kMostRuns) return text + " and " + std::to_string(ranks.size() - i) + " more";
    add(text, std::to_string(ranks[i]) + (end - i == 1 ? "" : (end - i == 2 ? ", " : "-") + std::to_string(ranks[end - 1])));
    i = end;
  }
  return text;
}

std::string place_of(const RankSight& sight, std::int64_t now_ns) {
  const Place place = find_place(sight, Names({sight}));
  return place.text + since_text(place.since_ns, now_ns);
}

std::string last_call_text(const RankSight& sight) {
  if (!sight.record) return "";
  const Names names({sight});
  const std::vector<const SeenCall*> open = open_calls(sight);
  if (!open.empty()) return "in " + call_text(*open.back(), names);
  const SeenCall* last = last_left(sight);
  return last == nullptr ? "after MPI_Init" : "after " + call_text(*last, names);
}

std::vector<std::string> report_lines(const std::vector<RankSight>& ranks, std::int64_t now_ns) {
  const Names names(ranks);
  struct Group {
    std::vector<int> ranks;
    std::int64_t since_ns = 0;
  };
  std::map<std::string, Group> groups;
  std::vector<const std::string*> order;  // by first rank
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    Place place = find_place(ranks[rank], names);
    const auto [found, fresh] = groups.try_emplace(std::move(place.text));
    if (fresh) order.push_back(&found->first);
    Group& group = found->second;
    group.ranks.push_back(static_cast<int>(rank));
    if (group.since_ns == 0 || (place.since_ns != 0 && place.since_ns < group.since_ns)) group.since_ns = place.since_ns;
  }
  // Where there are too many, the large ones and the odd ones count; of the rest only how many.
  std::vector<std::string> lines;
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Group& group = groups[*order[i]];
    if (i >= kMostGroups && group.ranks.size() == 1) {
      ++left_out;
      continue;
    }
    if (lines.size() < 2 * kMostGroups)
      lines.push_back(ranks_text(group.ranks) + " " + *order[i] + since_text(group.since_ns, now_ns));
  }
  if (left_out > 0) lines.push_back("and " + std::to_string(left_out) + " more ranks, each elsewhere");
  name_the_odd(ranks, names, lines);
  if (const std::vector<int> cycle = Graph(ranks, names).cycle(); !cycle.empty()) lines.push_back(cycle_text(cycle));
  return lines;
}

}  // namespace ompi_lite::launcher
