// SPDX-License-Identifier: BSD-3-Clause
// A libcuda.so.1 for tests on machines without a GPU: the functions of the driver that the plugin and the test programs use,
// on pretended memory (device.h) and streams (streams.h). FAKE_CUDA_DEVICES and FAKE_CUDA_ROOM (bytes) set its size.
#include "ompi_lite/device/cuda/driver.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string_view>
#include <vector>

#include "test/support/fake/device.h"
#include "test/support/fake/kernels.h"
#include "test/support/fake/streams.h"

using namespace ompi_lite::cuda;

namespace ompi_lite::cuda {
struct CUctx_st {
  int device;
  unsigned long long id;
  bool primary;
  bool alive;
  std::map<pid_t, fake::Streams::Id> of_threads;
  int users;
};
struct CUstream_st {
  fake::Streams::Id id;
  CUcontext context;
};
struct CUevent_st {
  CUcontext context;
  fake::Streams::Id stream = 0;
  std::uint64_t mark = 0;
};
struct CUmod_st {
  CUcontext context;
};
struct CUfunc_st {
  fake::Kernel kernel;
  CUcontext context;
};
}  // namespace ompi_lite::cuda

namespace {

constexpr CUresult kInvalidValue = 1, kOutOfMemory = 2, kNoDevice = 100, kInvalidDevice = 101, kInvalidImage = 200,
                   kInvalidContext = 201, kInvalidHandle = 400, kNotFound = 500, kIllegalAddress = 700,
                   kAlreadyRegistered = 712, kNotRegistered = 713;

struct Pretended {
  fake::Memory memory;
  fake::Streams streams;
  bool initialized = false;
  int devices = 2;
  std::vector<CUctx_st> primary;
  unsigned long long contexts = 0;
  unsigned long long questions = 0;
  std::mutex lock;
  std::map<CUdeviceptr, std::size_t> imported;
};
Pretended& driver() {
  static Pretended& made = *new Pretended;
  return made;
}

thread_local std::vector<CUcontext> current;
CUcontext now() { return current.empty() ? nullptr : current.back(); }

CUresult in_context() {
  if (!driver().initialized) return kNotInitialized;
  if (now() == nullptr || !now()->alive) return kInvalidContext;
  return kSuccess;
}

CUresult in_order(const void* address, std::size_t bytes) {
  return driver().memory.reach(address, bytes) != nullptr ? kSuccess : kInvalidValue;
}

fake::Streams::Id stream_of(CUstream stream, CUresult& result) {
  const auto value = reinterpret_cast<std::uintptr_t>(stream);
  if (value <= 1) return fake::Streams::kLegacy;
  if (value == 2) {
    const std::lock_guard guard(driver().lock);
    auto [place, fresh] = now()->of_threads.try_emplace(static_cast<pid_t>(syscall(SYS_gettid)), 0);
    if (fresh) place->second = driver().streams.make(true);
    return place->second;
  }
  if (stream->context != now()) result = kInvalidHandle;
  return stream->id;
}

char* bytes_at(CUdeviceptr address) { return reinterpret_cast<char*>(address); }

// The addresses are looked up when the work is done, as the hardware does.
struct Pitches {
  std::size_t to = 0, from = 0;
};
CUresult put_copy(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, std::size_t rows, Pitches pitch, CUstream stream) {
  const std::size_t to_span = (rows - 1) * pitch.to + bytes, from_span = (rows - 1) * pitch.from + bytes;
  CUresult result = in_context();
  if (result == kSuccess) result = in_order(bytes_at(to), to_span);
  if (result == kSuccess) result = in_order(bytes_at(from), from_span);
  if (result != kSuccess) return result;
  const auto id = stream_of(stream, result);
  if (result != kSuccess) return result;
  driver().streams.put(id, [=] {
    char* target = driver().memory.reach(bytes_at(to), to_span);
    const char* source = driver().memory.reach(bytes_at(from), from_span);
    if (target == nullptr || source == nullptr) return kIllegalAddress;
    for (std::size_t row = 0; row < rows; ++row) std::memmove(target + row * pitch.to, source + row * pitch.from, bytes);
    return kSuccess;
  });
  return kSuccess;
}

CUresult allocate(CUdeviceptr* place, std::size_t bytes, fake::Kind kind, bool pooled = false) {
  const CUresult result = in_context();
  if (result != kSuccess) return result;
  if (bytes == 0) return kInvalidValue;
  char* made = driver().memory.allocate(kind, bytes, now()->device, now(), pooled);
  if (made == nullptr) return kOutOfMemory;
  *place = reinterpret_cast<CUdeviceptr>(made);
  return kSuccess;
}

struct Handle {
  pid_t owner;
  int fd;
  std::size_t bytes;
  int device;
};

void answer(int attribute, void* place, const fake::Allocation* found) {
  switch (attribute) {
    case kAttributeContext:
      *static_cast<void**>(place) = found != nullptr ? found->context : nullptr;
      break;
    case kAttributeMemoryType:
      *static_cast<unsigned*>(place) = found == nullptr                  ? 0U
                                       : found->kind == fake::Kind::host ? unsigned{kMemoryTypeHost}
                                                                         : unsigned{kMemoryTypeDevice};
      break;
    case kAttributeBufferId:
      *static_cast<unsigned long long*>(place) = found != nullptr ? found->id : 0;
      break;
    case kAttributeIsManaged:
      *static_cast<unsigned*>(place) = found != nullptr && found->kind == fake::Kind::managed ? 1 : 0;
      break;
    case kAttributeDeviceOrdinal:
      *static_cast<int*>(place) = found != nullptr ? found->device : -2;
      break;
    case kAttributeRangeStart:
      *static_cast<CUdeviceptr*>(place) = found != nullptr ? reinterpret_cast<CUdeviceptr>(found->shown) : 0;
      break;
    case kAttributeRangeSize:
      *static_cast<std::size_t*>(place) = found != nullptr ? found->bytes : 0;
      break;
    default:
      break;
  }
}

}  // namespace

extern "C" {
#pragma GCC visibility push(default)

unsigned long long fake_cuda_questions() { return driver().questions; }
unsigned long long fake_cuda_contexts() { return driver().contexts; }

CUresult cuInit(unsigned) {
  Pretended& own = driver();
  if (own.initialized) return kSuccess;
  if (const char* devices = std::getenv("FAKE_CUDA_DEVICES")) own.devices = std::atoi(devices);
  if (const char* room = std::getenv("FAKE_CUDA_ROOM")) own.memory.room = std::strtoull(room, nullptr, 0);
  if (own.devices == 0) return kNoDevice;
  own.primary.resize(static_cast<std::size_t>(own.devices));
  own.initialized = true;
  return kSuccess;
}
CUresult cuDriverGetVersion(int* version) {
  *version = 12040;
  return kSuccess;
}
CUresult cuGetErrorName(CUresult error, const char** name) {
  *name = error == kOutOfMemory      ? "CUDA_ERROR_OUT_OF_MEMORY"
          : error == kInvalidContext ? "CUDA_ERROR_INVALID_CONTEXT"
                                     : "CUDA_ERROR";
  return kSuccess;
}
CUresult cuGetErrorString(CUresult error, const char** text) {
  *text = error == kOutOfMemory ? "out of memory" : error == kInvalidContext ? "invalid device context" : "pretended error";
  return kSuccess;
}
CUresult cuDeviceGetAttribute(int* value, int attribute, CUdevice) {
  *value = attribute == kDeviceUsesHostPointers ? 1 : 0;
  return driver().initialized ? kSuccess : kNotInitialized;
}
CUresult cuDeviceGetCount(int* count) {
  *count = driver().devices;
  return driver().initialized ? kSuccess : kNotInitialized;
}
CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  if (!driver().initialized) return kNotInitialized;
  if (ordinal < 0 || ordinal >= driver().devices) return kInvalidDevice;
  *device = ordinal;
  return kSuccess;
}

// ---- contexts ----

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  *flags = 0;
  *active = driver().primary[static_cast<std::size_t>(device)].users > 0 ? 1 : 0;
  return kSuccess;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  const std::lock_guard guard(driver().lock);
  CUctx_st& primary = driver().primary[static_cast<std::size_t>(device)];
  if (primary.users++ == 0) {
    primary.device = device;
    primary.id = ++driver().contexts;
    primary.primary = primary.alive = true;
  }
  *context = &primary;
  return kSuccess;
}
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  const std::lock_guard guard(driver().lock);
  CUctx_st& primary = driver().primary[static_cast<std::size_t>(device)];
  if (--primary.users == 0) primary.alive = false;
  return kSuccess;
}
CUresult cuCtxCreate_v2(CUcontext* context, unsigned, CUdevice device) {
  if (!driver().initialized) return kNotInitialized;
  auto* made = new CUctx_st{device, ++driver().contexts, false, true, {}, 1};
  current.push_back(made);
  *context = made;
  return kSuccess;
}
CUresult cuCtxDestroy_v2(CUcontext context) {
  context->alive = false;
  if (now() == context) current.pop_back();
  return kSuccess;
}
CUresult cuCtxSetCurrent(CUcontext context) {
  if (!current.empty()) current.pop_back();
  if (context != nullptr) current.push_back(context);
  return kSuccess;
}
CUresult cuCtxGetCurrent(CUcontext* context) {
  if (!driver().initialized) return kNotInitialized;
  *context = now();
  return kSuccess;
}
CUresult cuCtxGetDevice(CUdevice* device) {
  const CUresult result = in_context();
  if (result == kSuccess) *device = now()->device;
  return result;
}
CUresult cuCtxGetId(CUcontext context, unsigned long long* id) {
  *id = context->id;
  return kSuccess;
}
CUresult cuCtxPushCurrent_v2(CUcontext context) {
  if (context == nullptr || !context->alive) return kInvalidContext;
  current.push_back(context);
  return kSuccess;
}
CUresult cuCtxPopCurrent_v2(CUcontext* context) {
  if (current.empty()) return kInvalidContext;
  *context = current.back();
  current.pop_back();
  return kSuccess;
}
CUresult cuCtxSynchronize() { return in_context() == kSuccess ? driver().streams.wait_for_all() : kInvalidContext; }

// ---- memory ----

CUresult cuMemAlloc_v2(CUdeviceptr* place, std::size_t bytes) { return allocate(place, bytes, fake::Kind::device); }
CUresult cuMemAllocManaged(CUdeviceptr* place, std::size_t bytes, unsigned) {
  return allocate(place, bytes, fake::Kind::managed);
}
CUresult cuMemAllocAsync(CUdeviceptr* place, std::size_t bytes, CUstream) {
  return allocate(place, bytes, fake::Kind::device, true);
}
CUresult cuMemHostAlloc(void** place, std::size_t bytes, unsigned) {
  CUdeviceptr made = 0;
  const CUresult result = allocate(&made, bytes, fake::Kind::host);
  *place = bytes_at(made);
  return result;
}
CUresult cuMemFree_v2(CUdeviceptr address) {
  driver().streams.wait_for_all();
  return driver().memory.free(bytes_at(address), fake::Kind::device) ? kSuccess : kInvalidValue;
}
CUresult cuMemFreeAsync(CUdeviceptr address, CUstream) { return cuMemFree_v2(address); }
CUresult cuMemFreeHost(void* address) {
  driver().streams.wait_for_all();
  return driver().memory.free(address, fake::Kind::host) ? kSuccess : kInvalidValue;
}
CUresult cuMemHostRegister_v2(void* address, std::size_t bytes, unsigned) {
  const CUresult result = in_context();
  if (result != kSuccess) return result;
  return driver().memory.add_registered(static_cast<char*>(address), bytes, now()) ? kSuccess : kAlreadyRegistered;
}
CUresult cuMemHostUnregister(void* address) {
  return driver().memory.free(address, fake::Kind::host, true) ? kSuccess : kNotRegistered;
}
CUresult cuPointerGetAttributes(unsigned count, const int* attributes, void** places, CUdeviceptr address) {
  if (!driver().initialized) return kNotInitialized;
  ++driver().questions;
  fake::Allocation allocation;
  const bool known = driver().memory.find(bytes_at(address), allocation);
  for (unsigned i = 0; i < count; ++i) answer(attributes[i], places[i], known ? &allocation : nullptr);
  return kSuccess;
}

// ---- work ----

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return put_copy(to, from, bytes, 1, {}, stream);
}
CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  const CUresult result = put_copy(to, from, bytes, 1, {}, nullptr);
  return result != kSuccess ? result : driver().streams.wait(fake::Streams::kLegacy);
}
CUresult cuMemcpy2DAsync_v2(const Memcpy2D* copy, CUstream stream) {
  if (copy->source_type != kMemoryTypeUnified || copy->dest_type != kMemoryTypeUnified) return kInvalidValue;
  if (copy->source_pitch < copy->width || copy->dest_pitch < copy->width || copy->source_pitch > (1 << 20) ||
      copy->dest_pitch > (1 << 20))
    return kInvalidValue;
  const Memcpy2D kept = *copy;
  return put_copy(kept.dest_device, kept.source_device, kept.width, kept.height, {kept.dest_pitch, kept.source_pitch},
                  stream);
}
CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, std::size_t bytes) {
  CUresult result = in_context();
  if (result == kSuccess) result = in_order(bytes_at(to), bytes);
  if (result == kSuccess) std::memset(driver().memory.reach(bytes_at(to), bytes), value, bytes);
  return result;
}
CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  const CUresult result = in_context();
  if (result == kSuccess) *stream = new CUstream_st{driver().streams.make(flags == 0), now()};
  return result;
}
CUresult cuStreamDestroy_v2(CUstream stream) {
  driver().streams.wait(stream->id);
  delete stream;
  return kSuccess;
}
CUresult cuStreamSynchronize(CUstream stream) {
  CUresult result = in_context();
  if (result != kSuccess) return result;
  const auto id = stream_of(stream, result);
  return result != kSuccess ? result : driver().streams.wait(id);
}
CUresult cuStreamQuery(CUstream stream) {
  CUresult result = in_context();
  if (result != kSuccess) return result;
  const auto id = stream_of(stream, result);
  return result != kSuccess ? result : driver().streams.idle(id) ? kSuccess : kNotReady;
}
CUresult cuEventCreate(CUevent* event, unsigned) {
  const CUresult result = in_context();
  if (result == kSuccess) *event = new CUevent_st{now()};
  return result;
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  CUresult result = in_context();
  if (result == kSuccess && event->context != now()) result = kInvalidHandle;
  if (result != kSuccess) return result;
  const auto id = stream_of(stream, result);
  if (result != kSuccess) return result;
  event->stream = id;
  event->mark = driver().streams.mark(id);
  return kSuccess;
}
CUresult cuEventQuery(CUevent event) {
  const CUresult result = in_context();
  if (result != kSuccess) return result;
  return driver().streams.reached(event->stream, event->mark) ? driver().streams.take_error(event->stream) : kNotReady;
}
CUresult cuEventSynchronize(CUevent event) {
  const CUresult result = in_context();
  return result != kSuccess ? result : driver().streams.wait(event->stream, event->mark);
}

// ---- other processes ----

CUresult cuIpcGetMemHandle(IpcMemHandle* exported, CUdeviceptr address) {
  const CUresult result = in_context();
  if (result != kSuccess) return result;
  fake::Allocation found;
  if (!driver().memory.find(bytes_at(address), found) || found.kind != fake::Kind::device || found.pooled)
    return kInvalidValue;
  const Handle handle{getpid(), found.fd, found.bytes, found.device};
  std::memset(exported, 0, sizeof *exported);
  std::memcpy(exported, &handle, sizeof handle);
  return kSuccess;
}
CUresult cuIpcOpenMemHandle_v2(CUdeviceptr* place, IpcMemHandle exported, unsigned) {
  const CUresult result = in_context();
  if (result != kSuccess) return result;
  Handle handle;
  std::memcpy(&handle, &exported, sizeof handle);
  if (handle.owner == getpid()) return kInvalidContext;
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/fd/%d", handle.owner, handle.fd);
  const int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0) return kInvalidHandle;
  *place = reinterpret_cast<CUdeviceptr>(driver().memory.import(fd, handle.bytes, handle.device, now()));
  return kSuccess;
}
CUresult cuIpcCloseMemHandle(CUdeviceptr address) {
  driver().streams.wait_for_all();
  return driver().memory.free(bytes_at(address), fake::Kind::imported) ? kSuccess : kInvalidValue;
}

// ---- kernels ----

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  const CUresult result = in_context();
  if (result != kSuccess) return result;
  if (std::memcmp(image, fake::kImage, sizeof fake::kImage) != 0) return kInvalidImage;
  *module = new CUmod_st{now()};
  return kSuccess;
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  const fake::Kernel kernel = fake::find_kernel(name);
  if (kernel == nullptr) return kNotFound;
  *function = new CUfunc_st{kernel, module->context};
  return kSuccess;
}
CUresult cuLaunchKernel(CUfunction function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                        CUstream stream, void** arguments, void**) {
  CUresult result = in_context();
  if (result != kSuccess) return result;
  if (function->context != now()) return kInvalidHandle;
  const auto id = stream_of(stream, result);
  if (result != kSuccess) return result;
  driver().streams.put(id, function->kernel(arguments, [](const void* address, std::size_t bytes) -> void* {
    return driver().memory.reach(address, bytes);
  }));
  return kSuccess;
}

CUresult cuGetProcAddress_v2(const char* name, void** place, int, std::uint64_t, int* status);
#pragma GCC visibility pop
}

namespace {

struct Named {
  std::string_view name;
  void* function;
};
template <class F>
Named named(std::string_view name, F* function) {
  return {name, reinterpret_cast<void*>(function)};
}

}  // namespace

// Names as the driver's table has them, without the suffix of the version.
CUresult cuGetProcAddress_v2(const char* name, void** place, int, std::uint64_t, int*) {
  static const Named table[] = {named("cuInit", cuInit),
                                named("cuDriverGetVersion", cuDriverGetVersion),
                                named("cuGetErrorName", cuGetErrorName),
                                named("cuGetErrorString", cuGetErrorString),
                                named("cuPointerGetAttributes", cuPointerGetAttributes),
                                named("cuCtxGetCurrent", cuCtxGetCurrent),
                                named("cuCtxGetDevice", cuCtxGetDevice),
                                named("cuCtxGetId", cuCtxGetId),
                                named("cuCtxPushCurrent", cuCtxPushCurrent_v2),
                                named("cuCtxPopCurrent", cuCtxPopCurrent_v2),
                                named("cuDeviceGet", cuDeviceGet),
                                named("cuDevicePrimaryCtxGetState", cuDevicePrimaryCtxGetState),
                                named("cuDevicePrimaryCtxRetain", cuDevicePrimaryCtxRetain),
                                named("cuDevicePrimaryCtxRelease", cuDevicePrimaryCtxRelease_v2),
                                named("cuMemcpyAsync", cuMemcpyAsync),
                                named("cuMemcpy2DAsync", cuMemcpy2DAsync_v2),
                                named("cuStreamSynchronize", cuStreamSynchronize),
                                named("cuStreamCreate", cuStreamCreate),
                                named("cuEventCreate", cuEventCreate),
                                named("cuEventRecord", cuEventRecord),
                                named("cuEventQuery", cuEventQuery),
                                named("cuEventSynchronize", cuEventSynchronize),
                                named("cuDeviceGetAttribute", cuDeviceGetAttribute),
                                named("cuMemAlloc", cuMemAlloc_v2),
                                named("cuMemFree", cuMemFree_v2),
                                named("cuMemHostRegister", cuMemHostRegister_v2),
                                named("cuMemHostUnregister", cuMemHostUnregister),
                                named("cuIpcGetMemHandle", cuIpcGetMemHandle),
                                named("cuIpcOpenMemHandle", cuIpcOpenMemHandle_v2),
                                named("cuIpcCloseMemHandle", cuIpcCloseMemHandle),
                                named("cuModuleLoadData", cuModuleLoadData),
                                named("cuModuleGetFunction", cuModuleGetFunction),
                                named("cuLaunchKernel", cuLaunchKernel)};
  for (const Named& each : table) {
    if (each.name != name) continue;
    *place = each.function;
    return kSuccess;
  }
  *place = nullptr;
  return kNotFound;
}
