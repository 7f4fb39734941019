// SPDX-License-Identifier: BSD-3-Clause
// Layout of a node's segment: the head, one NodeRank per rank, one word per directed pair, the board of numbers, then the
// blocks that take() hands out. A fresh file reads as zeros, and zeros are a valid initial state of all of it, so nobody has
// to come first.
#include "ompi_lite/base/segment.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>

#include "ompi_lite/base/clock.h"
#include "ompi_lite/base/knob.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/base/node_numbers.h"

namespace ompi_lite {

constinit Knob<std::int64_t> node_space{"node_space", std::int64_t{64} << 30, Unit::bytes,
                                        "address space set apart for the memory that the ranks of a node share"};
constinit Knob<std::int64_t> extra_space{"extra_space", std::int64_t{64} << 20, Unit::bytes,
                                         "Shared memory of a node that communicators may take for the pieces of large "
                                         "collectives, all together; a communicator that gets none uses messages."};

namespace {

constexpr std::uint64_t kPage = 4096, kLine = 64;
constexpr std::uint64_t kLayout = 0x6f6d70696c697403;  // changes when the layout of the segment does
constexpr std::int64_t kLeastSpace = std::int64_t{64} << 20;
constexpr std::uint64_t kHoleFrom = 64 << 10;  // free blocks from this size on give their memory back
constexpr int kClasses = 48;                   // blocks are kept by powers of two of pages

constexpr std::uint64_t round_up(std::uint64_t bytes, std::uint64_t unit) { return (bytes + unit - 1) / unit * unit; }
constexpr std::uint64_t block_bytes(std::uint64_t bytes) { return std::bit_ceil(std::max(bytes, kPage)); }
constexpr int class_of(std::uint64_t block) { return std::countr_zero(block / kPage); }

// A lock in shared memory, held for some hundred nanoseconds and rarely. A rank that dies with it takes its job along.
class SharedLock {
 public:
  void lock() {
    while (held_.exchange(1, std::memory_order_acquire) != 0) sched_yield();  // partner: the store in unlock
  }
  void unlock() { held_.store(0, std::memory_order_release); }  // partner: the exchange in lock

 private:
  std::atomic<std::uint32_t> held_;
};

std::uint64_t hash(const char* text) {
  std::uint64_t h = 0xcbf29ce484222325;
  for (; *text; ++text) h = (h ^ static_cast<unsigned char>(*text)) * 0x100000001b3;
  return h;
}

std::uint64_t host_id() {
  char text[64] = "";
  os::Fd fd(::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC));
  if (!fd || read(fd.get(), text, sizeof text - 1) <= 0) return hash(os::host_name().c_str());
  return hash(text);
}

}  // namespace

struct Segment::Head {
  std::atomic<std::uint64_t> layout;
  std::atomic<std::uint32_t> local_size;
  SharedLock lock;
  std::atomic<std::uint64_t> mapped;  // the least that any rank could map, 0 while nobody has
  std::atomic<std::int64_t> clock_ns;
  std::uint64_t extra;           // bytes taken by take_extra
  std::uint64_t next;            // the first byte never taken, counted from first_block()
  std::uint64_t free[kClasses];  // offset of the first free block of a size; its first word names the next
  alignas(64) NodeRank ranks[];

  std::atomic<std::uint64_t>* pairs(int size) { return reinterpret_cast<std::atomic<std::uint64_t>*>(ranks + size); }
  static std::uint64_t first_block(int size) {
    auto n = static_cast<std::uint64_t>(size);
    return round_up(sizeof(Head) + n * sizeof(NodeRank) + n * n * sizeof(std::uint64_t) + kLine + sizeof(NumbersBoard),
                    kPage);
  }
};

Segment::Segment(os::Fd fd, os::Mapping mapping, int local_rank, int local_size)
    : fd_(std::move(fd)), mapping_(std::move(mapping)), local_rank_(local_rank), local_size_(local_size) {}

void Segment::leave() {
  self().state.store(RankState::leaving, std::memory_order_release);  // partner: whoever asks for the state of a peer
  for (int r = 0; r < local_size_; ++r) rank(r).bell.ring_if_sleeping(true);
}

Segment::~Segment() {
  if (!mapping_ || !token_) return;                                // moved from, or refused
  self().state.store(RankState::left, std::memory_order_release);  // partner: whoever asks for the state of a peer
  unlink();
}

Result<Segment> Segment::open(int local_rank, int local_size) {
  const char* text = getenv("OMPI_LITE_NODE_FD");
  if (!text || !*text) return create(local_rank, local_size);
  char* end;
  long number = strtol(text, &end, 10);
  struct stat status {};
  if (*end == '\0' && number >= 0 && fstat(static_cast<int>(number), &status) == 0) {
    fcntl(static_cast<int>(number), F_SETFD, FD_CLOEXEC);
    return attach(os::Fd(static_cast<int>(number)), local_rank, local_size);
  }
  // Whoever stands between the launcher and us (a Python script, sudo) may have closed it; the launcher keeps it open.
  const char* launcher = getenv("OMPI_LITE_LAUNCHER_PID");
  if (*end == '\0' && number >= 0 && launcher) {
    std::string path = std::string("/proc/") + launcher + "/fd/" + text;
    if (os::Fd fd{::open(path.c_str(), O_RDWR | O_CLOEXEC)}) return attach(std::move(fd), local_rank, local_size);
  }
  return make_error(ErrorClass::arg, "OMPI_LITE_NODE_FD is \"%s\", which is no open descriptor of this process", text);
}

Result<Segment> Segment::create(int local_rank, int local_size, const std::string& folder) {
  if (folder.empty()) {
    auto fd = os::create_memory_file("ompi_lite", 0);
    if (!fd) return fd.error();
    return attach(std::move(fd).value(), local_rank, local_size);
  }
  for (int attempt = 0; attempt < 100; ++attempt) {  // names that others left behind do not matter
    std::string name = folder + "/ompi_lite-" + std::to_string(getuid()) + "-" + std::to_string(getpid()) + "-" +
                       std::to_string(now_ns() & 0xffffff) + std::to_string(attempt);
    os::Fd fd(::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!fd && errno == EEXIST) continue;
    if (!fd)
      return make_error(ErrorClass::no_mem, "creating a file for shared memory, %s: %s", name.c_str(), strerror(errno));
    auto segment = attach(std::move(fd), local_rank, local_size);
    if (!segment) {
      ::unlink(name.c_str());
      return segment;
    }
    segment->file_ = name;
    return segment;
  }
  return make_error(ErrorClass::file_exists, "no name in %s is free for shared memory", folder.c_str());
}

Result<Segment> Segment::attach_path(const std::string& path, int local_rank, int local_size) {
  os::Fd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!fd) return make_error(ErrorClass::no_such_file, "shared memory %s: %s", path.c_str(), strerror(errno));
  return attach(std::move(fd), local_rank, local_size);
}

Result<Segment> Segment::attach(os::Fd fd, int local_rank, int local_size) {
  OL_CHECK(local_size > 0 && local_rank >= 0 && local_rank < local_size, local_rank, local_size);
  struct stat status {};
  if (fstat(fd.get(), &status) != 0) return make_error(ErrorClass::no_mem, "shared memory: %s", strerror(errno));
  if (status.st_size == 0) {
    // All ranks say the same size, so it does not matter who is first.
    if (ftruncate(fd.get(), std::max(node_space.value(), kLeastSpace)) != 0 || fstat(fd.get(), &status) != 0) {
      return make_error(ErrorClass::no_mem, "sizing shared memory: %s", strerror(errno));
    }
  }
  std::int64_t bytes = status.st_size;
  auto mapping = os::map_shared(fd.get(), static_cast<std::size_t>(bytes));
  while (!mapping && bytes / 2 >= kLeastSpace) {  // the address space may be limited (ulimit -v): map what fits
    bytes /= 2;
    mapping = os::map_shared(fd.get(), static_cast<std::size_t>(bytes));
  }
  if (!mapping) return mapping.error();
  Segment segment(std::move(fd), std::move(mapping).value(), local_rank, local_size);
  segment.id_ = {status.st_dev, status.st_ino, host_id()};
  if (Error error = segment.enter()) return error;
  return segment;
}

Error Segment::enter() {
  std::uint64_t first = Head::first_block(local_size_);
  if (first > mapping_.size()) return make_error(ErrorClass::no_mem, "shared memory is too small for %d ranks", local_size_);
  OL_TRY(os::reserve_space(fd_.get(), 0, static_cast<std::int64_t>(first), "shared memory of the node"));
  std::uint64_t layout = 0;
  std::uint32_t size = 0;
  if (!head().layout.compare_exchange_strong(layout, kLayout) && layout != kLayout) {
    return Error(ErrorClass::intern, "the ranks of this node use different versions of the library");
  }
  if (!head().local_size.compare_exchange_strong(size, static_cast<std::uint32_t>(local_size_)) &&
      size != static_cast<std::uint32_t>(local_size_)) {
    return make_error(ErrorClass::intern, "one rank counts %u ranks on this node, another %d", size, local_size_);
  }
  {
    std::lock_guard guard(head().lock);
    std::uint64_t mapped = head().mapped.load();
    if (mapped == 0 || mapped > mapping_.size()) head().mapped.store(mapping_.size());
  }
  NodeRank& mine = self();
  RankState was = RankState::absent;
  // The place is ours from here on; the fields are complete before `here` is seen.
  while (!mine.state.compare_exchange_strong(was, RankState::coming, std::memory_order_acquire)) {
    if (was == RankState::left && local_size_ > 1 && mine.pid != getpid()) {
      // `mpirun sh -c "a; b"`: the others may still be in the first program, so the two would meet each other's messages.
      return make_error(ErrorClass::other,
                        "local rank %d of this job has run an MPI program before (pid %d): give each its mpirun",
                        local_rank_, mine.pid);
    }
    if (was == RankState::absent || was == RankState::left) continue;  // an earlier holder left in good order
    return make_error(ErrorClass::intern, "two processes say that they are local rank %d", local_rank_);
  }
  token_ = std::make_unique<std::uint64_t>(hash(std::to_string(now_ns()).c_str()) ^ static_cast<std::uint64_t>(getpid()));
  mine.pid = getpid();
  mine.token = *token_;
  mine.token_address = reinterpret_cast<std::uint64_t>(token_.get());
  mine.cpus = os::affinity();
  mine.quota_millicpus = static_cast<std::uint32_t>(std::min(os::cgroup_cpu_quota() * 1000, 4e9));
  mine.state.store(RankState::here, std::memory_order_release);  // partner: the acquire of whoever reads the fields above
  return {};
}

std::string Segment::path() const {
  return file_.empty() ? "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(fd_.get()) : file_;
}

void Segment::unlink() {
  if (!file_.empty()) ::unlink(file_.c_str());
  file_.clear();
}

NodeRank& Segment::rank(int local_rank) const { return head().ranks[local_rank]; }

std::atomic<std::uint64_t>& Segment::pair_word(int from, int to) const {
  return head().pairs(local_size_)[static_cast<std::int64_t>(to) * local_size_ + from];
}

Result<std::uint64_t> Segment::take(std::uint64_t bytes) {
  std::lock_guard guard(head().lock);
  return take_locked(bytes);
}

Result<std::uint64_t> Segment::take_locked(std::uint64_t bytes) {
  Head& h = head();
  std::uint64_t block = block_bytes(bytes);
  auto reserved = static_cast<std::int64_t>(block < kHoleFrom ? block : round_up(bytes, kPage));
  std::uint64_t& free = h.free[class_of(block)];
  if (free != 0) {
    std::uint64_t offset = free;
    std::uint64_t after = *at<std::uint64_t>(offset);
    OL_TRY(os::reserve_space(fd_.get(), static_cast<std::int64_t>(offset), reserved, "shared memory of the node"));
    free = after;
    std::memset(at(offset), 0, block < kHoleFrom ? block : kPage);  // beyond that page the block was a hole
    return offset;
  }
  std::uint64_t first = Head::first_block(local_size_);
  std::uint64_t mapped = h.mapped.load();
  if (block > mapped || h.next > mapped - block || first > mapped - block - h.next) {
    return make_error(
        ErrorClass::no_mem, "shared memory of the node: have %llu bytes of address space, need %llu (knob node_space)",
        static_cast<unsigned long long>(mapped - std::min(mapped, first + h.next)), static_cast<unsigned long long>(block));
  }
  std::uint64_t offset = first + h.next;
  OL_TRY(os::reserve_space(fd_.get(), static_cast<std::int64_t>(offset), reserved, "shared memory of the node"));
  h.next += block;
  return offset;
}

Result<std::uint64_t> Segment::take_extra(std::uint64_t bytes) {
  std::lock_guard guard(head().lock);
  const auto most = static_cast<std::uint64_t>(std::max<std::int64_t>(extra_space.value(), 0));
  if (bytes > most || head().extra > most - bytes) {
    return make_error(
        ErrorClass::no_mem, "shared memory of the node for large collectives: have %llu bytes, need %llu (knob extra_space)",
        static_cast<unsigned long long>(most - std::min(most, head().extra)), static_cast<unsigned long long>(bytes));
  }
  Result<std::uint64_t> taken = take_locked(bytes);
  if (taken) head().extra += bytes;
  return taken;
}

void Segment::give_back_extra(std::uint64_t offset, std::uint64_t bytes) {
  give_back(offset, bytes);
  std::lock_guard guard(head().lock);
  head().extra -= bytes;
}

void Segment::give_back(std::uint64_t offset, std::uint64_t bytes) {
  std::uint64_t block = block_bytes(bytes);
  if (block >= kHoleFrom) {
    os::release_space(fd_.get(), static_cast<std::int64_t>(offset + kPage), static_cast<std::int64_t>(block - kPage));
  }
  std::lock_guard guard(head().lock);
  std::uint64_t& free = head().free[class_of(block)];
  *at<std::uint64_t>(offset) = free;
  free = offset;
}

std::atomic<std::int64_t>& Segment::clock_ns() const { return head().clock_ns; }

bool Segment::crowded() const {
  // Those that have left count too: the answer must not change while others still use it.
  auto came = [this](int r) { return rank(r).state.load(std::memory_order_acquire) >= RankState::here; };  // partner: enter
  os::CpuMask all;
  int grant = 0;  // thousandths of a processor; 0: no limit
  for (int r = 0; r < local_size_; ++r) {
    if (!came(r)) continue;
    const NodeRank& one = rank(r);
    all.add(one.cpus);
    auto quota = static_cast<int>(std::min<std::uint32_t>(one.quota_millicpus, 1u << 30));
    if (quota > 0 && (grant == 0 || quota < grant)) grant = quota;
    int neighbours = 0;
    for (int other = 0; other < local_size_; ++other) {
      if (came(other) && rank(other).cpus.intersects(one.cpus)) ++neighbours;
    }
    if (neighbours > one.cpus.count()) return true;
  }
  return all.count() < local_size_ || (grant > 0 && grant < 1000 * local_size_);
}

Error Segment::wait_for_all(int timeout_ms) const {
  Deadline deadline = Deadline::in_ms(timeout_ms);
  for (int r = 0; r < local_size_; ++r) {
    while (rank(r).state.load(std::memory_order_acquire) < RankState::here) {  // partner: the store in enter
      if (deadline.passed()) return make_error(ErrorClass::other, "local rank %d did not come within %d ms", r, timeout_ms);
      timespec moment{0, 200'000};
      nanosleep(&moment, nullptr);
    }
  }
  return {};
}

// ---- what all ranks of the node know alike ----

NumbersBoard& numbers_board(const Segment& segment) {
  const int last = segment.local_size() - 1;
  const auto behind = reinterpret_cast<std::uintptr_t>(&segment.pair_word(last, last) + 1);
  return *reinterpret_cast<NumbersBoard*>(round_up(behind, kLine));
}

os::CpuMask all_processors(const Segment& segment) {
  os::CpuMask all;
  for (int r = 0; r < segment.local_size(); ++r) {
    const NodeRank& one = segment.rank(r);
    if (one.state.load(std::memory_order_acquire) >= RankState::here) all.add(one.cpus);  // partner: enter
  }
  return all;
}

int usable_processors(const Segment& segment) {
  int count = std::max(1, all_processors(segment).count());
  for (int r = 0; r < segment.local_size(); ++r) {
    const std::uint32_t grant = segment.rank(r).quota_millicpus;
    if (grant > 0) count = std::clamp(static_cast<int>((grant + 999) / 1000), 1, count);
  }
  return count;
}

// ---- the launcher's view ----

std::optional<SegmentWatch> SegmentWatch::open(int fd, int local_size) {
  struct stat status {};
  const std::uint64_t first = Segment::Head::first_block(local_size);
  if (fstat(fd, &status) != 0 || static_cast<std::uint64_t>(status.st_size) < first) return std::nullopt;
  auto mapping = os::map_shared(fd, first);
  if (!mapping) return std::nullopt;
  const auto& head = *reinterpret_cast<const Segment::Head*>(mapping->data());
  if (head.layout.load() != kLayout || head.local_size.load() != static_cast<std::uint32_t>(local_size)) return std::nullopt;
  return SegmentWatch(fd, std::move(mapping).value(), static_cast<std::uint64_t>(status.st_size));
}

void SegmentWatch::wind_clock(std::int64_t ns) const {
  reinterpret_cast<Segment::Head*>(head_.data())
      ->clock_ns.store(ns, std::memory_order_relaxed);  // a time, it orders nothing
}

const NodeRank& SegmentWatch::rank(int local_rank) const {
  return reinterpret_cast<const Segment::Head*>(head_.data())->ranks[local_rank];
}

os::Mapping SegmentWatch::map(std::uint64_t offset, std::uint64_t bytes) const {
  if (offset % kPage != 0 || offset >= bytes_ || bytes > bytes_ - offset) return {};
  void* address = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd_, static_cast<off_t>(offset));
  return address == MAP_FAILED ? os::Mapping() : os::Mapping(address, bytes);
}

}  // namespace ompi_lite
