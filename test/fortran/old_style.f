C SPDX-License-Identifier: BSD-3-Clause
C mpif.h in fixed form, as programs of 1995 write it: ping-pong, in place, waitany, derived types, an operation, old attributes,
C the functions that MPI-3.0 removed.
! run: np=1,2,3 timeout=60
      program old
      implicit none
      include 'mpif.h'
      integer ierr, rank, size, next, prev, i, n, idx
      integer req(2), st(MPI_STATUS_SIZE), v(4), w(4)
      integer newtype, op, key, value, col, ext
      integer blocks(2), disps(2), types(2)
      logical flag
      character*(MPI_MAX_PROCESSOR_NAME) name
      character*8 text
      double precision t
      external addup
      call mpi_init(ierr)
      call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
      call mpi_comm_size(MPI_COMM_WORLD, size, ierr)
      next = mod(rank + 1, size)
      prev = mod(rank + size - 1, size)
      t = MPI_WTIME()
      call check(ierr .eq. MPI_SUCCESS .and. t .gt. 0d0, 1)
C     both requests, by waitany: indices count from 1
      v(1) = 100 + rank
      call mpi_irecv(w, 1, MPI_INTEGER, prev, 7, MPI_COMM_WORLD,
     &  req(1), ierr)
      call mpi_isend(v, 1, MPI_INTEGER, next, 7, MPI_COMM_WORLD,
     &  req(2), ierr)
      n = 0
      do i = 1, 2
        call mpi_waitany(2, req, idx, st, ierr)
        call check(idx .eq. 1 .or. idx .eq. 2, 2)
        n = n + idx
        if (idx .eq. 1) then
          call check(st(MPI_SOURCE) .eq. prev, 3)
          call check(st(MPI_TAG) .eq. 7, 4)
          call mpi_get_count(st, MPI_INTEGER, n, ierr)
          call check(n .eq. 1, 5)
          n = i - 1
          if (i .eq. 1) n = 1
          if (i .eq. 2) n = 3
        end if
      end do
      call check(n .eq. 3, 6)
      call check(w(1) .eq. 100 + prev, 7)
      call mpi_waitany(2, req, idx, MPI_STATUS_IGNORE, ierr)
      call check(idx .eq. MPI_UNDEFINED, 8)
C     in place
      v(1) = rank
      call mpi_allreduce(MPI_IN_PLACE, v, 1, MPI_INTEGER, MPI_SUM,
     &  MPI_COMM_WORLD, ierr)
      call check(v(1) .eq. size * (size - 1) / 2, 9)
C     characters
      text = 'nobody'
      if (rank .eq. 0) text = 'somebody'
      call mpi_bcast(text, 8, MPI_CHARACTER, 0, MPI_COMM_WORLD, ierr)
      call check(text .eq. 'somebody', 10)
      name = 'x'
      call mpi_get_processor_name(name, n, ierr)
      call check(n .gt. 0 .and. name(n+1:) .eq. ' ', 11)
C     a type of every second integer, and the old struct
      call mpi_type_vector(2, 1, 2, MPI_INTEGER, newtype, ierr)
      call mpi_type_commit(newtype, ierr)
      do i = 1, 4
        v(i) = 10 * rank + i
        w(i) = -1
      end do
      call mpi_sendrecv(v, 1, newtype, next, 1, w, 1, newtype, prev, 1,
     &  MPI_COMM_WORLD, st, ierr)
      call check(w(1) .eq. 10 * prev + 1 .and. w(2) .eq. -1, 12)
      call check(w(3) .eq. 10 * prev + 3 .and. w(4) .eq. -1, 13)
      call mpi_type_free(newtype, ierr)
      call check(newtype .eq. MPI_DATATYPE_NULL, 14)
      blocks(1) = 1
      blocks(2) = 1
      disps(1) = 0
      disps(2) = 8
      types(1) = MPI_INTEGER
      types(2) = MPI_DOUBLE_PRECISION
      call mpi_type_struct(2, blocks, disps, types, newtype, ierr)
      call mpi_type_extent(newtype, ext, ierr)
      call check(ierr .eq. MPI_SUCCESS .and. ext .eq. 16, 15)
      call mpi_type_free(newtype, ierr)
C     an operation of the program
      call mpi_op_create(addup, .true., op, ierr)
      v(1) = rank + 1
      v(2) = 2
      call mpi_allreduce(v, w, 2, MPI_INTEGER, op, MPI_COMM_WORLD, ierr)
      call check(w(1) .eq. size * (size + 1) / 2, 16)
      call check(w(2) .eq. 2 * size, 17)
      call mpi_op_free(op, ierr)
      call check(op .eq. MPI_OP_NULL, 18)
C     attributes of MPI-1
      call mpi_attr_get(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierr)
      call check(flag .and. value .ge. 32767, 19)
      call mpi_keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN, key, 0,
     &  ierr)
      call mpi_attr_put(MPI_COMM_WORLD, key, -5, ierr)
      call mpi_comm_dup(MPI_COMM_WORLD, col, ierr)
      call mpi_attr_get(col, key, value, flag, ierr)
      call check(flag .and. value .eq. -5, 20)
      call mpi_attr_delete(MPI_COMM_WORLD, key, ierr)
      call mpi_attr_get(MPI_COMM_WORLD, key, value, flag, ierr)
      call check(.not. flag, 21)
      call mpi_comm_free(col, ierr)
      call check(col .eq. MPI_COMM_NULL, 22)
      call mpi_keyval_free(key, ierr)
      call check(key .eq. MPI_KEYVAL_INVALID, 23)
C     errors come back
      call mpi_errhandler_set(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
      call mpi_send(v, -1, MPI_INTEGER, next, 0, MPI_COMM_WORLD, ierr)
      call mpi_error_class(ierr, n, idx)
      call check(n .eq. MPI_ERR_COUNT, 24)
      call mpi_barrier(MPI_COMM_WORLD, ierr)
      if (rank .eq. 0) write (*, '(a)') 'ok'
      call mpi_finalize(ierr)
      end

      subroutine addup(in, inout, len, type)
      implicit none
      integer len, type, i
      integer in(len), inout(len)
      do i = 1, len
        inout(i) = inout(i) + in(i)
      end do
      i = type
      end

      subroutine check(good, number)
      implicit none
      include 'mpif.h'
      logical good
      integer number, ierr
      if (good) return
      print *, 'check', number, 'failed'
      call mpi_abort(MPI_COMM_WORLD, 1, ierr)
      end
