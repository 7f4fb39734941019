// SPDX-License-Identifier: BSD-3-Clause
// Frames over libfabric: sending, what comes, what has gone. How the way to a peer is found stands in reach.cc.
#include "btl/ofi/transport.h"

#include <poll.h>

#include <algorithm>
#include <cstring>

#include "btl/ofi/ofi.h"
#include "btl/tcp/socket.h"
#include "ompi_lite/base/clock.h"
#include "ompi_lite/base/copy.h"
#include "ompi_lite/base/macros.h"

namespace ompi_lite::btl::tcp {
extern constinit Knob<const char*> ports;
}

namespace ompi_lite::btl::ofi {

namespace {

constexpr std::size_t kMostWaiting = 1 << 20;  // bytes per peer
constexpr int kLooksPerTurn = 16;              // some providers show one completion at a time
constexpr std::uint32_t kLooksBetweenHealth = 64;
constexpr std::size_t kEntries = 16;
constexpr std::size_t kSmallest = 192;  // buffers on the stack for what is sent without a slot
constexpr PeerId kMostPeers = 1 << 24;
constexpr std::int64_t kGoodbyeNs = 200'000'000;

class OfiEndpoint final : public Endpoint {
 public:
  OfiEndpoint(OfiTransport& transport, Peer& peer) : transport_(&transport), peer_(&peer) {}
  Sent try_send(std::span<const std::byte> header, Pieces payload) override {
    return transport_->send(*peer_, header, payload);
  }
  bool peer_leaves() const override { return peer_->left || peer_->lost; }

 private:
  OfiTransport* transport_;
  Peer* peer_;
};

// What stands in the message, at `to`.
void gather(std::byte* to, const FrameHead& head, std::span<const std::byte> header, Pieces payload) {
  std::memcpy(to, &head, sizeof head);
  to += sizeof head;
  if (!header.empty()) std::memcpy(to, header.data(), header.size());
  to += header.size();
  for (const Piece& piece : payload) {
    if (piece.bytes != 0) copy_bytes(to, piece.data, piece.bytes);
    to += piece.bytes;
  }
}

std::uint64_t fresh_instance() {
  const tcp::Nonce nonce = tcp::fresh_nonce();
  std::uint64_t instance;
  std::memcpy(&instance, nonce.data(), sizeof instance);
  return instance;
}

}  // namespace

Result<std::unique_ptr<Transport>> make(const Setup& setup, Use use_it) {
  const auto nothing = [use_it](Error why) -> Result<std::unique_ptr<Transport>> {
    if (use_it == Use::as_asked) return why;
    OL_LOG(debug, "libfabric is not used: %s", why.sentence());
    return std::unique_ptr<Transport>{};
  };
  auto library = Library::open();
  if (!library) return nothing(library.error());
  auto range = tcp::parse_ports(tcp::ports.value());
  if (!range) return range.error();
  const auto here = std::ranges::find(setup.local_peers, setup.self);
  auto choice = choose_provider(*library, use_it, static_cast<std::size_t>(here - setup.local_peers.begin()));
  if (!choice) return nothing(choice.error());
  auto fabric = Fabric::open(*library, std::move(choice).value(), *range, setup.self);
  if (!fabric) return nothing(fabric.error());
  OL_LOG(debug, "libfabric: provider %s on %s", (*fabric)->info().fabric_attr->prov_name,
         (*fabric)->info().domain_attr->name);
  return std::unique_ptr<Transport>(std::make_unique<OfiTransport>(setup, std::move(fabric).value()));
}

OfiTransport::OfiTransport(const Setup& setup, std::unique_ptr<Fabric> fabric)
    : self_(setup.self),
      secret_(setup.job_secret),
      fabric_(std::move(fabric)),
      network_id_(tcp::network_id()),
      instance_(fresh_instance()),
      beside_memory_(setup.segment != nullptr && setup.local_peers.size() > 1),
      info_{.name = "ofi",
            .max_frame = fabric_->most() - sizeof(FrameHead),
            .small_frame = 1400,
            .bulk_frame = fabric_->most() - sizeof(FrameHead),
            .one_sided = false,
            .learn_from = 0,
            .get_from = 0,
            .share_from = kNever,
            .latency_ns = fabric_->sockets() ? 20000 : 2000,
            .bytes_per_us = fabric_->sockets() ? 2000 : 10000} {}

OfiTransport::~OfiTransport() { say_goodbye(); }

std::vector<std::byte> OfiTransport::address() const {
  const fi_info& info = fabric_->info();
  const std::span<const std::byte> name = fabric_->name();
  CardHead head{network_id_, instance_, info.ep_attr->protocol, info.addr_format, static_cast<std::uint32_t>(name.size()),
                {}};
  std::strncpy(head.provider.data(), info.fabric_attr->prov_name, head.provider.size() - 1);
  std::vector<std::byte> bytes(sizeof head + name.size());
  std::memcpy(bytes.data(), &head, sizeof head);
  std::memcpy(bytes.data() + sizeof head, name.data(), name.size());
  return bytes;
}

Peer& OfiTransport::peer(PeerId id) {
  const auto index = static_cast<std::size_t>(id);
  if (index >= peers_.size()) peers_.resize(index + 1);
  if (!peers_[index]) {
    peers_[index] = std::make_unique<Peer>();
    peers_[index]->id = id;
    peers_[index]->proof_in = proof_of(secret_, id, self_, instance_);
  }
  return *peers_[index];
}

Result<std::unique_ptr<Endpoint>> OfiTransport::connect(PeerId id, Address address) {
  CardHead head;
  if (id == self_ || id < 0 || id >= kMostPeers || address.size() < sizeof head)
    return make_error(ErrorClass::arg, "peer %d has no address of libfabric", id);
  std::memcpy(&head, address.data(), sizeof head);
  if (address.size() != sizeof head + head.bytes || head.bytes == 0)
    return make_error(ErrorClass::arg, "the address of peer %d for libfabric is damaged", id);
  const fi_info& ours = fabric_->info();
  head.provider.back() = 0;
  if (head.protocol != ours.ep_attr->protocol || head.format != ours.addr_format)
    return make_error(ErrorClass::other, "peer %d uses the provider %s of libfabric, we use %s", id, head.provider.data(),
                      ours.fabric_attr->prov_name);
  const Address name = address.subspan(sizeof head);
  const SocketAddress socket = fabric_->sockets() ? socket_address(name) : SocketAddress{};
  if (socket.host.family != 0 && socket.is_loopback() && head.network_id != network_id_)
    return make_error(ErrorClass::other, "peer %d has no network interface but loopback", id);
  Peer& to = peer(id);
  to.name.assign(name.begin(), name.end());
  to.socket = socket;
  to.proof_out = proof_of(secret_, self_, id, head.instance);
  return std::unique_ptr<Endpoint>(std::make_unique<OfiEndpoint>(*this, to));
}

// ---- sending ----

// 0, or below 0 why it has not gone.
std::int64_t OfiTransport::send_now(Peer& to, const FrameHead& head, std::span<const std::byte> header, Pieces payload,
                                    std::size_t bytes) {
  if (fabric_->fits_inject(bytes) && bytes <= kSmallest) {
    alignas(8) std::byte room[kSmallest];
    gather(room, head, header, payload);
    return fabric_->inject(to.number, {room, bytes});
  }
  Slot* slot = fabric_->take_slot();
  if (slot == nullptr) return -FI_EAGAIN;
  gather(slot->data, head, header, payload);
  slot->peer = &to;
  slot->greeting = head.kind == FrameKind::greeting;
  const std::int64_t rc = fabric_->send(to.number, *slot, bytes);
  if (rc != 0) fabric_->give_back(*slot);
  return rc;
}

Sent OfiTransport::send(Peer& to, std::span<const std::byte> header, Pieces payload) {
  if (to.lost || to.left) return Sent::dead;
  std::size_t bytes = sizeof(FrameHead) + header.size();
  for (const Piece& piece : payload) bytes += piece.bytes;
  const FrameHead head = next_head(to, FrameKind::data);
  if (to.stage == Peer::Stage::open) {
    if (!to.waiting.empty() && !flush_waiting(to)) return to.lost ? Sent::dead : Sent::full;
    const std::int64_t rc = send_now(to, head, header, payload, bytes);
    if (rc == -FI_EAGAIN) return Sent::full;
    if (rc != 0) {
      give_up(to, fabric_->text(rc));
      return Sent::dead;
    }
  } else {
    if (to.waiting_bytes + bytes > kMostWaiting) return Sent::full;
    to.waiting.emplace_back(bytes);
    to.waiting_bytes += bytes;
    gather(to.waiting.back().data(), head, header, payload);
    if (to.stage == Peer::Stage::strange) start(to);
  }
  ++to.next_out;
  return Sent::yes;
}

// True if nothing waits any more.
bool OfiTransport::flush_waiting(Peer& to) {
  while (!to.waiting.empty()) {
    const std::vector<std::byte>& frame = to.waiting.front();
    FrameHead head;
    std::memcpy(&head, frame.data(), sizeof head);
    const std::int64_t rc = send_now(to, head, std::span(frame).subspan(sizeof head), {}, frame.size());
    if (rc == -FI_EAGAIN) return false;
    if (rc != 0) {
      give_up(to, fabric_->text(rc));
      return false;
    }
    to.waiting_bytes -= frame.size();
    to.waiting.pop_front();
  }
  return true;
}

bool OfiTransport::drained() const {
  return fabric_->slots_out() == 0 &&
         std::ranges::all_of(undecided_, [](const Peer* each) { return each->waiting.empty(); });
}

// ---- looking ----

void OfiTransport::poll_ns(std::int64_t at_most_ns, int bell) {
  const int own = fabric_->sleep_on(at_most_ns);
  pollfd any[] = {{own, POLLIN, 0}, {bell, POLLIN, 0}};  // those below 0 are passed over
  const timespec time{at_most_ns / 1'000'000'000, static_cast<long>(at_most_ns % 1'000'000'000)};
  ppoll(any, 2, &time, nullptr);
  look_next();
}

// A look costs system calls over sockets, which would be dear in each turn for those who wait for shared memory.
bool OfiTransport::turn_to_look() {
  ++quiet_turns_;
  // relaxed, partner: the store in look_next
  if (look_now_.load(std::memory_order_relaxed) || !beside_memory_ || !fabric_->sockets()) {
    look_now_.store(false, std::memory_order_relaxed);
    return true;
  }
  return quiet_turns_ % (quiet_turns_ < 64 ? 4u : quiet_turns_ < 4096 ? 16u : 64u) == 0;
}

bool OfiTransport::progress(Receiver& receiver) {
  if (!newly_lost_.empty()) report_lost(receiver);
  if (!turn_to_look()) return false;
  bool found = look(&receiver) > 0;
  fabric_->post_receives();
  if (!undecided_.empty()) found |= advance_all();
  if (++looks_ % kLooksBetweenHealth == 0 && fabric_->sockets()) check_health();
  if (!newly_lost_.empty()) found |= report_lost(receiver);
  if (found) quiet_turns_ = 0;
  return found;
}

int OfiTransport::look(Receiver* receiver) {
  int happened = 0;
  fi_cq_msg_entry entries[kEntries];
  for (int i = 0; i < kLooksPerTurn; ++i) {
    const std::int64_t count = fabric_->completions(entries);
    if (count == -FI_EAVAIL) {
      on_error(receiver);
      ++happened;
      continue;
    }
    if (count <= 0) {
      if (count != 0 && count != -FI_EAGAIN && count != -FI_EINTR)
        OL_LOG(error, "libfabric's completion queue fails: %s", fabric_->text(count).c_str());
      break;
    }
    for (std::int64_t k = 0; k < count; ++k) on_completion(entries[k], receiver);
    happened += static_cast<int>(count);
  }
  return happened;
}

void OfiTransport::on_completion(const fi_cq_msg_entry& entry, Receiver* receiver) {
  Slot* slot = static_cast<Slot*>(entry.op_context);
  if (slot == nullptr) return;
  if (slot->peer == nullptr) {
    on_message({slot->data, entry.len}, receiver);
    fabric_->receive_again(*slot);
    return;
  }
  Peer& to = *slot->peer;
  const bool greeting = slot->greeting;
  fabric_->give_back(*slot);
  if (greeting && to.stage == Peer::Stage::greeted) to.stage = Peer::Stage::open;
}

void OfiTransport::on_error(Receiver*) {
  fi_cq_err_entry error;
  if (fabric_->error(error) <= 0) return;
  Slot* slot = static_cast<Slot*>(error.op_context);
  const std::string text = fabric_->error_text(error);
  if (slot == nullptr) {
    OL_LOG(debug, "libfabric: %s", text.c_str());
  } else if (slot->peer == nullptr) {
    if (error.err != FI_ECANCELED) OL_LOG(debug, "libfabric: a receive failed: %s", text.c_str());
    fabric_->receive_again(*slot);
  } else {
    Peer& to = *slot->peer;
    const bool greeting = slot->greeting;
    fabric_->give_back(*slot);
    if (to.left || to.lost) return;
    if (!greeting) return give_up(to, text);
    if (to.stage == Peer::Stage::greeted) attempt_failed(to, text);
  }
}

Peer* OfiTransport::sender_of(const FrameHead& head) {
  if (head.from < 0 || head.from >= kMostPeers || head.from == self_) return nullptr;
  const auto index = static_cast<std::size_t>(head.from);
  if (index < peers_.size() && peers_[index]) return head.proof == peers_[index]->proof_in ? peers_[index].get() : nullptr;
  return head.proof == proof_of(secret_, head.from, self_, instance_) ? &peer(head.from) : nullptr;
}

void OfiTransport::on_message(std::span<const std::byte> bytes, Receiver* receiver) {
  FrameHead head;
  Peer* from = nullptr;
  if (bytes.size() >= sizeof head) {
    std::memcpy(&head, bytes.data(), sizeof head);
    from = sender_of(head);
  }
  if (from == nullptr) {
    OL_LOG(debug, "a message of %zu bytes is of nobody in the job", bytes.size());
    return;
  }
  from->heard = true;
  if (head.kind == FrameKind::greeting || from->lost || receiver == nullptr) {
    if (head.kind == FrameKind::goodbye) from->left = true;
    return;
  }
  if (head.number != from->next_in) {
    from->held.emplace(head.number, std::vector<std::byte>(bytes.begin(), bytes.end()));
    return;
  }
  take(*from, bytes, *receiver);
  while (!from->held.empty()) {
    auto next = from->held.find(from->next_in);
    if (next == from->held.end()) break;
    const std::vector<std::byte> message = std::move(next->second);
    from->held.erase(next);
    take(*from, message, *receiver);
  }
}

void OfiTransport::take(Peer& from, std::span<const std::byte> message, Receiver& receiver) {
  FrameHead head;
  std::memcpy(&head, message.data(), sizeof head);
  ++from.next_in;
  if (head.kind == FrameKind::goodbye) {
    from.left = true;
  } else if (head.kind == FrameKind::data) {
    receiver.on_frame(from.id, message.subspan(sizeof head));
  }
}

// Who has left already does not answer, and must not make us wait long.
void OfiTransport::say_goodbye() {
  const std::int64_t until = now_ns() + kGoodbyeNs;
  for (const auto& entry : peers_) {
    if (!entry || entry->stage != Peer::Stage::open) continue;
    std::int64_t rc = -FI_EAGAIN;
    while (rc == -FI_EAGAIN && !entry->left && !entry->lost && now_ns() < until) {
      rc = send_now(*entry, next_head(*entry, FrameKind::goodbye), {}, {}, sizeof(FrameHead));
      if (rc == -FI_EAGAIN) look(nullptr);
    }
  }
  while (fabric_->slots_out() != 0 && now_ns() < until) look(nullptr);
}

}  // namespace ompi_lite::btl::ofi
