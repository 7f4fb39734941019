# SPDX-License-Identifier: BSD-3-Clause
"""A function that keeps the address of its buffer refuses an array section with gaps, with a sentence and an error."""
# run: timeout=60
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from fortran import compiled, need_fortran
from launching import expect, mpirun

need_fortran()
program = compiled("refused", """
program refused
  use mpi_f08
  implicit none
  integer :: a(6, 6), code
  call MPI_Init()
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
  a = 0
  call MPI_Buffer_attach(a(1:5:2, 1), 1000, code)
  if (code == MPI_ERR_BUFFER) print '(a)', 'refused'
  call MPI_Finalize()
end program
""")
ran = mpirun("-n", "2", program)
expect(ran.code == 0 and ran.out == "refused\n" * 2, ran, "the error comes back")
expect(ran.err.count("MPI_Buffer_attach: buffer is an array section with gaps") == 2, ran, "the sentence names function and argument")
