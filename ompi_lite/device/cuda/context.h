// SPDX-License-Identifier: BSD-3-Clause
// Where the plugin works: contexts that others have made, and what it keeps in each.
#pragma once

#include <vector>

#include "ompi_lite/device/cuda/driver.h"
#include "ompi_lite/device/ops.h"

namespace ompi_lite::cuda {

// Set by open(), then only read.
extern const Driver* driver;

inline constexpr char kNoContext[] = "no context of the driver is there for the memory's device";

// Both give -1.
int fail(OmpiLiteReason* reason, const char* what, CUresult result);
int fail(OmpiLiteReason* reason, const char* what);

inline CUdeviceptr number(const void* address) { return reinterpret_cast<CUdeviceptr>(address); }

// Makes the context of some memory current and gives the caller's back at the end.
class InContext {
 public:
  explicit InContext(const OmpiLiteLocation& near);
  explicit InContext(CUcontext context) { push(context); }
  ~InContext();
  InContext(const InContext&) = delete;
  InContext& operator=(const InContext&) = delete;
  explicit operator bool() const { return good_; }

 private:
  void push(CUcontext context) { good_ = pushed_ = driver->cuCtxPushCurrent(context) == kSuccess; }
  static bool caller_fits(int ordinal);
  void push_primary(int ordinal);

  bool good_ = false, pushed_ = false, retained_ = false;
  CUdevice device_ = -1;
};

// What is ours in a context. It goes with the context.
struct Belongings {
  bool looked_for_kernels = false;
  CUmodule kernels = nullptr;
  CUfunction reduce = nullptr, copy = nullptr;  // null: there is no such kernel
  bool same_addresses = false;                  // the device finds pinned host memory at the host's addresses
  CUstream stream = nullptr;                    // waits for no other, and no other waits for it
  std::vector<CUevent> events;                  // that nobody uses now
};
// Those of the current context, with kernels and stream; null where the driver cannot tell one context from a later one at
// the same address (before 12.0).
Belongings* belongings();

}  // namespace ompi_lite::cuda
