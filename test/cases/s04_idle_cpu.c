// SPDX-License-Identifier: BSD-3-Clause
// Case S04: ranks that wait 10 s for a broadcast leave the processor to others when there are more ranks than cores.
// run: np=2,4,8 timeout=60
#include <sys/resource.h>
#include <unistd.h>

#include "../support/check.h"

enum { pause_s = 10 };

static double used_s(void) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
}

int main(int argc, char** argv) {
  int value = -1;
  check_start(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  const double before = used_s();
  if (world_rank == 0) {
    sleep(pause_s);
    value = 17;
  }
  MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  CHECK(value == 17, "value %d", value);
  const double used = used_s() - before, limit = world_size > sysconf(_SC_NPROCESSORS_ONLN) ? 1.0 : pause_s * 1.02;
  CHECK(used < limit, "%.2f s of processor time in a pause of %d s", used, pause_s);
  return check_finish();
}
