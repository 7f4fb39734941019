// SPDX-License-Identifier: BSD-3-Clause
// Groups: construction and lookup.
#include "ompi_lite/core/group.h"

#include "ompi_lite/core/handle.h"
#include "ompi_lite/include/mpi.h"

namespace ompi_lite {

Group::Group(PeerId first, int size, PeerId self) : Object(ObjectKind::group), first_(first), size_(size), self_(self) {}

Group::Group(std::vector<PeerId> members, PeerId self)
    : Object(ObjectKind::group), size_(static_cast<int>(members.size())), self_(self), members_(std::move(members)) {
  bool contiguous = true;
  for (int i = 1; i < size_ && contiguous; i++) contiguous = peer(i) == peer(0) + i;
  if (size_ > 0 && contiguous) {
    first_ = members_[0];
    members_ = {};
    return;
  }
  ranks_.reserve(members_.size());
  for (int i = 0; i < size_; i++) ranks_.emplace(peer(i), i);
}

int Group::rank_of(PeerId peer) const {
  if (members_.empty()) return peer >= first_ && peer < first_ + size_ ? peer - first_ : MPI_UNDEFINED;
  auto found = ranks_.find(peer);
  return found == ranks_.end() ? MPI_UNDEFINED : found->second;
}

void destroy(Group* group) {
  forget_int(*group);
  delete group;
}

Group& empty_group() {
  static Group& empty = *new Group(reinterpret_cast<std::uintptr_t>(MPI_GROUP_EMPTY));  // never destroyed: objects may outlive main
  return empty;
}

}  // namespace ompi_lite
