// SPDX-License-Identifier: BSD-3-Clause
// The device plugin for CUDA: OmpiLiteDeviceOps by the driver's functions. It makes no context: it works in the one that the
// memory belongs to, else in the caller's, else in the primary one of the device if somebody made that.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <map>
#include <utility>

#include "ompi_lite/device/cuda/driver.h"
#include "ompi_lite/device/cuda/kernels.h"
#include "ompi_lite/device/memory.h"
#include "ompi_lite/device/ops.h"

namespace ompi_lite::cuda {
namespace {

// Set by open(), then only read.
const Driver* driver;

int fail(OmpiLiteReason* reason, const char* what, CUresult result) {
  const char *name = nullptr, *text = nullptr;
  driver->cuGetErrorName(result, &name);
  driver->cuGetErrorString(result, &text);
  std::snprintf(reason->text, reason->room, "%s: %s (%s)", what, text != nullptr ? text : "?", name != nullptr ? name : "?");
  return -1;
}
int fail(OmpiLiteReason* reason, const char* what) {
  std::snprintf(reason->text, reason->room, "%s", what);
  return -1;
}

CUdeviceptr number(const void* address) { return reinterpret_cast<CUdeviceptr>(address); }

// Makes the context of some memory current and gives the caller's back at the end.
class InContext {
 public:
  explicit InContext(const OmpiLiteLocation& near) {
    auto* context = static_cast<CUcontext>(near.context);
    if (context != nullptr) {
      push(context);
    } else if (!caller_fits(near.device)) {
      push_primary(near.device);
    } else {
      good_ = true;
    }
  }
  ~InContext() {
    CUcontext ignored = nullptr;
    if (pushed_) driver->cuCtxPopCurrent(&ignored);
    if (retained_) driver->cuDevicePrimaryCtxRelease(device_);
  }
  InContext(const InContext&) = delete;
  InContext& operator=(const InContext&) = delete;
  explicit operator bool() const { return good_; }

 private:
  void push(CUcontext context) { good_ = pushed_ = driver->cuCtxPushCurrent(context) == kSuccess; }
  static bool caller_fits(int ordinal) {
    CUcontext current = nullptr;
    CUdevice device = -1;
    return driver->cuCtxGetCurrent(&current) == kSuccess && current != nullptr &&
           driver->cuCtxGetDevice(&device) == kSuccess && (ordinal < 0 || device == ordinal);
  }
  // Memory of pools and of virtual memory management belongs to no context.
  void push_primary(int ordinal) {
    unsigned flags = 0;
    int active = 0;
    CUcontext context = nullptr;
    if (driver->cuDeviceGet(&device_, ordinal < 0 ? 0 : ordinal) != kSuccess ||
        driver->cuDevicePrimaryCtxGetState(device_, &flags, &active) != kSuccess || active == 0 ||
        driver->cuDevicePrimaryCtxRetain(&context, device_) != kSuccess)
      return;
    retained_ = true;
    push(context);
  }

  bool good_ = false, pushed_ = false, retained_ = false;
  CUdevice device_ = -1;
};

constexpr char kNoContext[] = "no context of the driver is there for the memory's device";

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

CUresult put(const OmpiLiteCopy& one) {
  if (one.rows == 1) return driver->cuMemcpyAsync(number(one.to), number(one.from), one.bytes, per_thread_stream());
  Memcpy2D copy{};
  copy.source_type = copy.dest_type = kMemoryTypeUnified;
  copy.source_device = number(one.from);
  copy.dest_device = number(one.to);
  copy.source_pitch = copy.dest_pitch = one.pitch;
  copy.width = one.bytes;
  copy.height = one.rows;
  return driver->cuMemcpy2DAsync(&copy, per_thread_stream());
}

int copy(const OmpiLiteCopy* copies, std::size_t count, const OmpiLiteLocation* near, OmpiLiteReason* reason) {
  const InContext here(*near);
  if (!here) return fail(reason, kNoContext);
  CUresult result = kSuccess;
  for (std::size_t i = 0; i < count && result == kSuccess; ++i) {
    result = put(copies[i]);
    // A pitch beyond what the driver takes: row by row.
    if (result != kSuccess && copies[i].rows > 1) {
      const OmpiLiteCopy& all = copies[i];
      result = kSuccess;
      for (std::size_t row = 0; row < all.rows && result == kSuccess; ++row)
        result = put({static_cast<char*>(all.to) + row * all.pitch, static_cast<const char*>(all.from) + row * all.pitch,
                      all.bytes, 1, 0});
    }
  }
  const CUresult ended = driver->cuStreamSynchronize(per_thread_stream());
  if (result == kSuccess) result = ended;
  return result == kSuccess ? 0 : fail(reason, "copy", result);
}

int pin(void* address, std::size_t bytes, const OmpiLiteLocation* near) {
  const InContext here(*near);
  return here && driver->cuMemHostRegister(address, bytes, kHostRegisterPortable) == kSuccess ? 0 : -1;
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

// The kernels in one context. A context is known by its number: its address may come again.
CUfunction reduce_kernel() {
  static std::map<unsigned long long, CUmodule>& modules = *new std::map<unsigned long long, CUmodule>;
  CUcontext current = nullptr;
  unsigned long long id = 0;
  if (kernel_image() == nullptr || driver->cuCtxGetId == nullptr || driver->cuCtxGetCurrent(&current) != kSuccess ||
      driver->cuCtxGetId(current, &id) != kSuccess)
    return nullptr;
  auto [place, fresh] = modules.try_emplace(id, nullptr);
  if (fresh && driver->cuModuleLoadData(&place->second, kernel_image()) != kSuccess) place->second = nullptr;
  CUfunction function = nullptr;
  if (place->second == nullptr || driver->cuModuleGetFunction(&function, place->second, kReduceKernel) != kSuccess)
    return nullptr;
  return function;
}

int reduce(const OmpiLiteReduction* what, const OmpiLiteLocation* near, OmpiLiteReason* reason) {
  reason->text[0] = '\0';
  const InContext here(*near);
  if (!here) return fail(reason, kNoContext);
  CUfunction function = reduce_kernel();
  if (function == nullptr) return 1;
  int op = what->op, element = what->element;
  CUdeviceptr in = number(what->in), inout = number(what->inout);
  unsigned long long count = what->count;
  void* arguments[] = {&op, &element, &in, &inout, &count};
  const std::size_t blocks = std::min<std::size_t>((what->count + kThreads - 1) / kThreads, kMostBlocks);
  CUresult result = driver->cuLaunchKernel(function, static_cast<unsigned>(blocks), 1, 1, kThreads, 1, 1, 0,
                                           per_thread_stream(), arguments, nullptr);
  if (result == kSuccess) result = driver->cuStreamSynchronize(per_thread_stream());
  return result == kSuccess ? 0 : fail(reason, "kernel", result);
}

constexpr OmpiLiteDeviceOps kOps = {kOmpiLiteDeviceVersion, "cuda", open, locate, copy, pin, unpin, make_export, open_export,
                                    close_export,           reduce};

}  // namespace
}  // namespace ompi_lite::cuda

extern "C" __attribute__((visibility("default"))) const OmpiLiteDeviceOps* ompi_lite_device_ops(std::uint32_t version) {
  return version == kOmpiLiteDeviceVersion ? &ompi_lite::cuda::kOps : nullptr;
}
