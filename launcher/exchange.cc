// SPDX-License-Identifier: BSD-3-Clause
// Gathering and asking.
#include "launcher/exchange.h"

namespace ompi_lite::launcher {

std::vector<bool> Exchange::hosts_of(const std::vector<int>& ranks) const {
  std::vector<bool> hosts(spec_.hosts.size());
  for (const int rank : ranks) {
    if (rank >= 0 && rank < spec_.size()) {
      hosts[static_cast<std::size_t>(spec_.host_of_rank[static_cast<std::size_t>(rank)])] = true;
    }
  }
  if (ranks.empty()) {
    for (const int host : spec_.host_of_rank) hosts[static_cast<std::size_t>(host)] = true;
  }
  return hosts;
}

std::vector<int> Exchange::below_with(const std::vector<bool>& hosts) const {
  std::vector<int> found;
  for (const int child : shape_.below(host_)) {
    bool takes_part = false;
    for (std::size_t host = 0; host < hosts.size() && !takes_part; ++host) {
      takes_part =
          hosts[host] && (static_cast<int>(host) == child || shape_.towards(host_, static_cast<int>(host)) == child);
    }
    if (takes_part) found.push_back(child);
  }
  return found;
}

// A host has at most one fence of a key under way: its next cannot begin before the word that this one is done has passed
// us.
void Exchange::add_part(const std::string& key, const std::vector<int>& ranks, const std::string& data,
                        std::uint64_t ticket) {
  const std::vector<bool> hosts = hosts_of(ranks);
  const bool own = hosts[static_cast<std::size_t>(host_)];
  Fence& fence = fences_[key];
  ++fence.parts;
  fence.data += data;
  if (ticket != 0) fence.ticket = ticket;
  if (fence.parts < static_cast<int>(below_with(hosts).size()) + (own ? 1 : 0)) return;
  if (host_ == 0) return finish(key, ranks, std::string(fence.data));
  Writer writer;
  writer.put(std::string_view(key)).put(ranks).put(std::string_view(fence.data));
  fence.data.clear();
  router_.route(Message{MessageKind::fence_part, static_cast<std::uint32_t>(shape_.above(host_)),
                        static_cast<std::uint32_t>(host_), writer.take()});
}

void Exchange::finish(const std::string& key, const std::vector<int>& ranks, const std::string& data) {
  const std::uint64_t ticket = fences_[key].ticket;
  fences_.erase(key);
  Writer writer;
  writer.put(std::string_view(key)).put(ranks).put(std::string_view(data));
  const std::string body = writer.take();
  for (const int child : below_with(hosts_of(ranks))) {
    router_.route(
        Message{MessageKind::fence_done, static_cast<std::uint32_t>(child), static_cast<std::uint32_t>(host_), body});
  }
  if (ticket != 0) server_.finish_fence(ticket, true, data);
}

void Exchange::on_call(FenceCall call) { add_part(call.key, call.ranks, call.data, call.ticket); }

void Exchange::on_call(const FetchCall& call) {
  Writer writer;
  writer.put(call.ticket).put(call.rank);
  const int host = spec_.host_of_rank[static_cast<std::size_t>(call.rank)];
  router_.route(
      Message{MessageKind::fetch, static_cast<std::uint32_t>(host), static_cast<std::uint32_t>(host_), writer.take()});
}

void Exchange::on_call(const Fetched& fetched) {
  const auto found = asked_.find(fetched.ticket);
  if (found == asked_.end()) return;
  Writer writer;
  writer.put(found->second.ticket).put(fetched.good).put(std::string_view(fetched.data));
  router_.route(Message{MessageKind::fetched, found->second.host, static_cast<std::uint32_t>(host_), writer.take()});
  asked_.erase(found);
}

bool Exchange::on_message(const Message& message) {
  Reader reader(message.body);
  switch (message.kind) {
    case MessageKind::fence_part:
    case MessageKind::fence_done: {
      const auto key = reader.next<std::string>();
      const auto ranks = reader.next<std::vector<int>>();
      const auto data = reader.next<std::string>();
      if (!reader.good()) return true;
      if (message.kind == MessageKind::fence_part)
        add_part(key, ranks, data, 0);
      else
        finish(key, ranks, data);
      return true;
    }
    case MessageKind::fetch: {
      const auto ticket = reader.next<std::uint64_t>();
      const auto rank = reader.next<int>();
      asked_.emplace(++last_asked_, Asked{message.from, ticket});
      server_.fetch(rank, last_asked_);
      return true;
    }
    case MessageKind::fetched: {
      const auto ticket = reader.next<std::uint64_t>();
      const auto good = reader.next<bool>();
      server_.finish_fetch(ticket, good, reader.next<std::string>());
      return true;
    }
    default:
      return false;
  }
}

}  // namespace ompi_lite::launcher
