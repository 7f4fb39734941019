// SPDX-License-Identifier: BSD-3-Clause
// Which calls the library accepts now, and the lock around them. What the C interface needs at every call, so it is small.
#pragma once

#include <atomic>
#include <cstdint>

#include "ompi_lite/base/flight_recorder.h"
#include "ompi_lite/base/knob.h"
#include "ompi_lite/base/process_lock.h"

namespace ompi_lite {

class Process;

extern Knob<bool> check_arguments;

// The process that serves the C interface of this address space. Tests have further Processes, which are not known here.
enum class DoorState : std::uint8_t { not_begun, active, ended };
struct Door {
  std::atomic<DoorState> state{DoorState::not_begun};  // of the world model
  std::atomic<int> sessions{0};                        // open ones
  ProcessLock lock;
  Process* process = nullptr;
  flight::Recorder* recorder = nullptr;  // of the process; null: calls are not recorded
  bool last_errors_return = false;       // from MPI_Finalize, when no communicator is left to ask
};
extern constinit Door door;

// Between MPI_Init and MPI_Finalize, or while a session is open. Relaxed: orders nothing.
inline bool mpi_is_active() {
  return door.state.load(std::memory_order_relaxed) == DoorState::active ||
         door.sessions.load(std::memory_order_relaxed) > 0;
}
inline bool mpi_has_ended() { return door.state.load(std::memory_order_relaxed) == DoorState::ended; }
inline Process* current() { return door.process; }

// What predefined handles stand for, but for communicators: calls that are allowed before MPI_Init need it too. Does it
// once.
void make_predefined_objects();

// Held during a call, at MPI_THREAD_MULTIPLE only. The call that turns the lock on or off does not hold it.
class CallLock {
 public:
  CallLock() : held_(door.lock.enabled()) {
    if (held_) [[unlikely]]
      door.lock.lock();
  }
  ~CallLock() {
    if (held_) [[unlikely]]
      door.lock.unlock();
  }
  CallLock(const CallLock&) = delete;
  CallLock& operator=(const CallLock&) = delete;

 private:
  const bool held_;
};

// Ends the whole job with this exit code.
[[noreturn]] void abort_job(int code);

}  // namespace ompi_lite
