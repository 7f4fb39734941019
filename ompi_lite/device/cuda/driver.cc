// SPDX-License-Identifier: BSD-3-Clause
// Finds the driver and its functions.
#include "ompi_lite/device/cuda/driver.h"

#include <dlfcn.h>

#include <cstdio>

namespace ompi_lite::cuda {
namespace {

// The driver's interface that we speak: what cuGetProcAddress gives for a name depends on it. Drivers since 11.4 know it.
constexpr int kSpoken = 11040;

using GetProcAddress = CUresult (*)(const char*, void**, int, std::uint64_t);
using GetProcAddress2 = CUresult (*)(const char*, void**, int, std::uint64_t, int*);

class Finder {
 public:
  Finder(void* library, char* why, std::size_t room)
      : second_(reinterpret_cast<GetProcAddress2>(dlsym(library, "cuGetProcAddress_v2"))),
        first_(reinterpret_cast<GetProcAddress>(dlsym(library, "cuGetProcAddress"))),
        why_(why),
        room_(room) {}
  bool works() const { return second_ != nullptr || first_ != nullptr; }
  bool complete() const { return complete_; }

  template <class Function>
  void find(const char* name, Function*& place, int version = kSpoken) {
    place = reinterpret_cast<Function*>(address(name, version));
    if (place != nullptr || version != kSpoken || !complete_) return;
    complete_ = false;
    std::snprintf(why_, room_, "the driver has no %s", name);
  }

 private:
  void* address(const char* name, int version) const {
    void* found = nullptr;
    const CUresult result =
        second_ != nullptr ? second_(name, &found, version, 0, nullptr) : first_(name, &found, version, 0);
    return result == kSuccess ? found : nullptr;
  }

  GetProcAddress2 second_;
  GetProcAddress first_;
  char* why_;
  std::size_t room_;
  bool complete_ = true;
};

bool fill(Driver& driver, Finder& finder) {
  finder.find("cuDriverGetVersion", driver.cuDriverGetVersion);
  finder.find("cuGetErrorName", driver.cuGetErrorName);
  finder.find("cuGetErrorString", driver.cuGetErrorString);
  finder.find("cuPointerGetAttributes", driver.cuPointerGetAttributes);
  finder.find("cuCtxGetCurrent", driver.cuCtxGetCurrent);
  finder.find("cuCtxGetDevice", driver.cuCtxGetDevice);
  finder.find("cuCtxPushCurrent", driver.cuCtxPushCurrent);
  finder.find("cuCtxPopCurrent", driver.cuCtxPopCurrent);
  finder.find("cuDeviceGet", driver.cuDeviceGet);
  finder.find("cuDeviceGetAttribute", driver.cuDeviceGetAttribute);
  finder.find("cuDevicePrimaryCtxGetState", driver.cuDevicePrimaryCtxGetState);
  finder.find("cuDevicePrimaryCtxRetain", driver.cuDevicePrimaryCtxRetain);
  finder.find("cuDevicePrimaryCtxRelease", driver.cuDevicePrimaryCtxRelease);
  finder.find("cuMemcpyAsync", driver.cuMemcpyAsync);
  finder.find("cuMemcpy2DAsync", driver.cuMemcpy2DAsync);
  finder.find("cuStreamSynchronize", driver.cuStreamSynchronize);
  finder.find("cuStreamCreate", driver.cuStreamCreate);
  finder.find("cuEventCreate", driver.cuEventCreate);
  finder.find("cuEventRecord", driver.cuEventRecord);
  finder.find("cuEventQuery", driver.cuEventQuery);
  finder.find("cuEventSynchronize", driver.cuEventSynchronize);
  finder.find("cuMemAlloc", driver.cuMemAlloc);
  finder.find("cuMemFree", driver.cuMemFree);
  finder.find("cuMemHostRegister", driver.cuMemHostRegister);
  finder.find("cuMemHostUnregister", driver.cuMemHostUnregister);
  finder.find("cuIpcGetMemHandle", driver.cuIpcGetMemHandle);
  finder.find("cuIpcOpenMemHandle", driver.cuIpcOpenMemHandle);
  finder.find("cuIpcCloseMemHandle", driver.cuIpcCloseMemHandle);
  finder.find("cuModuleLoadData", driver.cuModuleLoadData);
  finder.find("cuModuleGetFunction", driver.cuModuleGetFunction);
  finder.find("cuLaunchKernel", driver.cuLaunchKernel);
  finder.find("cuCtxGetId", driver.cuCtxGetId, 12000);
  return finder.complete();
}

}  // namespace

const Driver* Driver::open(char* why, std::size_t room) {
  static Driver driver;
  static const bool good = [&] {
    void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);  // stays: other users of it come and go
    if (library == nullptr) {
      std::snprintf(why, room, "there is no driver (libcuda.so.1)");
      return false;
    }
    Finder finder(library, why, room);
    if (finder.works()) return fill(driver, finder);
    std::snprintf(why, room, "the driver is too old: it must be of CUDA 11.4 or newer");
    return false;
  }();
  return good ? &driver : nullptr;
}

}  // namespace ompi_lite::cuda
