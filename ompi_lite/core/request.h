// SPDX-License-Identifier: BSD-3-Clause
// The request: what every nonblocking or persistent operation leaves with the application until it completes.
#pragma once

#include <atomic>
#include <cstdint>

#include "ompi_lite/base/error.h"
#include "ompi_lite/base/flight_recorder.h"
#include "ompi_lite/core/object.h"
#include "ompi_lite/core/status.h"

namespace ompi_lite {

class Communicator;
class Blocking;
struct Request;

enum class RequestKind : std::uint8_t { send, receive, collective, generalized, partitioned };

// What the kinds of requests do differently; one constant table per kind, so that Object needs no virtual functions.
struct RequestOps {
  Error (*start)(Request&);             // persistent ones only: activates it
  Error (*cancel)(Request&);            // asks for cancellation; the request still has to be completed
  Error (*finish)(Request&);            // runs when a wait or test takes the completion; gives the operation's error, if any
  void (*destroy)(Request&);            // gives the memory back; the request is complete or was never active
  Error (*retire)(Request&) = nullptr;  // generalized ones: runs the application's free function, before destroy
  // What it waits for, for reports of hangs; null: it does not say.
  flight::WaitFacts (*facts)(const Request&) = nullptr;
};

// Owned by whoever started the operation; freed by the wait or test that completes it unless persistent. `complete` may be
// set by another thread's progress; all other fields belong to the thread that holds the process lock.
struct Request : Object {
  const RequestOps* ops = nullptr;
  Blocking* blocking = nullptr;  // how to wait for it
  Communicator* comm = nullptr;  // for the error handler and for messages; kept alive by the operation
  RequestKind request_kind = RequestKind::send;
  bool persistent = false;
  bool active = true;                 // false: a persistent request between completions
  bool released = false;              // MPI_Request_free was called while active: completion frees it
  std::atomic<bool> complete{false};  // store-release by the completing side, load-acquire by the waiting side
  Error error;                        // class of a failed operation (sentence is static)
  MPI_Status status{};                // valid once complete

  explicit Request(RequestKind kind_of_request) : Object(ObjectKind::request), request_kind(kind_of_request) {}
  bool done() const {
    return complete.load(std::memory_order_acquire);
  }  // pairs with the release store of the completing side
};

void forget_int(Object& object);  // handle.h

inline void destroy(Request* request) {
  if (request->fortran_index >= 0) [[unlikely]] forget_int(*request);
  request->ops->destroy(*request);
}

// Takes the completion of a request that is done: gives the status if wanted (all of it but MPI_ERROR), makes a persistent
// request inactive, frees any other and sets the pointer to null. Gives the operation's error.
inline Error take_completion(Request*& request, MPI_Status* status) {
  Error error = request->ops->finish(*request);
  if (status != nullptr) {
    const int untouched = status->MPI_ERROR;
    *status = request->status;
    status->MPI_ERROR = untouched;
  }
  if (request->persistent) {
    request->active = false;
  } else {
    if (request->ops->retire != nullptr) [[unlikely]] {
      if (Error failed = request->ops->retire(*request); failed && !error) error = failed;
    }
    release(request);
    request = nullptr;
  }
  return error;
}

// The application's array of request handles seen as objects: nullptr for MPI_REQUEST_NULL. User handles are addresses.
class RequestSpan {
 public:
  RequestSpan() = default;
  RequestSpan(MPI_Request* handles, int size) : handles_(handles), size_(size) {}
  int size() const { return size_; }
  Request* operator[](int i) const {
    return handles_[i] == MPI_REQUEST_NULL ? nullptr : reinterpret_cast<Request*>(handles_[i]);
  }
  void set(int i, Request* request) {
    handles_[i] = request == nullptr ? MPI_REQUEST_NULL : reinterpret_cast<MPI_Request>(request);
  }

 private:
  MPI_Request* handles_ = nullptr;
  int size_ = 0;
};

}  // namespace ompi_lite
