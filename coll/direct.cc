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
  const Buffer nothing(nullptr, 0, &datatype_of(MPI_BYTE));
  for (int peer = 0; peer < comm_.remote_size(); ++peer) {
    if (!comm_.is_inter() && peer == rank()) continue;
    // A peer that cannot be told is not better served by another error.
    if (Error untold = pml_.send(pml::SendMode::standard, nothing, with(peer))) OL_LOG(debug, "rank %d: %s", peer, untold.sentence());
  }
}

void Direct::send_one(const Message& message) {
  if (Error error = pml_.send(pml::SendMode::standard, buffer(message.part), with(message.peer))) fail(error);
}

void Direct::recv_one(const Message& message) {
  MPI_Status status;
  const Error error = pml_.recv(buffer(message.part), with(message.peer), &status);
  check_arrival(message, error, status);
}

// Receives are posted first, so that what comes finds its place; the last send blocks, which saves a request.
void Direct::run_round() {
  const std::span<Message> round(state_.round().data(), static_cast<std::size_t>(std::exchange(messages_, 0)));
  Message* last_send = nullptr;
  for (Message& message : round) {
    if (message.way == Message::send) {
      last_send = &message;
      continue;
    }
    if (Error error = pml_.irecv(buffer(message.part), with(message.peer), message.request)) fail(error);
  }
  for (Message& message : round) {
    if (message.way != Message::send || &message == last_send) continue;
    if (Error error = pml_.isend(pml::SendMode::standard, buffer(message.part), with(message.peer), message.request)) fail(error);
  }
  if (last_send != nullptr) {
    if (Error error = pml_.send(pml::SendMode::standard, buffer(last_send->part), with(last_send->peer))) fail(error);
  }
  for (Message& message : round) {
    if (message.request == nullptr) continue;
    const bool receives = message.way == Message::recv;
    if (failed_ && receives) cancel(*message.request);  // its sender may never come
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

// All ranks compute the size of each message from their own arguments: where two differ, so do the arguments.
void Direct::check_arrival(const Message& message, const Error& error, const MPI_Status& status) {
  const bool truncated = error.error_class() == ErrorClass::truncate;
  if (error && !truncated) return fail(error);
  const Count expected = bytes(message.part), came = truncated ? 0 : status_bytes(status);
  if (failed_ || (!truncated && came == expected)) return;
  if (truncated) {
    return fail(make_error(ErrorClass::truncate,
                           "%s: rank %d sent more than the %lld bytes that rank %d expects: counts or types differ between ranks",
                           mpi_name(operation_), message.peer, static_cast<long long>(expected), rank()));
  }
  if (came == 0) {
    return fail(make_error(ErrorClass::truncate, "%s: rank %d gave up for an error of its own, or sent nothing where rank %d expects %lld bytes",
                           mpi_name(operation_), message.peer, rank(), static_cast<long long>(expected)));
  }
  fail(make_error(ErrorClass::truncate,
                  "%s: rank %d sent %lld bytes where rank %d expects %lld: counts or types differ between ranks",
                  mpi_name(operation_), message.peer, static_cast<long long>(came), rank(), static_cast<long long>(expected)));
}

void Direct::copy(const Part& from, const Part& to) {
  if (failed_ || (from.count == 0 && to.count == 0)) return;
  const Buffer source = buffer(from), target = buffer(to);
  const Count size = pack_size(source), room = pack_size(target);
  if (size == room) {
    const std::byte* start = size == 0 ? nullptr : contiguous_start(source);
    std::byte* place = start == nullptr ? nullptr : contiguous_start(target);
    if (place != nullptr) return copy_bytes(place, start, static_cast<std::size_t>(size));
  } else {
    fail(make_error(ErrorClass::truncate, "%s: rank %d sends itself %lld bytes and receives %lld: the counts or types differ",
                    mpi_name(operation_), rank(), static_cast<long long>(size), static_cast<long long>(room)));
    return;
  }
  if (Error error = copy_typed(source, target)) fail(error);
}

std::byte* Direct::memory(Count bytes) {
  std::byte* memory = state_.arena().take(static_cast<std::size_t>(bytes));
  if (memory == nullptr) {
    fail(make_error(ErrorClass::no_mem, "%s: no memory for %lld bytes of temporary data", mpi_name(operation_),
                    static_cast<long long>(bytes)));
  }
  return memory;
}

// The elements' bytes lie between low and high from the address that names them: extents may be smaller than the data, larger,
// or negative, and the data may begin before or after that address.
Part Direct::scratch(Count count) {
  Part part{Slot::scratch, 0, 0, count};
  const Datatype& element = *bindings_[index(Slot::scratch)].type;
  if (count == 0) return part;
  const Count last = (count - 1) * element.extent();
  const Count low = element.true_lb() + std::min<Count>(0, last);
  const Count high = element.true_lb() + element.true_extent() + std::max<Count>(0, last);
  constexpr Count kAlign = 64;
  const bool plain = low == 0;  // else the address itself must be aligned, wherever the data begins
  const std::byte* start = memory(high - low + (plain ? 0 : kAlign));
  if (start == nullptr) return part;
  const Count address = static_cast<Count>(reinterpret_cast<std::uintptr_t>(start)) - low;
  part.offset = plain ? address : (address + kAlign - 1) / kAlign * kAlign;
  return part;
}

}  // namespace ompi_lite::coll
