// SPDX-License-Identifier: BSD-3-Clause
// The operating system and the processor, each call wrapped once: RAII for what must be given back, EINTR handled, the name
// of the object in the message. The only place (with os*.cc) that asks which machine this is.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "ompi_lite/base/error.h"

namespace ompi_lite::os {

// Owns a file descriptor.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Fd() { reset(); }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }
  void reset();
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

// Owns a mapping of memory.
class Mapping {
 public:
  Mapping() = default;
  Mapping(void* address, std::size_t bytes) : address_(static_cast<std::byte*>(address)), bytes_(bytes) {}
  Mapping(Mapping&& other) noexcept
      : address_(std::exchange(other.address_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(address_, other.address_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Mapping();
  std::byte* data() const { return address_; }
  std::size_t size() const { return bytes_; }
  explicit operator bool() const { return address_ != nullptr; }

 private:
  std::byte* address_ = nullptr;
  std::size_t bytes_ = 0;
};

// Maps the file shared and writable without reserving memory for it.
Result<Mapping> map_shared(int fd, std::size_t bytes);
// Private zeroed memory that several threads of this process share (tests).
Result<Mapping> map_anonymous(std::size_t bytes);

// Private addresses without memory behind them, for ever; null if there are not so many. A part becomes memory later.
void* reserve_addresses(std::size_t bytes);
bool make_usable(void* address, std::size_t bytes);
// The byte at this address belongs to a mapping. Costs a system call.
bool is_mapped(const void* address);
// Reserves space for [offset, offset + bytes) of the file: fails here rather than by SIGBUS later.
Error reserve_space(int fd, std::int64_t offset, std::int64_t bytes, const char* name);
// Gives the pages of the range back to the system; they read as zeros afterwards.
void release_space(int fd, std::int64_t offset, std::int64_t bytes);
Result<Fd> create_memory_file(const char* name, std::int64_t bytes);

// Sleeps while *word == expected, at most so long. Returns early on a wake, a signal or a changed word.
void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t at_most_ns);
void futex_wake_all(const std::atomic<std::uint32_t>& word);

// A fence executed on behalf of every process that has registered, so that their fast paths need none.
bool register_remote_fence();
void remote_fence();

// Read and write another process's memory. Return bytes moved, or -errno.
std::int64_t read_process(pid_t pid, void* to, const void* from, std::size_t bytes);
std::int64_t write_process(pid_t pid, void* to, const void* from, std::size_t bytes);
// Lets any process of the same user read ours where the system asks for that (Yama).
void allow_readers();

// Processors this thread may run on, as indices; at most `room` of 1024.
struct CpuMask {
  std::uint64_t words[16] = {};
  int count() const;
  bool intersects(const CpuMask& other) const;
  void add(const CpuMask& other);
};
CpuMask affinity();
// Processors' worth of time that the control groups of this process grant (v1 and v2); 0 if they set no limit.
double cgroup_cpu_quota();
std::int64_t cache_bytes(int level);  // 2 or 3; 0 if not known
std::string host_name();              // as the kernel says it; nothing is looked up

// A library opened at run time.
class Library {
 public:
  Library() = default;
  Library(Library&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Library& operator=(Library&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Library();
  static Result<Library> open(const char* file);
  void* symbol(const char* name) const;

 private:
  explicit Library(void* handle) : handle_(handle) {}
  void* handle_ = nullptr;
};

// Tells the processor that this is a spin loop.
inline void cpu_pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

// Fetches the line for writing.
inline void prefetch_to_write(const void* address) { __builtin_prefetch(address, 1, 3); }

// Copy kernels by register width, for 64 bytes and more; never string instructions. Null where the processor lacks the
// registers.
using CopyKernel = void (*)(void* to, const void* from, std::size_t bytes);
CopyKernel copy_kernel_128();
CopyKernel copy_kernel_256();
CopyKernel copy_kernel_512();

}  // namespace ompi_lite::os
