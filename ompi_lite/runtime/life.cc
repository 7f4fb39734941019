// SPDX-License-Identifier: BSD-3-Clause
// MPI_Init and MPI_Finalize: the process that serves the C interface comes and goes.
#include "ompi_lite/runtime/life.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>

#include "coll/select.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/errhandler.h"
#include "ompi_lite/core/handle.h"
#include "ompi_lite/core/info.h"
#include "ompi_lite/core/op.h"
#include "ompi_lite/core/op_kernels.h"
#include "ompi_lite/core/predefined_types.h"
#include "ompi_lite/device/device_set.h"
#include "ompi_lite/device/peers.h"
#include "ompi_lite/device/scratch.h"
#include "ompi_lite/runtime/knob_list.h"
#include "ompi_lite/runtime/leftovers.h"
#include "ompi_lite/runtime/process.h"
#include "ompi_lite/runtime/spawning.h"
#include "ompi_lite/runtime/thread_level.h"
#include "ompi_lite/runtime/traffic.h"

namespace ompi_lite {

constinit Door door;

namespace {

int level = MPI_THREAD_SINGLE;
pthread_t main_thread;

void predefine(Object& object) { predefined_objects[object.abi_handle] = &object; }

void predefine_all() {
  define_predefined_types();
  define_predefined_ops();
  predefine(errors_are_fatal());
  predefine(errors_abort());
  predefine(errors_return());
  predefine(empty_group());
  predefine(environment_info());
  predefine(reinterpret_cast<Object&>(pml::no_process_message()));
}

void define_attributes(const JobInfo& job) {
  define_attribute(MPI_TAG_UB, std::numeric_limits<int>::max());
  define_attribute(MPI_HOST, MPI_PROC_NULL);
  define_attribute(MPI_IO, MPI_ANY_SOURCE);  // every process can read and write files
  define_attribute(MPI_WTIME_IS_GLOBAL, static_cast<int>(job.local_ranks.size()) == job.size ? 1 : 0);
  define_attribute(MPI_UNIVERSE_SIZE, std::max(job.universe_size, job.size));
  const char* chosen = std::getenv("OMPI_LITE_APPNUM");  // info key appnum of who spawned this process
  if (chosen != nullptr)
    define_attribute(MPI_APPNUM, std::atoi(chosen));
  else if (job.app_known)
    define_attribute(MPI_APPNUM, job.app_number);
}

// What the application printed before it went wrong should be seen; but never wait for a lock that a stuck thread holds.
void flush_stdout() {
  if (ftrylockfile(stdout) != 0) return;
  fflush_unlocked(stdout);
  funlockfile(stdout);
}

// What whoever spawned this process chose with the info key mpi_initial_errhandler (MPI 5.0, section 11.8.4).
void set_initial_errhandler(Process& process) {
  const char* name = std::getenv("OMPI_LITE_INITIAL_ERRHANDLER");
  if (name == nullptr) return;
  const std::string_view chosen = name;
  Errhandler& handler = chosen == "mpi_errors_return"  ? errors_return()
                        : chosen == "mpi_errors_abort" ? errors_abort()
                                                       : errors_are_fatal();
  process.world().set_errhandler(handler);
  process.self().set_errhandler(handler);
}

// The process may be up already: for a session.
Error bring_up() {
  if (door.process != nullptr) return {};
  OL_TRY(load_knobs(all_knobs()));
  OL_TRY(coll::check_knobs());
  OL_TRY(check_reduction_kernels());
  make_predefined_objects();
  OL_TRY(device::open());

  Result<std::unique_ptr<Bootstrap>> bootstrap = find_bootstrap();
  if (!bootstrap) return bootstrap.error();
  Result<std::unique_ptr<Process>> process = Process::start(std::move(bootstrap).value(), door.lock);
  if (!process) return process.error();
  door.process = std::move(process).value().release();
  serving_world = &door.process->world();
  door.recorder = door.process->recorder();
  define_attributes(door.process->job());
  main_thread = pthread_self();
  set_initial_errhandler(*door.process);
  return runtime::meet_parents();
}

// Returns the first error; everything is given back in any case.
Error bring_down() {
  Process& process = *door.process;
  Error failed = process.finish();
  bool lost = false;
  Error pending = runtime::look_for_leftovers(lost);
  runtime::tell_traffic(process.job());
  device::close_imports();
  device::release_scratch();
  if (!failed && door.last_errors_return) failed = pending;
  door.process = nullptr;
  serving_world = nullptr;
  door.recorder = nullptr;
  delete &process;
  return failed;
}

// Sessions come and go, but a process cannot leave its job and come back: the last of it happens when the program ends.
void bring_down_at_exit() {
  if (door.process == nullptr || mpi_is_active()) return;
  if (Error error = bring_down()) OL_LOG(error, "%s", error.sentence());
}

// Whether the application looks at what MPI_Finalize returns. If not, what it left undone is told in a warning only: many
// programs leave receives behind, and end well.
bool errors_come_back(Process& process) {
  const Communicator& self = process.self();
  const Communicator& owner = !self.errhandler_chosen() && process.world().errhandler_chosen() ? process.world() : self;
  const ErrhandlerKind kind = owner.errhandler().handler_kind;
  return kind == ErrhandlerKind::returns || kind == ErrhandlerKind::user;
}

Error begin(int required, int& provided) {
  if (door.state.load() == DoorState::active) return Error(ErrorClass::other, "MPI is initialized already");
  if (mpi_has_ended()) return Error(ErrorClass::other, "MPI was finalized, it cannot be initialized again");
  OL_TRY(bring_up());
  predefine(door.process->world());
  predefine(door.process->self());
  level = std::clamp(required, MPI_THREAD_SINGLE, MPI_THREAD_MULTIPLE);
  if (level == MPI_THREAD_MULTIPLE) door.lock.enable();
  provided = level;
  door.state.store(DoorState::active, std::memory_order_release);  // partner: threads that ask MPI_Initialized
  return {};
}

}  // namespace

void make_predefined_objects() {
  static const bool done = (predefine_all(), true);
  (void)done;
}

void abort_job(int code) {
  flush_stdout();
  if (door.process != nullptr) door.process->abort(code, "");
  _exit(code);
}

namespace runtime {

Error init(int*, char***) {
  int provided = 0;
  return begin(MPI_THREAD_SINGLE, provided);
}

Error init_thread(int*, char***, int required, int& provided) { return begin(required, provided); }

Error initialized(bool& flag) {
  flag = door.state.load(std::memory_order_acquire) != DoorState::not_begun;  // partner: the store in begin
  return {};
}

Error finalized(bool& flag) {
  flag = door.state.load(std::memory_order_acquire) == DoorState::ended;  // partner: the store in finalize
  return {};
}

// Attributes of MPI_COMM_SELF go first, while MPI still works: that is how libraries ask to be told (section 11.2.4).
Error finalize() {
  Process& process = *door.process;
  door.last_errors_return = errors_come_back(process);
  Error failed = process.self().attributes.clear(process.self());
  predefined_objects[process.world().abi_handle] = nullptr;
  predefined_objects[process.self().abi_handle] = nullptr;
  if (door.sessions.load() == 0) {
    if (Error error = bring_down(); error && !failed) failed = error;
  }
  door.state.store(DoorState::ended, std::memory_order_release);  // partner: the loads in initialized and finalized
  return failed;
}

Error open_session(bool threads) {
  if (door.process == nullptr && mpi_has_ended())
    return Error(ErrorClass::other, "MPI was finalized and no session was open: this process has left its job");
  OL_TRY(bring_up());
  static const int registered = std::atexit(bring_down_at_exit);
  (void)registered;
  if (threads) door.lock.enable();
  door.sessions.fetch_add(1);
  return {};
}

void close_session() { door.sessions.fetch_sub(1); }

Error query_thread(int& provided) {
  provided = level;
  return {};
}

Error is_thread_main(bool& flag) {
  flag = pthread_equal(pthread_self(), main_thread) != 0;
  return {};
}

Error abort(Communicator& comm, int errorcode) {
  flush_stdout();
  const std::string name = comm.name.empty() ? "a communicator" : comm.name;
  const std::string why = "MPI_Abort(" + name + ", " + std::to_string(errorcode) + ")";
  if (std::getenv("OMPI_LITE_LAUNCHER_PID") == nullptr) OL_LOG(error, "%s", why.c_str());  // else mpirun says it
  door.process->abort(errorcode, why.c_str());
}

}  // namespace runtime

}  // namespace ompi_lite
