// SPDX-License-Identifier: BSD-3-Clause
// Every byte that one pml sends to another: the headers of all frames, on one page. README.md shows who sends which, and
// when.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "ompi_lite/core/call_signature.h"
#include "ompi_lite/core/communicator.h"

namespace ompi_lite::pml {

// All processes of a job run the same build on machines of one byte order, so headers travel as they lie in memory.
enum class FrameKind : std::uint8_t {
  eager = 1,      // Envelope header, then the whole message
  eager_sync,     // the same, and the sender wants to know when it was matched
  announce,       // Envelope header, size and place of a large message: "I have this for you"
  clear_to_send,  // receiver to sender: matched, send so many bytes to this request
  data,           // a piece of a large message, in order
  matched,        // receiver to sender: the message behind an eager_sync was matched
  fetched,        // receiver to sender: I have read all that I wanted of a large message where it lay
  share,          // receiver to sender: matched, copy it with me, from the back, to this address
  placed,         // sender to receiver: what I copied is there
  recall,         // sender to receiver: if nobody has asked for this announce or eager_sync yet, forget it
  recalled,       // receiver to sender: it is forgotten. A message that was matched is answered as always instead
  compare,        // MatchHeader: "I wait for you in this collective": is the other in the same?
  differs,        // MatchHeader: the answer, or unasked: "no, I am in this one"
};

// What matching needs. First bytes of eager, eager_sync and announce.
struct MatchHeader {
  FrameKind kind;
  std::uint8_t signature_high[3] = {};
  std::int32_t source;    // rank of the sender in its group of the communicator
  std::uint64_t context;  // id of the communicator, bit 0: the plane
  // Of a collective: its number on the communicator. Below 0 only far below the wildcards: coll/group_messages.h
  std::int32_t tag;
  std::uint32_t signature_low = 0;

  // Of the collective that the message is part of; all zero: none, or nobody compares.
  CallSignature signature() const {
    return CallSignature::from_word(signature_low | std::uint64_t{signature_high[0]} << 32 |
                                    std::uint64_t{signature_high[1]} << 40 | std::uint64_t{signature_high[2]} << 48);
  }
  void set_signature(CallSignature signature) {
    const std::uint64_t word = signature.word();
    signature_low = static_cast<std::uint32_t>(word);
    signature_high[0] = static_cast<std::uint8_t>(word >> 32);
    signature_high[1] = static_cast<std::uint8_t>(word >> 40);
    signature_high[2] = static_cast<std::uint8_t>(word >> 48);
  }
};
static_assert(sizeof(MatchHeader) == 24);

struct EagerSyncHeader {
  MatchHeader match;
  std::uint64_t send_request;  // the sender's ticket (tickets.h), as everywhere below; comes back in matched
};
static_assert(sizeof(EagerSyncHeader) == 32);

// What a receiver can do with an announced message beside asking for it.
enum class Place : std::uint8_t {
  hidden,    // nothing
  readable,  // the sender allows the receiver to get it
  device,    // it lies in device memory, and an Export (core/device_data.h) follows that says where
};

struct AnnounceHeader {
  MatchHeader match;
  std::uint64_t send_request;
  std::int64_t bytes;          // of the whole message
  std::uint64_t address, key;  // where it lies in one piece, if readable
  std::uint64_t place;         // a Place
};
static_assert(sizeof(AnnounceHeader) == 64);

struct ClearToSendHeader {
  FrameKind kind = FrameKind::clear_to_send;
  std::uint8_t zero[7] = {};
  std::uint64_t send_request, receive_request;
  std::int64_t bytes;  // how much the receiver has room for; less than announced: send no more than that
};
static_assert(sizeof(ClearToSendHeader) == 32);

struct DataHeader {
  FrameKind kind = FrameKind::data;
  std::uint8_t failed = 0;  // 1: the sender cannot read the rest; nothing more comes
  std::uint8_t zero[6] = {};
  std::uint64_t receive_request;
};
static_assert(sizeof(DataHeader) == 16);

struct ShareHeader {
  FrameKind kind = FrameKind::share;
  std::uint8_t zero[3] = {};
  std::uint32_t generation;  // of the word that says who copies what: sharing.h
  std::uint64_t send_request, receive_request;
  std::int64_t bytes;  // that the receiver takes, as in clear_to_send
  std::uint64_t address;
};
static_assert(sizeof(ShareHeader) == 40);

struct PlacedHeader {
  FrameKind kind = FrameKind::placed;
  std::uint8_t failed = 0;  // 1: not all of it; ask for frames
  std::uint8_t zero[6] = {};
  std::uint64_t receive_request;
  std::int64_t ended_ns;  // by the clock of the node, for learning alone
};
static_assert(sizeof(PlacedHeader) == 24);

// matched, fetched and recalled
struct ReplyHeader {
  FrameKind kind;
  std::uint8_t zero[7] = {};
  std::uint64_t send_request;
};
static_assert(sizeof(ReplyHeader) == 16);

struct RecallHeader {
  FrameKind kind = FrameKind::recall;
  std::uint8_t zero[7] = {};
  std::uint64_t send_request;
  std::uint64_t context;
};
static_assert(sizeof(RecallHeader) == 24);

// How much a frame of this kind has at least; 0: there is no such kind.
constexpr std::size_t header_bytes(FrameKind kind) {
  constexpr std::uint8_t bytes[] = {0,
                                    sizeof(MatchHeader),
                                    sizeof(EagerSyncHeader),
                                    sizeof(AnnounceHeader),
                                    sizeof(ClearToSendHeader),
                                    sizeof(DataHeader),
                                    sizeof(ReplyHeader),
                                    sizeof(ReplyHeader),
                                    sizeof(ShareHeader),
                                    sizeof(PlacedHeader),
                                    sizeof(RecallHeader),
                                    sizeof(ReplyHeader),
                                    sizeof(MatchHeader),
                                    sizeof(MatchHeader)};
  const auto index = static_cast<std::size_t>(kind);
  return index < std::size(bytes) ? bytes[index] : 0;
}
static_assert(header_bytes(FrameKind::differs) == sizeof(MatchHeader));

inline constexpr std::size_t kLargestHeader = sizeof(AnnounceHeader);
inline constexpr std::size_t kLargestReply = sizeof(ShareHeader);

}  // namespace ompi_lite::pml
