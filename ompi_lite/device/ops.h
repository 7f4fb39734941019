// SPDX-License-Identifier: BSD-3-Clause
// What a device plugin fills: the only interface between the library and the code that talks to a driver. Plain C structs,
// so that a plugin of another compiler fits; the version grows when anything here changes.
#pragma once

#include <cstddef>
#include <cstdint>

// The plugin is loaded from the folder of the library, never linked.
extern "C" {

inline constexpr std::uint32_t kOmpiLiteDeviceVersion = 2;
inline constexpr char kOmpiLiteDeviceSymbol[] = "ompi_lite_device_ops";

// Where an address lies. `id` differs between two allocations even if the second one got the address of the first.
struct OmpiLiteLocation {
  std::uint8_t space;   // a MemorySpace; host: the driver does not know the address, and all else is zero
  std::int16_t device;  // its number for this process, -1: none
  std::uint64_t id;
  void* context;      // of the driver, null where the allocation belongs to none
  const void* base;   // of the allocation
  std::size_t bytes;  // of it; 0: not known
};

// `rows` runs of `bytes` bytes, at each side so many bytes after the one before.
struct OmpiLiteCopy {
  void* to;
  const void* from;
  std::size_t bytes;
  std::size_t rows;
  std::size_t to_pitch, from_pitch;
};
struct OmpiLiteCopies {
  const OmpiLiteCopy* list;
  std::size_t count;
  bool pinned;  // what is host memory among them was given to pin()
};

// Room for a sentence that says what went wrong, with the driver's words; the plugin ends it with a zero.
struct OmpiLiteReason {
  char* text;
  std::size_t room;
};

inline constexpr std::size_t kOmpiLiteExportBytes = 64;
struct OmpiLiteExport {
  unsigned char handle[kOmpiLiteExportBytes];
};

struct OmpiLiteReduction {
  int op;
  int element;
  const void* in;
  void* inout;
  std::size_t count;
};

// Every function that returns int gives 0 for success. Called with the process lock held, from any thread; no function
// leaves another context current than it found, and none makes a context.
struct OmpiLiteDeviceOps {
  std::uint32_t version;
  const char* name;
  // Looks for the driver without waking it: that costs a second, and until the application does there is no device memory.
  // In `reason` the driver's version, or why there is none to work with.
  int (*open)(OmpiLiteReason* reason);
  // Asks the driver, once. An address that it does not know is host memory.
  void (*locate)(const void* address, OmpiLiteLocation* location);
  // All copies are done on return; they come after what the caller has put into the default streams. `near` is the location
  // of the device memory among them.
  int (*copy)(const OmpiLiteCopies* copies, const OmpiLiteLocation* near, OmpiLiteReason* reason);
  // What the caller has put into the default streams of the memory's context is done on return.
  int (*settle)(const OmpiLiteLocation* near, OmpiLiteReason* reason);
  // Starts the copies, in a stream that waits for no other and that no other waits for. `work` is for poll().
  int (*begin)(const OmpiLiteCopies* copies, const OmpiLiteLocation* near, void** work, OmpiLiteReason* reason);
  // 0: done; 1: under way, which `wait` does not give; else it has failed. But for 1 the work is gone.
  int (*poll)(void* work, bool wait, OmpiLiteReason* reason);
  // Memory on the device of `near`, in its context; null: there is none left. Given back with its own location.
  void* (*allocate)(std::size_t bytes, const OmpiLiteLocation* near);
  void (*release)(void* address, const OmpiLiteLocation* location);
  // Makes host memory fast to copy from and to; failing that, copies work all the same.
  int (*pin)(void* address, std::size_t bytes, const OmpiLiteLocation* near);
  void (*unpin)(void* address);
  // Lets another process of this machine map the allocation; `open_export` gives its first byte there.
  int (*make_export)(const OmpiLiteLocation* location, OmpiLiteExport* exported, OmpiLiteReason* reason);
  int (*open_export)(const OmpiLiteExport* exported, const OmpiLiteLocation* near, void** base, OmpiLiteReason* reason);
  void (*close_export)(void* base, const OmpiLiteLocation* near);
  // inout[i] = in[i] op inout[i] on the device, done on return. Operation and element type by the numbers of
  // core/reduce_on_device.h; 1 with an empty reason where there are no kernels. No elements: only asks.
  int (*reduce)(const OmpiLiteReduction* what, const OmpiLiteLocation* near, OmpiLiteReason* reason);
};

using OmpiLiteDeviceEntry = const OmpiLiteDeviceOps* (*)(std::uint32_t version);
}
