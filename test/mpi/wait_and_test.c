// SPDX-License-Identifier: BSD-3-Clause
// Every form of waiting and testing, with null and completed requests among the others, and the statuses they fill.
// run: np=2,3,4 timeout=60
// run: np=2 timeout=60 env=OMPI_LITE_TRANSPORTS=self,tcp
#include "../support/check.h"

enum { n = 8 };

static int in[n], out[n], left, right;

static void start(MPI_Request* receives, MPI_Request* sends) {
  for (int i = 0; i < n; i++) {
    out[i] = world_rank * 100 + i;
    in[i] = -1;
    receives[i] = MPI_REQUEST_NULL;
    if (i == 3) continue;
    MPI_Irecv(&in[i], 1, MPI_INT, left, i, MPI_COMM_WORLD, &receives[i]);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < n; i++) {
    sends[i] = MPI_REQUEST_NULL;
    if (i != 3) MPI_Isend(&out[i], 1, MPI_INT, right, i, MPI_COMM_WORLD, &sends[i]);
  }
}

static void check_received(int i, const MPI_Status* status) {
  int count = -1;
  CHECK(in[i] == left * 100 + i, "message %d: %d", i, in[i]);
  if (!status) return;
  MPI_Get_count(status, MPI_INT, &count);
  CHECK(status->MPI_SOURCE == left && status->MPI_TAG == i && count == 1, "message %d: source %d tag %d count %d", i,
        status->MPI_SOURCE, status->MPI_TAG, count);
}

static void check_empty(const MPI_Status* status) {
  int count = -1, cancelled = -1;
  MPI_Get_count(status, MPI_INT, &count);
  MPI_Test_cancelled(status, &cancelled);
  CHECK(status->MPI_SOURCE == MPI_ANY_SOURCE && status->MPI_TAG == MPI_ANY_TAG && count == 0 && !cancelled,
        "not an empty status: source %d tag %d count %d", status->MPI_SOURCE, status->MPI_TAG, count);
}

static void one_by_one(int test) {
  MPI_Request receives[n], sends[n];
  start(receives, sends);
  for (int i = 0; i < n; i++) {
    MPI_Status status;
    int done = !test;
    if (!test) MPI_Wait(&receives[i], &status);
    while (!done) MPI_Test(&receives[i], &done, &status);
    CHECK(receives[i] == MPI_REQUEST_NULL, "request %d is still there", i);
    if (i == 3) {
      check_empty(&status);
    } else {
      check_received(i, &status);
    }
  }
  MPI_Waitall(n, sends, MPI_STATUSES_IGNORE);
}

static void all(int test) {
  MPI_Request receives[n], sends[n];
  MPI_Status statuses[n];
  int done = !test;
  start(receives, sends);
  if (!test) MPI_Waitall(n, receives, statuses);
  while (!done) MPI_Testall(n, receives, &done, statuses);
  for (int i = 0; i < n; i++) {
    CHECK(receives[i] == MPI_REQUEST_NULL, "request %d is still there", i);
    if (i == 3) {
      check_empty(&statuses[i]);
    } else {
      check_received(i, &statuses[i]);
    }
  }
  MPI_Waitall(n, sends, MPI_STATUSES_IGNORE);
}

static void any(int test) {
  MPI_Request receives[n], sends[n];
  MPI_Status status;
  int seen[n] = {0}, index = -5;
  start(receives, sends);
  for (int k = 0; k < n - 1; k++) {
    int done = !test;
    if (!test) MPI_Waitany(n, receives, &index, &status);
    while (!done) MPI_Testany(n, receives, &index, &done, &status);
    CHECK(index >= 0 && index < n && index != 3 && !seen[index], "index %d", index);
    seen[index] = 1;
    check_received(index, &status);
  }
  int done = -1;
  MPI_Waitany(n, receives, &index, &status);
  CHECK(index == MPI_UNDEFINED, "waitany of null requests: index %d", index);
  check_empty(&status);
  MPI_Testany(n, receives, &index, &done, &status);
  CHECK(index == MPI_UNDEFINED && done, "testany of null requests: index %d flag %d", index, done);
  MPI_Waitall(n, sends, MPI_STATUSES_IGNORE);
}

static void some(int test) {
  MPI_Request receives[n], sends[n];
  MPI_Status statuses[n];
  int seen[n] = {0}, indices[n], left_over = n - 1, count = -5;
  start(receives, sends);
  while (left_over > 0) {
    if (test) {
      MPI_Testsome(n, receives, &count, indices, statuses);
      CHECK(count >= 0, "testsome: %d", count);
    } else {
      MPI_Waitsome(n, receives, &count, indices, statuses);
      CHECK(count > 0, "waitsome: %d", count);
    }
    for (int k = 0; k < count; k++) {
      CHECK(!seen[indices[k]] && indices[k] != 3, "index %d", indices[k]);
      seen[indices[k]] = 1;
      check_received(indices[k], &statuses[k]);
    }
    left_over -= count;
  }
  MPI_Waitsome(n, receives, &count, indices, statuses);
  CHECK(count == MPI_UNDEFINED, "waitsome of null requests: %d", count);
  MPI_Testsome(n, receives, &count, indices, MPI_STATUSES_IGNORE);
  CHECK(count == MPI_UNDEFINED, "testsome of null requests: %d", count);
  MPI_Waitall(n, sends, MPI_STATUSES_IGNORE);
}

// Looks at a request without ending it; frees one that is still under way.
static void look_and_free(void) {
  MPI_Request request, send;
  MPI_Status status;
  int done = 0, value = -1;
  MPI_Irecv(&value, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &request);
  MPI_Request_get_status(request, &done, &status);
  CHECK(!done, "done before anything was sent");
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Isend(&world_rank, 1, MPI_INT, right, 1, MPI_COMM_WORLD, &send);
  MPI_Request_free(&send);
  CHECK(send == MPI_REQUEST_NULL, "the freed request is still there");
  while (!done) MPI_Request_get_status(request, &done, &status);
  CHECK(request != MPI_REQUEST_NULL && value == left && status.MPI_SOURCE == left, "value %d source %d", value,
        status.MPI_SOURCE);
  MPI_Wait(&request, &status);
  CHECK(status.MPI_SOURCE == left, "source %d", status.MPI_SOURCE);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void nothing_at_all(void) {
  MPI_Request none = MPI_REQUEST_NULL;
  MPI_Status status;
  int done = 0;
  MPI_Wait(&none, &status);
  check_empty(&status);
  MPI_Test(&none, &done, &status);
  CHECK(done, "test of a null request");
  MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE);
  MPI_Testall(0, NULL, &done, MPI_STATUSES_IGNORE);
  CHECK(done, "testall of nothing");
  MPI_Request_get_status(MPI_REQUEST_NULL, &done, &status);
  CHECK(done, "status of a null request");
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  right = (world_rank + 1) % world_size;
  left = (world_rank + world_size - 1) % world_size;
  for (int test = 0; test < 2; test++) {
    one_by_one(test);
    all(test);
    any(test);
    some(test);
  }
  look_and_free();
  nothing_at_all();
  return check_finish();
}
