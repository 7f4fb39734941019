# SPDX-License-Identifier: BSD-3-Clause
"""What a program leaves behind at MPI_Finalize: messages and collectives that are not complete are told and end no job, what
another rank still asks for reaches it, and objects that were not freed are listed on wish."""
# run: timeout=120
# run: timeout=120 env=OMPI_LITE_TRANSPORTS=self,tcp
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launching import build_c, expect, mpirun

program = build_c("leaves", r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static char data[8 << 20];
int main(int argc, char **argv) {
  const MPI_Comm c = MPI_COMM_WORLD;
  MPI_Request request;
  MPI_Comm comm;
  MPI_Datatype type;
  MPI_Group group;
  MPI_Info info;
  int rank, class, value = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(c, &rank);
  if (argc > 2) MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  if (rank == 0) memset(data, 7, sizeof data);
  switch (atoi(argv[1])) {
    case 0: break;
    case 1: if (rank == 0) MPI_Isend(data, sizeof data, MPI_BYTE, 1, 5, c, &request); break;
    case 2: if (rank == 0) MPI_Irecv(data, 4, MPI_BYTE, 1, MPI_ANY_TAG, c, &request); break;
    case 3: if (rank == 0) MPI_Issend(data, 4, MPI_BYTE, 1, 5, c, &request); break;
    case 4: if (rank == 0) MPI_Ibarrier(c, &request); break;
    case 5: MPI_Isend(data, sizeof data, MPI_BYTE, 1 - rank, 5, c, &request); break;
    case 6:  /* forgotten, but wanted */
      if (rank == 0) MPI_Isend(data, sizeof data, MPI_BYTE, 1, 5, c, &request);
      else {
        usleep(200000);
        MPI_Recv(data, sizeof data, MPI_BYTE, 0, 5, c, MPI_STATUS_IGNORE);
        for (size_t i = 0; i < sizeof data; i++) if (data[i] != 7) MPI_Abort(c, 9);
      }
      break;
    case 7:
      if (rank == 0) MPI_Isend(data, sizeof data, MPI_BYTE, 1, 5, c, &request), MPI_Request_free(&request);
      break;
    case 8:
      MPI_Comm_dup(c, &comm);
      MPI_Comm_set_name(comm, "of the solver");
      MPI_Comm_group(comm, &group);
      MPI_Comm_group(comm, &group);
      MPI_Group_free(&group);  /* one of two */
      MPI_Type_vector(2, 1, 3, MPI_INT, &type);
      MPI_Info_create(&info);
      MPI_Send_init(data, 1, MPI_BYTE, 0, 3, comm, &request);
      break;
    case 9:  /* all is freed */
      MPI_Comm_dup(c, &comm);
      MPI_Comm_group(comm, &group);
      MPI_Group_free(&group);
      MPI_Type_vector(2, 1, 3, MPI_INT, &type);
      MPI_Type_commit(&type);
      MPI_Type_free(&type);
      MPI_Send_init(data, 1, MPI_BYTE, MPI_PROC_NULL, 3, comm, &request);
      MPI_Request_free(&request);
      MPI_Comm_free(&comm);
      for (int i = 0; i < 5; i++) {
        MPI_Iallreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, c, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      }
      break;
  }
  MPI_Error_class(MPI_Finalize(), &class);
  printf("rank %d: %s\n", rank, class == MPI_SUCCESS ? "fine" : class == MPI_ERR_PENDING ? "pending" : "?");
  return 0;
}
""")


def leaves(number, *more, leaks=False):
    ran = mpirun(*(["--set", "report_leaks=1"] if leaks else []), "-n", 2, program, number, *more, timeout=30)
    expect(ran.code == 0, ran, f"program {number} fails")
    return ran


SAID = {0: None, 1: "a send on MPI_COMM_WORLD to rank 1 of the world with tag 5", 2: None,
        3: "a send on MPI_COMM_WORLD to rank 1 of the world with tag 5", 4: "MPI_Barrier on MPI_COMM_WORLD",
        5: "a send on MPI_COMM_WORLD to rank 1 of the world with tag 5", 6: None, 7: None, 8: None, 9: None}
for number, said in SAID.items():
    ran = leaves(number)
    expect((said is None and ran.err == "") or (said is not None and said in ran.err), ran, f"program {number}: {said}")
    expect(sorted(ran.out.splitlines()) == ["rank 0: fine", "rank 1: fine"], ran, f"program {number} gets an error")

PENDING = {0: "fine", 1: "pending", 2: "pending", 3: "pending", 4: "pending", 6: "fine", 7: "fine"}
for number, word in PENDING.items():
    ran = leaves(number, "returns")
    expect(sorted(ran.out.splitlines()) == [f"rank 0: {word}", "rank 1: fine"], ran, f"program {number}: not {word}")

ran = leaves(2, leaks=True)
expect("1 operation is not complete: a receive on MPI_COMM_WORLD from rank 1 with any tag" in ran.err, ran, "no word of the receive")
ran = leaves(8, leaks=True)
for words in ["1 communicator not freed: of the solver", "1 group not freed: 2 members", "1 datatype not freed: vector type",
              "1 info object not freed", "1 request not freed: a persistent send on of the solver"]:
    expect(len(re.findall(rf"MPI_Finalize: {words}", ran.err)) == 2, ran, f"not said twice: {words}")
for number in (0, 9):
    ran = leaves(number, leaks=True)
    expect(ran.err == "", ran, "something is said of a program that frees all")
