// SPDX-License-Identifier: BSD-3-Clause
// Frames over TCP: sending, polling, receiving. How connections come about stands in connect.cc.
#include "btl/tcp/transport.h"

#include <poll.h>
#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "ompi_lite/base/clock.h"
#include "ompi_lite/base/macros.h"

namespace ompi_lite::btl::tcp {

constinit Knob<const char*> wanted_interfaces{
    "tcp_interfaces", "", Unit::none,
    "network interfaces to use, by name or network, with commas between (eth0,10.1.0.0/16); empty: all"};
constinit Knob<const char*> unwanted_interfaces{"tcp_exclude_interfaces", "", Unit::none,
                                                "network interfaces not to use, in the same form"};
constinit Knob<const char*> ports{
    "ports", "", Unit::none, "range of TCP ports at which ranks listen (50000-50030), one a rank of a host; empty: any"};

namespace {

constexpr std::size_t kMostQueued = 1 << 20;  // bytes per peer
constexpr int kMostEvents = 32;
constexpr int kReadsPerTurn = 4;                   // of one connection, so that others get their turn
constexpr std::uint32_t kLooksBetweenHealth = 64;  // and even those do no more than look at the clock, but once a second
constexpr std::int64_t kGoodbyeNs = 2'000'000'000;

struct AddressHead {
  std::uint64_t network_id;
  std::uint16_t port;
  std::uint16_t count;
  std::uint32_t with_carrier;  // so many of the addresses, the first ones, could be reached when they were published
};
static_assert(sizeof(AddressHead) == 16);

class TcpEndpoint final : public Endpoint {
 public:
  TcpEndpoint(TcpTransport& transport, Peer& peer) : transport_(&transport), peer_(&peer) {}
  Sent try_send(std::span<const std::byte> header, Pieces payload) override {
    return transport_->send(*peer_, header, payload);
  }
  bool peer_leaves() const override { return peer_->left || peer_->lost; }

 private:
  TcpTransport* transport_;
  Peer* peer_;
};

}  // namespace

Result<std::unique_ptr<Transport>> TcpTransport::make(const Setup& setup) {
  auto range = parse_ports(ports.value());
  if (!range) return range.error();
  std::vector<Interface> own = usable_interfaces();
  auto chosen = chosen_interfaces(own, wanted_interfaces.value(), unwanted_interfaces.value());
  if (!chosen) return chosen.error();
  auto listener = listen_anywhere(*range, setup.self);
  if (!listener) return listener.error();
  os::Fd epoll(epoll_create1(EPOLL_CLOEXEC));
  if (!epoll) return make_error(ErrorClass::other, "epoll_create1: %s", strerror(errno));
  epoll_event event{.events = EPOLLIN, .data = {.ptr = nullptr}};
  if (epoll_ctl(epoll.get(), EPOLL_CTL_ADD, listener->fd.get(), &event) != 0) {
    return make_error(ErrorClass::other, "epoll_ctl: %s", strerror(errno));
  }
  return std::unique_ptr<Transport>(std::make_unique<TcpTransport>(setup, std::move(listener).value(), std::move(epoll),
                                                                   std::move(own), std::move(chosen).value()));
}

TcpTransport::TcpTransport(const Setup& setup, Listener listener, os::Fd epoll, std::vector<Interface> own,
                           std::vector<Interface> chosen)
    : self_(setup.self),
      one_world_{},
      directory_(setup.directory != nullptr ? *setup.directory : static_cast<Directory&>(one_world_)),
      listener_(std::move(listener)),
      epoll_(std::move(epoll)),
      network_id_(network_id()),
      own_interfaces_(std::move(own)),
      interfaces_(std::move(chosen)),
      beyond_memory_(setup.beyond_memory),
      expected_(setup.beyond_memory),
      beside_memory_(setup.segment != nullptr && setup.local_peers.size() > 1),
      live_(setup.beyond_memory),
      info_{.name = "tcp",
            .max_frame = kMaxFrame,
            .small_frame = 1400,
            .bulk_frame = kMaxFrame,
            .stream = true,
            .one_sided = false,
            .learn_from = 0,
            .get_from = 0,
            .share_from = kNever,
            .latency_ns = 15000,
            .bytes_per_us = 3000} {
  one_world_.job_secret = setup.job_secret;
}

TcpTransport::~TcpTransport() {
  std::int64_t until = now_ns() + kGoodbyeNs;
  for (auto& connection : connections_) {
    if (connection->state != Connection::State::open) continue;
    if (connection->parting) continue;
    connection->queue_frame(FrameKind::goodbye, {}, {}, 0, 0);
    while (connection->flush() && connection->unsent() && now_ns() < until) {
      pollfd writable{connection->fd(), POLLOUT, 0};
      ::poll(&writable, 1, 100);
    }
  }
}

std::vector<std::byte> TcpTransport::address() const {
  std::vector<HostAddress> usable;
  std::uint32_t with_carrier = 0;
  for (const Interface& each : interfaces_) {
    if (each.loopback) continue;
    usable.push_back(each.address);
    if (each.carrier) ++with_carrier;
  }
  AddressHead head{network_id_, listener_.port, static_cast<std::uint16_t>(usable.size()), with_carrier};
  std::vector<std::byte> bytes(sizeof head + usable.size() * sizeof(HostAddress));
  std::memcpy(bytes.data(), &head, sizeof head);
  if (!usable.empty()) std::memcpy(bytes.data() + sizeof head, usable.data(), usable.size() * sizeof(HostAddress));
  return bytes;
}

Peer& TcpTransport::peer(PeerId id) {
  std::unique_ptr<Peer>& entry = peers_[id];
  if (!entry) {
    entry = std::make_unique<Peer>();
    entry->id = id;
  }
  return *entry;
}

Result<std::unique_ptr<Endpoint>> TcpTransport::connect(PeerId id, Address address) {
  AddressHead head;
  if (id == self_ || address.size() < sizeof head) return make_error(ErrorClass::arg, "peer %d has no tcp address", id);
  std::memcpy(&head, address.data(), sizeof head);
  if (address.size() != sizeof head + head.count * sizeof(HostAddress)) {
    return make_error(ErrorClass::arg, "the tcp address of peer %d is damaged", id);
  }
  Peer& to = peer(id);
  to.port = head.port;
  to.addresses.resize(head.count);
  if (head.count != 0) std::memcpy(to.addresses.data(), address.data() + sizeof head, head.count * sizeof(HostAddress));
  order_addresses(to.addresses, std::size_t{head.with_carrier}, head.network_id != network_id_);
  if (head.network_id == network_id_) to.addresses.insert(to.addresses.begin(), loopback_address());
  to.failures.assign(to.addresses.size(), {});
  if (to.addresses.empty() && !to.open) {
    return make_error(ErrorClass::arg, "peer %d has no address that leads from this host to it", id);
  }
  expected_ = true;
  update_live();
  return std::unique_ptr<Endpoint>(std::make_unique<TcpEndpoint>(*this, to));
}

// Those in a network of ours first; last those that were not reachable when they were published, which may have come up
// since.
void TcpTransport::order_addresses(std::vector<HostAddress>& addresses, std::size_t with_carrier, bool other_network) const {
  const auto near = [&](const HostAddress& theirs) {
    return std::any_of(interfaces_.begin(), interfaces_.end(),
                       [&](const Interface& mine) { return !mine.loopback && mine.carrier && same_subnet(mine, theirs); });
  };
  const auto sure = addresses.begin() + static_cast<std::ptrdiff_t>(std::min(with_carrier, addresses.size()));
  std::stable_partition(addresses.begin(), sure, near);
  std::stable_partition(sure, addresses.end(), near);
  // An address that is also ours leads to ourselves: every machine with docker0 or virbr0 has the same ones.
  if (!other_network) return;
  std::erase_if(addresses, [&](const HostAddress& theirs) {
    return std::any_of(own_interfaces_.begin(), own_interfaces_.end(),
                       [&](const Interface& mine) { return mine.address == theirs; });
  });
}

Sent TcpTransport::send(Peer& to, std::span<const std::byte> header, Pieces payload) {
  std::size_t bytes = header.size();
  for (const Piece& piece : payload) bytes += piece.bytes;
  if (to.lost || to.left) return Sent::dead;
  if (to.open && !to.open->parting) {
    if (to.open->send_broken) return Sent::dead;  // told when all that came before is read
    if (to.open->unsent_bytes() + bytes > kMostQueued) return Sent::full;
    const Sent sent = to.open->send_frame(header, payload, bytes);
    if (to.open->wants_room()) watch(*to.open);
    return sent;
  }
  if (to.waiting.size() + bytes > kMostQueued) return Sent::full;
  FrameHead head{static_cast<std::uint32_t>(bytes), FrameKind::data};
  auto add = [&](std::span<const std::byte> part) { to.waiting.insert(to.waiting.end(), part.begin(), part.end()); };
  add(std::as_bytes(std::span(&head, 1)));
  add(header);
  for (const Piece& piece : payload) add({piece.data, piece.bytes});
  to.waiting.resize(to.waiting.size() + padded(bytes) - bytes);
  if (!to.wanted && !to.open) {
    to.wanted = true;
    ++undecided_;
    start_attempt(to);
  }
  return Sent::yes;
}

bool TcpTransport::drained() const {
  return std::all_of(peers_.begin(), peers_.end(), [](const auto& entry) {
    const Peer& peer = *entry.second;
    if (peer.lost || peer.left) return true;
    return peer.waiting.empty() && (!peer.open || peer.open->send_broken || !peer.open->unsent());
  });
}

void TcpTransport::say_part(Connection& connection) {
  if (connection.parting || connection.send_broken) return;
  connection.queue_frame(FrameKind::part, {}, {}, 0, 0);
  connection.parting = true;
  connection.flush();
  watch(connection);
}

// Not before both have said it and all of ours is out: closed while bytes are under way to us, the connection would be
// reset, and what we sent lost with it.
void TcpTransport::close_if_parted(Connection& connection) {
  if (connection.state != Connection::State::open || !connection.parted || !connection.parting || connection.unsent())
    return;
  Peer& with = *connection.peer;
  connection.close();
  with.open = nullptr;
  connect_again(with);
}

// Where we have met again meanwhile.
void TcpTransport::connect_again(Peer& to) {
  if (to.waiting.empty() || to.wanted || to.left || to.lost) return;
  to.wanted = true;
  ++undecided_;
  start_attempt(to);
}

void TcpTransport::expect_callers(bool expected) {
  callers_expected_ = expected;
  expected_ = beyond_memory_ || callers_expected_ || !peers_.empty();
  update_live();
}

bool TcpTransport::part(PeerId id, bool for_ever) {
  const auto found = peers_.find(id);
  if (found == peers_.end()) return true;
  Peer& from = *found->second;
  if (std::ranges::find(newly_lost_, &from) != newly_lost_.end()) return false;
  if (from.wanted || from.attempt != nullptr) return false;  // it connects, to send what waits
  if (from.open != nullptr) {
    if (for_ever && !from.open->parting) from.open->queue_frame(FrameKind::goodbye, {}, {}, 0, 0);
    say_part(*from.open);
    close_if_parted(*from.open);
    if (from.open != nullptr && from.open->send_broken) return false;  // reading shows it
    if (from.open != nullptr || from.wanted) return false;
  }
  std::erase_if(connections_, [](const auto& each) { return each->state == Connection::State::closed; });
  peers_.erase(found);
  expect_callers(callers_expected_);
  return true;
}

void TcpTransport::poll_ns(std::int64_t at_most_ns, int bell) {
  const int other = beside_ != nullptr ? beside_->descriptor(at_most_ns) : -1;
  pollfd any[] = {{epoll_.get(), POLLIN, 0}, {bell, POLLIN, 0}, {other, POLLIN, 0}};  // those below 0 are passed over
  timespec time{at_most_ns / 1'000'000'000, static_cast<long>(at_most_ns % 1'000'000'000)};
  ppoll(any, 3, &time, nullptr);
  look_next();
}

// A system call in each turn would be dear for those who wait for shared memory.
bool TcpTransport::turn_to_poll() {
  ++quiet_turns_;
  // relaxed, partner: the store in poll_ns
  if (poll_now_.load(std::memory_order_relaxed) || (!beside_memory_ && live())) {
    poll_now_.store(false, std::memory_order_relaxed);
    return true;
  }
  std::uint32_t every = !live() ? 512 : quiet_turns_ < 64 ? 4 : quiet_turns_ < 4096 ? 16 : 64;
  return quiet_turns_ % every == 0;
}

bool TcpTransport::progress(Receiver& receiver) {
  if (!newly_lost_.empty()) report_lost(receiver);
  if (!turn_to_poll()) return false;
  bool found = false;
  if (may_read_at_once()) {
    for (auto& connection : connections_) found |= advance(*connection, true, receiver);
    if (newly_lost_.empty() && undecided_ == 0 &&
        std::ranges::none_of(connections_, [](const auto& each) { return each->state == Connection::State::closed; })) {
      if (found) quiet_turns_ = 0;
      return found;
    }
  }
  epoll_event events[kMostEvents];
  int ready = epoll_wait(epoll_.get(), events, kMostEvents, 0);
  for (int i = 0; i < ready; ++i) {
    auto* connection = static_cast<Connection*>(events[i].data.ptr);
    if (!connection) {
      accept_all();
      found = true;
      continue;
    }
    if (connection->state == Connection::State::closed) continue;  // by an event before this one
    if ((events[i].events & EPOLLOUT) != 0) {
      connection->has_room();
      found = true;  // whoever was refused tries again
    }
    found |= advance(*connection, (events[i].events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0, receiver);
  }
  if (undecided_ > 0) check_times();
  if (++looks_ % kLooksBetweenHealth == 0) check_health();
  if (ready > 0 || undecided_ > 0 || !newly_lost_.empty()) {
    std::erase_if(connections_, [](const auto& each) { return each->state == Connection::State::closed; });
    update_live();
  }
  if (!newly_lost_.empty()) found |= report_lost(receiver);
  if (found) quiet_turns_ = 0;
  return found;
}

// To ask the kernel first which of them have something is a call more; with few connections that is dearer than to try.
bool TcpTransport::may_read_at_once() {
  constexpr std::size_t kFew = 2;
  constexpr std::uint32_t kTurns = 8;  // then others are looked for
  if (connections_.empty() || connections_.size() > kFew || undecided_ > 0 || ++looks_at_once_ % kTurns == 0) return false;
  return std::ranges::all_of(
      connections_, [](const auto& each) { return each->state == Connection::State::open && !each->watched_for_write; });
}

bool TcpTransport::report_lost(Receiver& receiver) {
  while (!newly_lost_.empty()) {
    Peer* lost = newly_lost_.back();
    newly_lost_.pop_back();
    receiver.on_lost(lost->id,
                     make_error(ErrorClass::proc_aborted, "peer %d is lost: %s", lost->id, lost->why_lost.c_str()));
  }
  return true;
}

void TcpTransport::watch(Connection& connection) {
  bool write = connection.wants_room() || connection.state == Connection::State::connecting;
  if (write == connection.watched_for_write) return;
  epoll_event event{.events = EPOLLIN, .data = {.ptr = &connection}};
  if (write) event.events |= EPOLLOUT;
  epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, connection.fd(), &event);
  connection.watched_for_write = write;
}

bool TcpTransport::read_frames(Connection& connection, Receiver& receiver) {
  bool found = false;
  bool more = true;  // a read that was not filled has taken all
  for (int i = 0; i < kReadsPerTurn && more; ++i) {
    more = false;
    std::int64_t n = connection.fill(receiver, more);
    if (n == 0) break;
    found = true;
    if (n < 0) {
      broken(connection, n == -EPIPE ? "connection closed by the peer" : strerror(static_cast<int>(-n)));
      break;
    }
    FrameKind kind;
    std::span<const std::byte> frame;
    int rc;
    while ((rc = connection.next_frame(kind, frame)) == 1) {
      if (kind == FrameKind::goodbye) {
        connection.peer->left = true;
      } else if (kind == FrameKind::part) {
        connection.parted = true;
        say_part(connection);
      } else {
        receiver.on_frame(connection.peer->id, frame);
      }
    }
    if (rc < 0) {
      broken(connection, "what came is no frame");
      break;
    }
    if (connection.parted) {
      close_if_parted(connection);
      break;
    }
    connection.try_landing(receiver, connection.peer->id);
  }
  return found;
}

}  // namespace ompi_lite::btl::tcp
