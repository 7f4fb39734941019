// SPDX-License-Identifier: BSD-3-Clause
// The devices of this process: loads the plugin where there is something for it to do, and says where an address lies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ompi_lite/base/counters.h"
#include "ompi_lite/base/error.h"
#include "ompi_lite/base/knob.h"
#include "ompi_lite/device/memory.h"
#include "ompi_lite/device/ops.h"

namespace ompi_lite::device {

// `none`: buffers are host memory and nobody asks. `plugin`: a driver is asked. `probe`: a driver is in the process but
// there is no plugin to talk to it, or it is forbidden: addresses that cannot be read get an error instead of a crash.
enum class Watch : std::uint8_t { none, plugin, probe };

// One for the address space, as drivers are. Set by open(), before other threads call MPI; else read only.
extern constinit Watch watch;

// What each call with a buffer asks first.
inline bool watching() { return watch != Watch::none; }

// The program's own data, the heap behind them and the main thread's stack: no driver puts memory there, and nobody asks it.
struct HostRanges {
  std::uintptr_t program_begin = 0, heap_end = 0, stack_begin = 0, stack_end = 0;
};
extern constinit HostRanges host_ranges;
inline bool surely_host(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return at - host_ranges.program_begin < host_ranges.heap_end - host_ranges.program_begin ||
         at - host_ranges.stack_begin < host_ranges.stack_end - host_ranges.stack_begin;
}

// Where memory lies that may be a device's. `known`: the allocation is.
struct Location {
  OmpiLiteLocation facts{};
  MemorySpace space() const { return static_cast<MemorySpace>(facts.space); }
  DeviceId device() const { return {facts.device}; }
  // The host cannot touch it.
  bool out_of_reach() const { return space() == MemorySpace::device; }
  bool holds(const void* address) const { return holds(address, 1); }
  bool holds(const void* address, std::size_t bytes) const {
    const auto begin = reinterpret_cast<std::uintptr_t>(facts.base), at = reinterpret_cast<std::uintptr_t>(address);
    return at >= begin && at - begin < facts.bytes && bytes <= facts.bytes - (at - begin);
  }
};

// Finds the plugin as the knobs say. Idempotent; called by MPI_Init. An Error only if the user asked for a plugin by name
// and it cannot be had.
Error open();
// "cuda, driver 12.4", or why there is none; lives for ever.
const char* description();
// The kinds of memory that MPI calls take here (MPI 5.0, section 11.4.3), as the info key mpi_memory_alloc_kinds says them.
inline const char* memory_alloc_kinds() {
  return watch == Watch::plugin ? "system,mpi,cuda,cuda:host,cuda:device,cuda:managed" : "system,mpi";
}

// At most one question to the driver; none for what is surely the host's.
Location locate(const void* address);
// An address that the driver does not know, but that we saw in device memory before, or that nobody can ask a driver about:
// an Error if the host cannot read it. `what` names the argument.
Error check_host(const void* address, const char* what);

// Copies between device and host memory or within device memory, after what the caller has put into the default streams;
// done on return. `pinned`: what is host memory among them came from Bounce::take and is Bounce::pinned().
Error copy(std::span<const OmpiLiteCopy> copies, const Location& near, bool pinned);

// Memory that device buffers are staged through: fast to copy if the driver lets us pin it. Kept for the next user.
class Bounce {
 public:
  Bounce() = default;
  Bounce(Bounce&& other) noexcept;
  Bounce& operator=(Bounce&& other) noexcept;
  ~Bounce();
  // Null data() when there is no memory.
  static Bounce take(std::size_t bytes, const Location& near);
  // Addresses for `bytes` bytes of which only the parts that make_usable() names become memory.
  static Bounce reserve(std::size_t bytes);
  bool make_usable(const std::byte* from, std::size_t bytes);
  std::byte* data() const { return data_; }
  bool pinned() const { return pinned_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  bool kept_ = false;  // goes back to the pool
  bool pinned_ = false;
};

const OmpiLiteDeviceOps* operations();  // null without a plugin

// What became of device buffers: silent staging can be seen.
struct DeviceCounters {
  Counter questions;                     // to the driver: where an address lies
  Counter staged_buffers, staged_bytes;  // through host memory, both directions
  Counter kernel_reductions, kernel_bytes;
  Counter piped_messages, piped_bytes;  // through pinned memory in pieces, both directions
  Counter peer_messages, peer_bytes;    // received out of another process's device memory
  Counter peer_opened, peer_closed;     // mappings of such memory
  Counter collectives;                  // that ran in device memory
};
extern constinit DeviceCounters device_counters;

KnobGroup knobs();
extern Knob<bool> use_kernels;
extern Knob<bool> use_pipeline;
extern Knob<std::int64_t> piece_bytes;
extern Knob<std::int64_t> pieces;

}  // namespace ompi_lite::device
