! SPDX-License-Identifier: BSD-3-Clause
! A tool replaces MPI_ names and calls those with PMPI_ (section 15.2): here MPI_SEND and MPI_COMM_RANK, for programs with mpif.h.
! run: np=1,2 timeout=60
subroutine MPI_SEND(buf, count, datatype, dest, tag, comm, ierror)
  integer :: buf(*), count, datatype, dest, tag, comm, ierror, sends, ranks
  common /counted/ sends, ranks
  sends = sends + count
  call PMPI_SEND(buf, count, datatype, dest, tag, comm, ierror)
end subroutine

subroutine MPI_COMM_RANK(comm, rank, ierror)
  integer :: comm, rank, ierror, sends, ranks
  common /counted/ sends, ranks
  ranks = ranks + 1
  call PMPI_COMM_RANK(comm, rank, ierror)
end subroutine

program profiling
  implicit none
  include 'mpif.h'
  integer :: sends, ranks, rank, ierr, v(1), w(1), request
  common /counted/ sends, ranks
  sends = 0
  ranks = 0
  call MPI_INIT(ierr)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
  v = 5
  call MPI_IRECV(w, 1, MPI_INTEGER, rank, 0, MPI_COMM_WORLD, request, ierr)
  call MPI_SEND(v, 1, MPI_INTEGER, rank, 0, MPI_COMM_WORLD, ierr)
  call MPI_WAIT(request, MPI_STATUS_IGNORE, ierr)
  if (sends == 1 .and. ranks == 1 .and. rank == 0) write (*, '(a)') 'ok'
  call MPI_FINALIZE(ierr)
end program
