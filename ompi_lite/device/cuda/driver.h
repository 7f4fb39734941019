// SPDX-License-Identifier: BSD-3-Clause
// The part of the CUDA driver interface that the plugin uses, declared here so that no toolkit is needed to build it: names,
// values and signatures are those of the driver's documentation. The functions are found at run time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ompi_lite::cuda {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st*;
using CUstream = struct CUstream_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUevent = struct CUevent_st*;

inline constexpr CUresult kSuccess = 0, kNotInitialized = 3, kNotReady = 600;
inline constexpr int kMemoryTypeHost = 1, kMemoryTypeDevice = 2, kMemoryTypeUnified = 4;
inline constexpr unsigned kHostRegisterPortable = 1, kHostRegisterDeviceMap = 2, kIpcLazyPeerAccess = 1;
inline constexpr unsigned kStreamNonBlocking = 1, kEventDisableTiming = 2;
inline constexpr int kDeviceUsesHostPointers = 91;  // of registered memory: the device finds it at the same address

// The legacy default stream of the current context.
inline CUstream legacy_stream() { return reinterpret_cast<CUstream>(std::uintptr_t{1}); }
// The per-thread default stream of the current context: what is put there waits for all work that was put into the legacy
// default stream before.
inline CUstream per_thread_stream() { return reinterpret_cast<CUstream>(std::uintptr_t{2}); }

enum PointerAttribute : int {
  kAttributeContext = 1,
  kAttributeMemoryType = 2,
  kAttributeBufferId = 7,
  kAttributeIsManaged = 8,
  kAttributeDeviceOrdinal = 9,
  kAttributeRangeStart = 11,
  kAttributeRangeSize = 12,
};

struct IpcMemHandle {
  char reserved[64];
};

struct Memcpy2D {
  std::size_t source_x, source_y;
  int source_type;
  const void* source_host;
  CUdeviceptr source_device;
  void* source_array;
  std::size_t source_pitch;
  std::size_t dest_x, dest_y;
  int dest_type;
  void* dest_host;
  CUdeviceptr dest_device;
  void* dest_array;
  std::size_t dest_pitch;
  std::size_t width, height;
};
static_assert(sizeof(Memcpy2D) == 128);

// The functions of the driver, under their names. Filled once by open(); null: this driver lacks it (only optional ones).
struct Driver {
  CUresult (*cuDriverGetVersion)(int*);
  CUresult (*cuGetErrorName)(CUresult, const char**);
  CUresult (*cuGetErrorString)(CUresult, const char**);
  CUresult (*cuPointerGetAttributes)(unsigned, const int*, void**, CUdeviceptr);
  CUresult (*cuCtxGetCurrent)(CUcontext*);
  CUresult (*cuCtxGetDevice)(CUdevice*);
  CUresult (*cuCtxPushCurrent)(CUcontext);
  CUresult (*cuCtxPopCurrent)(CUcontext*);
  CUresult (*cuDeviceGet)(CUdevice*, int);
  CUresult (*cuDeviceGetAttribute)(int*, int, CUdevice);
  CUresult (*cuDevicePrimaryCtxGetState)(CUdevice, unsigned*, int*);
  CUresult (*cuDevicePrimaryCtxRetain)(CUcontext*, CUdevice);
  CUresult (*cuDevicePrimaryCtxRelease)(CUdevice);
  CUresult (*cuMemcpyAsync)(CUdeviceptr, CUdeviceptr, std::size_t, CUstream);
  CUresult (*cuMemcpy2DAsync)(const Memcpy2D*, CUstream);
  CUresult (*cuStreamSynchronize)(CUstream);
  CUresult (*cuStreamCreate)(CUstream*, unsigned);
  CUresult (*cuEventCreate)(CUevent*, unsigned);
  CUresult (*cuEventRecord)(CUevent, CUstream);
  CUresult (*cuEventQuery)(CUevent);
  CUresult (*cuEventSynchronize)(CUevent);
  CUresult (*cuMemAlloc)(CUdeviceptr*, std::size_t);
  CUresult (*cuMemFree)(CUdeviceptr);
  CUresult (*cuMemHostRegister)(void*, std::size_t, unsigned);
  CUresult (*cuMemHostUnregister)(void*);
  CUresult (*cuIpcGetMemHandle)(IpcMemHandle*, CUdeviceptr);
  CUresult (*cuIpcOpenMemHandle)(CUdeviceptr*, IpcMemHandle, unsigned);
  CUresult (*cuIpcCloseMemHandle)(CUdeviceptr);
  CUresult (*cuModuleLoadData)(CUmodule*, const void*);
  CUresult (*cuModuleGetFunction)(CUfunction*, CUmodule, const char*);
  CUresult (*cuLaunchKernel)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream,
                             void**, void**);
  CUresult (*cuCtxGetId)(CUcontext, unsigned long long*);  // optional: since 12.0

  // Opens libcuda.so.1 without initializing it: the application does that when it uses a device. Null: there is no driver
  // that will do, and `why` says so.
  static const Driver* open(char* why, std::size_t room);
};

}  // namespace ompi_lite::cuda
