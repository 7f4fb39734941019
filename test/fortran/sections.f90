! SPDX-License-Identifier: BSD-3-Clause
! Array sections as buffers of mpi_f08: blocking, nonblocking and persistent calls, sent and received, reduced, in place.
! run: np=1,2,4 timeout=60
program sections
  use mpi_f08
  implicit none
  integer :: rank, size, next, previous, i, round
  integer, asynchronous :: a(6, 6), b(6, 6), c(6)
  integer :: expected(6, 6)
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: status
  logical :: flag
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  next = mod(rank + 1, size)
  previous = mod(rank + size - 1, size)
  call check(MPI_SUBARRAYS_SUPPORTED, 1)

  call fill
  call MPI_Sendrecv(a(1:5:2, 2:6:4), 6, MPI_INTEGER, next, 0, b(6:2:-2, 1:4:3), 6, MPI_INTEGER, previous, 0, MPI_COMM_WORLD, status)
  expected = -1
  expected(6:2:-2, 1:4:3) = part(previous, [1, 3, 5], [2, 6])
  call check(all(b == expected), 2)

  call fill
  call MPI_Irecv(b(2, :), 6, MPI_INTEGER, previous, 0, MPI_COMM_WORLD, requests(1))
  call MPI_Isend(a(3, :), 6, MPI_INTEGER, next, 0, MPI_COMM_WORLD, requests(2))
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  expected = -1
  expected(2:2, :) = part(previous, [3], [(i, i = 1, 6)])
  call check(all(b == expected), 3)

  ! one by one, and a row of a type of three integers
  call fill
  call MPI_Irecv(b(1, :), 6, MPI_INTEGER, previous, 1, MPI_COMM_WORLD, requests(1))
  call MPI_Send(a(6, :), 6, MPI_INTEGER, next, 1, MPI_COMM_WORLD)
  flag = .false.
  do while (.not. flag)
    call MPI_Test(requests(1), flag, status)
  end do
  expected = -1
  expected(1:1, :) = part(previous, [6], [(i, i = 1, 6)])
  call check(all(b == expected) .and. requests(1) == MPI_REQUEST_NULL, 4)

  ! reductions and in place
  call fill
  call MPI_Allreduce(a(1, 1:5:2), b(2:6:2, 3), 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  expected = -1
  expected(2:6:2, 3) = [(sum([(value(i, 1, round), i = 0, size - 1)]), round = 1, 5, 2)]
  call check(all(b == expected), 5)
  call fill
  call MPI_Iallreduce(MPI_IN_PLACE, a(4, :), 6, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, requests(1))
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
  call check(all(a(4, :) == [(value(size - 1, 4, i), i = 1, 6)]), 6)
  call check(all(a(3, :) == [(value(rank, 3, i), i = 1, 6)]), 7)

  ! gathers of a row into a section of columns
  call fill
  if (size <= 3) then
    call MPI_Allgather(a(1:2, 1), 2, MPI_INTEGER, b(1:2 * size:1, 4), 2, MPI_INTEGER, MPI_COMM_WORLD)
    call MPI_Iallgather(a(2:3, 1), 2, MPI_INTEGER, b(5, 1:2 * size), 2, MPI_INTEGER, MPI_COMM_WORLD, requests(1))
    call MPI_Wait(requests(1), status)
    call check(all(b(5, 1:2 * size:2) == [(value(i, 2, 1), i = 0, size - 1)]), 8)
    call check(all(b(5, 2:2 * size:2) == [(value(i, 3, 1), i = 0, size - 1)]), 9)
  end if

  ! persistent: what the section holds at each start
  call fill
  call MPI_Recv_init(b(2:6:2, 1), 3, MPI_INTEGER, previous, 2, MPI_COMM_WORLD, requests(1))
  call MPI_Send_init(a(1, 1:3), 3, MPI_INTEGER, next, 2, MPI_COMM_WORLD, requests(2))
  do round = 1, 3
    a(1, 1:3) = [10, 20, 30] * round + rank
    b = -1
    call MPI_Startall(2, requests)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    expected = -1
    expected(2:6:2, 1) = [10, 20, 30] * round + previous
    call check(all(b == expected), 10)
    b(2, 1) = 5
    call MPI_Test(requests(1), flag, MPI_STATUS_IGNORE)  ! inactive: nothing is stored once more
    call check(flag .and. b(2, 1) == 5, 11)
  end do
  call MPI_Request_free(requests(1))
  call MPI_Request_free(requests(2))

  ! an array of assumed shape and a zero-sized section
  c = 0
  call receive_into(c(1:5:2))
  call check(all(c == [7, 0, 8, 0, 9, 0]), 12)
  call MPI_Bcast(a(1:0, 1:6:2), 0, MPI_INTEGER, 0, MPI_COMM_WORLD)

  call MPI_Barrier(MPI_COMM_WORLD)
  if (rank == 0) write (*, '(a)') 'ok'
  call MPI_Finalize()
contains
  subroutine check(good, number)
    logical, intent(in) :: good
    integer, intent(in) :: number
    if (good) return
    print *, 'check', number, 'failed'
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine
  pure function value(of_rank, row, column)
    integer, intent(in) :: of_rank, row, column
    integer :: value
    value = 100 * of_rank + 10 * row + column
  end function
  function part(of_rank, rows, columns)
    integer, intent(in) :: of_rank, rows(:), columns(:)
    integer :: part(ubound(rows, 1), ubound(columns, 1))
    integer :: k, l
    do l = 1, ubound(columns, 1)
      do k = 1, ubound(rows, 1)
        part(k, l) = value(of_rank, rows(k), columns(l))
      end do
    end do
  end function
  subroutine fill
    a = part(rank, [(i, i = 1, 6)], [(i, i = 1, 6)])
    b = -1
  end subroutine
  subroutine receive_into(x)
    integer, intent(inout), asynchronous :: x(:)
    integer :: numbers(3)
    numbers = [7, 8, 9]
    call MPI_Sendrecv(numbers, 3, MPI_INTEGER, rank, 3, x, 3, MPI_INTEGER, rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  end subroutine
end program
