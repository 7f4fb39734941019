// SPDX-License-Identifier: BSD-3-Clause
// Where an MPI call stands while it runs: the function's name, the object whose error handler gets its errors, the root.
#pragma once

#include <cstdint>

#include "ompi_lite/base/error.h"
#include "ompi_lite/core/communicator.h"
#include "ompi_lite/core/handle.h"
#include "ompi_lite/core/request.h"
#include "ompi_lite/core/session.h"
#include "ompi_lite/include/mpi.h"
#include "ompi_lite/mpi/probe.h"

namespace ompi_lite::abi {

// On which kind of handler an error is raised (MPI 5.0, section 9.3). `world`: no object is involved, so MPI_COMM_SELF's.
// `tool`: the tool interface returns its errors and never calls a handler.
enum class Raised : std::uint8_t { world, communicator, file, window, session, tool };

// When a function may be called (section 11.4.1). `any_time`: also before MPI_Init and after MPI_Finalize.
enum class When : std::uint8_t { active, any_time };

// Lives on the stack of one call. The communicator is found when the call is entered, before any argument is checked,
// because the range of ranks and the significance of buffers hang on it.
struct Site {
  const char* function;  // "MPI_Send"
  Raised raised = Raised::world;
  When when = When::active;
  bool has_comm = false;  // the function has a communicator argument, `handle`
  bool rooted = false;    // ... and a root
  bool scatters = false;  // in place is for the receive buffer
  bool in_place = false;  // of a reduction: the send buffer is MPI_IN_PLACE
  bool together = false;  // all ranks of comm call the function in the same order
  bool kept = false;      // comm is held by a reference of this call: its request may be its last user
  int root = 0;
  MPI_Comm handle = MPI_COMM_NULL;
  const char* comm_name = "comm";   // of the argument
  Communicator* comm = nullptr;     // null: none, or the handle names none
  Session* session = nullptr;       // of a call on a session
  Errhandler* handler = nullptr;    // given for what the call makes: gets the call's errors too
  bool checked = true;              // the knob check_arguments
  const void* sent_from = nullptr;  // a significant send buffer with data in it, to be compared with the receive buffer
  const void* sent_type = nullptr;
};

inline bool is_rank(int value, int size) { return static_cast<unsigned>(value) < static_cast<unsigned>(size); }

inline Communicator* communicator_of(MPI_Comm handle) {
  const auto value = reinterpret_cast<std::uintptr_t>(handle);
  Object* object = object_of(value);
  return is_live(object, ObjectKind::communicator) ? static_cast<Communicator*>(object) : nullptr;
}

inline Site on(const char* function) { return {.function = function}; }
inline Site on(const char* function, When when) { return {.function = function, .when = when}; }
inline Site on(const char* function, Raised raised) {
  return {.function = function, .raised = raised, .when = raised == Raised::tool ? When::any_time : When::active};
}
inline Site on(const char* function, MPI_Comm comm, const char* name = "comm") {
  return {.function = function, .raised = Raised::communicator, .has_comm = true, .handle = comm, .comm_name = name};
}
inline Site on(const char* function, MPI_Comm comm, int root) {
  return {
      .function = function, .raised = Raised::communicator, .has_comm = true, .rooted = true, .root = root, .handle = comm};
}
inline Site on(const char* function, const MPI_Comm* comm) { return on(function, comm != nullptr ? *comm : MPI_COMM_NULL); }
template <class... A>
Site together(const char* function, A... arguments) {
  Site site = on(function, arguments...);
  site.together = true;
  return site;
}
inline Site on(const char* function, MPI_Win) { return {.function = function, .raised = Raised::window}; }
inline Site on(const char* function, MPI_File) { return {.function = function, .raised = Raised::file}; }

// The communicator stays alive until the call has raised its error: its request or message may be its last user.
inline Site keeping(const char* function, Communicator* comm) {
  Site site{.function = function};
  if (comm == nullptr) return site;
  site.raised = Raised::communicator;
  site.comm = comm;
  site.kept = !comm->predefined;
  if (site.kept) retain(comm);
  return site;
}

Object* errhandler_object(MPI_Errhandler handle);  // null if the handle names none

// What the call makes, with an error handler that also gets the errors of the call itself (MPI 5.0, sections 7.4.2, 11.3.1).
enum class Made : bool { communicator, session };
inline Site on(const char* function, MPI_Errhandler errhandler, Made made) {
  auto* handler = static_cast<Errhandler*>(errhandler_object(errhandler));
  const ObjectKind wanted = made == Made::session ? ObjectKind::session : ObjectKind::communicator;
  const bool fits = handler != nullptr && (handler->handler_kind != ErrhandlerKind::user || handler->object_kind == wanted);
  return {.function = function,
          .raised = made == Made::session ? Raised::session : Raised::communicator,
          .when = made == Made::session ? When::any_time : When::active,
          .handler = fits ? handler : nullptr};
}

inline Object* user_object(std::uintptr_t handle, ObjectKind kind) {
  if (handle < kPredefinedHandles) return nullptr;
  Object* object = kind == ObjectKind::message ? message_of(handle) : object_of(handle);
  return is_live(object, kind) ? object : nullptr;
}

// Sessions may be used before MPI_Init and after MPI_Finalize.
inline Site on(const char* function, MPI_Session session) {
  Object* object = user_object(reinterpret_cast<std::uintptr_t>(session), ObjectKind::session);
  return {.function = function, .raised = Raised::session, .when = When::any_time, .session = static_cast<Session*>(object)};
}

// Calls on requests raise on the communicator of the request; the first one that has any, for calls on several.
inline Site on(const char* function, int size, const MPI_Request* requests) {
  for (int i = 0; requests != nullptr && i < size; ++i) {
    const Object* object = user_object(reinterpret_cast<std::uintptr_t>(requests[i]), ObjectKind::request);
    if (object != nullptr && static_cast<const Request*>(object)->comm != nullptr) {
      return keeping(function, static_cast<const Request*>(object)->comm);
    }
  }
  return {.function = function};
}
inline Site on(const char* function, const MPI_Request* request) { return on(function, 1, request); }
inline Site on(const char* function, MPI_Request request) { return on(function, 1, &request); }

inline Site on(const char* function, const MPI_Message* message) {
  if (message == nullptr) return {.function = function};
  const Object* object = user_object(reinterpret_cast<std::uintptr_t>(*message), ObjectKind::message);
  return keeping(function, object == nullptr ? nullptr : mpi::message_comm(*object));
}

// Calls the error handler and gives what the function returns: the code, if the handler comes back.
[[gnu::cold, gnu::noinline]] int raise(const Site& site, Error error);

// The function exists, so that programs link, but nothing stands behind it yet.
[[gnu::cold, gnu::noinline]] int not_built(Site site);

}  // namespace ompi_lite::abi
