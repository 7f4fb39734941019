// SPDX-License-Identifier: BSD-3-Clause
// Case T03: a rank that starts helper processes in the middle of its traffic corrupts nothing: by system(), by posix_spawn()
// and by fork()
// where the child ends without a word to the library.
// run: np=2,3 timeout=120
// run: np=2 timeout=120 env=OMPI_LITE_TRANSPORTS=self,tcp
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../support/check.h"

extern char** environ;

enum { rounds = 500 };

static void start_helper(int kind) {
  int status = -1;
  pid_t child = 0;
  char* arguments[] = {"true", NULL};
  if (kind == 0) {
    CHECK(system("true") == 0, "system");
    return;
  }
  if (kind == 1) {
    CHECK(posix_spawnp(&child, "true", NULL, NULL, arguments, environ) == 0, "posix_spawnp");
  } else {
    child = fork();
    CHECK(child >= 0, "fork");
    if (child == 0) _exit(0);
  }
  CHECK(waitpid(child, &status, 0) == child && status == 0, "child %d ended with status %d", (int)child, status);
}

int main(int argc, char** argv) {
  const int counts[] = {1, 512, 4096, 70000};
  check_start(&argc, &argv);
  const int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
  int *out = must_alloc(sizeof(int) * 70000), *in = must_alloc(sizeof(int) * 70000);
  for (int i = 0; i < rounds; i++) {
    const int n = counts[i % 4];
    MPI_Request requests[2];
    for (int k = 0; k < n; k++) out[k] = i * 7 + k + world_rank;
    MPI_Irecv(in, n, MPI_INT, left, i, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, n, MPI_INT, right, i, MPI_COMM_WORLD, &requests[1]);
    start_helper((i + world_rank) % 3);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int k = 0; k < n; k++) CHECK(in[k] == i * 7 + k + left, "round %d element %d: %d", i, k, in[k]);
    int sum = 0;
    MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == i * world_size, "round %d: sum %d", i, sum);
  }
  free(out);
  free(in);
  return check_finish();
}
