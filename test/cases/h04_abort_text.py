# SPDX-License-Identifier: BSD-3-Clause
"""H03, H04, P01, C20, T02: the text of a fatal error names function, rank, communicator and the values, and gives the
hint that helps."""
# run: timeout=120
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launching import build_c, expect, mpirun

program = build_c("misuse", r"""
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int in[64], out[64];
static void *waits(void *nothing) { MPI_Barrier(MPI_COMM_WORLD); return nothing; }
int main(int argc, char **argv) {
  MPI_Datatype pair;
  int rank;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &rank);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  MPI_Type_set_name(pair, "my_pair");
  const MPI_Comm c = MPI_COMM_WORLD;
  switch (atoi(argv[1])) {
    case 0: MPI_Send(in, 1, MPI_INT, 77, 1, c); break;
    case 1: MPI_Bcast(in, -3, MPI_INT, 0, c); break;
    case 2: MPI_Reduce(in, out, 1, MPI_INT, MPI_SUM, 22, c); break;
    case 3: MPI_Allreduce(in, out, 1, MPI_BYTE, MPI_SUM, c); break;
    case 4: MPI_Send(NULL, 5, MPI_INT, 0, 1, c); break;
    case 5: MPI_Allreduce(in, in, 4, MPI_INT, MPI_SUM, c); break;
    case 6: MPI_Allreduce(in, MPI_IN_PLACE, 4, MPI_INT, MPI_SUM, c); break;
    case 7: if (rank == 1) MPI_Reduce(MPI_IN_PLACE, out, 4, MPI_INT, MPI_SUM, 0, c); else sleep(20); break;
    case 8: MPI_Allreduce(in, out, 1, MPI_INTEGER, MPI_LAND, c); break;
    case 9: MPI_Allreduce(in, out, 1, pair, MPI_SUM, c); break;
    case 10: MPI_Reduce_local(MPI_IN_PLACE, out, 1, MPI_INT, MPI_SUM); break;
    case 11:
      if (rank == 0) MPI_Send(in, 12, MPI_INT, 1, 9, c), sleep(20);
      else MPI_Recv(out, 5, MPI_INT, 0, 9, c, MPI_STATUS_IGNORE);
      break;
    case 12: MPI_Send(in, 1, MPI_INT, 0, -55, c); break;
    case 13: MPI_Send(in, 1, MPI_DATATYPE_NULL, 0, 1, c); break;
    case 14: MPI_Comm_size(MPI_COMM_NULL, out); break;
    case 15:
      if (rank == 0) sleep(20);
      else {
        pthread_t other;
        pthread_create(&other, NULL, waits, NULL);
        MPI_Barrier(MPI_COMM_WORLD);
      }
      break;
  }
  MPI_Finalize();
  return 0;
}
""")
# Words that the message must hold; numbers stand alone.
WORDS = [["MPI_Send", "77", "MPI_COMM_WORLD"], ["MPI_Bcast", "-3", "MPI_COMM_WORLD"], ["MPI_Reduce", "22", "MPI_COMM_WORLD"],
         ["MPI_Allreduce", "MPI_SUM", "MPI_BYTE"], ["MPI_Send", "5", "MPI_COMM_WORLD"],
         ["MPI_Allreduce", "MPI_IN_PLACE"], ["MPI_Allreduce", "MPI_IN_PLACE"], ["MPI_Reduce", "MPI_IN_PLACE", "root"],
         ["MPI_Allreduce", "MPI_LAND", "MPI_INTEGER"], ["MPI_Allreduce", "MPI_SUM", "my_pair"],
         ["MPI_Reduce_local", "MPI_IN_PLACE"], ["MPI_Recv", "48", "20"], ["MPI_Send", "-55", "MPI_COMM_WORLD"],
         ["MPI_Send", "MPI_DATATYPE_NULL", "MPI_COMM_WORLD"], ["MPI_Comm_size", "MPI_COMM_NULL"],
         ["another thread", "MPI_Barrier", "MPI_COMM_WORLD"]]
for number, words in enumerate(WORDS):
    ran = mpirun("-n", 2, program, number, timeout=30)
    expect(ran.code != 0 and ran.seconds < 15, ran, f"misuse {number} does not end the job")
    expect(ran.code not in (135, 139), ran, f"misuse {number} crashes")
    for word in words:
        expect(re.search(rf"(?<![\w-]){re.escape(word)}(?!\w)", ran.err), ran, f"misuse {number}: the message lacks {word}")
    expect(re.search(r"\brank [01]\b", ran.err), ran, f"misuse {number}: the message lacks the rank")
