// SPDX-License-Identifier: BSD-3-Clause
// Status objects: what a program may set and read, and what an empty one says.
// run: np=1,2 timeout=60
#include "../support/check.h"

static void fields(void) {
  MPI_Status status;
  int value = 0, flag = -1;
  memset(&status, 0, sizeof status);
  // No communicator is near, so any value goes.
  const int values[] = {0, 3, 1000000, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_PROC_NULL, MPI_UNDEFINED};
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
    MPI_Status_set_source(&status, values[i]);
    MPI_Status_get_source(&status, &value);
    CHECK(value == values[i] && status.MPI_SOURCE == values[i], "source %d, set to %d", value, values[i]);
    MPI_Status_set_tag(&status, values[i]);
    MPI_Status_get_tag(&status, &value);
    CHECK(value == values[i] && status.MPI_TAG == values[i], "tag %d, set to %d", value, values[i]);
  }
  MPI_Status_set_error(&status, MPI_ERR_TRUNCATE);
  MPI_Status_get_error(&status, &value);
  CHECK(value == MPI_ERR_TRUNCATE, "error %d", value);
  MPI_Status_set_cancelled(&status, 1);
  MPI_Test_cancelled(&status, &flag);
  CHECK(flag == 1, "cancelled %d", flag);
}

static void spoil(MPI_Status* status) {
  status->MPI_SOURCE = status->MPI_TAG = 77;
  status->MPI_ERROR = MPI_ERR_OTHER;
}

static void check_empty(const char* call, const MPI_Status* status) {
  int count = -1, cancelled = -1;
  MPI_Get_count(status, MPI_INT, &count);
  MPI_Test_cancelled(status, &cancelled);
  CHECK(status->MPI_SOURCE == MPI_ANY_SOURCE && status->MPI_TAG == MPI_ANY_TAG && status->MPI_ERROR == MPI_SUCCESS &&
            count == 0 && !cancelled,
        "%s: source %d, tag %d, error %d, count %d, cancelled %d", call, status->MPI_SOURCE, status->MPI_TAG,
        status->MPI_ERROR, count, cancelled);
}

static void empty_ones(void) {
  MPI_Request none[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status status, two[2];
  int flag = -1, index = -1;
  spoil(&status);
  MPI_Wait(none, &status);
  check_empty("MPI_Wait", &status);
  spoil(&status);
  MPI_Test(none, &flag, &status);
  check_empty("MPI_Test", &status);
  spoil(&status);
  MPI_Waitany(2, none, &index, &status);
  check_empty("MPI_Waitany", &status);
  spoil(&status);
  MPI_Testany(2, none, &index, &flag, &status);
  check_empty("MPI_Testany", &status);
  spoil(&status);
  MPI_Request_get_status(none[0], &flag, &status);
  check_empty("MPI_Request_get_status", &status);
  spoil(&two[0]), spoil(&two[1]);
  MPI_Waitall(2, none, two);
  check_empty("MPI_Waitall", &two[0]);
  check_empty("MPI_Waitall", &two[1]);
}

// The send to itself is called back at once, and a look at the request says so.
static void cancelled_send_to_itself(void) {
  MPI_Request request;
  MPI_Status status;
  int flag = 0, cancelled = -1;
  MPI_Issend(NULL, 0, MPI_BYTE, world_rank, 5, MPI_COMM_WORLD, &request);
  MPI_Probe(world_rank, 5, MPI_COMM_WORLD, &status);
  MPI_Cancel(&request);
  MPI_Request_get_status(request, &flag, &status);
  CHECK(flag, "the cancelled send is not complete");
  MPI_Test_cancelled(&status, &cancelled);
  CHECK(cancelled == 1, "the send was not cancelled");
  MPI_Wait(&request, &status);
  MPI_Iprobe(world_rank, 5, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  CHECK(!flag, "the cancelled message is still there");
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  fields();
  empty_ones();
  cancelled_send_to_itself();
  return check_finish();
}
