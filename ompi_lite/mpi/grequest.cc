// SPDX-License-Identifier: BSD-3-Clause
// Generalized requests: three callbacks behind the common interface of requests.
#include "ompi_lite/mpi/grequest.h"

#include "ompi_lite/base/blocking.h"
#include "ompi_lite/core/communicator.h"
#include "pml/pml.h"

namespace ompi_lite::mpi {
namespace {

struct GeneralizedRequest : Request {
  Callback query, free, cancel;
  void* extra_state = nullptr;
  GeneralizedRequest() : Request(RequestKind::generalized) {}
};

Error error_of(int code, const char* sentence) {
  return code == MPI_SUCCESS ? Error() : Error(static_cast<ErrorClass>(code), sentence);
}

constexpr RequestOps kOps = {
    .start = [](Request&) { return Error(ErrorClass::request, "a generalized request cannot be started again"); },
    .cancel =
        [](Request& request) {
          auto& own = static_cast<GeneralizedRequest&>(request);
          auto* function = reinterpret_cast<MPI_Grequest_cancel_function*>(own.cancel.function);
          return error_of(function(own.extra_state, own.done() ? 1 : 0),
                          "the cancel function of a generalized request failed");
        },
    .finish =
        [](Request& request) {
          auto& own = static_cast<GeneralizedRequest&>(request);
          auto* function = reinterpret_cast<MPI_Grequest_query_function*>(own.query.function);
          return error_of(function(own.extra_state, &own.status), "the query function of a generalized request failed");
        },
    .destroy = [](Request& request) { delete &static_cast<GeneralizedRequest&>(request); },
    .retire =
        [](Request& request) {
          auto& own = static_cast<GeneralizedRequest&>(request);
          auto* function = reinterpret_cast<MPI_Grequest_free_function*>(own.free.function);
          return error_of(function(own.extra_state), "the free function of a generalized request failed");
        },
};

}  // namespace

Error grequest_start(Callback query_fn, Callback free_fn, Callback cancel_fn, void* extra_state, Request*& request) {
  auto* made = new GeneralizedRequest;
  made->ops = &kOps;
  made->blocking = &pml::of(*serving_world).blocking();
  made->query = query_fn;
  made->free = free_fn;
  made->cancel = cancel_fn;
  made->extra_state = extra_state;
  set_status_empty(made->status);
  request = made;
  return {};
}

Error grequest_complete(Request& request) {
  if (request.request_kind != RequestKind::generalized)
    return Error(ErrorClass::request, "the request is not a generalized one");
  Blocking& blocking = *request.blocking;
  const bool released = request.released;
  request.complete.store(true, std::memory_order_release);  // pairs with Request::done
  Error error;
  if (released) {
    error = kOps.retire(request);
    release(&request);
  }
  blocking.wake_others();
  return error;
}

}  // namespace ompi_lite::mpi
