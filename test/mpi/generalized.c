// SPDX-License-Identifier: BSD-3-Clause
// Generalized requests (MPI 5.0, section 13.2): when the application's functions are called, and where their errors go.
// run: np=1 timeout=60
#include "../support/check.h"

static int queries, frees, cancels, last_complete, fail_query, fail_free, fail_cancel;

static int query(void* extra, MPI_Status* status) {
  queries++;
  MPI_Status_set_elements(status, MPI_INT, *(int*)extra);
  MPI_Status_set_cancelled(status, 0);
  MPI_Status_set_source(status, 3);
  MPI_Status_set_tag(status, 7);
  return fail_query;
}
static int release(void* extra) {
  (void)extra;
  frees++;
  return fail_free;
}
static int cancel(void* extra, int complete) {
  (void)extra;
  cancels++;
  last_complete = complete;
  return fail_cancel;
}

static MPI_Request start(int* extra) {
  MPI_Request request;
  queries = frees = cancels = 0;
  last_complete = -1;
  CHECK_CLASS(MPI_Grequest_start(query, release, cancel, extra, &request), MPI_SUCCESS);
  return request;
}

// Cancelling reaches the application before and after completion, and says which.
static void cancelled(void) {
  int elements = 5;
  MPI_Request request = start(&elements);
  MPI_Cancel(&request);
  CHECK(cancels == 1 && last_complete == 0, "%d cancels, complete %d", cancels, last_complete);
  MPI_Grequest_complete(request);
  MPI_Cancel(&request);
  CHECK(cancels == 2 && last_complete == 1, "%d cancels, complete %d", cancels, last_complete);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(queries == 1 && frees == 1, "%d queries, %d frees", queries, frees);
  request = start(&elements);
  fail_cancel = MPI_ERR_BUFFER;
  CHECK_CLASS(MPI_Cancel(&request), MPI_ERR_BUFFER);
  fail_cancel = MPI_SUCCESS;
  MPI_Grequest_complete(request);
  CHECK_CLASS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
}

// Errors of the functions are those of the call that runs them; the request is freed all the same.
static void errors(void) {
  int elements = 5, flag = 0;
  MPI_Request request = start(&elements);
  fail_query = MPI_ERR_IO;
  MPI_Grequest_complete(request);
  CHECK_CLASS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_IO);
  CHECK(request == MPI_REQUEST_NULL && frees == 1, "%d frees", frees);
  fail_query = MPI_SUCCESS;
  fail_free = MPI_ERR_QUOTA;
  request = start(&elements);
  MPI_Grequest_complete(request);
  CHECK_CLASS(MPI_Test(&request, &flag, MPI_STATUS_IGNORE), MPI_ERR_QUOTA);
  CHECK(request == MPI_REQUEST_NULL && frees == 1, "%d frees", frees);
  request = start(&elements);
  MPI_Grequest_complete(request);
  CHECK_CLASS(MPI_Request_free(&request), MPI_ERR_QUOTA);
  request = start(&elements);
  MPI_Request again = request;
  CHECK_CLASS(MPI_Request_free(&request), MPI_SUCCESS);
  CHECK(frees == 0, "freed before it was complete");
  CHECK_CLASS(MPI_Grequest_complete(again), MPI_ERR_QUOTA);
  CHECK(frees == 1, "%d frees", frees);
  fail_free = MPI_SUCCESS;
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  errors_return(MPI_COMM_WORLD);
  errors_return(MPI_COMM_SELF);
  cancelled();
  errors();
  return check_finish();
}
