// SPDX-License-Identifier: BSD-3-Clause
// Copies that go on while the host does other things.
#pragma once

#include <span>
#include <utility>

#include "ompi_lite/base/error.h"
#include "ompi_lite/device/device_set.h"

namespace ompi_lite::device {

// What the calling thread has put into the default streams of the memory's context is done on return. Before work that
// others put into streams of their own.
Error settle(const Location& near);

// Some copies that were begun. Who owns it owns, or keeps, the memory that they touch: the destructor waits for them.
// Guarded by the process lock.
class Work {
 public:
  Work() = default;
  Work(Work&& other) noexcept : running_(std::exchange(other.running_, nullptr)) {}
  Work& operator=(Work&& other) noexcept {
    std::swap(running_, other.running_);
    return *this;
  }
  ~Work() {
    if (running_ != nullptr) static_cast<void>(wait());
  }

  // `pinned`: what is host memory among them came from Bounce::take and is Bounce::pinned().
  Error begin(std::span<const OmpiLiteCopy> copies, const Location& near, bool pinned);
  bool under_way() const { return running_ != nullptr; }
  Error poll() { return poll(false); }  // under_way() says whether it is done
  Error wait() { return poll(true); }

  // Nobody who waits for them may sleep: a device rings no bell.
  static bool any() { return running_everywhere != 0; }

 private:
  Error poll(bool wait);

  static constinit unsigned running_everywhere;
  void* running_ = nullptr;
};

}  // namespace ompi_lite::device
