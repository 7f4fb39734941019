// SPDX-License-Identifier: BSD-3-Clause
// The memory that the ranks of one node share: one file without a name, mapped once by each, space for its parts reserved
// when they are taken. What lies in it is found by its offset, since each rank maps it elsewhere.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "ompi_lite/base/error.h"
#include "ompi_lite/base/os.h"
#include "ompi_lite/base/wait.h"

namespace ompi_lite {

// Identity of a segment: two ranks share memory if and only if these are equal.
struct SegmentId {
  std::uint64_t device = 0;
  std::uint64_t file = 0;
  std::uint64_t host = 0;  // hash of the kernel's boot id
  bool operator==(const SegmentId&) const = default;
};

// One rank's entry at the head of the segment. All zero is the state before it came.
struct alignas(64) NodeRank {
  std::atomic<std::int32_t> state;  // 0 not yet here, 1 here, 2 left in good order
  std::int32_t pid;
  std::uint64_t token_address;  // where `token` lies in the rank's own memory, to prove that pid means this rank
  std::uint64_t token;
  os::CpuMask cpus;
  std::uint64_t unused[5];
  Doorbell bell;
};
static_assert(sizeof(NodeRank) == 256 || sizeof(NodeRank) % 64 == 0);

// The view of one rank on its node's segment; owned by the Process. take() and give_back() may be called by any rank and
// thread.
class Segment {
 public:
  // From the descriptor that the launcher left in OMPI_LITE_NODE_FD; without it, a new segment (see path()).
  static Result<Segment> open(int local_rank, int local_size);
  // A new segment that others reach through path(), fork or attach(). `where` empty: memory of no file system, else a folder
  // such as /dev/shm, whose room is respected.
  static Result<Segment> create(int local_rank, int local_size, const std::string& where = {});
  // The segment whose path() another rank of this node published.
  static Result<Segment> attach_path(const std::string& path, int local_rank, int local_size);
  // A segment for which we hold a descriptor.
  static Result<Segment> attach(os::Fd fd, int local_rank, int local_size);

  Segment(Segment&&) noexcept = default;
  Segment& operator=(Segment&&) noexcept = default;
  ~Segment();

  int local_rank() const { return local_rank_; }
  int local_size() const { return local_size_; }
  const SegmentId& id() const { return id_; }
  // How a rank of the same node, not forked from the same launcher, opens it; valid while this rank lives.
  std::string path() const;
  // Removes the file's name if it has one: call it when all are attached.
  void unlink();

  // Zeroed memory of the node, reserved; its offset is the same for all ranks. no_mem with "have X, need Y" if there is
  // none.
  Result<std::uint64_t> take(std::uint64_t bytes);
  void give_back(std::uint64_t offset, std::uint64_t bytes);
  std::byte* at(std::uint64_t offset) const { return mapping_.data() + offset; }
  template <class T>
  T* at(std::uint64_t offset) const {
    return reinterpret_cast<T*>(at(offset));
  }

  NodeRank& rank(int local_rank) const;
  Doorbell& bell(int local_rank) const { return rank(local_rank).bell; }
  // Words of the head that btl/shm owns: table of rings and the like. Zeroed, at most kTransportBytes per pair.
  std::atomic<std::uint64_t>& pair_word(int from, int to) const;

  // More ranks than cores, judged from all ranks' affinity and the quota; the same answer for all ranks once all are here.
  bool crowded() const;
  // Waits until every local rank has attached. For those without a bootstrap fence (tests).
  Error wait_for_all(int timeout_ms) const;

 private:
  struct Head;
  Segment(os::Fd fd, os::Mapping mapping, int local_rank, int local_size);
  static Result<Segment> enter(os::Fd fd, int local_rank, int local_size);
  Head& head() const;
  Result<std::uint64_t> take_fresh(std::uint64_t bytes);

  os::Fd fd_;
  os::Mapping mapping_;
  std::string path_;
  SegmentId id_;
  int local_rank_ = 0;
  int local_size_ = 0;
};

}  // namespace ompi_lite
