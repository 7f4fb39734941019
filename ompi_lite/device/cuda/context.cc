// SPDX-License-Identifier: BSD-3-Clause
// Finding a context to work in, and what the plugin keeps there.
#include "ompi_lite/device/cuda/context.h"

#include <cstdio>
#include <map>

#include "ompi_lite/device/cuda/kernels.h"

namespace ompi_lite::cuda {

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

InContext::InContext(const OmpiLiteLocation& near) {
  auto* context = static_cast<CUcontext>(near.context);
  if (context != nullptr) {
    push(context);
  } else if (!caller_fits(near.device)) {
    push_primary(near.device);
  } else {
    good_ = true;
  }
}

InContext::~InContext() {
  CUcontext ignored = nullptr;
  if (pushed_) driver->cuCtxPopCurrent(&ignored);
  if (retained_) driver->cuDevicePrimaryCtxRelease(device_);
}

bool InContext::caller_fits(int ordinal) {
  CUcontext current = nullptr;
  CUdevice device = -1;
  return driver->cuCtxGetCurrent(&current) == kSuccess && current != nullptr &&
         driver->cuCtxGetDevice(&device) == kSuccess && (ordinal < 0 || device == ordinal);
}

// Memory of pools and of virtual memory management belongs to no context.
void InContext::push_primary(int ordinal) {
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

namespace {

void load_kernels(Belongings& own) {
  own.looked_for_kernels = true;
  if (kernel_image() == nullptr || driver->cuModuleLoadData(&own.kernels, kernel_image()) != kSuccess) return;
  if (driver->cuModuleGetFunction(&own.reduce, own.kernels, kReduceKernel) != kSuccess) own.reduce = nullptr;
  if (driver->cuModuleGetFunction(&own.copy, own.kernels, kCopyKernel) != kSuccess) own.copy = nullptr;
}

void look_at_device(Belongings& own) {
  CUdevice device = -1;
  int same = 0;
  if (driver->cuCtxGetDevice(&device) == kSuccess &&
      driver->cuDeviceGetAttribute(&same, kDeviceUsesHostPointers, device) == kSuccess)
    own.same_addresses = same != 0;
  if (driver->cuStreamCreate(&own.stream, kStreamNonBlocking) != kSuccess) own.stream = nullptr;
}

}  // namespace

Belongings* belongings() {
  static std::map<unsigned long long, Belongings>& all = *new std::map<unsigned long long, Belongings>;
  CUcontext current = nullptr;
  unsigned long long id = 0;
  if (driver->cuCtxGetId == nullptr || driver->cuCtxGetCurrent(&current) != kSuccess ||
      driver->cuCtxGetId(current, &id) != kSuccess)
    return nullptr;
  Belongings& own = all[id];
  if (!own.looked_for_kernels) {
    load_kernels(own);
    look_at_device(own);
  }
  return &own;
}

}  // namespace ompi_lite::cuda
