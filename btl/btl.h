// SPDX-License-Identifier: BSD-3-Clause
// The contract of a transport: it moves frames, in order, between two processes. It knows no tag, no type, no communicator.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "ompi_lite/base/count_span.h"
#include "ompi_lite/base/error.h"
#include "ompi_lite/base/knob.h"
#include "ompi_lite/base/process_name.h"
#include "ompi_lite/base/segment.h"
#include "ompi_lite/base/wait.h"

namespace ompi_lite::btl {

using PeerId = std::int32_t;  // index in the table of all that this process knows: its world's ranks first, oneself included
using Address = std::span<const std::byte>;

struct Piece {
  const std::byte* data;
  std::size_t bytes;
};
using Pieces = std::span<const Piece>;  // a payload gathered from several places; pieces of 0 bytes are allowed

// What comes up. Called from within Transport::progress only, on the thread that called it. May call try_send, get and put,
// of any endpoint, but no progress.
class Receiver {
 public:
  // Header and payload in one piece, at an address that is a multiple of 8, valid during the call. Taken when it returns.
  virtual void on_frame(PeerId from, std::span<const std::byte> frame) = 0;
  // For transports that read from a stream: a large frame has begun to come. What follows its header may go where it belongs
  // without a copy: the answer is a ticket for that and the size of the header, or 0, and then it comes whole as on_frame.
  // After a ticket on_landed comes in its place, unless the peer is lost. `begin`: at least kBegin bytes of it.
  struct Landing {
    std::uint64_t ticket = 0;
    std::size_t header = 0;
  };
  static constexpr std::size_t kBegin = 64;
  virtual Landing on_begin(PeerId /*from*/, std::span<const std::byte> /*begin*/, std::size_t /*bytes*/) { return {}; }
  // Where the payload goes; asked again before each part of it. Null: whoever wanted it has ended, drop it.
  virtual std::byte* landing_place(std::uint64_t /*ticket*/) { return nullptr; }
  virtual void on_landed(std::uint64_t /*ticket*/, std::size_t /*payload_bytes*/) {}
  // No frame will come from this peer or reach it any more, and it did not say goodbye. At most once per peer and transport.
  virtual void on_lost(PeerId peer, Error why) = 0;

 protected:
  ~Receiver() = default;
};

enum class Sent {
  yes,   // the bytes are copied or queued: the caller may reuse them
  full,  // nothing was taken: turn progress, then try again
  dead,  // the peer is lost or has left
};

inline constexpr Count kNever = std::numeric_limits<Count>::max();  // as a size from which on something is done

struct TransportInfo {
  const char* name;
  std::size_t max_frame;    // bytes of header and payload together
  std::size_t small_frame;  // up to here a frame is cheapest (it fits one cell or segment)
  std::size_t bulk_frame;   // good size of the frames of a large message: small ones fill the pipe sooner, this is the most
  bool stream = false;      // the receiver takes a frame while it is still being sent: the first may be as large as any
  bool one_sided;           // get (and put) exist; a peer may still refuse them
  Count learn_from;         // from here on it depends on the machine whether get or frames are faster: try both
  Count get_from;           // from here on get is better
  Count share_from;         // from here on both ends may copy one message at the same time: shared_word, get and put exist
  std::int32_t latency_ns;  // rough cost, for the order of preference between transports
  std::int32_t bytes_per_us;
};

struct RemoteRegion {
  std::uint64_t address;
  std::uint64_t bytes;
  std::uint64_t key;  // what the owner's transport gave out for it; 0 where none is needed
};
struct LocalRegion {
  std::byte* data;
  std::size_t bytes;
};

// Embedded in the request of whoever starts a get or put.
struct Completion {
  void (*done)(Completion& self, Error result);  // may be called before get or put returns
};

// The way to one peer. Owned by whoever called connect; dies before its transport.
class Endpoint {
 public:
  virtual ~Endpoint() = default;
  // header + payload <= max_frame. Frames arrive in the order in which `yes` was answered.
  virtual Sent try_send(std::span<const std::byte> header, Pieces payload) = 0;
  // Copy the peer's memory here, or ours there. An Error of class unsupported_operation means "refused, now and later: send
  // frames instead"; then `done` is not called. No bytes: only asks whether it is refused.
  virtual Error get(const RemoteRegion& from, const LocalRegion& to, Completion& completion);
  virtual Error put(const Piece& from, const RemoteRegion& to, Completion& completion);
  // The peer has begun to finalize: what it has not received by now it will never receive. False where nobody can tell.
  virtual bool peer_leaves() const { return false; }
  // A word that we and the peer both see, one per direction, zero at first: for dividing the work of one copy. Null where
  // there is none, or none yet. A transport that has one calls `done` before get and put return.
  enum class Direction { outgoing, incoming };
  virtual std::atomic<std::uint64_t>* shared_word(Direction) { return nullptr; }
};

// One per Process and kind of transport. Not locked: the caller holds what guards the Process, for its endpoints too.
class Transport {
 public:
  virtual ~Transport() = default;  // says goodbye to all peers
  virtual const TransportInfo& info() const = 0;
  virtual std::vector<std::byte> address() const = 0;  // what the bootstrap publishes for the other processes
  // Cheap: a connection is made by the first send. An Error means that this transport does not reach the peer: try the next
  // one.
  virtual Result<std::unique_ptr<Endpoint>> connect(PeerId peer, Address address) = 0;
  virtual bool progress(Receiver& receiver) = 0;      // looks once; true if something moved
  virtual bool drained() const { return true; }       // all that was queued has left: finalize turns progress until then
  virtual PollSet* descriptors() { return nullptr; }  // what a sleeping waiter has to poll
  // For a peer that nobody needs any more and whose endpoint is gone: ends the connection, in order, and forgets the peer. It may
  // come again, unless this process leaves `for_ever`. True when nothing is left of it here; else call it again.
  virtual bool part(PeerId, bool /*for_ever*/) { return true; }
  virtual void expect_callers(bool) {}  // whether strangers are likely to connect
};

// Who the peers are outside of this process's table. Implemented by the runtime. Without one all are of the same world and
// know the job's secret.
class Directory {
 public:
  virtual ProcessName name(PeerId peer) const = 0;
  virtual PeerId find(const ProcessName& name) const = 0;  // -1: not known
  virtual Secret secret(PeerId peer) const = 0;  // of those who know each other
  // Strangers call at a port, a number that was made known with a secret of its own: see MPI_Open_port. `port_of`: at which
  // one this process calls the peer; 0: they know each other.
  virtual std::uint64_t port_of(PeerId peer) const = 0;
  virtual Secret secret_of_call(PeerId peer) const = 0;  // of that port
  virtual const Secret* port_secret(std::uint64_t port) const = 0;        // null: there is no such port here
  virtual PeerId admit(const ProcessName& name, std::uint64_t port) = 0;  // who has proven that it knows the secret

 protected:
  ~Directory() = default;
};

// What the transports of a Process are built from. All of it outlives them.
struct Setup {
  PeerId self = 0;
  Segment* segment = nullptr;                // null: no shared memory
  std::span<const PeerId> local_peers = {};  // by local rank, oneself included
  Secret job_secret{};                       // known to the processes of the job alone
  Directory* directory = nullptr;            // null: all processes are of one world
  bool beyond_memory = false;                // the job has processes that do not share this segment, or may get some
};

// The transports of this process in order of preference: self, shm, tcp, as far as the knob `transports` wants them and the
// machine has them. The list stands in transports.cc.
Result<std::vector<std::unique_ptr<Transport>>> make_transports(const Setup& setup);

// The one for processes that share no memory, where the others were made without it.
Result<std::unique_ptr<Transport>> make_network_transport(const Setup& setup);

KnobGroup btl_knobs();  // the knobs of transports.cc; each transport has its own group: shm::knobs(), tcp::knobs()

}  // namespace ompi_lite::btl
