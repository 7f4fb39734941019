# SPDX-License-Identifier: BSD-3-Clause
"""A09: with an option that makes INTEGER eight bytes long a program works or does not compile; it never computes garbage."""
# run: timeout=60
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from fortran import need_fortran, try_to_compile
from launching import expect, mpirun

need_fortran()
BODY = """
  integer :: v, r, e, st(MPI_STATUS_SIZE), n, op
  external :: addup
  call MPI_Init(e)
  call MPI_Comm_rank(MPI_COMM_WORLD, r, e)
  v = 0
  if (r == 0) v = 77
  call MPI_Bcast(v, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, e)
  call MPI_Sendrecv(v, 1, MPI_INTEGER, r, 5, n, 1, MPI_INTEGER, r, 5, MPI_COMM_WORLD, st, e)
  call MPI_Op_create(addup, .true., op, e)
  call MPI_Allreduce(v, n, 1, MPI_INTEGER, op, MPI_COMM_WORLD, e)
  if (v == 77 .and. n == 154 .and. st(MPI_TAG) == 5) print '(a)', 'right'
  call MPI_Finalize(e)
end program
subroutine addup(a, b, n, t)
  integer :: n, t, a(n), b(n)
  b = a + b
end subroutine
"""
for option in ("-fdefault-integer-8", "-i8"):
    for name, use in (("mpif_h", "implicit none\n  include 'mpif.h'"), ("mpi", "use mpi\n  implicit none"),
                      ("mpi_f08", "use mpi_f08\n  implicit none")):
        done = try_to_compile(name, f"program a09\n  {use}{BODY}", option, "-w")
        if done.code == 0:
            ran = mpirun("-n", "2", "./" + name)
            expect(ran.code == 0 and ran.out == "right\nright\n", ran, f"{name} with {option}")
        else:
            expect("Error" in done.err or "error" in done.err, done, "a message of the compiler")
