# SPDX-License-Identifier: BSD-3-Clause
"""Bytes that an all-reduce of K bytes sends: 2(N-1)/N K a rank around the ring, 2(N-1) K through one rank in the parameter-server form,
as performance variables and as mpirun --report traffic tell."""
# run: timeout=120
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launching import build_c, expect, mpirun

program = build_c("reduce", r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int provided, rank, n = atoi(argv[1]);
  MPI_T_pvar_session session;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  MPI_T_pvar_session_create(&session);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double *a = calloc(n, sizeof *a);
  int index, count;
  MPI_T_pvar_handle sent, received;
  MPI_T_pvar_get_index("bytes_sent", MPI_T_PVAR_CLASS_AGGREGATE, &index);
  MPI_T_pvar_handle_alloc(session, index, NULL, &sent, &count);
  MPI_T_pvar_get_index("bytes_received", MPI_T_PVAR_CLASS_AGGREGATE, &index);
  MPI_T_pvar_handle_alloc(session, index, NULL, &received, &count);
  MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES);
  unsigned long long s0, s1, r0, r1;
  MPI_T_pvar_read(session, sent, &s0);
  MPI_T_pvar_read(session, received, &r0);
  MPI_Allreduce(MPI_IN_PLACE, a, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_T_pvar_read(session, sent, &s1);
  MPI_T_pvar_read(session, received, &r1);
  printf("%d %llu %llu\n", rank, s1 - s0, r1 - r0);
  MPI_Finalize();
  return 0;
}
""")
N, COUNT = 4, 20000
K = 8 * COUNT


def measure(algorithm):
    """The bytes that each rank has sent and received: in the call, and in all."""
    ran = mpirun("-n", N, "--report", "traffic", "--set", f"coll=allreduce={algorithm}", program, COUNT)
    expect(ran.code == 0, ran, algorithm)
    call = {int(rank): (int(sent), int(received)) for rank, sent, received in (line.split() for line in ran.out.splitlines())}
    told = {int(rank): (int(sent), int(received)) for rank, sent, received in
            re.findall(r"\[\S+ rank (\d+)\] traffic: sent \d+ messages of (\d+) bytes, received \d+ messages of (\d+) bytes", ran.err)}
    expect(sorted(call) == sorted(told) == list(range(N)), ran, "a line of each rank")
    expect(all(told[rank][way] >= call[rank][way] for rank in range(N) for way in (0, 1)), ran, "the report has all of the call")
    return call


share = 2 * (N - 1) * K // N
expect(measure("ring") == {rank: (share, share) for rank in range(N)}, measure("ring"), f"around the ring each rank sends {share}")
server = measure("linear")
expect(sum(server[0]) == 2 * (N - 1) * K, server, "all goes through rank 0")
expect(all(server[rank] == (K, K) for rank in range(1, N)), server, "the others send and receive the vector once")
ran = mpirun("-n", 1, "--report", "trafic", "true")
expect(ran.code == 2 and "trafic" in ran.err, ran, "a misspelt report")
