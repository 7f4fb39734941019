// SPDX-License-Identifier: BSD-3-Clause
// Start and end of a program, versions, names and clocks.
// run: np=1,2,3,4 timeout=60
#include <unistd.h>

#include "../support/check.h"

int main(int argc, char** argv) {
  int flag = -1, version = 0, subversion = -1, length = -1, provided = -1;
  char name[MPI_MAX_PROCESSOR_NAME + 1], library[MPI_MAX_LIBRARY_VERSION_STRING + 1];

  MPI_Initialized(&flag);
  CHECK(flag == 0, "initialized before MPI_Init");
  MPI_Finalized(&flag);
  CHECK(flag == 0, "finalized before MPI_Init");
  MPI_Get_version(&version, &subversion);
  CHECK(version == MPI_VERSION && subversion == MPI_SUBVERSION, "%d.%d", version, subversion);
  memset(library, 'x', sizeof library);
  MPI_Get_library_version(library, &length);
  CHECK(length > 0 && length < MPI_MAX_LIBRARY_VERSION_STRING && strlen(library) == (size_t)length, "length %d", length);

  MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
  (void)argc, (void)argv;
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  CHECK(provided >= MPI_THREAD_SINGLE && provided <= MPI_THREAD_MULTIPLE, "thread level %d", provided);
  MPI_Initialized(&flag);
  CHECK(flag == 1, "not initialized after MPI_Init_thread");
  MPI_Finalized(&flag);
  CHECK(flag == 0, "finalized before MPI_Finalize");
  int level = -1, main_thread = 0;
  MPI_Query_thread(&level);
  MPI_Is_thread_main(&main_thread);
  CHECK(level == provided && main_thread, "level %d of %d, main %d", level, provided, main_thread);
  CHECK(world_rank >= 0 && world_rank < world_size, "rank %d of %d", world_rank, world_size);

  memset(name, 'x', sizeof name);
  MPI_Get_processor_name(name, &length);
  CHECK(length > 0 && length < MPI_MAX_PROCESSOR_NAME && strlen(name) == (size_t)length, "name length %d", length);

  const double before = MPI_Wtime();
  usleep(20000);
  const double passed = MPI_Wtime() - before;
  CHECK(passed >= 0.0199 && passed < 20, "20 ms took %g s", passed);
  CHECK(MPI_Wtick() > 0 && MPI_Wtick() < 0.01, "tick %g", MPI_Wtick());

  int self_size = 0, self_rank = -1;
  MPI_Comm_size(MPI_COMM_SELF, &self_size);
  MPI_Comm_rank(MPI_COMM_SELF, &self_rank);
  CHECK(self_size == 1 && self_rank == 0, "MPI_COMM_SELF: rank %d of %d", self_rank, self_size);

  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  MPI_Initialized(&flag);
  CHECK(flag == 1, "not initialized after MPI_Finalize");
  MPI_Finalized(&flag);
  CHECK(flag == 1, "not finalized after MPI_Finalize");
  if (world_rank == 0) puts("ok");
  return 0;
}
