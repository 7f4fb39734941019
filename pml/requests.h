// SPDX-License-Identifier: BSD-3-Clause
// What a message is while it is under way: the requests of both sides, and the message that came before its receive.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "btl/btl.h"
#include "ompi_lite/base/list.h"
#include "ompi_lite/core/buffer.h"
#include "ompi_lite/core/device_data.h"
#include "ompi_lite/core/pack.h"
#include "ompi_lite/core/request.h"
#include "pml/frame.h"
#include "pml/match.h"
#include "pml/pml.h"

namespace ompi_lite::pml {

struct Peer;
struct Context;

// Something that waits for room on the way to a peer: the first frame of a send, or a reply.
struct Outgoing : ListNode {
  bool is_request;
  explicit Outgoing(bool request) : is_request(request) {}
};

// A reply that found the way full. Owned by the pool of the Pml.
struct QueuedReply : Outgoing {
  std::size_t bytes = 0;
  alignas(8) std::byte header[kLargestReply];
  QueuedReply() : Outgoing(false) {}
};

// Where a send stands. While it is under way it is in the list of its peer that this names.
enum class SendStage : std::uint8_t {
  idle,       // not started, or complete
  queued,     // its first frame waits for room:                  Peer::outgoing
  awaiting,   // the first frame has left, the receiver answers:  Peer::awaiting
  streaming,  // the pieces follow one another:                   Peer::streams
};

// In the pool of the Pml, or on the stack of a blocking call.
struct SendRequest : Request, Outgoing {
  Pml* pml;
  Peer* peer = nullptr;
  SendMode mode = SendMode::standard;
  SendStage stage = SendStage::idle;
  bool holds_objects = false;  // references to comm and type are ours to give back
  bool asked_again = false;    // our part of a shared copy failed: clear_to_send will come after `fetched`
  MatchHeader header{};        // kind is set when it starts
  Buffer data;
  const std::byte* start = nullptr;  // the data in one piece, or null: then `cursor` packs it
  Count bytes = 0;                   // left: whole message; after clear_to_send: what the receiver takes
  Count sent = 0;
  std::uint64_t ticket = 0;           // what our frames call it; 0: none has left that wants an answer
  std::uint64_t receive_request = 0;  // the receiver's ticket
  BsendBuffer* bsend = nullptr;       // a copy of a buffered message: whose space, and where
  std::byte* bsend_space = nullptr;
  std::optional<PackCursor> cursor;
  std::unique_ptr<DeviceData> device;  // in place of `start` and `cursor`, where the data lie in device memory

  explicit SendRequest(Pml& owner) : Request(RequestKind::send), Outgoing(true), pml(&owner) {}
};

// In the pool of the Pml, or on the stack of a blocking call. source and tag of MatchEntry are what was asked for.
struct ReceiveRequest : Request, MatchEntry, ListNode {
  Pml* pml;
  Context* context = nullptr;
  Plane plane = Plane::point_to_point;
  CallSignature signature;  // of the collective that it is part of
  bool posted = false;      // in the posted list
  bool receiving = false;   // matched with a large message that is on its way: in Peer::receiving
  bool holds_objects = false;
  bool sharing = false;  // being copied by both sides
  bool refetch = false;  // that failed: frames are asked for when the sender is done with its part
  Peer* peer = nullptr;  // while receiving
  Buffer data;
  std::byte* start = nullptr;
  Count room = 0;       // bytes that the buffer takes
  Count announced = 0;  // bytes that the sender has
  Count expected = 0, received = 0;
  std::uint64_t send_request = 0;  // the sender's ticket
  std::uint64_t ticket = 0;        // ours, once we have asked for frames or for help
  std::int64_t began_ns = 0;       // when one of several ways was taken, to learn which is fastest; 0: there was no choice
  std::int64_t ended_ns = 0;       // when our own part of a shared copy was done
  struct Fetch : btl::Completion {
    ReceiveRequest* request;
  } fetch;
  std::optional<PackCursor> cursor;
  std::unique_ptr<DeviceData> device;  // in place of `start` and `cursor`, where the buffer lies in device memory

  explicit ReceiveRequest(Pml& owner) : Request(RequestKind::receive), pml(&owner) {}
};

// A message that came before its receive; an eager one is followed in memory by its bytes. Made by new_message, owned by the
// unexpected list, then by whoever took it out (a receive, or the application after mprobe).
struct Message : Object, MatchEntry {
  Pml* pml = nullptr;
  Peer* peer = nullptr;
  Communicator* comm = nullptr;  // set and held by mprobe
  FrameKind frame_kind = FrameKind::eager;
  Place place = Place::hidden;
  Count bytes = 0;
  std::uint64_t send_request = 0, address = 0, key = 0;
  std::size_t exported = 0;  // bytes that follow an announce: where it lies in device memory
  CallSignature signature;

  Message() : Object(ObjectKind::message) {}
  explicit Message(std::uintptr_t predefined_handle) : Object(ObjectKind::message, predefined_handle) {}
  const std::byte* payload() const { return reinterpret_cast<const std::byte*>(this + 1); }
  std::byte* payload() { return reinterpret_cast<std::byte*>(this + 1); }
};

Message* new_message(std::size_t payload_bytes);  // null: no memory
void free_message(Message& message);

}  // namespace ompi_lite::pml
