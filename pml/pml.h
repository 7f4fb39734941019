// SPDX-License-Identifier: BSD-3-Clause
// The point-to-point layer: matching and protocols over whatever transports there are.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "btl/btl.h"
#include "ompi_lite/base/blocking.h"
#include "ompi_lite/base/error.h"
#include "ompi_lite/base/list.h"
#include "ompi_lite/base/pool.h"
#include "ompi_lite/core/buffer.h"
#include "ompi_lite/core/call_signature.h"
#include "ompi_lite/core/communicator.h"
#include "ompi_lite/core/request.h"
#include "pml/bsend.h"
#include "pml/tickets.h"
#include "pml/way.h"

namespace ompi_lite::pml {

enum class SendMode : std::uint8_t { standard, buffered, synchronous, ready };

// A message taken out of the queues by mprobe; MPI_Message handles are its address.
struct Message;

class CollectiveLog;
struct Context;
struct Peer;
struct QueuedReply;
struct SendRequest;
struct ReceiveRequest;
struct MatchHeader;
struct AnnounceHeader;
struct ClearToSendHeader;
struct RecallHeader;
struct ShareHeader;
struct PlacedHeader;
struct ReplyHeader;
enum class SendStage : std::uint8_t;
enum class FrameKind : std::uint8_t;

// Whom, on what: dest or source is a rank of the communicator's remote group (MPI_PROC_NULL and, for receives,
// MPI_ANY_SOURCE and MPI_ANY_TAG allowed).
struct Envelope {
  Communicator& comm;
  int peer;
  int tag;
  Plane plane = Plane::point_to_point;
  CallSignature signature{};  // of the collective that the message is part of
};

// Where the other processes can be reached. Implemented by the runtime; asked once per peer, when we first send to it.
class AddressBook {
 public:
  virtual Result<std::vector<std::byte>> address(PeerId peer, const btl::Transport& transport) = 0;

 protected:
  ~AddressBook() = default;
};

// A request that no message completes by itself: each turn of progress asks whether it is done. Owned like any other
// request.
struct PolledRequest : Request, ListNode {
  bool (*is_done)(PolledRequest& self) = nullptr;
  explicit PolledRequest(RequestKind kind_of_request) : Request(kind_of_request) {}
};

// One per process. All calls need the process lock. Blocking calls turn Progress until done and may sleep (the lock is
// released while they do).
class Pml final : public btl::Receiver {
 public:
  // The transports in order of preference. All arguments outlive the Pml; its caller adds progress() to the pollers.
  Pml(PeerId self, std::span<const std::unique_ptr<btl::Transport>> transports, AddressBook& addresses, Blocking& blocking);
  ~Pml();
  Pml(const Pml&) = delete;
  Pml& operator=(const Pml&) = delete;

  Error send(SendMode mode, const Buffer& data, const Envelope& to);
  Error recv(const Buffer& data, const Envelope& from, MPI_Status* status);
  Error isend(SendMode mode, const Buffer& data, const Envelope& to, Request*& request);
  Error irecv(const Buffer& data, const Envelope& from, Request*& request);
  Error send_init(SendMode mode, const Buffer& data, const Envelope& to, Request*& request);
  Error recv_init(const Buffer& data, const Envelope& from, Request*& request);

  Error probe(const Envelope& from, MPI_Status* status);
  Error iprobe(const Envelope& from, bool& flag, MPI_Status* status);
  Error mprobe(const Envelope& from, Message*& message, MPI_Status* status);
  Error improbe(const Envelope& from, bool& flag, Message*& message, MPI_Status* status);
  // Both set message to nullptr. The message of a probe of MPI_PROC_NULL is no_process_message().
  Error mrecv(const Buffer& data, Message*& message, MPI_Status* status);
  Error imrecv(const Buffer& data, Message*& message, Request*& request);

  // The rank begins this collective, whose messages carry its number as their tag. What has come for another call under the
  // same number is found out now or when it comes: see collective_log.h.
  void begin_collective(Communicator& comm, int tag, CallSignature signature);
  // This rank has left that collective with an error: who still sends to it is answered as if it had received.
  void give_up_collective(Communicator& comm, int tag);
  // Asks the rank whether it is in the collective of the envelope too; whoever is not gets to know it.
  void ask(const Envelope& about);
  // Blocks until the request, a message of `with`, is done, or some rank turns out to be in another collective: then it is
  // given up first.
  void complete(Request& request, const Envelope& with);

  // Waits for a request that is active and not persistent, takes its completion and frees it.
  Error wait(Request& request, MPI_Status* status);

  // The buffers for buffered sends (MPI 5.0, section 3.6): of the process, of a session (new_session_state), of a
  // communicator. A size is not looked at for MPI_BUFFER_AUTOMATIC.
  BsendBuffer& bsend_buffer() { return bsend_; }
  BsendBuffer& bsend_buffer(Attachment& session);
  BsendBuffer& bsend_buffer(Communicator& comm);
  BsendBuffer& bsend_buffer_for(Communicator& comm);  // the one that a message on it takes
  Error attach_bsend_buffer(BsendBuffer& own, void* buffer, Count bytes);
  Error detach_bsend_buffer(BsendBuffer& own, void*& buffer, Count& bytes);  // waits until its messages have left
  Error flush_bsend_buffer(BsendBuffer& own);

  // Asks the request at each turn until it is done, then completes it.
  void watch(PolledRequest& request);

  void attach(Communicator& comm);  // gives a new communicator its queues: CommunicatorHome::attach
  Blocking& blocking() { return blocking_; }
  // Frames of messages that have come, and pieces that have left: for reports of hangs. Questions of compare.cc do not
  // count.
  const std::atomic<std::uint64_t>& moves() const { return moves_; }
  bool progress();  // sends what waited for room; true if something left
  // For finalize: returns when everything this process has to send has left it. A message that its receiver has not asked
  // for yet may still be wanted until the receiver finalizes too: where transports do not show that, until `all_finalize` is
  // set.
  void drain(const std::atomic<bool>* all_finalize = nullptr);
  void flush();  // returns when all that was queued has left

  // Another transport has come; the span in place of the first one.
  void set_transports(std::span<const std::unique_ptr<btl::Transport>> transports) { transports_ = transports; }
  // Nothing is under way to the peer or from it that we know of.
  bool idle(PeerId peer) const;
  // Forgets a peer that is idle; should it come again it begins anew.
  void drop_peer(PeerId peer);

  void on_frame(btl::PeerId from, std::span<const std::byte> frame) override;
  Landing on_begin(btl::PeerId from, std::span<const std::byte> begin, std::size_t bytes) override;
  std::byte* landing_place(std::uint64_t ticket) override;
  void on_landed(std::uint64_t ticket, std::size_t payload_bytes) override;
  void on_lost(btl::PeerId peer, Error why) override;

 private:
  friend struct ContextAttachment;
  friend struct RequestTables;

  // peers and contexts: pml.cc
  Peer& peer(PeerId id);
  Error connect(Peer& peer);
  Result<Peer*> reachable(PeerId id);
  Context& context(ContextId id);
  void drop_context(Context& context);
  void drop_messages(Context& context);
  bool flush(Peer& peer);
  bool on_whole_frame(PeerId from, std::span<const std::byte> frame);
  void mark_busy(Peer& peer);
  bool poll_watched();
  bool may_be_asked_for_messages();
  bool flushed() const;
  template <class Header>
  void reply(Peer& peer, const Header& header);

  // send.cc
  void prepare(SendRequest& request, SendMode mode, const Buffer& data, const Envelope& to, Peer& peer);
  void start(SendRequest& request);
  bool try_first_frame(SendRequest& request);  // false: no room
  bool try_stream(SendRequest& request);       // one frame; false: no room
  const std::byte* stage(SendRequest& request, Count bytes);
  void finish_send(SendRequest& request, Error error);
  Error send_slowly(SendMode mode, const Buffer& data, const Envelope& to, Peer& peer);
  Error send_buffered(SendRequest& original);
  // These return false if the frame is damaged: no request of ours to this peer waits for it.
  SendRequest* find_send(PeerId from, std::uint64_t ticket, SendStage stage) const;
  bool on_clear_to_send(PeerId from, const ClearToSendHeader& header);
  bool on_reply(PeerId from, const ReplyHeader& header);
  bool on_recalled(PeerId from, const ReplyHeader& header);
  void cancel(SendRequest& request);

  // recv.cc
  void prepare(ReceiveRequest& request, const Buffer& data, const Envelope& from);
  void start(ReceiveRequest& request);
  bool on_match(PeerId from, std::span<const std::byte> frame);  // false: damaged
  void deliver(ReceiveRequest& request, int source, int tag, std::span<const std::byte> payload);
  void match_reply(Peer& to, std::uint64_t send_request);
  void finish_receive(ReceiveRequest& request, Error error);
  void keep_unexpected(Context& context, Peer& from, std::span<const std::byte> frame);
  void release_sender(Peer& from, FrameKind kind, std::uint64_t send_request);
  void accept(ReceiveRequest& request, Message& message);  // and frees the message
  void use_device(ReceiveRequest& request);                // if that is where its buffer lies
  Error begin_pieces(ReceiveRequest& request);
  void put_piece(ReceiveRequest& request, std::span<const std::byte> bytes);

  // compare.cc
  void tell(FrameKind kind, const Envelope& about);
  bool on_comparison(const MatchHeader& header);
  // `raised_there`: the other rank gets the error of a difference in any case.
  void compare_calls(Context& context, const MatchHeader& header, bool raised_there);
  void refuse(ReceiveRequest& request, Peer& from, int source, FrameKind kind, std::uint64_t send_request,
              CallSignature theirs);

  Error lost_source(Communicator& comm, int source);
  void on_recall(Peer& from, const RecallHeader& header);

  // rendezvous.cc
  // `readable` and `exported`: where the message lies, in host memory or in a device's, if that can be read from here.
  void begin_large(ReceiveRequest& request, Peer& from, int source, int tag, std::uint64_t send_request, Count bytes,
                   const btl::RemoteRegion* readable, std::span<const std::byte> exported);
  bool fetch(ReceiveRequest& request, const btl::RemoteRegion& region);
  void on_fetched(ReceiveRequest& request, Error result);
  void ask_for_frames(ReceiveRequest& request);
  bool on_data(PeerId from, std::span<const std::byte> frame);  // false: damaged
  void received_more(ReceiveRequest& request, Count bytes);

  // landing.cc
  std::uint64_t land_data(PeerId from, std::uint64_t ticket, Count payload) const;
  std::uint64_t land_eager(PeerId from, const MatchHeader& header, Count payload);

  // device.cc
  bool fetch_from_device(ReceiveRequest& request, std::span<const std::byte> exported);
  bool poll_device_fetches();

  // shared_copy.cc
  bool fetch_shared(ReceiveRequest& request, const btl::RemoteRegion& region);
  void end_shared(ReceiveRequest& request, std::int64_t sender_ended_ns);
  bool on_share(PeerId from, const ShareHeader& header);    // false: damaged
  bool on_placed(PeerId from, const PlacedHeader& header);  // false: damaged

  // probe.cc
  Message* find_unexpected(const Envelope& from);
  Message* look_for(const Envelope& from);
  Result<Message*> wait_for(const Envelope& from);
  void take_out(const Envelope& from, Message& message);
  void begin_matched(ReceiveRequest& request, Message& message);

  const PeerId self_;
  std::span<const std::unique_ptr<btl::Transport>> transports_;
  AddressBook& addresses_;
  Blocking& blocking_;

  std::vector<std::unique_ptr<Peer>> peers_;  // by PeerId, as far as we have talked
  List<Peer> busy_;
  List<PolledRequest> watched_;
  std::vector<ReceiveRequest*> device_fetches_;  // being copied by a device
  std::unordered_map<ContextId, std::unique_ptr<Context>> contexts_;
  Context* last_context_ = nullptr;  // where the last frame went: most go to the same
  bool any_lost_ = false;
  void moved() { moves_.store(moves_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }  // under the lock
  std::atomic<std::uint64_t> moves_{0};
  std::atomic<std::uint64_t> arrivals_{0};     // rises with each unexpected message and lost peer: what probes wait for
  std::atomic<std::uint64_t> bsends_left_{0};  // rises with each buffered message that has left

  std::vector<std::byte> staging_;  // packed bytes of the send staged_for_, from position staged_at_
  const SendRequest* staged_for_ = nullptr;
  Count staged_at_ = 0, staged_bytes_ = 0;

  WayChoice ways_;
  Tickets tickets_;
  BsendBuffer bsend_;
  Pool<SendRequest> sends_;
  Pool<ReceiveRequest> receives_;
  Pool<QueuedReply> replies_;
};

// The Pml that serves a communicator.
Pml& of(Communicator& comm);

// What hangs on a session: its buffer for buffered sends. Kept by the session and by the groups that stem from it.
std::shared_ptr<Attachment> new_session_state();

// What this rank knows of the collectives on it.
CollectiveLog& log_of(Communicator& comm);

// What mprobe of MPI_PROC_NULL gives: MPI_MESSAGE_NO_PROC. One per address space.
Message& no_process_message();

}  // namespace ompi_lite::pml
