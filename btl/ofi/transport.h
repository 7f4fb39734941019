// SPDX-License-Identifier: BSD-3-Clause
// libfabric's reliable datagrams (FI_EP_RDM) as a transport: one endpoint a process, frames as messages.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "btl/beside.h"
#include "btl/btl.h"
#include "btl/ofi/fabric.h"
#include "btl/ofi/wire.h"

namespace ompi_lite::btl::ofi {

// What is known of one other process. Owned by the transport; endpoints and slots point to it.
struct Peer {
  enum class Stage { strange, probing, greeting, greeted, open };  // how far the way to it has come

  PeerId id = 0;
  Stage stage = Stage::strange;
  bool undecided = false;  // in the transport's list
  bool lost = false;       // for ever
  bool left = false;       // said goodbye
  bool warned = false;
  std::vector<std::byte> name;  // its address
  SocketAddress socket;         // the same, if it is one
  fi_addr_t number = FI_ADDR_NOTAVAIL;
  std::uint64_t proof_out = 0, proof_in = 0;
  std::uint32_t next_out = 0, next_in = 0;               // numbers of frames
  std::map<std::uint32_t, std::vector<std::byte>> held;  // came before one that was sent earlier
  std::deque<std::vector<std::byte>> waiting;            // for when the way is open, with their heads
  std::size_t waiting_bytes = 0;
  os::Fd probe;
  std::int64_t retry_at_ns = 0, deadline_ns = 0, give_up_at_ns = 0;
  // Once the way is open over sockets: when to see whether somebody still listens there, and since when nobody answers.
  std::int64_t check_at_ns = 0, check_every_ns = 0, unanswered_since_ns = 0;
  bool heard = false;  // since the last check
  int rounds_failed = 0;
  std::string failure;  // the newest
  std::string why_lost;
};

// Owned by the Process; one thread at a time, but for what PollSet allows.
class OfiTransport final : public Transport, public PollSet, public Beside {
 public:
  OfiTransport(const Setup& setup, std::unique_ptr<Fabric> fabric);
  ~OfiTransport() override;

  const TransportInfo& info() const override { return info_; }
  std::vector<std::byte> address() const override;
  Result<std::unique_ptr<Endpoint>> connect(PeerId peer, Address address) override;
  bool progress(Receiver& receiver) override;
  bool drained() const override;
  PollSet* descriptors() override { return this; }
  void look_next() override {
    look_now_.store(true, std::memory_order_relaxed);
  }  // partner: turn_to_look; how soon it looks
  bool live() const override { return true; }
  void poll_ns(std::int64_t at_most_ns, int bell) override;
  int descriptor(std::int64_t& at_most_ns) override { return fabric_->sleep_on(at_most_ns); }

  Sent send(Peer& peer, std::span<const std::byte> header, Pieces payload);

 private:
  // reach.cc: how the way to a peer is found and lost
  void start(Peer& peer);
  void advance(Peer& peer);
  void probe(Peer& peer);
  void greet(Peer& peer);
  void attempt_failed(Peer& peer, const std::string& why);
  void give_up(Peer& peer, const std::string& why);
  bool advance_all();
  void check_health();
  void check(Peer& peer, std::int64_t now);
  bool report_lost(Receiver& receiver);

  Peer& peer(PeerId id);
  Peer* sender_of(const FrameHead& head);
  bool turn_to_look();
  FrameHead next_head(const Peer& to, FrameKind kind) const { return {to.proof_out, self_, to.next_out, kind}; }
  std::int64_t send_now(Peer& to, const FrameHead& head, std::span<const std::byte> header, Pieces payload,
                        std::size_t bytes);
  bool flush_waiting(Peer& to);
  int look(Receiver* receiver);  // how much has happened; without a receiver what comes is dropped
  void on_completion(const fi_cq_msg_entry& entry, Receiver* receiver);
  void on_error(Receiver* receiver);
  void on_message(std::span<const std::byte> bytes, Receiver* receiver);
  void take(Peer& from, std::span<const std::byte> message, Receiver& receiver);
  void say_goodbye();

  PeerId self_;
  Secret secret_;
  std::unique_ptr<Fabric> fabric_;
  std::uint64_t network_id_, instance_;
  bool beside_memory_;                        // another transport is more important for latency
  std::vector<std::unique_ptr<Peer>> peers_;  // by PeerId, as far as we have talked
  std::vector<Peer*> undecided_;              // those that progress has to look after
  std::vector<Peer*> newly_lost_;
  std::atomic<bool> look_now_{true};  // set without the process lock
  std::uint32_t quiet_turns_ = 0;
  std::uint32_t looks_ = 0;
  std::int64_t next_health_ns_ = 0;
  TransportInfo info_;
};

}  // namespace ompi_lite::btl::ofi
