// SPDX-License-Identifier: BSD-3-Clause
// Copies and kernels in streams.
#include "ompi_lite/device/cuda/work.h"

#include <algorithm>
#include <memory>

#include "ompi_lite/device/copy_on_device.h"
#include "ompi_lite/device/cuda/context.h"
#include "ompi_lite/device/cuda/kernels.h"

namespace ompi_lite::cuda {
namespace {

CUresult put_rows(const OmpiLiteCopy& all, CUstream stream) {
  CUresult result = kSuccess;
  for (std::size_t row = 0; row < all.rows && result == kSuccess; ++row)
    result = driver->cuMemcpyAsync(number(all.to) + row * all.to_pitch, number(all.from) + row * all.from_pitch, all.bytes,
                                   stream);
  return result;
}

CUresult put(const OmpiLiteCopy& one, CUstream stream) {
  if (one.rows == 1) return driver->cuMemcpyAsync(number(one.to), number(one.from), one.bytes, stream);
  Memcpy2D copy{};
  copy.source_type = copy.dest_type = kMemoryTypeUnified;
  copy.source_device = number(one.from);
  copy.dest_device = number(one.to);
  copy.source_pitch = one.from_pitch;
  copy.dest_pitch = one.to_pitch;
  copy.width = one.bytes;
  copy.height = one.rows;
  // A pitch beyond what the driver takes: row by row.
  const CUresult result = driver->cuMemcpy2DAsync(&copy, stream);
  return result == kSuccess ? result : put_rows(one, stream);
}

// Copy engines take a run at a time, kernels many: worth it for runs below this size, as far as we know without measuring.
constexpr std::size_t kLongRun = 16384, kFewRuns = 4;

bool is_for_kernel(const OmpiLiteCopies& copies, const Belongings* own) {
  if (own == nullptr || own->copy == nullptr || !own->same_addresses || !copies.pinned) return false;
  std::size_t runs = 0, bytes = 0;
  for (const OmpiLiteCopy* one = copies.list; one != copies.list + copies.count; ++one) {
    runs += one->rows;
    bytes += one->rows * one->bytes;
  }
  return runs > kFewRuns && bytes / runs < kLongRun;
}

CUresult launch(CUfunction function, std::size_t threads, CUstream stream, void** arguments) {
  const std::size_t blocks = std::clamp<std::size_t>((threads + kThreads - 1) / kThreads, 1, kMostBlocks);
  return driver->cuLaunchKernel(function, static_cast<unsigned>(blocks), 1, 1, kThreads, 1, 1, 0, stream, arguments,
                                nullptr);
}

CUresult put_by_kernel(const OmpiLiteCopies& copies, const Belongings& own, CUstream stream) {
  CUresult result = kSuccess;
  for (std::size_t done = 0; done < copies.count && result == kSuccess;) {
    kernels::CopyLot lot{};
    std::size_t most = 0;
    for (; done < copies.count && lot.count < kernels::kCopiesInLot; ++done) {
      lot.list[lot.count++] = copies.list[done];
      most = std::max(most, kernels::units_of(copies.list[done]));
    }
    void* arguments[] = {&lot};
    result = launch(own.copy, most, stream, arguments);
  }
  return result;
}

CUresult put_all(const OmpiLiteCopies& copies, const Belongings* own, CUstream stream) {
  if (is_for_kernel(copies, own)) return put_by_kernel(copies, *own, stream);
  CUresult result = kSuccess;
  for (std::size_t i = 0; i < copies.count && result == kSuccess; ++i) result = put(copies.list[i], stream);
  return result;
}

// Work that somebody will poll.
struct Work {
  CUcontext context = nullptr;
  CUevent event = nullptr;
};

CUevent take_event(Belongings* own) {
  CUevent event = nullptr;
  if (own != nullptr && !own->events.empty()) {
    event = own->events.back();
    own->events.pop_back();
    return event;
  }
  return driver->cuEventCreate(&event, kEventDisableTiming) == kSuccess ? event : nullptr;
}

}  // namespace

int copy(const OmpiLiteCopies* copies, const OmpiLiteLocation* near, OmpiLiteReason* reason) {
  const InContext here(*near);
  if (!here) return fail(reason, kNoContext);
  CUresult result = put_all(*copies, belongings(), per_thread_stream());
  const CUresult ended = driver->cuStreamSynchronize(per_thread_stream());
  if (result == kSuccess) result = ended;
  return result == kSuccess ? 0 : fail(reason, "copy", result);
}

int settle(const OmpiLiteLocation* near, OmpiLiteReason* reason) {
  const InContext here(*near);
  if (!here) return fail(reason, kNoContext);
  CUresult result = driver->cuStreamSynchronize(legacy_stream());
  if (result == kSuccess) result = driver->cuStreamSynchronize(per_thread_stream());
  return result == kSuccess ? 0 : fail(reason, "work before the call", result);
}

int begin(const OmpiLiteCopies* copies, const OmpiLiteLocation* near, void** work, OmpiLiteReason* reason) {
  const InContext here(*near);
  if (!here) return fail(reason, kNoContext);
  Belongings* own = belongings();
  const CUstream stream = own != nullptr && own->stream != nullptr ? own->stream : per_thread_stream();
  auto made = std::make_unique<Work>();
  made->event = take_event(own);
  if (made->event == nullptr) return fail(reason, "no event can be made");
  CUresult result = driver->cuCtxGetCurrent(&made->context);
  if (result == kSuccess) result = put_all(*copies, own, stream);
  if (result == kSuccess) result = driver->cuEventRecord(made->event, stream);
  if (result != kSuccess) {
    driver->cuStreamSynchronize(stream);  // some may be under way
    return fail(reason, "copy", result);
  }
  *work = made.release();
  return 0;
}

int poll(void* work, bool wait, OmpiLiteReason* reason) {
  auto* polled = static_cast<Work*>(work);
  const InContext here(polled->context);
  const CUresult result = !here  ? kSuccess
                          : wait ? driver->cuEventSynchronize(polled->event)
                                 : driver->cuEventQuery(polled->event);
  if (result == kNotReady) return 1;
  const std::unique_ptr<Work> gone(polled);
  if (!here) return fail(reason, "the context of the memory was destroyed");
  if (result != kSuccess) return fail(reason, "copy", result);
  if (Belongings* own = belongings()) own->events.push_back(polled->event);
  return 0;
}

int reduce(const OmpiLiteReduction* what, const OmpiLiteLocation* near, OmpiLiteReason* reason) {
  reason->text[0] = '\0';
  const InContext here(*near);
  if (!here) return fail(reason, kNoContext);
  const Belongings* own = belongings();
  if (own == nullptr || own->reduce == nullptr) return 1;
  if (what->count == 0) return 0;
  int op = what->op, element = what->element;
  CUdeviceptr in = number(what->in), inout = number(what->inout);
  unsigned long long count = what->count;
  void* arguments[] = {&op, &element, &in, &inout, &count};
  CUresult result = launch(own->reduce, what->count, per_thread_stream(), arguments);
  if (result == kSuccess) result = driver->cuStreamSynchronize(per_thread_stream());
  return result == kSuccess ? 0 : fail(reason, "kernel", result);
}

}  // namespace ompi_lite::cuda
