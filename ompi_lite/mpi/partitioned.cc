// SPDX-License-Identifier: BSD-3-Clause
// Partitioned communication over ordinary messages that no program sees. A round of a send is cut into one message for each
// partition, or for a few neighbours where there are very many; each leaves as soon as its partitions are ready. The
// receiver learns the cut from the offer (partition_offers.h) and posts one receive for each message, whatever its own
// partitions are.
#include "ompi_lite/mpi/partitioned.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "coll/group_messages.h"
#include "ompi_lite/base/blocking.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/buffer.h"
#include "ompi_lite/core/pack.h"
#include "ompi_lite/core/staging.h"
#include "ompi_lite/mpi/partition_offers.h"
#include "pml/pml.h"

namespace ompi_lite::mpi {
namespace {

// What both sides have. Persistent requests of the pml stand behind it, one for each message.
struct Partitioned : pml::PolledRequest {
  bool sends = false;
  Buffer data;  // of all partitions
  Count partition_bytes = 0;
  int partitions = 0, peer = 0, tag = 0;
  std::vector<Request*> messages;
  std::size_t taken = 0;  // of this round: the messages before it are complete and taken

  Partitioned() : PolledRequest(RequestKind::partitioned) {
    persistent = true;
    active = false;
  }
  pml::Pml& pml() { return pml::of(*comm); }

  void begin_round() {
    complete.store(false, std::memory_order_relaxed);  // nobody waits for it yet
    active = true;
    error = {};
    taken = 0;
    pml().watch(*this);
  }
  void note(const Error& of_message) {
    if (of_message && !error) error = Error(of_message.error_class(), "a message of a partitioned operation failed");
  }
  void let_go() {
    for (Request* message : messages) release(message);
    if (!data.type->predefined) release(data.type);
    if (!comm->predefined) release(comm);
  }
};

Error no_cancel(Request&) { return Error(ErrorClass::request, "partitioned communication cannot be cancelled"); }
Error result_of(Request& request) { return request.error; }

Error set_up(Partitioned& made, const void* buf, int partitions, Count count, Datatype& datatype, int peer, int tag,
             Communicator& comm) {
  Count elements = 0, bytes = 0;
  if (__builtin_mul_overflow(Count{partitions}, count, &elements) ||
      __builtin_mul_overflow(elements, datatype.size(), &bytes))
    return make_error(ErrorClass::count, "%d partitions of %lld elements are more than can be counted", partitions,
                      static_cast<long long>(count));
  if (buf == nullptr && bytes > 0 && datatype.true_lb() >= 0 && datatype.true_lb() < 4096)
    return make_error(ErrorClass::buffer, "buf is a null pointer, but there are %lld bytes of data",
                      static_cast<long long>(bytes));
  made.data = Buffer(buf, elements, &datatype);
  made.partition_bytes = count * datatype.size();
  made.partitions = partitions;
  made.peer = peer;
  made.tag = tag;
  made.comm = comm.predefined ? &comm : retain(&comm);
  made.blocking = &pml::of(comm).blocking();
  if (!datatype.predefined) retain(&datatype);
  return {};
}

// `elements` of the buffer from the element `first` on.
Buffer part_of(const Buffer& whole, Count first, Count elements) {
  return Buffer(whole.data + first * whole.type->extent(), elements, whole.type);
}

// ---- sending ----

struct PartitionedSend final : Partitioned {
  int in_message = 1;        // partitions in each message but the last
  std::vector<bool> ready;   // by partition
  std::vector<int> missing;  // by message: its partitions that are not ready
  int ready_partitions = 0;
  Offer offer;
  Request* offering = nullptr;

  int partitions_of(std::size_t message) const {
    return std::min(in_message, partitions - static_cast<int>(message) * in_message);
  }

  Error make_messages(Count count) {
    const auto most = static_cast<int>(coll::kMessagesPerChannel);
    in_message = (partitions + most - 1) / most;
    const int number = partitions == 0 ? 0 : (partitions + in_message - 1) / in_message;
    offer = {
        tag, number, OfferBook::of(*comm).next_channel(), 0, partition_bytes * in_message, partition_bytes * partitions};
    for (int i = 0; i < number; ++i) {
      const Count elements = partitions_of(static_cast<std::size_t>(i)) * count;
      Request* message = nullptr;
      const int hidden_tag = coll::channel_tag(offer.channel, static_cast<unsigned>(i));
      OL_TRY(pml().send_init(pml::SendMode::standard, part_of(data, Count{i} * in_message * count, elements),
                             {*comm, peer, hidden_tag, Plane::collective}, message));
      messages.push_back(message);
    }
    const Buffer offered(&offer, sizeof offer, &datatype_of(MPI_BYTE));
    return pml().isend(pml::SendMode::standard, offered, {*comm, peer, coll::kOfferTag, Plane::collective}, offering);
  }

  void start_round() {
    set_status_empty(status);
    ready.assign(static_cast<std::size_t>(partitions), false);
    ready_partitions = 0;
    missing.resize(messages.size());
    for (std::size_t i = 0; i < messages.size(); ++i) missing[i] = partitions_of(i);
    begin_round();
  }

  Error mark(int partition) {
    const Count elements = data.count / partitions;
    OL_TRY(stage_in_part(*this, partition * elements, elements));
    ready[static_cast<std::size_t>(partition)] = true;
    ++ready_partitions;
    if (messages.empty()) return {};  // to MPI_PROC_NULL
    const auto message = static_cast<std::size_t>(partition / in_message);
    return --missing[message] == 0 ? messages[message]->ops->start(*messages[message]) : Error();
  }

  bool round_is_done() {
    if (ready_partitions < partitions) return false;
    while (taken < messages.size() && messages[taken]->done()) note(take_completion(messages[taken++], nullptr));
    return taken == messages.size();
  }
};

constexpr RequestOps kSend = {
    .start =
        [](Request& request) {
          static_cast<PartitionedSend&>(request).start_round();
          return Error();
        },
    .cancel = no_cancel,
    .finish = result_of,
    .destroy =
        [](Request& request) {
          auto& own = static_cast<PartitionedSend&>(request);
          if (own.offering != nullptr) static_cast<void>(own.pml().wait(*own.offering, nullptr));
          own.let_go();
          delete &own;
        },
};

// ---- receiving ----

struct PartitionedReceive final : Partitioned, OfferTaker {
  Offer offer;
  bool known = false;   // the offer has come
  bool posted = false;  // the receives of this round
  Count received = 0;
  // Messages that end inside an element of a buffer that is not in one piece land here first.
  std::unique_ptr<std::byte[]> landing;
  std::vector<bool> lands;  // by message; becomes false when it is unpacked

  Count begin_of(std::size_t message) const {
    return std::min(static_cast<Count>(message) * offer.message_bytes, pack_size(data));
  }
  Count end_of(std::size_t message) const {
    const bool last = message + 1 == static_cast<std::size_t>(offer.messages);
    return last ? std::min(offer.total_bytes, pack_size(data)) : begin_of(message + 1);
  }
  bool must_land(std::size_t message) const {
    const Count size = data.type->size();
    return contiguous_start(data) == nullptr && size > 0 && (begin_of(message) % size != 0 || end_of(message) % size != 0);
  }

  Buffer place_of(std::size_t message) {
    const Count begin = begin_of(message), bytes = end_of(message) - begin, size = data.type->size();
    Datatype* byte = &datatype_of(MPI_BYTE);
    if (bytes == 0) return Buffer(nullptr, 0, byte);
    if (const std::byte* start = contiguous_start(data)) return Buffer(start + begin, bytes, byte);
    if (!must_land(message)) return part_of(data, begin / size, bytes / size);
    if (!landing) landing = std::make_unique<std::byte[]>(static_cast<std::size_t>(pack_size(data)));
    return Buffer(landing.get() + begin, bytes, byte);
  }

  void take_offer(const Offer& came) {
    offer = came;
    known = true;
    for (std::size_t i = 0; i < static_cast<std::size_t>(offer.messages); ++i) {
      Request* message = nullptr;
      const int hidden_tag = coll::channel_tag(offer.channel, static_cast<unsigned>(i));
      note(pml().recv_init(place_of(i), {*comm, peer, hidden_tag, Plane::collective}, message));
      messages.push_back(message);
    }
    if (active) post();
  }

  void post() {
    posted = true;
    lands.resize(messages.size());
    for (std::size_t i = 0; i < messages.size(); ++i) lands[i] = must_land(i);
    for (Request* message : messages) note(message->ops->start(*message));
  }

  void start_round() {
    posted = false;
    received = 0;
    begin_round();
    if (known) post();
  }

  // The message is done: its data are where the application wants them.
  void settle(std::size_t message) {
    if (!lands[message]) return;
    lands[message] = false;
    PackCursor cursor(data);
    cursor.seek(begin_of(message));
    cursor.unpack(landing.get() + begin_of(message), static_cast<std::size_t>(end_of(message) - begin_of(message)));
  }

  bool round_is_done() {
    if (peer == MPI_PROC_NULL) {
      set_status_proc_null(status);
      return true;
    }
    if (!known) note(OfferBook::of(*comm).look(*comm, peer));
    if (!known && error) return true;  // the sender is lost
    if (!posted) return false;
    for (; taken < messages.size() && messages[taken]->done(); ++taken) {
      settle(taken);
      received += end_of(taken) - begin_of(taken);
      note(take_completion(messages[taken], nullptr));
    }
    set_status(status, peer, tag, received);
    return taken == messages.size();
  }

  struct MessageRange {
    std::size_t begin, end;
  };
  // The messages that bring a partition, once the offer is known. An empty partition comes like another: where there are no
  // data they are spread evenly over the messages.
  MessageRange messages_of(int partition) const {
    const Count begin = partition * partition_bytes, end = std::min(begin + partition_bytes, offer.total_bytes);
    if (begin < end)
      return {static_cast<std::size_t>(begin / offer.message_bytes),
              static_cast<std::size_t>((end - 1) / offer.message_bytes) + 1};
    if (partition_bytes > 0) return {0, messages.size()};  // beyond what the sender has
    const auto all = static_cast<std::size_t>(partitions), index = static_cast<std::size_t>(partition);
    return {index * messages.size() / all, ((index + 1) * messages.size() + all - 1) / all};
  }

  bool has(int partition) {
    if (done() || peer == MPI_PROC_NULL) return true;
    if (!posted) return false;  // each turn of progress looks for the offer
    const MessageRange range = messages_of(partition);
    for (std::size_t i = range.begin; i < range.end; ++i) {
      if (i >= taken && !messages[i]->done()) return false;
      settle(i);
    }
    return true;
  }
};

constexpr RequestOps kReceive = {
    .start =
        [](Request& request) {
          static_cast<PartitionedReceive&>(request).start_round();
          return Error();
        },
    .cancel = no_cancel,
    .finish =
        [](Request& request) {
          const auto& own = static_cast<PartitionedReceive&>(request);
          if (own.error.error_class() != ErrorClass::truncate) return own.error;
          return make_error(ErrorClass::truncate,
                            "the partitioned send from rank %d with tag %d has %lld bytes, the receive has room for %lld",
                            own.peer, own.tag, static_cast<long long>(own.offer.total_bytes),
                            static_cast<long long>(pack_size(own.data)));
        },
    .destroy =
        [](Request& request) {
          auto& own = static_cast<PartitionedReceive&>(request);
          if (!own.known && own.peer != MPI_PROC_NULL) OfferBook::of(*own.comm).forget(own.peer, own);
          own.let_go();
          delete &own;
        },
};

// ---- arguments ----

Error check_partition(const Partitioned& request, int partition) {
  if (partition >= 0 && partition < request.partitions) return {};
  return make_error(ErrorClass::arg, "there is no partition %d: the request has %d partitions", partition,
                    request.partitions);
}

Result<PartitionedSend*> active_send(Request& request) {
  if (request.request_kind != RequestKind::partitioned || !static_cast<Partitioned&>(request).sends)
    return Error(ErrorClass::request, "the request is not a partitioned send");
  if (!request.active) return Error(ErrorClass::request, "the partitioned send is not active");
  return static_cast<PartitionedSend*>(&request);
}

Error check_not_ready(const PartitionedSend& send, int partition) {
  OL_TRY(check_partition(send, partition));
  if (!send.ready[static_cast<std::size_t>(partition)]) return {};
  return make_error(ErrorClass::arg, "partition %d is marked as ready already", partition);
}

}  // namespace

Error psend_init(const void* buf, int partitions, Count count, Datatype& datatype, int dest, int tag, Communicator& comm,
                 Info*, Request*& request) {
  auto made = std::make_unique<PartitionedSend>();
  OL_TRY(set_up(*made, buf, partitions, count, datatype, dest, tag, comm));
  made->ops = &kSend;
  made->sends = true;
  made->is_done = [](pml::PolledRequest& self) { return static_cast<PartitionedSend&>(self).round_is_done(); };
  if (dest != MPI_PROC_NULL) {
    if (Error error = made->make_messages(count)) {
      made->let_go();
      return error;
    }
  }
  request = made.release();
  return {};
}

Error precv_init(void* buf, int partitions, Count count, Datatype& datatype, int source, int tag, Communicator& comm, Info*,
                 Request*& request) {
  auto made = std::make_unique<PartitionedReceive>();
  OL_TRY(set_up(*made, buf, partitions, count, datatype, source, tag, comm));
  made->ops = &kReceive;
  made->is_done = [](pml::PolledRequest& self) { return static_cast<PartitionedReceive&>(self).round_is_done(); };
  made->matched = [](OfferTaker& self, const Offer& offer) { static_cast<PartitionedReceive&>(self).take_offer(offer); };
  if (source != MPI_PROC_NULL) {
    OfferBook& book = OfferBook::of(comm);
    if (Error error = book.expect(comm, source, tag, *made)) {
      book.forget(source, *made);
      made->let_go();
      return error;
    }
  }
  request = made.release();
  return {};
}

Error pready(int partition, Request& request) { return pready_range(partition, partition, request); }

Error pready_range(int low, int high, Request& request) {
  Result<PartitionedSend*> send = active_send(request);
  if (!send) return send.error();
  if (low > high) return make_error(ErrorClass::arg, "partition_low is %d, but partition_high %d", low, high);
  OL_TRY(check_partition(**send, low));
  OL_TRY(check_partition(**send, high));
  for (int i = low; i <= high; ++i) OL_TRY(check_not_ready(**send, i));
  for (int i = low; i <= high; ++i) OL_TRY((*send)->mark(i));
  return {};
}

Error pready_list(std::span<const int> partitions, Request& request) {
  Result<PartitionedSend*> send = active_send(request);
  if (!send) return send.error();
  std::vector<bool> seen(static_cast<std::size_t>((*send)->partitions));
  for (int partition : partitions) {
    OL_TRY(check_not_ready(**send, partition));
    if (seen[static_cast<std::size_t>(partition)])
      return make_error(ErrorClass::arg, "partition %d stands in the list twice", partition);
    seen[static_cast<std::size_t>(partition)] = true;
  }
  for (int partition : partitions) OL_TRY((*send)->mark(partition));
  return {};
}

Error parrived(Request& request, int partition, bool& flag) {
  if (request.request_kind != RequestKind::partitioned || static_cast<Partitioned&>(request).sends)
    return Error(ErrorClass::request, "the request is not a partitioned receive");
  auto& receive = static_cast<PartitionedReceive&>(request);
  OL_TRY(check_partition(receive, partition));
  flag = !receive.active || receive.has(partition);
  if (!flag) {
    receive.blocking->look();
    flag = receive.has(partition);
  }
  const Count elements = receive.data.count / receive.partitions;
  return flag && receive.active ? stage_out_part(receive, partition * elements, elements) : Error();
}

}  // namespace ompi_lite::mpi
