// SPDX-License-Identifier: BSD-3-Clause
// Handles as integers and back, predefined and user made ones; statuses that a program writes itself; generalized requests.
// run: np=1,2 timeout=60
#include "../support/check.h"

// The standard ABI has handles as integers of C; before it only those of Fortran existed.
#if MPI_VERSION >= 5
#define AS_INTEGER(kind, handle) kind##_toint(handle)
#define AS_HANDLE(kind, integer) kind##_fromint(integer)
#else
#define AS_INTEGER(kind, handle) kind##_c2f(handle)
#define AS_HANDLE(kind, integer) kind##_f2c(integer)
#endif

#define ROUND_TRIP(kind, handle)                                                                             \
  do {                                                                                                       \
    const kind original = (handle);                                                                          \
    CHECK(AS_HANDLE(kind, AS_INTEGER(kind, original)) == original, #handle " does not come back as it was"); \
  } while (0)

static void integers(void) {
  MPI_Comm comm;
  MPI_Datatype type;
  MPI_Group group;
  MPI_Info info;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Type_contiguous(2, MPI_INT, &type);
  MPI_Comm_group(comm, &group);
  MPI_Info_create(&info);
  ROUND_TRIP(MPI_Comm, MPI_COMM_WORLD);
  ROUND_TRIP(MPI_Comm, MPI_COMM_NULL);
  ROUND_TRIP(MPI_Comm, comm);
  MPI_Comm again = AS_HANDLE(MPI_Comm, AS_INTEGER(MPI_Comm, comm));
  int size = 0;
  MPI_Comm_size(again, &size);
  CHECK(size == world_size, "size %d", size);
  CHECK(AS_INTEGER(MPI_Comm, comm) != AS_INTEGER(MPI_Comm, MPI_COMM_WORLD), "two communicators with one integer");
  CHECK(AS_HANDLE(MPI_Type, AS_INTEGER(MPI_Type, type)) == type, "a user's datatype does not come back as it was");
  CHECK(AS_HANDLE(MPI_Type, AS_INTEGER(MPI_Type, MPI_DOUBLE)) == MPI_DOUBLE, "MPI_DOUBLE does not come back as it was");
  ROUND_TRIP(MPI_Group, group);
  ROUND_TRIP(MPI_Group, MPI_GROUP_EMPTY);
  ROUND_TRIP(MPI_Info, info);
  ROUND_TRIP(MPI_Op, MPI_SUM);
  ROUND_TRIP(MPI_Request, MPI_REQUEST_NULL);
  ROUND_TRIP(MPI_Errhandler, MPI_ERRORS_RETURN);
  MPI_Comm_free(&comm);
  MPI_Type_free(&type);
  MPI_Group_free(&group);
  MPI_Info_free(&info);
}

// An integer dies with its object: Fortran's programs hold one for each request that they start.
static void integers_of_the_dead(void) {
  int first = 0, last = 0;
  for (int i = 0; i < 100; i++) {
    MPI_Request request;
    int sent = i, got = -1;
    MPI_Irecv(&got, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
    last = AS_INTEGER(MPI_Request, request);
    if (i == 0) first = last;
    MPI_Send(&sent, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
    MPI_Request copy = AS_HANDLE(MPI_Request, last);
    MPI_Wait(&copy, MPI_STATUS_IGNORE);
    CHECK(got == i, "got %d", got);
  }
#ifdef OMPI_LITE_MPI_H
  CHECK(last == first, "100 requests one after the other have integers from %d to %d", first, last);
  CHECK(AS_HANDLE(MPI_Request, last) == MPI_REQUEST_NULL, "the integer of a completed request still means one");
  MPI_Datatype real;
  MPI_Type_create_f90_real(10, 100, &real);
  CHECK(AS_HANDLE(MPI_Type, AS_INTEGER(MPI_Type, real)) == real, "a real type of a given precision does not come back");
#endif
}

static void written_statuses(void) {
  MPI_Status status;
  int count = -1, cancelled = -1;
  memset(&status, 0, sizeof status);
  MPI_Status_set_elements(&status, MPI_INT, 7);
  MPI_Status_set_cancelled(&status, 1);
  MPI_Get_count(&status, MPI_INT, &count);
  MPI_Test_cancelled(&status, &cancelled);
  CHECK(count == 7 && cancelled, "count %d, cancelled %d", count, cancelled);
  MPI_Get_elements(&status, MPI_INT, &count);
  CHECK(count == 7, "elements %d", count);
  MPI_Count wide = -1;
  MPI_Status_set_elements_x(&status, MPI_BYTE, (MPI_Count)5 << 32);
  MPI_Get_elements_x(&status, MPI_BYTE, &wide);
  CHECK(wide == (MPI_Count)5 << 32, "elements %lld", (long long)wide);
  MPI_Get_count(&status, MPI_BYTE, &count);
  CHECK(count == MPI_UNDEFINED, "count %d of more than an int holds", count);
}

static int queries, frees, cancels;

static int query(void* extra, MPI_Status* status) {
  queries++;
  MPI_Status_set_elements(status, MPI_INT, *(int*)extra);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = 3;
  status->MPI_TAG = 4;
  return MPI_SUCCESS;
}

static int release(void* extra) {
  (void)extra;
  frees++;
  return MPI_SUCCESS;
}

static int cancel(void* extra, int complete) {
  (void)extra;
  CHECK(!complete, "complete %d", complete);
  cancels++;
  return MPI_SUCCESS;
}

static void generalized_request(void) {
  MPI_Request request, inner;
  MPI_Status status;
  int extra = 9, done = -1, count = -1;
  MPI_Grequest_start(query, release, cancel, &extra, &request);
  MPI_Test(&request, &done, &status);
  CHECK(!done && queries == 0, "done %d", done);
  MPI_Cancel(&request);
  CHECK(cancels == 1, "%d cancels", cancels);
  inner = request;
  MPI_Grequest_complete(inner);
  MPI_Wait(&request, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK(queries == 1 && frees == 1 && count == 9 && status.MPI_SOURCE == 3 && status.MPI_TAG == 4,
        "%d queries, %d frees, count %d", queries, frees, count);
  CHECK(request == MPI_REQUEST_NULL, "the request is still there");
}

// What mixed C and Fortran programs call, whatever the MPI.
static void fortran_forms(void) {
  CHECK(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD)) == MPI_COMM_WORLD, "MPI_COMM_WORLD does not come back from Fortran");
  CHECK(MPI_Type_f2c(MPI_Type_c2f(MPI_DOUBLE)) == MPI_DOUBLE, "MPI_DOUBLE does not come back from Fortran");
  CHECK(MPI_Message_f2c(MPI_Message_c2f(MPI_MESSAGE_NULL)) == MPI_MESSAGE_NULL,
        "MPI_MESSAGE_NULL does not come back from Fortran");
  MPI_Status status, again;
  MPI_Fint in_fortran[16];
  int sent[3] = {1, 2, 3}, got[3] = {0, 0, 0}, count = 0;
  MPI_Sendrecv(sent, 3, MPI_INT, 0, 7, got, 3, MPI_INT, 0, 7, MPI_COMM_SELF, &status);
  CHECK(MPI_Status_c2f(&status, in_fortran) == MPI_SUCCESS, "MPI_Status_c2f failed");
  CHECK(MPI_Status_f2c(in_fortran, &again) == MPI_SUCCESS, "MPI_Status_f2c failed");
  MPI_Get_count(&again, MPI_INT, &count);
  CHECK(again.MPI_SOURCE == 0 && again.MPI_TAG == 7 && count == 3, "source %d tag %d count %d", again.MPI_SOURCE,
        again.MPI_TAG, count);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  integers();
  integers_of_the_dead();
  fortran_forms();
  written_statuses();
  generalized_request();
  return check_finish();
}
