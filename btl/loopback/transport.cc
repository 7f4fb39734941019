// SPDX-License-Identifier: BSD-3-Clause
// The network of a test.
#include "btl/loopback/transport.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "ompi_lite/base/macros.h"

namespace ompi_lite::btl::loopback {

class LoopbackEndpoint final : public Endpoint {
 public:
  LoopbackEndpoint(Network& network, PeerId self, PeerId peer) : network_(&network), self_(self), peer_(peer) {}

  Sent try_send(std::span<const std::byte> header, Pieces payload) override {
    return network_->send(self_, peer_, header, payload);
  }

  Error get(const RemoteRegion& from, const LocalRegion& to, Completion& completion) override {
    if (!network_->faults().one_sided) return Endpoint::get(from, to, completion);
    const bool fails = network_->unlucky(network_->faults().get_fails_per_mille) || !reaches(from.address, to.bytes);
    if (!fails && to.bytes > 0) std::memcpy(to.data, reinterpret_cast<const std::byte*>(from.address), to.bytes);
    completion.done(completion, fails ? Error(ErrorClass::buffer, "the test lets this get fail") : Error());
    return {};
  }

  Error put(const Piece& from, const RemoteRegion& to, Completion& completion) override {
    if (!network_->faults().can_put) return Endpoint::put(from, to, completion);
    const bool fails =
        from.bytes > 0 && (network_->unlucky(network_->faults().put_fails_per_mille) || !reaches(to.address, from.bytes));
    if (!fails && from.bytes > 0) std::memcpy(reinterpret_cast<std::byte*>(to.address), from.data, from.bytes);
    completion.done(completion, fails ? Error(ErrorClass::buffer, "the test lets this put fail") : Error());
    return {};
  }

  std::atomic<std::uint64_t>* shared_word(Direction direction) override {
    if (network_->faults().share_from == kNever) return nullptr;
    return direction == Direction::outgoing ? &network_->word(self_, peer_) : &network_->word(peer_, self_);
  }

 private:
  bool reaches(std::uint64_t address, std::size_t bytes) const {
    const std::span<const std::byte> there = network_->faults().reachable;
    const std::uint64_t offset = address - reinterpret_cast<std::uint64_t>(there.data());
    return there.empty() || bytes == 0 || (offset <= there.size() && bytes <= there.size() - offset);
  }

  Network* network_;
  PeerId self_;
  PeerId peer_;
};

Network::Network(int size, Faults faults)
    : size_(size),
      faults_(faults),
      random_state_(faults.seed * 2654435761u + 1),
      pairs_(static_cast<std::size_t>(size * size)),
      words_(static_cast<std::size_t>(size * size)),
      turns_(static_cast<std::size_t>(size)),
      bells_(static_cast<std::size_t>(size)),
      left_(static_cast<std::size_t>(size)) {}

std::uint32_t Network::random() {  // xorshift: the same on every machine
  random_state_ ^= random_state_ << 13;
  random_state_ ^= random_state_ >> 17;
  random_state_ ^= random_state_ << 5;
  return random_state_;
}

bool Network::unlucky(int per_mille) {
  std::lock_guard guard(mutex_);
  return per_mille > 0 && random() % 1000 < static_cast<std::uint32_t>(per_mille);
}

void Network::cut(PeerId a, PeerId b) {
  std::lock_guard guard(mutex_);
  pair(a, b).lost = pair(b, a).lost = true;
}

void Network::set_bell(PeerId rank, Doorbell* bell) {
  std::lock_guard guard(mutex_);
  bells_[static_cast<std::size_t>(rank)] = bell;
}

Sent Network::send(PeerId from, PeerId to, std::span<const std::byte> header, Pieces payload) {
  std::lock_guard guard(mutex_);
  Pair& way = pair(from, to);
  if (way.lost || left_[static_cast<std::size_t>(to)]) return Sent::dead;
  bool unlucky = faults_.full_per_mille > 0 && random() % 1000 < static_cast<std::uint32_t>(faults_.full_per_mille);
  if (way.frames.size() >= faults_.most_frames || unlucky) return Sent::full;
  Frame frame;
  frame.bytes.assign(header.begin(), header.end());
  for (const Piece& piece : payload) frame.bytes.insert(frame.bytes.end(), piece.data, piece.data + piece.bytes);
  OL_CHECK(frame.bytes.size() <= faults_.max_frame, frame.bytes.size(), faults_.max_frame);
  std::int64_t delay = faults_.delay_turns > 0 ? random() % static_cast<std::uint32_t>(faults_.delay_turns + 1) : 0;
  frame.due = turns_[static_cast<std::size_t>(to)] + delay;
  if (faults_.drop_after < 0 || way.sent < faults_.drop_after) way.frames.push_back(std::move(frame));
  ++way.sent;
  if (faults_.cut_after >= 0 && way.sent >= faults_.cut_after) way.lost = pair(to, from).lost = true;
  if (Doorbell* bell = bells_[static_cast<std::size_t>(to)]) bell->ring_if_sleeping(true);
  return Sent::yes;
}

LoopbackTransport::LoopbackTransport(Network& network, PeerId self)
    : network_(&network),
      self_(self),
      info_{.name = "loopback",
            .max_frame = network.faults().max_frame,
            .small_frame = 128,
            .bulk_frame = network.faults().max_frame,
            .stream = network.faults().stream,
            .one_sided = network.faults().one_sided,
            .learn_from = network.faults().get_from,
            .get_from = network.faults().get_from,
            .share_from = network.faults().share_from,
            .latency_ns = 100,
            .bytes_per_us = 10000},
      halves_(static_cast<std::size_t>(network.size())) {}

LoopbackTransport::~LoopbackTransport() {
  std::lock_guard guard(network_->mutex_);
  network_->left_[static_cast<std::size_t>(self_)] = true;
}

std::vector<std::byte> LoopbackTransport::address() const {
  std::vector<std::byte> bytes(sizeof self_);
  std::memcpy(bytes.data(), &self_, sizeof self_);
  return bytes;
}

Result<std::unique_ptr<Endpoint>> LoopbackTransport::connect(PeerId peer, Address address) {
  PeerId published = -1;
  if (address.size() == sizeof published) std::memcpy(&published, address.data(), sizeof published);
  if (published != peer || peer < 0 || peer >= network_->size()) {
    return make_error(ErrorClass::arg, "peer %d is not in this network", peer);
  }
  return std::unique_ptr<Endpoint>(std::make_unique<LoopbackEndpoint>(*network_, self_, peer));
}

// What is due is taken out under the lock and handed up without it: the receiver may send.
bool LoopbackTransport::progress(Receiver& receiver) {
  std::vector<PeerId> order(static_cast<std::size_t>(network_->size()));
  std::iota(order.begin(), order.end(), 0);
  std::int64_t turn;
  {
    std::lock_guard guard(network_->mutex_);
    turn = ++network_->turns_[static_cast<std::size_t>(self_)];
    if (network_->faults_.shuffle_peers) {
      for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[network_->random() % i]);
    }
  }
  bool found = false;
  for (PeerId from : order) {
    std::vector<std::vector<std::byte>> due;
    bool tell_lost = false;
    {
      std::lock_guard guard(network_->mutex_);
      Network::Pair& way = network_->pair(from, self_);
      while (!way.frames.empty() && way.frames.front().due < turn) {
        due.push_back(std::move(way.frames.front().bytes));
        way.frames.pop_front();
      }
      tell_lost = way.lost && way.frames.empty() && !way.told;
      way.told |= tell_lost;
    }
    found |= take_other_half(from, receiver);
    for (auto& frame : due) take(from, std::move(frame), receiver);
    if (tell_lost) halves_[static_cast<std::size_t>(from)].reset();
    if (tell_lost) receiver.on_lost(from, Error(ErrorClass::proc_aborted, "the connection was cut"));
    found |= !due.empty() || tell_lost;
  }
  return found;
}

void LoopbackTransport::take(PeerId from, std::vector<std::byte>&& frame, Receiver& receiver) {
  take_other_half(from, receiver);
  if (info_.stream && frame.size() >= Receiver::kBegin) {
    const Receiver::Landing landing = receiver.on_begin(from, {frame.data(), Receiver::kBegin}, frame.size());
    if (landing.ticket != 0) {
      const std::size_t half = (frame.size() - landing.header) / 2;
      if (std::byte* place = receiver.landing_place(landing.ticket)) std::memcpy(place, frame.data() + landing.header, half);
      halves_[static_cast<std::size_t>(from)] = Half{std::move(frame), landing, half};
      return;
    }
  }
  receiver.on_frame(from, frame);
}

bool LoopbackTransport::take_other_half(PeerId from, Receiver& receiver) {
  std::optional<Half> half = std::exchange(halves_[static_cast<std::size_t>(from)], std::nullopt);
  if (!half) return false;
  const std::size_t at = half->landing.header + half->landed;
  if (std::byte* place = receiver.landing_place(half->landing.ticket))
    std::memcpy(place + half->landed, half->frame.data() + at, half->frame.size() - at);
  receiver.on_landed(half->landing.ticket, half->frame.size() - half->landing.header);
  return true;
}

}  // namespace ompi_lite::btl::loopback
