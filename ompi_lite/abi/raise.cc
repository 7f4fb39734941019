// SPDX-License-Identifier: BSD-3-Clause
// Raises an error: finds the error handler that MPI 5.0, section 9.3 names, and does what it says.
#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <string>

#include "ompi_lite/abi/call.h"
#include "ompi_lite/mpi/errors.h"

namespace ompi_lite::abi {
namespace {

// The communicator whose handler an error goes to: the call's own, else MPI_COMM_SELF, or MPI_COMM_WORLD if the program
// chose a handler there alone (docs/decisions/0002); null outside of the world model.
Communicator* handler_owner(const Site& site) {
  if (site.raised == Raised::communicator && site.comm != nullptr) return site.comm;
  Communicator* self = communicator_of(MPI_COMM_SELF);
  Communicator* world = communicator_of(MPI_COMM_WORLD);
  return self != nullptr && !self->errhandler_chosen() && world != nullptr && world->errhandler_chosen() ? world : self;
}

// The handle that a user's handler is told: that of nothing where the object was to be made by the call.
std::uintptr_t subject_of(const Site& site, const Communicator* comm) {
  if (site.handler != nullptr) {
    return reinterpret_cast<std::uintptr_t>(site.raised == Raised::session ? static_cast<void*>(MPI_SESSION_NULL)
                                                                           : static_cast<void*>(MPI_COMM_NULL));
  }
  return site.session != nullptr ? site.session->abi_handle : comm->abi_handle;
}

void end_job(const Site& site, int code, const char* sentence) {
  int error_class = code;
  if (Error unknown = mpi::error_class(code, error_class)) error_class = MPI_ERR_UNKNOWN;
  const char* class_name = mpi::error_class_name(error_class);
  const Communicator* world = communicator_of(MPI_COMM_WORLD);
  std::array<char, 64> where{};
  if (world != nullptr) std::snprintf(where.data(), where.size(), " on rank %d", world->rank());
  std::array<char, MPI_MAX_OBJECT_NAME + 16> whose{};
  if (site.comm != nullptr) {
    const std::string& name = site.comm->name;
    std::snprintf(whose.data(), whose.size(), " (%s)", name.empty() ? "a communicator without name" : name.c_str());
  }
  OL_LOG(error, "%s failed%s%s: %s [%s, code %d]", site.function, where.data(), whose.data(), sentence,
         class_name != nullptr ? class_name : "a class of the application", code);
  abort_job(code > 0 && code < 256 ? code : 1);
}

}  // namespace

int raise(const Site& site, Error error) {
  const int code = error.code();
  // Tools get codes, and no handler is called (section 15.3.10). No file can be open yet, so the handler for files is that
  // of MPI_FILE_NULL, which returns (section 14.7).
  if (site.raised == Raised::tool || site.raised == Raised::file) return code;
  const Communicator* comm = site.session != nullptr ? nullptr : handler_owner(site);
  if (comm == nullptr && site.session == nullptr && site.handler == nullptr) {
    if (!door.last_errors_return) end_job(site, code, error.sentence());
    return code;
  }
  Errhandler* chosen = site.handler;
  if (chosen == nullptr) chosen = site.session != nullptr ? site.session->errhandler.get() : &comm->errhandler();
  const auto handler = Ref<Errhandler>::share(chosen);  // the handler may replace itself
  switch (handler->handler_kind) {
    case ErrhandlerKind::returns:
      OL_LOG(debug, "%s returns %d: %s", site.function, code, error.sentence());
      return code;
    case ErrhandlerKind::user: {
      // All kinds of handlers get the address of a handle, which is one word for all kinds of objects.
      auto handle = reinterpret_cast<MPI_Comm>(subject_of(site, comm));
      int given = code;
      // The context goes into the first of the arguments that the standard leaves to the library; plain handlers ignore it.
      reinterpret_cast<MPI_Comm_errhandler_function*>(handler->callback.function)(&handle, &given,
                                                                                  handler->callback.context);
      return code;
    }
    case ErrhandlerKind::are_fatal:
    case ErrhandlerKind::abort:
      break;
  }
  end_job(site, code, error.sentence());
  return code;
}

Object* errhandler_object(MPI_Errhandler handle) {
  make_predefined_objects();
  Object* object = nullptr;
  return find(handle, "errhandler", Null::allowed, object) ? nullptr : object;
}

int not_built(Site site) {
  if (!mpi_is_active() && site.when != When::any_time) called_outside(site);
  if (site.raised == Raised::tool) return MPI_T_ERR_NOT_SUPPORTED;
  if (site.has_comm) site.comm = communicator_of(site.handle);
  const Error error = make_error(ErrorClass::unsupported_operation, "%s is not implemented yet", site.function);
  const int code = raise(site, error);
  OL_LOG(warn, "%s is not implemented yet", site.function);
  if (site.kept) release(site.comm);
  return code;
}

void called_outside(const Site& site) {
  OL_LOG(error, "%s was called %s", site.function, mpi_has_ended() ? "after MPI_Finalize" : "before MPI_Init");
  abort_job(1);
}

}  // namespace ompi_lite::abi
