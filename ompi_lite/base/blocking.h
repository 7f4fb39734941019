// SPDX-License-Identifier: BSD-3-Clause
// What a blocking call does until what it waits for has happened.
#pragma once

#include "ompi_lite/base/process_lock.h"
#include "ompi_lite/base/progress.h"
#include "ompi_lite/base/wait.h"

namespace ompi_lite {

// Turns progress, and waits when there is nothing to do; other threads get the lock meanwhile. One per Process, which owns
// what it refers to.
class Blocking {
 public:
  Blocking(Progress& progress, Waiter& waiter, ProcessLock& lock) : progress_(progress), waiter_(waiter), lock_(lock) {}

  // The caller holds the lock and has it again on return. ready() runs without the lock: it may read atomics and its own
  // things.
  template <class Ready>
  void until(Ready&& ready) {
    if (!lock_.enabled()) {
      waiter_.until(ready, [this] { return progress_.turn(); });
      return;
    }
    if (ready()) return;
    const int call = recorder_ != nullptr ? recorder_->current() : 0;
    const int depth = lock_.release_all();
    waiter_.until(ready, [this] { return locked_turn(); });
    lock_.take_back(depth);
    if (recorder_ != nullptr) recorder_->set_current(call);
  }

  // One look for work, for calls that test and return; a loop of calls that find nothing leaves the core to others now and
  // then. The caller holds the lock, and has it again on return.
  void look() {
    const Waiter::Rest rest = waiter_.after_look(turn());
    if (rest != Waiter::Rest::none) [[unlikely]]
      look_later(rest);
  }

  // One look for work at once. The caller holds the lock.
  bool turn() {
    const bool found = progress_.turn();
    if (found && lock_.enabled()) [[unlikely]]
      wake_others();
    return found;
  }

  // What came may be for a sleeping thread of this process.
  void wake_others() { waiter_.bell().ring_if_sleeping(true); }

  Progress& progress() { return progress_; }
  Waiter& waiter() { return waiter_; }
  ProcessLock& lock() { return lock_; }
  flight::Recorder* recorder() { return recorder_; }  // null: calls are not recorded
  void set_recorder(flight::Recorder* recorder) {
    recorder_ = recorder;
    waiter_.set_recorder(recorder);
  }

 private:
  void look_later(Waiter::Rest rest);
  bool locked_turn() {
    lock_.let_others_in();
    lock_.lock();
    const bool found = progress_.turn();
    lock_.unlock();
    if (found) wake_others();
    return found;
  }

  Progress& progress_;
  Waiter& waiter_;
  ProcessLock& lock_;
  flight::Recorder* recorder_ = nullptr;
};

}  // namespace ompi_lite
