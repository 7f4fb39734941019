// SPDX-License-Identifier: BSD-3-Clause
// The space for buffered sends: books and gaps, and whose space a message takes.
#include "pml/bsend.h"

#include <algorithm>
#include <cstdlib>

#include "ompi_lite/base/macros.h"
#include "ompi_lite/include/mpi.h"
#include "pml/context.h"
#include "pml/pml.h"

namespace ompi_lite::pml {

namespace {

constexpr Count kAlignment = 16;

Count rounded(Count bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

void BsendBuffer::attach(void* buffer, Count bytes) {
  base_ = static_cast<std::byte*>(buffer);
  bytes_ = bytes;
  attached_ = true;
}

void BsendBuffer::attach_automatic() {
  base_ = static_cast<std::byte*>(MPI_BUFFER_AUTOMATIC);
  bytes_ = 0;
  attached_ = automatic_ = true;
}

void BsendBuffer::detach(void*& buffer, Count& bytes) {
  buffer = base_;
  bytes = bytes_;
  base_ = nullptr;
  bytes_ = 0;
  attached_ = automatic_ = false;
}

std::byte* BsendBuffer::take(Count bytes) {
  bytes = std::max<Count>(bytes, 1);  // a place of its own for an empty message too
  if (automatic_) {
    auto* place = static_cast<std::byte*>(std::malloc(static_cast<std::size_t>(rounded(bytes))));
    if (place != nullptr) parts_.push_back({place, bytes});
    return place;
  }
  std::byte* gap = base_;
  auto before = parts_.begin();
  for (; before != parts_.end() && before->place - gap < bytes; ++before) gap = before->place + rounded(before->bytes);
  if (before == parts_.end() && base_ + bytes_ - gap < bytes) return nullptr;
  parts_.insert(before, {gap, bytes});
  return gap;
}

void BsendBuffer::give_back(std::byte* place) {
  const auto part = std::find_if(parts_.begin(), parts_.end(), [place](const Part& each) { return each.place == place; });
  parts_.erase(part);
  if (automatic_) std::free(place);
}

// ---- the buffers of a Pml ----

std::shared_ptr<Attachment> new_session_state() { return std::make_shared<SessionAttachment>(); }

BsendBuffer& Pml::bsend_buffer(Attachment& session) { return static_cast<SessionAttachment&>(session).bsend; }

BsendBuffer& Pml::bsend_buffer(Communicator& comm) {
  ContextAttachment& attached = attachment(comm);
  if (!attached.bsend) attached.bsend = std::make_unique<BsendBuffer>();
  return *attached.bsend;
}

// The communicator's own buffer, else that of its session, else that of the process: the first that is attached.
BsendBuffer& Pml::bsend_buffer_for(Communicator& comm) {
  const ContextAttachment& attached = attachment(comm);
  if (attached.bsend && attached.bsend->attached()) return *attached.bsend;
  const std::shared_ptr<Attachment>& session = comm.local_group().session();
  if (session && bsend_buffer(*session).attached()) return bsend_buffer(*session);
  return bsend_;
}

Error Pml::attach_bsend_buffer(BsendBuffer& own, void* buffer, Count bytes) {
  if (own.attached()) return Error(ErrorClass::buffer, "a buffer for buffered sends is attached already");
  if (buffer == MPI_BUFFER_AUTOMATIC) {
    own.attach_automatic();
    return {};
  }
  if (buffer == nullptr && bytes > 0)
    return make_error(ErrorClass::buffer, "the buffer is a null pointer, and the size %lld", static_cast<long long>(bytes));
  own.attach(buffer, bytes);
  return {};
}

Error Pml::flush_bsend_buffer(BsendBuffer& own) {
  while (!own.empty()) {
    const std::uint64_t seen = bsends_left_.load(std::memory_order_relaxed);
    blocking_.until([&] { return bsends_left_.load(std::memory_order_relaxed) != seen; });
  }
  return {};
}

Error Pml::detach_bsend_buffer(BsendBuffer& own, void*& buffer, Count& bytes) {
  OL_TRY(flush_bsend_buffer(own));
  own.detach(buffer, bytes);
  return {};
}

}  // namespace ompi_lite::pml
