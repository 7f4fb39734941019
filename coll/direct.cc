// SPDX-License-Identifier: BSD-3-Clause
// The steps of Direct that are more than a line.
#include "coll/direct.h"

#include <cstdint>
#include <span>
#include <utility>

#include "ompi_lite/base/copy.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/pack.h"

namespace ompi_lite::coll {

void Direct::fail(const Error& error) {
  if (failed_) return;
  failed_ = true;
  error_class_ = error.error_class();
  state_.error_text() = error.sentence();  // the sentence may lie in a buffer that the next error overwrites
  if (recording_ != nullptr) return;       // nothing is under way: the call fails
  const Buffer nothing(nullptr, 0, &datatype_of(MPI_BYTE));
  for (int peer = 0; peer < comm_.remote_size(); ++peer) {
    if (!comm_.is_inter() && peer == rank()) continue;
    // A peer that cannot be told is not better served by another error.
    if (Error untold = pml_.send(pml::SendMode::standard, nothing, with(peer)))
      OL_LOG(debug, "rank %d: %s", peer, untold.sentence());
  }
  pml_.give_up_collective(comm_, tag_);
}

void Direct::send_one(const Message& message) {
  if (Error error = pml_.send(pml::SendMode::standard, buffer(message.part), with(message.peer))) fail(error);
  notice_others();
}

void Direct::recv_one(const Message& message) {
  MPI_Status status;
  const Error error = pml_.recv(buffer(message.part), with(message.peer), &status);
  check_arrival(message, error, status);
}

// Receives are posted first, so that what comes finds its place; the last send blocks, which saves a request.
void Direct::run_round() {
  const std::span<Message> round(state_.round().data(), static_cast<std::size_t>(std::exchange(messages_, 0)));
  Message* last_send = nullptr;  // blocks, unless there is something to do meanwhile
  for (Message& message : round) {
    if (message.way == Message::send) {
      if (device_ == nullptr) last_send = &message;
      continue;
    }
    if (Error error = pml_.irecv(buffer(message.part), with(message.peer), message.request)) fail(error);
  }
  for (Message& message : round) {
    if (message.way != Message::send || (&message == last_send && !copy_waits_)) continue;
    if (Error error = pml_.isend(pml::SendMode::standard, buffer(message.part), with(message.peer), message.request))
      fail(error);
  }
  if (copy_waits_) {
    do_waiting_copy();
  } else if (last_send != nullptr) {
    if (Error error = pml_.send(pml::SendMode::standard, buffer(last_send->part), with(last_send->peer))) fail(error);
  }
  for (Message& message : round) {
    if (message.request == nullptr) continue;
    const bool receives = message.way == Message::recv;
    if (!failed_) pml_.complete(*message.request, with(message.peer));
    notice_others();
    if (failed_) cancel(*message.request);  // the other may never come for it
    MPI_Status status;
    Error error = pml_.wait(*message.request, &status);
    if (receives) {
      check_arrival(message, error, status);
    } else if (error) {
      fail(error);
    }
  }
}

void Direct::cancel(Request& request) {
  if (request.done()) return;
  if (Error error = request.ops->cancel(request)) OL_LOG(debug, "cancel: %s", error.sentence());
}

void Direct::record_round() {
  const std::span<const Message> round(state_.round().data(), static_cast<std::size_t>(std::exchange(messages_, 0)));
  for (const Message& message : round)
    if (message.way == Message::recv) recording_->add_recv(place(message.part), message.peer);
  for (const Message& message : round)
    if (message.way == Message::send) recording_->add_send(place(message.part), message.peer);
  recording_->add_end_round();
}

void Direct::check_arrival(const Message& message, const Error& error, const MPI_Status& status) {
  notice_others();
  if (failed_) return;
  if (Error wrong = compare_arrival(operation_, message.peer, rank(), bytes(message.part), error, status)) fail(wrong);
}

Error compare_arrival(Operation operation, int source, int rank, Count expected, const Error& error,
                      const MPI_Status& status) {
  const bool truncated = error.error_class() == ErrorClass::truncate;
  if (error && !truncated) return error;
  const char* name = mpi_name(operation);
  const auto wanted = static_cast<long long>(expected);
  if (truncated) {
    return make_error(ErrorClass::truncate,
                      "%s: rank %d sent more than the %lld bytes that rank %d expects: counts or types differ between ranks",
                      name, source, wanted, rank);
  }
  const Count came = status_bytes(status);
  if (came == expected) return {};
  if (came == 0) {
    return make_error(ErrorClass::truncate,
                      "%s: rank %d gave up for an error of its own, or sent nothing where rank %d expects %lld bytes", name,
                      source, rank, wanted);
  }
  return make_error(ErrorClass::truncate,
                    "%s: rank %d sent %lld bytes where rank %d expects %lld: counts or types differ between ranks", name,
                    source, static_cast<long long>(came), rank, wanted);
}

void Direct::copy(const Part& from, const Part& to) {
  if (failed_ || (from.count == 0 && to.count == 0)) return;
  if (recording_ != nullptr) return recording_->add_copy(place(from), place(to));
  const Error error = device_ != nullptr && bytes(from) == bytes(to)
                          ? device_->copy(buffer(from), buffer(to))
                          : copy_checked(operation_, rank(), buffer(from), buffer(to));
  if (error) fail(error);
}

void Direct::reduce_there(const Part& in, const Part& inout) {
  if (failed_) return;
  if (Error error = device_->reduce(*op_, type(in), address(in), address(inout), in.count)) fail(error);
}

Error copy_checked(Operation operation, int rank, const Buffer& from, const Buffer& to) {
  const Count size = pack_size(from), room = pack_size(to);
  if (size != room) {
    return make_error(ErrorClass::truncate,
                      "%s: rank %d sends itself %lld bytes and receives %lld: the counts or types differ",
                      mpi_name(operation), rank, static_cast<long long>(size), static_cast<long long>(room));
  }
  const std::byte* start = size == 0 ? nullptr : contiguous_start(from);
  std::byte* place = start == nullptr ? nullptr : contiguous_start(to);
  if (place == nullptr) return copy_typed(from, to);
  copy_bytes(place, start, static_cast<std::size_t>(size));
  return {};
}

std::byte* Direct::memory(Count bytes, bool data) {
  Arena& arena = recording_ != nullptr ? recording_->arena() : state_.arena();
  const auto wanted = static_cast<std::size_t>(bytes);
  std::byte* memory = data && device_ != nullptr ? device_->take(wanted) : arena.take(wanted);
  if (memory == nullptr) {
    fail(make_error(ErrorClass::no_mem, "%s: no memory for %lld bytes of temporary data", mpi_name(operation_),
                    static_cast<long long>(bytes)));
  }
  return memory;
}

// The elements' bytes lie between low and high from the address that names them: extents may be smaller than the data,
// larger, or negative, and the data may begin before or after that address.
Part Direct::scratch(Count count) {
  Part part{Slot::scratch, 0, 0, count};
  const Datatype& element = *bindings_[index(Slot::scratch)].type;
  if (count == 0) return part;
  const Count last = (count - 1) * element.extent();
  const Count low = element.true_lb() + std::min<Count>(0, last);
  const Count high = element.true_lb() + element.true_extent() + std::max<Count>(0, last);
  constexpr Count kAlign = 64;
  const bool plain = low == 0;  // else the address itself must be aligned, wherever the data begins
  const std::byte* start = memory(high - low + (plain ? 0 : kAlign), true);
  if (start == nullptr) return part;
  const Count address = static_cast<Count>(reinterpret_cast<std::uintptr_t>(start)) - low;
  part.offset = plain ? address : (address + kAlign - 1) / kAlign * kAlign;
  return part;
}

}  // namespace ompi_lite::coll
