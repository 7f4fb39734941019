// SPDX-License-Identifier: BSD-3-Clause
// Requests of every kind, as seen by who started them.
#include "ompi_lite/mpi/completion.h"

#include <utility>

#include "ompi_lite/base/blocking.h"
#include "ompi_lite/base/macros.h"

namespace ompi_lite::mpi {
namespace {

// A request that a wait has to wait for; null ones and inactive persistent ones are "empty".
bool pending(const Request* request) { return request != nullptr && request->active; }

// An empty status says MPI_SUCCESS too (MPI 5.0, section 3.7.3).
void empty_status(MPI_Status* status) {
  if (status == nullptr) return;
  set_status_empty(*status);
  status->MPI_ERROR = MPI_SUCCESS;
}

// For reports of hangs. Calls that are content with any of several requests do not wait for a certain one, and tell nothing.
void tell(const Request& request) {
  flight::Recorder* recorder = request.blocking->recorder();
  if (recorder == nullptr || request.ops->facts == nullptr || recorder->wait_is_known()) return;
  recorder->waits_for(request.ops->facts(request));
}

// Waits until ready() says so; the request is one that is not done.
template <class Ready>
void wait_until(Request& request, Ready&& ready) {
  tell(request);
  request.blocking->until(ready);
}

bool done_after_a_look(Request& request) {
  if (request.done()) return true;
  tell(request);
  request.blocking->look();
  return request.done();
}

MPI_Status* nth(MPI_Status* statuses, int i) { return statuses != nullptr ? statuses + i : nullptr; }

// Takes the completion of the i-th request.
Error take(RequestSpan& requests, int i, MPI_Status* status) {
  Request* request = requests[i];
  const Error error = take_completion(request, status);
  requests.set(i, request);
  return error;
}

// The first done request, or -1; any_pending tells whether there is something to wait for.
int first_done(const RequestSpan& requests, bool& any_pending) {
  any_pending = false;
  for (int i = 0; i < requests.size(); ++i) {
    if (!pending(requests[i])) continue;
    any_pending = true;
    if (requests[i]->done()) return i;
  }
  return -1;
}

Request* first_pending(const RequestSpan& requests) {
  for (int i = 0; i < requests.size(); ++i)
    if (pending(requests[i])) return requests[i];
  return nullptr;
}

// Collects the errors of a call on several requests. MPI_ERROR of a status is written only if some request failed.
class Errors {
 public:
  void add(int request, const Error& error) {
    if (!error || failed_) return;
    failed_ = true;
    sentence_ = make_error(ErrorClass::in_status, "request %d: %s", request, error.sentence());
  }
  bool failed() const { return failed_; }
  Error result() const { return failed_ ? sentence_ : Error(); }

 private:
  bool failed_ = false;
  Error sentence_;
};

}  // namespace

// ---- one request ----

Error start(Request*& request) {
  if (!request->persistent) return Error(ErrorClass::request, "the request is not a persistent one");
  if (request->active) return Error(ErrorClass::request, "the request is active already");
  return request->ops->start(*request);
}

Error startall(RequestSpan requests) {
  for (int i = 0; i < requests.size(); ++i) {
    Request* request = requests[i];
    if (Error error = start(request)) return make_error(error.error_class(), "request %d: %s", i, error.sentence());
  }
  return {};
}

Error wait(Request*& request, MPI_Status* status) {
  if (!pending(request)) {
    empty_status(status);
    return {};
  }
  Request& waited = *request;
  if (!waited.done()) wait_until(waited, [&waited] { return waited.done(); });
  return take_completion(request, status);
}

Error test(Request*& request, bool& flag, MPI_Status* status) {
  flag = true;
  if (!pending(request)) {
    empty_status(status);
    return {};
  }
  flag = done_after_a_look(*request);
  return flag ? take_completion(request, status) : Error();
}

Error request_get_status(Request* request, bool& flag, MPI_Status* status) {
  flag = true;
  if (!pending(request)) {
    empty_status(status);
    return {};
  }
  flag = done_after_a_look(*request);
  if (!flag) return {};
  const Error error = request->ops->finish(*request);  // a generalized request says its status here
  if (status == nullptr) return error;
  const int untouched = status->MPI_ERROR;
  *status = request->status;
  status->MPI_ERROR = untouched;
  return {};
}

Error request_free(Request*& request) {
  Request* freed = std::exchange(request, nullptr);
  if (freed->active && !freed->done()) {
    freed->released = true;  // completion frees it
    return {};
  }
  const Error error = freed->ops->retire != nullptr ? freed->ops->retire(*freed) : Error();
  release(freed);
  return error;
}

Error cancel(Request*& request) {
  if (!request->active) return Error(ErrorClass::request, "the request is not active");
  // The application of a generalized request is told even after its end (section 13.2).
  if (request->done() && request->request_kind != RequestKind::generalized) return {};
  OL_TRY(request->ops->cancel(*request));
  // A send is called back by a question to the receiver. Sent to itself it is answered here, so that the next look finds the
  // end.
  if (!request->done()) request->blocking->look();
  return {};
}

// ---- one of several ----

Error waitany(RequestSpan requests, int& index, MPI_Status* status) {
  bool any_pending;
  int found = first_done(requests, any_pending);
  if (!any_pending) {
    index = MPI_UNDEFINED;
    empty_status(status);
    return {};
  }
  if (found < 0) first_pending(requests)->blocking->until([&] { return (found = first_done(requests, any_pending)) >= 0; });
  index = found;
  return take(requests, found, status);
}

Error testany(RequestSpan requests, int& index, bool& flag, MPI_Status* status) {
  bool any_pending;
  int found = first_done(requests, any_pending);
  index = MPI_UNDEFINED;
  flag = true;
  if (!any_pending) {
    empty_status(status);
    return {};
  }
  if (found < 0) {
    first_pending(requests)->blocking->look();
    found = first_done(requests, any_pending);
  }
  flag = found >= 0;
  if (!flag) return {};
  index = found;
  return take(requests, found, status);
}

Error request_get_status_any(RequestSpan requests, int& index, bool& flag, MPI_Status* status) {
  bool any_pending;
  int found = first_done(requests, any_pending);
  index = MPI_UNDEFINED;
  flag = true;
  if (!any_pending) {
    empty_status(status);
    return {};
  }
  if (found < 0) {
    first_pending(requests)->blocking->look();
    found = first_done(requests, any_pending);
  }
  flag = found >= 0;
  if (!flag) return {};
  index = found;
  bool ignored;
  return request_get_status(requests[found], ignored, status);
}

// ---- all ----

namespace {

// All are done: takes every completion.
Error take_all(RequestSpan& requests, MPI_Status* statuses) {
  Errors errors;
  for (int i = 0; i < requests.size(); ++i) {
    if (!pending(requests[i])) {
      empty_status(nth(statuses, i));
      if (errors.failed() && statuses != nullptr) statuses[i].MPI_ERROR = MPI_SUCCESS;
      continue;
    }
    const bool failed_before = errors.failed();
    const Error error = take(requests, i, nth(statuses, i));
    errors.add(i, error);
    if (statuses == nullptr || !errors.failed()) continue;
    if (!failed_before)
      for (int before = 0; before < i; ++before) statuses[before].MPI_ERROR = MPI_SUCCESS;
    statuses[i].MPI_ERROR = error.code();
  }
  return errors.result();
}

bool all_done(const RequestSpan& requests) {
  for (int i = 0; i < requests.size(); ++i)
    if (pending(requests[i]) && !requests[i]->done()) return false;
  return true;
}

bool all_done_after_a_look(const RequestSpan& requests) {
  if (all_done(requests)) return true;
  for (int i = 0; i < requests.size(); ++i) {
    if (!pending(requests[i]) || requests[i]->done()) continue;
    tell(*requests[i]);
    break;
  }
  first_pending(requests)->blocking->look();
  return all_done(requests);
}

}  // namespace

Error waitall(RequestSpan requests, MPI_Status* statuses) {
  for (int i = 0; i < requests.size(); ++i) {
    Request* request = requests[i];
    if (pending(request) && !request->done()) wait_until(*request, [request] { return request->done(); });
  }
  return take_all(requests, statuses);
}

Error testall(RequestSpan requests, bool& flag, MPI_Status* statuses) {
  flag = all_done_after_a_look(requests);
  return flag ? take_all(requests, statuses) : Error();
}

Error request_get_status_all(RequestSpan requests, bool& flag, MPI_Status* statuses) {
  flag = all_done_after_a_look(requests);
  if (!flag) return {};
  bool ignored;
  for (int i = 0; i < requests.size(); ++i) OL_TRY(request_get_status(requests[i], ignored, nth(statuses, i)));
  return {};
}

// ---- some ----

namespace {

// Takes every completion there is, in order. The statuses and indices stand one after the other, without gaps.
Error take_some(RequestSpan& requests, int& outcount, int* indices, MPI_Status* statuses) {
  Errors errors;
  outcount = 0;
  for (int i = 0; i < requests.size(); ++i) {
    if (!pending(requests[i]) || !requests[i]->done()) continue;
    const bool failed_before = errors.failed();
    const Error error = take(requests, i, nth(statuses, outcount));
    errors.add(i, error);
    if (statuses != nullptr && errors.failed()) {
      if (!failed_before)
        for (int before = 0; before < outcount; ++before) statuses[before].MPI_ERROR = MPI_SUCCESS;
      statuses[outcount].MPI_ERROR = error.code();
    }
    indices[outcount++] = i;
  }
  return errors.result();
}

}  // namespace

Error waitsome(RequestSpan requests, int& outcount, int* indices, MPI_Status* statuses) {
  bool any_pending;
  if (first_done(requests, any_pending) < 0 && any_pending)
    first_pending(requests)->blocking->until([&] { return first_done(requests, any_pending) >= 0; });
  if (!any_pending) {
    outcount = MPI_UNDEFINED;
    return {};
  }
  return take_some(requests, outcount, indices, statuses);
}

Error testsome(RequestSpan requests, int& outcount, int* indices, MPI_Status* statuses) {
  bool any_pending;
  if (first_done(requests, any_pending) < 0 && any_pending) first_pending(requests)->blocking->look();
  if (!any_pending) {
    outcount = MPI_UNDEFINED;
    return {};
  }
  return take_some(requests, outcount, indices, statuses);
}

Error request_get_status_some(RequestSpan requests, int& outcount, int* indices, MPI_Status* statuses) {
  bool any_pending;
  if (first_done(requests, any_pending) < 0 && any_pending) first_pending(requests)->blocking->look();
  outcount = any_pending ? 0 : MPI_UNDEFINED;
  for (int i = 0; i < requests.size(); ++i) {
    if (!pending(requests[i]) || !requests[i]->done()) continue;
    bool ignored;
    OL_TRY(request_get_status(requests[i], ignored, nth(statuses, outcount)));
    indices[outcount++] = i;
  }
  return {};
}

}  // namespace ompi_lite::mpi
