// SPDX-License-Identifier: BSD-3-Clause
// The space for buffered sends: books and gaps.
#include "pml/bsend.h"

#include <algorithm>
#include <cstdlib>

#include "ompi_lite/include/mpi.h"

namespace ompi_lite::pml {

namespace {

constexpr Count kAlignment = 16;

Count rounded(Count bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

void BsendBuffer::attach(void* buffer, Count bytes) {
  base_ = static_cast<std::byte*>(buffer);
  bytes_ = bytes;
}

void BsendBuffer::attach_automatic() {
  base_ = static_cast<std::byte*>(MPI_BUFFER_AUTOMATIC);
  bytes_ = 0;
  automatic_ = true;
}

void BsendBuffer::detach(void*& buffer, Count& bytes) {
  buffer = base_;
  bytes = bytes_;
  base_ = nullptr;
  bytes_ = 0;
  automatic_ = false;
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

}  // namespace ompi_lite::pml
