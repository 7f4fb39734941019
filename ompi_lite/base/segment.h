// SPDX-License-Identifier: BSD-3-Clause
// The memory that the ranks of one node share: one file without a name, mapped once by each, space for its parts reserved
// when they are taken. What lies in it is found by its offset, since each rank maps it elsewhere.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
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

enum class RankState : std::int32_t { absent, coming, here, leaving, left };

// One rank's entry at the head of the segment. All zero is the state before it came.
struct alignas(64) NodeRank {
  std::atomic<RankState> state;
  std::int32_t pid;
  std::uint64_t token;            // a number of the rank's own, and
  std::uint64_t token_address;    // where it lies in the rank's own memory: proves that pid means this rank
  std::uint32_t quota_millicpus;  // what its control groups grant; 0: no limit
  std::uint32_t unused;
  std::atomic<std::uint64_t> flight;  // where the rank's flight record lies, 0: none
  std::uint32_t unused_tail[4];
  os::CpuMask cpus;
  alignas(64) std::atomic<std::uint32_t> arrivals;  // counts the words of pair_word(any, this rank) that were set
  Doorbell bell;
};
static_assert(sizeof(NodeRank) == 320);

// The view of one rank on its node's segment; owned by the Process. take() and give_back() may be called by any rank and
// thread.
class Segment {
 public:
  // From the descriptor that the launcher left in OMPI_LITE_NODE_FD (closed in children from now on); without it, a new one.
  static Result<Segment> open(int local_rank, int local_size);
  // A new segment that others reach through path() or fork. `folder` empty: memory of no file system, else a folder such as
  // /dev/shm, whose room is respected.
  static Result<Segment> create(int local_rank, int local_size, const std::string& folder = {});
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
  int fd() const { return fd_.get(); }
  // How a rank of the same node that did not inherit the descriptor opens it; valid while this rank lives.
  std::string path() const;
  // Tells the others that this rank will receive nothing more, and wakes who waits for that.
  void leave();
  // Removes the file's name if it has one: call it when all are attached.
  void unlink();

  // Zeroed memory of the node, its space reserved, a multiple of 4096 bytes aligned alike; the offset means the same for all
  // ranks. An Error of class no_mem says "have X, need Y".
  Result<std::uint64_t> take(std::uint64_t bytes);
  void give_back(std::uint64_t offset, std::uint64_t bytes);  // with the bytes it was taken with
  // Memory that only makes something faster: all ranks of the node together get what the knob extra_space grants.
  Result<std::uint64_t> take_extra(std::uint64_t bytes);
  void give_back_extra(std::uint64_t offset, std::uint64_t bytes);

  std::byte* at(std::uint64_t offset) const { return mapping_.data() + offset; }
  template <class T>
  T* at(std::uint64_t offset) const {
    return reinterpret_cast<T*>(at(offset));
  }
  bool holds(std::uint64_t offset, std::uint64_t bytes) const {
    return offset <= mapping_.size() && bytes <= mapping_.size() - offset;
  }

  NodeRank& rank(int local_rank) const;
  NodeRank& self() const { return rank(local_rank_); }
  Doorbell& bell(int local_rank) const { return rank(local_rank).bell; }
  // One word per directed pair, for the transport between them; zero at first.
  std::atomic<std::uint64_t>& pair_word(int from, int to) const;

  // More ranks than cores, judged from the affinity and quota of all ranks; the same answer for all once all are attached.
  bool crowded() const;
  // The node's clock word: its launcher writes the monotonic time there a few times a second; 0 without one.
  std::atomic<std::int64_t>& clock_ns() const;

  // Waits until every local rank has attached: for those without a bootstrap's fence.
  Error wait_for_all(int timeout_ms) const;

 private:
  friend class SegmentWatch;
  struct Head;
  Segment(os::Fd fd, os::Mapping mapping, int local_rank, int local_size);
  Error enter();
  Head& head() const { return *reinterpret_cast<Head*>(mapping_.data()); }
  Result<std::uint64_t> take_locked(std::uint64_t bytes);

  os::Fd fd_;
  os::Mapping mapping_;
  std::string file_;                      // the name that unlink() removes; empty if there is none
  std::unique_ptr<std::uint64_t> token_;  // what NodeRank::token_address names
  SegmentId id_;
  int local_rank_ = 0;
  int local_size_ = 0;
};

// The launcher's view of a node's segment: it takes no part. The ranks size the memory, so until one of them has come there is
// nothing to see.
class SegmentWatch {
 public:
  // Does not take the descriptor over. Nothing as long as no rank has sized the memory.
  static std::optional<SegmentWatch> open(int fd, int local_size);

  void wind_clock(std::int64_t ns) const;
  const NodeRank& rank(int local_rank) const;
  // A part of the segment, mapped for reading; empty if it does not lie in it.
  os::Mapping map(std::uint64_t offset, std::uint64_t bytes) const;

 private:
  SegmentWatch(int fd, os::Mapping head, std::uint64_t bytes) : fd_(fd), head_(std::move(head)), bytes_(bytes) {}
  int fd_;
  os::Mapping head_;
  std::uint64_t bytes_;
};

}  // namespace ompi_lite
