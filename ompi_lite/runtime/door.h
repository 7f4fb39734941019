// SPDX-License-Identifier: BSD-3-Clause
// What the C interface must know of the process that it serves: whether MPI is there, and the lock. The one thing that every
// MPI call looks at.
#pragma once

#include <atomic>
#include <cstdint>

#include "ompi_lite/base/knob.h"
#include "ompi_lite/base/process_lock.h"

namespace ompi_lite {

enum class Phase : std::uint8_t { before, active, ended };

// One per address space, constant-initialised. Written by init and finalize alone.
struct Door {
  std::atomic<Phase> phase{Phase::before};
  ProcessLock* lock = nullptr;  // of the Process that is served; null before and after

  // release, acquire in mpi_is_active: a thread that sees the phase sees the Process that init built
  void open(ProcessLock& process_lock) {
    lock = &process_lock;
    phase.store(Phase::active, std::memory_order_release);
  }
  void close() {
    phase.store(Phase::ended, std::memory_order_release);
    lock = nullptr;
  }
};
extern constinit Door door;

inline bool mpi_is_active() { return door.phase.load(std::memory_order_acquire) == Phase::active; }  // pairs with open, close
inline bool mpi_has_ended() { return door.phase.load(std::memory_order_acquire) == Phase::ended; }   // pairs with close

// Held by every MPI call that may touch the Process; does nothing below MPI_THREAD_MULTIPLE. Blocking calls let go of it while
// they wait (base/blocking.h).
class CallLock {
 public:
  explicit CallLock(bool wanted) : lock_(wanted ? door.lock : nullptr) {
    if (lock_ != nullptr) lock_->lock();
  }
  ~CallLock() {
    if (lock_ != nullptr) lock_->unlock();
  }
  CallLock(const CallLock&) = delete;
  CallLock& operator=(const CallLock&) = delete;

 private:
  ProcessLock* lock_;
};

// Whether arguments are checked. Off saves some nanoseconds a call, and a wrong argument is undefined behaviour then.
extern constinit Knob<bool> check_arguments;

// Ends the job with this exit code; works before MPI_Init and after MPI_Finalize too, where it ends the process.
[[noreturn]] void abort_job(int code);

}  // namespace ompi_lite
