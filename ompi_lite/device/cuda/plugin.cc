// SPDX-License-Identifier: BSD-3-Clause
// The device plugin for CUDA: OmpiLiteDeviceOps by the driver's functions. It makes no context: it works in the one that the
// memory belongs to, else in the caller's, else in the primary one of the device if somebody made that.
#include <cstdio>
#include <cstring>
#include <iterator>

#include "ompi_lite/device/cuda/context.h"
#include "ompi_lite/device/cuda/work.h"
#include "ompi_lite/device/memory.h"
#include "ompi_lite/device/ops.h"

namespace ompi_lite::cuda {
namespace {

int open(OmpiLiteReason* reason) {
  driver = Driver::open(reason->text, reason->room);
  if (driver == nullptr) return -1;
  int version = 0;
  driver->cuDriverGetVersion(&version);
  std::snprintf(reason->text, reason->room, "driver for CUDA %d.%d", version / 1000, version % 1000 / 10);
  return 0;
}

void locate(const void* address, OmpiLiteLocation* location) {
  constexpr int kWanted[] = {kAttributeMemoryType, kAttributeIsManaged,  kAttributeBufferId, kAttributeDeviceOrdinal,
                             kAttributeContext,    kAttributeRangeStart, kAttributeRangeSize};
  unsigned type = 0, managed = 0;
  int ordinal = -1;
  unsigned long long id = 0;
  CUcontext context = nullptr;
  CUdeviceptr start = 0;
  std::size_t bytes = 0;
  void* places[] = {&type, &managed, &id, &ordinal, &context, &start, &bytes};
  *location = {};
  location->device = -1;
  // Not initialized by anyone: no device memory can be there.
  const CUresult result = driver->cuPointerGetAttributes(std::size(kWanted), kWanted, places, number(address));
  if (result != kSuccess || type == 0) return;
  const MemorySpace space = managed != 0              ? MemorySpace::managed
                            : type == kMemoryTypeHost ? MemorySpace::pinned
                                                      : MemorySpace::device;
  *location = {static_cast<std::uint8_t>(space),
               static_cast<std::int16_t>(ordinal),
               id,
               context,
               reinterpret_cast<const void*>(start),
               bytes};
}

void* allocate(std::size_t bytes, const OmpiLiteLocation* near) {
  const InContext here(*near);
  CUdeviceptr made = 0;
  return here && driver->cuMemAlloc(&made, bytes) == kSuccess ? reinterpret_cast<void*>(made) : nullptr;
}

void release(void* address, const OmpiLiteLocation* location) {
  const InContext here(*location);
  if (here) driver->cuMemFree(number(address));
}

int pin(void* address, std::size_t bytes, const OmpiLiteLocation* near) {
  const InContext here(*near);
  return here && driver->cuMemHostRegister(address, bytes, kHostRegisterPortable | kHostRegisterDeviceMap) == kSuccess ? 0
                                                                                                                       : -1;
}

// Its context may be gone, and the registration with it.
void unpin(void* address) { driver->cuMemHostUnregister(address); }

int make_export(const OmpiLiteLocation* location, OmpiLiteExport* exported, OmpiLiteReason* reason) {
  static_assert(sizeof(IpcMemHandle) == kOmpiLiteExportBytes);
  const InContext here(*location);
  if (!here) return fail(reason, kNoContext);
  IpcMemHandle handle;
  const CUresult result = driver->cuIpcGetMemHandle(&handle, number(location->base));
  if (result != kSuccess) return fail(reason, "export", result);
  std::memcpy(exported->handle, &handle, sizeof handle);
  return 0;
}

int open_export(const OmpiLiteExport* exported, const OmpiLiteLocation* near, void** base, OmpiLiteReason* reason) {
  const InContext here(*near);
  if (!here) return fail(reason, kNoContext);
  IpcMemHandle handle;
  std::memcpy(&handle, exported->handle, sizeof handle);
  CUdeviceptr mapped = 0;
  const CUresult result = driver->cuIpcOpenMemHandle(&mapped, handle, kIpcLazyPeerAccess);
  if (result != kSuccess) return fail(reason, "import", result);
  *base = reinterpret_cast<void*>(mapped);
  return 0;
}

void close_export(void* base, const OmpiLiteLocation* near) {
  const InContext here(*near);
  if (here) driver->cuIpcCloseMemHandle(number(base));
}

constexpr OmpiLiteDeviceOps kOps = {.version = kOmpiLiteDeviceVersion,
                                    .name = "cuda",
                                    .open = open,
                                    .locate = locate,
                                    .copy = copy,
                                    .settle = settle,
                                    .begin = begin,
                                    .poll = poll,
                                    .allocate = allocate,
                                    .release = release,
                                    .pin = pin,
                                    .unpin = unpin,
                                    .make_export = make_export,
                                    .open_export = open_export,
                                    .close_export = close_export,
                                    .reduce = reduce};

}  // namespace
}  // namespace ompi_lite::cuda

extern "C" __attribute__((visibility("default"))) const OmpiLiteDeviceOps* ompi_lite_device_ops(std::uint32_t version) {
  return version == kOmpiLiteDeviceVersion ? &ompi_lite::cuda::kOps : nullptr;
}
