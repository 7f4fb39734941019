# SPDX-License-Identifier: BSD-3-Clause
"""A07: one unit broadcasts reals, an integer and a string. Both modules compile as they are; mpif.h needs gfortran's own option for
calls that differ in their arguments, as docs/fortran.md says."""
# run: timeout=60
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from fortran import compiled, need_fortran, try_to_compile
from launching import expect, mpirun

need_fortran()
BODY = """
  real(8) :: x(3), y
  integer :: i, e
  character(len=5) :: s
  call MPI_Init(e)
  call MPI_Comm_rank(MPI_COMM_WORLD, i, e)
  x = 0
  y = 0
  s = ' '
  if (i == 0) then
    x = 1.5d0
    y = 2.5d0
    s = 'hello'
  end if
  call MPI_Bcast(x, 3, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, e)
  call MPI_Bcast(y, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, e)
  call MPI_Bcast(i, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, e)
  call MPI_Bcast(s, 5, MPI_CHARACTER, 0, MPI_COMM_WORLD, e)
  if (all(x == 1.5d0) .and. y == 2.5d0 .and. i == 0) print '(a)', s
  call MPI_Finalize(e)
end program
"""
for name, use, flags in (("mpi", "use mpi\n  implicit none", ["-Wall", "-Werror"]),
                         ("mpi_f08", "use mpi_f08\n  implicit none", ["-Wall", "-Werror"]),
                         ("mpif_h", "implicit none\n  include 'mpif.h'", ["-w", "-fallow-argument-mismatch"])):
    ran = mpirun("-n", "2", compiled(name, f"program a07\n  {use}{BODY}", *flags))
    expect(ran.code == 0 and ran.out == "hello\nhello\n", ran, name)
strict = try_to_compile("strict", f"program a07\n  implicit none\n  include 'mpif.h'{BODY}")
expect(strict.code == 0 or "mismatch" in strict.err, strict, "without the option it is the compiler's message that comes")
