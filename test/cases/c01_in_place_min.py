# SPDX-License-Identifier: BSD-3-Clause
"""C01: three ranks hold 10, -300 and -150; an in-place minimum from mpif.h, `use mpi` and `use mpi_f08` is -300 on all of them."""
# run: timeout=60
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from fortran import compiled, need_fortran
from launching import expect, mpirun

need_fortran()
BODY = """
  integer :: held(3) = (/ 10, -300, -150 /), v, rank, e
  call MPI_Init(e)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, e)
  v = held(rank + 1)
  call MPI_Allreduce(MPI_IN_PLACE, v, 1, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD, e)
  print '(i0)', v
  call MPI_Finalize(e)
end program
"""
for name, use in (("mpif_h", "implicit none\n  include 'mpif.h'"), ("mpi", "use mpi\n  implicit none"),
                  ("mpi_f08", "use mpi_f08\n  implicit none")):
    program = compiled(name, f"program c01\n  {use}{BODY}")
    ran = mpirun("-n", "3", program)
    expect(ran.code == 0 and ran.out == "-300\n" * 3, ran, name)
