// SPDX-License-Identifier: BSD-3-Clause
// One MPI call: enter, read the arguments, run the semantic function, store results, raise the error if there is one.
#pragma once

#include <type_traits>
#include <utility>

#include "ompi_lite/abi/describe.h"
#include "ompi_lite/abi/device_collectives.h"
#include "ompi_lite/abi/device_ways.h"
#include "ompi_lite/abi/payload.h"
#include "ompi_lite/abi/run.h"
#include "ompi_lite/abi/site.h"
#include "ompi_lite/abi/sole_buffer.h"
#include "ompi_lite/abi/write.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/runtime/thread_level.h"

namespace ompi_lite::abi {

// Ends the job if MPI is not there (MPI 5.0, section 11.4.1); finds the communicator; checks the root.
[[gnu::cold, gnu::noinline]] void called_outside(const Site& site);
[[gnu::cold, gnu::noinline]] Error bad_comm(const Site& site);
[[gnu::cold, gnu::noinline]] Error bad_root(const Site& site);
[[gnu::cold, gnu::noinline]] Error out_of_turn(const Site& site);

inline Error enter(Site& site) {
  if (site.when == When::any_time) {
    make_predefined_objects();
  } else if (!mpi_is_active()) {
    called_outside(site);
  }
  site.checked = check_arguments.value();
  if (!site.has_comm) return {};
  site.comm = communicator_of(site.handle);
  if (site.comm == nullptr) return bad_comm(site);
  if (site.rooted && site.checked && !is_rank(site.root, site.comm->remote_size())) [[unlikely]] {
    return bad_root(site);
  }
  return {};
}

// Marks the communicator while a collective call of one thread is on it: which of two that overlap comes first is not
// defined, so each process may take another order (MPI 5.0, section 6.14). Calls of one thread cannot overlap. The CallLock
// is held.
class Turn {
 public:
  Turn(const Site& site, Error& error) {
    if (!site.together || !door.lock.enabled() || site.comm == nullptr || !site.checked) [[likely]]
      return;
    if (site.comm->size() == 1 && !site.comm->is_inter()) return;  // any order is the same to one process
    if (site.comm->collective_now != nullptr) {
      error = out_of_turn(site);
      return;
    }
    // The call may be the one that frees the communicator.
    comm_ = Ref<Communicator>::share(site.comm);
    comm_->collective_now = site.function;
  }
  ~Turn() {
    if (comm_) [[unlikely]]
      comm_->collective_now = nullptr;
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  Ref<Communicator> comm_;
};

// The same with buffers in device memory: they are copied to stand-ins before, and back after it or when the request is
// complete that the call leaves behind.
template <class A>
inline constexpr bool kIsBuffer = requires(A& argument, const Site& site, Staging& staging) {
  argument.stage(site, staging);
};
// Takes the buffers in device memory that the function can do with as they are.
template <class A>
Error offer(A& argument) {
  if constexpr (requires { argument.offer(); }) return argument.offer();
  return {};
}
template <class A>
Error stage(const Site& site, Staging& staging, A& argument) {
  if constexpr (kIsBuffer<A>) return argument.stage(site, staging);
  return {};
}
// Packed data end where the result `position` says, which is the application's only when it is stored.
template <class A>
void tell(A&) {}
template <class T>
void tell(Out<T>& out) {
  out.store(true);
}
template <class A>
void settle(A& argument) {
  if constexpr (requires { argument.settle(); }) argument.settle();
}
template <class A>
Object* made_by(A&) {
  return nullptr;
}
inline Object* made_by(NewHandle<MPI_Request>& handle) { return handle.made.used() ? handle.made.object() : nullptr; }

template <auto function, class... A>
[[gnu::cold, gnu::noinline]] Error run_staged(const Site& site, A&... args) {
  if constexpr (requires(bool& done) { DeviceWay<function>::take(site, done, args...); }) {
    bool done = false;
    const Error failed = DeviceWay<function>::take(site, done, args...);
    if (failed || done) return failed;
  }
  Staging staging;
  Error error;
  constexpr auto kForm = DeviceForm<function>::function;
  if (kForm != nullptr && device::use_pipeline.value()) static_cast<void>(((error = offer(args), !error) && ...));
  if (error) return error;
  static_cast<void>(((error = stage(site, staging, args), !error) && ...));
  if (!error) error = staging.copy_in();
  if (error) return error;
  error = Run < kForm != nullptr ? kForm : function > ::with(args...);
  (tell(args), ...);
  (settle(args), ...);
  Object* made = nullptr;
  static_cast<void>(((made = made_by(args), made != nullptr) || ...));
  return staging.end(error, static_cast<Request*>(made));
}

template <class A>
bool surely_host(const A& argument) {
  if constexpr (requires { argument.surely_host(); }) return argument.surely_host();
  return !kIsBuffer<A>;
}

template <auto function, class... A>
[[gnu::always_inline]] inline Error run(const Site& site, A&... args) {
  if constexpr ((kIsBuffer<A> || ...)) {
    if (device::watching() && !(surely_host(args) && ...)) [[unlikely]]
      return run_staged<function>(site, args...);
  }
  return Run<function>::with(args...);
}

// Notes the call in the flight record of the rank from here to end().
template <class... A>
class Noted {
 public:
  Noted(const Site& site, const A&... args) {
    if (door.recorder == nullptr) return;
    flight::CallFacts facts{.function = site.function};
    (describe(facts, site, args), ...);
    if (site.rooted) {
      facts.peer = site.root;
      facts.shape = flight::Shape::rooted;
    }
    if (site.comm != nullptr) {
      facts.context = site.comm->context();
      facts.collective_calls = &site.comm->collective_calls;
    }
    ticket_ = door.recorder->enter(facts);
  }
  // The recorder may have gone meanwhile, with MPI_Finalize.
  void end(bool nothing) {
    if (door.recorder != nullptr) door.recorder->leave(ticket_, nothing);
  }

 private:
  flight::Recorder::Ticket ticket_;
};

template <auto function, class... A>
[[gnu::always_inline]] inline int call(Site&& site, A&&... args) {
  Error error = enter(site);
  if (!error) {
    CallLock lock;
    const Turn turn(site, error);
    if (!error) static_cast<void>(((error = args.read(site), !error) && ...));
    if (!error) {
      if constexpr (kRecorded<function, A...>) {
        Noted<A...> noted(site, args...);
        error = run<function>(site, args...);
        (args.store(!error), ...);
        noted.end((says_nothing(args) || ...));
      } else {
        error = run<function>(site, args...);
        (args.store(!error), ...);
      }
    }
  }
  if (error) [[unlikely]] {
    const int code = raise(site, error);
    if (site.kept) release(site.comm);
    return code;
  }
  if (site.kept) release(site.comm);
  return MPI_SUCCESS;
}

}  // namespace ompi_lite::abi
