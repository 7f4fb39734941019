// SPDX-License-Identifier: BSD-3-Clause
// The lock of a Process: who holds it may touch the Process and all that hangs on it.
#pragma once

#include <sched.h>

#include <atomic>
#include <mutex>

namespace ompi_lite {

// Does nothing until enable() (MPI_THREAD_MULTIPLE). Recursive, because callbacks of the application run under it and may
// call MPI. A blocking call lets go of it whole while it waits.
class ProcessLock {
 public:
  void enable() { enabled_ = true; }  // before the application has a second thread inside MPI
  bool enabled() const { return enabled_; }

  void lock() {
    if (enabled_) lock_enabled();
  }
  void unlock() {
    if (enabled_ && --depth_ == 0) release();
  }

  // For waiting: gives up all levels at once, and takes them back.
  int release_all() {
    const int depth = depth_;
    depth_ = 0;
    release();
    return depth;
  }
  void take_back(int depth) {
    lock_enabled();
    depth_ = depth;
  }

  // Another thread is stuck in lock(): whoever takes and releases the lock in a loop lets it go first.
  void let_others_in() const {
    if (contenders_.load(std::memory_order_relaxed) != 0) sched_yield();  // a hint only: orders nothing
  }

 private:
  static const void* this_thread() {
    static thread_local char mark;
    return &mark;
  }

  void lock_enabled() {
    // relaxed: the value equals this thread's mark only if this thread stored it
    if (owner_.load(std::memory_order_relaxed) == this_thread()) {
      ++depth_;
      return;
    }
    if (!mutex_.try_lock()) {
      contenders_.fetch_add(1, std::memory_order_relaxed);
      mutex_.lock();
      contenders_.fetch_sub(1, std::memory_order_relaxed);
    }
    owner_.store(this_thread(), std::memory_order_relaxed);
    depth_ = 1;
  }
  void release() {
    owner_.store(nullptr, std::memory_order_relaxed);
    mutex_.unlock();
  }

  std::mutex mutex_;
  std::atomic<const void*> owner_{nullptr};
  std::atomic<int> contenders_{0};
  int depth_ = 0;
  bool enabled_ = false;
};

}  // namespace ompi_lite
