// SPDX-License-Identifier: BSD-3-Clause
// An ordered set of processes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "ompi_lite/base/error.h"
#include "ompi_lite/core/object.h"

namespace ompi_lite {

using PeerId = std::int32_t;  // index of a process in this process's table of all it has ever heard of; the world's ranks first

// Immutable once made; shared by communicators, counted. A contiguous run of peers (the world, self, most splits by halves) is
// stored as first + size; anything else as a list with a lookup table.
class Group : public Object {
 public:
  // `self` is the process that looks at the group, wherever it stands in it: what MPI_Group_rank asks for. -1 if unknown.
  Group(PeerId first, int size, PeerId self);
  Group(std::vector<PeerId> members, PeerId self);
  Group(std::vector<PeerId> members, const Group& origin) : Group(std::move(members), origin.self_) {
    session_ = origin.session_;
  }
  explicit Group(std::uintptr_t predefined_handle) : Object(ObjectKind::group, predefined_handle) {}  // empty

  int size() const { return size_; }
  PeerId peer(int rank) const { return members_.empty() ? first_ + rank : members_[static_cast<std::size_t>(rank)]; }
  int rank_of(PeerId peer) const;                        // MPI_UNDEFINED if not a member
  int rank() const { return rank_of(self_); }            // of the process that looks
  PeerId self() const { return self_; }

  // What pml keeps for the session that the group was derived from; null in the world model.
  const std::shared_ptr<Attachment>& session() const { return session_; }
  void set_session(std::shared_ptr<Attachment> session) { session_ = std::move(session); }

 private:
  PeerId first_ = 0;
  int size_ = 0;
  PeerId self_ = -1;
  std::vector<PeerId> members_;
  std::unordered_map<PeerId, int> ranks_;
  std::shared_ptr<Attachment> session_;
};

void destroy(Group* group);
Group& empty_group();  // MPI_GROUP_EMPTY

}  // namespace ompi_lite
