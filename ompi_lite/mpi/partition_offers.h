// SPDX-License-Identifier: BSD-3-Clause
// How the two sides of partitioned communication find each other: every send tells its receiver once how it will send.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>

#include "ompi_lite/core/communicator.h"
#include "ompi_lite/core/request.h"

namespace ompi_lite::mpi {

// What travels, once for each MPI_Psend_init.
struct Offer {
  std::int32_t tag = 0;
  std::int32_t messages = 0;  // of each round; message i has the tag channel_tag(channel, i)
  std::uint32_t channel = 0;  // of the sender, on this communicator
  std::uint32_t zero = 0;
  std::int64_t message_bytes = 0;  // of every message but the last, which may be shorter
  std::int64_t total_bytes = 0;
};
static_assert(sizeof(Offer) == 32);

// Who waits for an offer. Owned by the application as a request.
struct OfferTaker {
  void (*matched)(OfferTaker& self, const Offer& offer) = nullptr;
};

// The offers of one communicator, matched with their takers by source and tag in the order in which both were made (MPI 5.0,
// section 4.2). Owned by the communicator, guarded by the process lock. It listens to a source only while somebody waits for
// that: offers that come early stay in the queue of unexpected messages, where their order is kept.
class OfferBook final : public Attachment {
 public:
  static OfferBook& of(Communicator& comm);

  std::uint32_t next_channel() { return next_channel_++; }
  Error expect(Communicator& comm, int source, int tag, OfferTaker& taker);
  // An error: the source is lost, nothing more will come.
  Error look(Communicator& comm, int source);  // takes in what has come; calls `matched`
  void forget(int source, OfferTaker& taker);  // it is freed; its place in the order stays

 private:
  struct Wanted {
    int tag;
    OfferTaker* taker;  // null: freed before it was matched
  };
  struct Source {
    std::deque<Wanted> wanted;
    std::deque<Offer> early;  // of tags that nobody has asked for yet
    int waiting = 0;          // of `wanted`, those that are not freed
    Request* listening = nullptr;
    Offer landing;
  };
  static Error listen(Communicator& comm, int source, Source& from);
  static void arrived(Source& from, const Offer& offer);

  std::unordered_map<int, Source> sources_;  // its elements stay where they are
  std::uint32_t next_channel_ = 0;
};

}  // namespace ompi_lite::mpi
