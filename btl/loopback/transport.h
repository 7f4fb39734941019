// SPDX-License-Identifier: BSD-3-Clause
// Frames between ranks of one address space, for tests: deterministic, and as unkind as the test wants. Nothing waits for
// real time; a delay is counted in turns of progress.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "btl/btl.h"

namespace ompi_lite::btl::loopback {

// What goes wrong between the ranks. All of it follows from the seed.
struct Faults {
  std::uint32_t seed = 1;
  int delay_turns = 0;           // a frame is kept back for 0 to so many turns of the receiver
  bool shuffle_peers = false;    // the receiver takes its peers in another order in each turn
  int full_per_mille = 0;        // try_send answers `full` so often though there is room
  std::int64_t drop_after = -1;  // frames of one pair; all later ones vanish without a word
  std::int64_t cut_after = -1;   // frames of one pair; then the connection is lost on both sides
  std::size_t most_frames = 64;  // under way per pair; then `full`
  std::size_t max_frame = 4096;
  bool stream = false;    // large frames come in two parts, the second one a turn later, and land without a copy if they may
  bool one_sided = true;  // get works
  bool can_put = true;
  Count get_from = 1 << 20;     // TransportInfo: bytes
  Count share_from = kNever;    // both ends copy one message together; there is no shared word if this is never
  int put_fails_per_mille = 0;  // and get_fails: so often they report an error and copy nothing
  int get_fails_per_mille = 0;
  // If any: get and put reach these bytes alone, elsewhere they report an error, as a kernel does of memory that is not
  // there.
  std::span<const std::byte> reachable = {};
};

// The network between the ranks; outlives their transports. Any thread may be any rank: the network is locked inside.
class Network {
 public:
  explicit Network(int size, Faults faults = {});
  int size() const { return size_; }
  const Faults& faults() const { return faults_; }
  void cut(PeerId a, PeerId b);  // now, in both directions
  // Rings when something arrives for this rank.
  void set_bell(PeerId rank, Doorbell* bell);

 private:
  friend class LoopbackTransport;
  friend class LoopbackEndpoint;
  struct Frame {
    std::vector<std::byte> bytes;
    std::int64_t due;  // the receiver's turn
  };
  struct Pair {
    std::deque<Frame> frames;
    std::int64_t sent = 0;
    bool lost = false;
    bool told = false;  // to the receiver
  };
  Pair& pair(PeerId from, PeerId to) { return pairs_[static_cast<std::size_t>(from * size_ + to)]; }
  std::uint32_t random();
  bool unlucky(int per_mille);
  std::atomic<std::uint64_t>& word(PeerId from, PeerId to) { return words_[static_cast<std::size_t>(from * size_ + to)]; }
  Sent send(PeerId from, PeerId to, std::span<const std::byte> header, Pieces payload);

  std::mutex mutex_;
  int size_;
  Faults faults_;
  std::uint32_t random_state_;
  std::vector<Pair> pairs_;
  std::vector<std::atomic<std::uint64_t>> words_;  // Endpoint::shared_word
  std::vector<std::int64_t> turns_;                // of each rank
  std::vector<Doorbell*> bells_;
  std::vector<bool> left_;
};

// One rank's end. The frames of one pair keep their order whatever the faults are.
class LoopbackTransport final : public Transport {
 public:
  LoopbackTransport(Network& network, PeerId self);
  ~LoopbackTransport() override;

  const TransportInfo& info() const override { return info_; }
  std::vector<std::byte> address() const override;
  Result<std::unique_ptr<Endpoint>> connect(PeerId peer, Address address) override;
  bool progress(Receiver& receiver) override;

 private:
  struct Half {  // of a frame, that is still to come
    std::vector<std::byte> frame;
    Receiver::Landing landing;
    std::size_t landed = 0;
  };
  void take(PeerId from, std::vector<std::byte>&& frame, Receiver& receiver);
  bool take_other_half(PeerId from, Receiver& receiver);

  Network* network_;
  PeerId self_;
  TransportInfo info_;
  std::vector<std::optional<Half>> halves_;  // by peer
};

}  // namespace ompi_lite::btl::loopback
