! SPDX-License-Identifier: BSD-3-Clause
! `use mpi`: callbacks of every kind, arrays of handles and statuses, strings, addresses, sizes.
! run: np=1,2,4 timeout=60
module procedures
  use mpi
  implicit none
  integer :: handled = 0, copied = 0, deleted = 0, freed = 0
contains
  subroutine check(good, number)
    logical, intent(in) :: good
    integer, intent(in) :: number
    integer :: ierr
    if (good) return
    print *, 'check', number, 'failed'
    call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
  end subroutine
  subroutine handler(comm, code)
    integer :: comm, code
    if (comm /= MPI_COMM_NULL .and. code /= MPI_SUCCESS) handled = handled + 1
  end subroutine
  subroutine copy_attribute(comm, keyval, extra, value_in, value_out, flag, ierr)
    integer :: comm, keyval, ierr
    integer(MPI_ADDRESS_KIND) :: extra, value_in, value_out
    logical :: flag
    copied = copied + 1
    value_out = value_in + extra
    flag = comm /= MPI_COMM_NULL .and. keyval /= MPI_KEYVAL_INVALID
    ierr = MPI_SUCCESS
  end subroutine
  subroutine delete_attribute(comm, keyval, value, extra, ierr)
    integer :: comm, keyval, ierr
    integer(MPI_ADDRESS_KIND) :: extra, value
    deleted = deleted + 1
    ierr = MPI_SUCCESS
    if (extra /= 1000 .or. value == 0 .or. comm == MPI_COMM_NULL .or. keyval == 0) ierr = MPI_ERR_OTHER
  end subroutine
  subroutine query(extra, status, ierr)
    integer(MPI_ADDRESS_KIND) :: extra
    integer :: status(MPI_STATUS_SIZE), ierr
    call MPI_Status_set_elements(status, MPI_INTEGER, int(extra), ierr)
    call MPI_Status_set_cancelled(status, .false., ierr)
    status(MPI_SOURCE) = 3
    status(MPI_TAG) = 4
    ierr = MPI_SUCCESS
  end subroutine
  subroutine release(extra, ierr)
    integer(MPI_ADDRESS_KIND) :: extra
    integer :: ierr
    freed = freed + int(extra)
    ierr = MPI_SUCCESS
  end subroutine
  subroutine cancel(extra, complete, ierr)
    integer(MPI_ADDRESS_KIND) :: extra
    logical :: complete
    integer :: ierr
    ierr = MPI_SUCCESS
    if (complete .and. extra < 0) ierr = MPI_ERR_OTHER
  end subroutine
  subroutine product_of(a, b, len, datatype)
    integer :: len, datatype
    real(8) :: a(len), b(len)
    b = a * b
    if (datatype /= MPI_DOUBLE_PRECISION) b = -1
  end subroutine
end module

program module_mpi
  use procedures
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: ierr, rank, size, i, n, length
  call MPI_Init_thread(MPI_THREAD_FUNNELED, n, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  call many_requests
  call callbacks
  call strings
  call addresses
  call others
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  if (rank == 0) write (*, '(a)') 'ok'
  call MPI_Finalize(ierr)
contains
  subroutine many_requests
    integer, parameter :: many = 12
    integer :: requests(2 * many), statuses(MPI_STATUS_SIZE, 2 * many), indices(2 * many), done
    integer, asynchronous :: got(many), sent(many)
    logical :: seen(2 * many), flag
    do i = 1, many
      call MPI_Irecv(got(i), 1, MPI_INTEGER, mod(rank + size - 1, size), i, MPI_COMM_WORLD, requests(i), ierr)
    end do
    do i = 1, many
      sent(i) = 1000 * rank + i
      call MPI_Isend(sent(i), 1, MPI_INTEGER, mod(rank + 1, size), i, MPI_COMM_WORLD, requests(many + i), ierr)
    end do
    seen = .false.
    done = 0
    do while (done < 2 * many)
      call MPI_Waitsome(2 * many, requests, n, indices, statuses, ierr)
      call check(n > 0 .and. n <= 2 * many, 1)
      do i = 1, n
        call check(.not. seen(indices(i)), 2)
        seen(indices(i)) = .true.
        if (indices(i) <= many) call check(statuses(MPI_TAG, i) == indices(i), 3)
      end do
      done = done + n
    end do
    call check(all(seen) .and. all(requests == MPI_REQUEST_NULL), 4)
    call check(all(got == [(1000 * mod(rank + size - 1, size) + i, i = 1, many)]), 5)
    call MPI_Waitsome(2 * many, requests, n, indices, MPI_STATUSES_IGNORE, ierr)
    call check(n == MPI_UNDEFINED, 6)
    call MPI_Testany(2 * many, requests, n, flag, MPI_STATUS_IGNORE, ierr)
    call check(flag .and. n == MPI_UNDEFINED, 7)
    call MPI_Testall(2 * many, requests, flag, MPI_STATUSES_IGNORE, ierr)
    call check(flag, 8)
    ! persistent ones keep their handle
    call MPI_Send_init(sent, 1, MPI_INTEGER, mod(rank + 1, size), 0, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Recv_init(got, 1, MPI_INTEGER, mod(rank + size - 1, size), 0, MPI_COMM_WORLD, requests(2), ierr)
    do i = 1, 3
      sent(1) = i * (rank + 1)
      call MPI_Startall(2, requests, ierr)
      call MPI_Waitall(2, requests, statuses, ierr)
      call check(got(1) == i * (mod(rank + size - 1, size) + 1), 9)
      call check(requests(1) /= MPI_REQUEST_NULL, 10)
    end do
    call MPI_Request_free(requests(1), ierr)
    call MPI_Request_free(requests(2), ierr)
    call check(requests(1) == MPI_REQUEST_NULL .and. requests(2) == MPI_REQUEST_NULL, 11)
  end subroutine

  subroutine callbacks
    integer :: key, copy, op, errhandler, before, request, status(MPI_STATUS_SIZE)
    integer(MPI_ADDRESS_KIND) :: value
    logical :: flag
    real(8) :: x(2), y(2)
    call MPI_Comm_create_keyval(copy_attribute, delete_attribute, key, 1000_MPI_ADDRESS_KIND, ierr)
    call MPI_Comm_set_attr(MPI_COMM_WORLD, key, -7_MPI_ADDRESS_KIND, ierr)
    call MPI_Comm_dup(MPI_COMM_WORLD, copy, ierr)
    call MPI_Comm_get_attr(copy, key, value, flag, ierr)
    call check(flag .and. value == 993 .and. copied == 1, 20)
    call MPI_Comm_get_attr(MPI_COMM_WORLD, key, value, flag, ierr)
    call check(flag .and. value == -7, 21)
    call MPI_Comm_free(copy, ierr)
    call MPI_Comm_delete_attr(MPI_COMM_WORLD, key, ierr)
    call check(ierr == MPI_SUCCESS .and. deleted == 2, 22)
    call MPI_Comm_free_keyval(key, ierr)
    call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, key, 0_MPI_ADDRESS_KIND, ierr)
    call MPI_Comm_set_attr(MPI_COMM_SELF, key, 1_MPI_ADDRESS_KIND, ierr)
    call MPI_Comm_dup(MPI_COMM_SELF, copy, ierr)
    call MPI_Comm_get_attr(copy, key, value, flag, ierr)
    call check(.not. flag, 23)
    call MPI_Comm_free(copy, ierr)
    call MPI_Comm_delete_attr(MPI_COMM_SELF, key, ierr)
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierr)
    call check(flag .and. value >= 32767, 24)

    call MPI_Op_create(product_of, .true., op, ierr)
    x = [2d0, 3d0]
    call MPI_Allreduce(x, y, 2, MPI_DOUBLE_PRECISION, op, MPI_COMM_WORLD, ierr)
    call check(y(1) == 2d0**size .and. y(2) == 3d0**size, 25)
    call MPI_Op_commutative(op, flag, ierr)
    call check(flag, 26)
    call MPI_Op_free(op, ierr)

    call MPI_Comm_create_errhandler(handler, errhandler, ierr)
    call MPI_Comm_get_errhandler(MPI_COMM_WORLD, before, ierr)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, errhandler, ierr)
    call MPI_Errhandler_free(errhandler, ierr)
    call MPI_Send(x, 1, MPI_DOUBLE_PRECISION, size + 5, 0, MPI_COMM_WORLD, ierr)
    call check(handled == 1 .and. ierr /= MPI_SUCCESS, 27)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, before, ierr)

    call MPI_Grequest_start(query, release, cancel, 5_MPI_ADDRESS_KIND, request, ierr)
    call MPI_Test(request, flag, status, ierr)
    call check(.not. flag, 28)
    call MPI_Cancel(request, ierr)
    call MPI_Grequest_complete(request, ierr)
    call MPI_Wait(request, status, ierr)
    call MPI_Get_count(status, MPI_INTEGER, n, ierr)
    call check(n == 5 .and. status(MPI_SOURCE) == 3 .and. status(MPI_TAG) == 4 .and. freed == 5, 29)
    call check(request == MPI_REQUEST_NULL, 30)
  end subroutine

  subroutine strings
    integer :: info, comm
    character(len=20) :: value
    character(len=5) :: short
    character(len=MPI_MAX_OBJECT_NAME) :: name
    character(len=MPI_MAX_ERROR_STRING) :: text
    character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: version
    logical :: flag
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr)
    call MPI_Comm_set_name(comm, 'a name   ', ierr)
    name = repeat('x', len(name))
    call MPI_Comm_get_name(comm, name, length, ierr)
    call check(name == 'a name' .and. length == 6, 40)
    call MPI_Comm_free(comm, ierr)
    call MPI_Info_create(info, ierr)
    call MPI_Info_set(info, ' key ', '  some value ', ierr)
    value = repeat('x', 20)
    call MPI_Info_get(info, 'key', 20, value, flag, ierr)
    call check(flag .and. value == 'some value', 41)
    call MPI_Info_get(info, 'other', 20, value, flag, ierr)
    call check(.not. flag .and. value == 'some value', 42)
    n = 5
    call MPI_Info_get_string(info, 'key', n, short, flag, ierr)
    call check(flag .and. short == 'some ' .and. n == 10, 43)
    n = 0
    call MPI_Info_get_string(info, 'key', n, short, flag, ierr)
    call check(flag .and. n == 10, 44)
    call MPI_Info_get_nthkey(info, 0, value, ierr)
    call check(value == 'key', 45)
    call MPI_Info_free(info, ierr)
    call check(info == MPI_INFO_NULL, 46)
    call MPI_Error_string(MPI_ERR_TRUNCATE, text, length, ierr)
    call check(length > 5 .and. text(length + 1:) == ' ' .and. text(length:length) /= ' ', 47)
    call MPI_Get_library_version(version, length, ierr)
    call check(index(version, 'MPI 5.0') > 0, 48)
    call check(index(version, achar(0)) == 0, 49)
  end subroutine

  subroutine addresses
    type :: mixed
      sequence
      integer :: i
      real(8) :: x
    end type
    type(mixed) :: a, b
    integer :: datatype, types(2), counts(2), status(MPI_STATUS_SIZE), bytes
    integer(MPI_ADDRESS_KIND) :: places(2), extent, lb, base
    type(c_ptr) :: pointer
    real(8), pointer :: memory(:)
    call MPI_Get_address(a%i, places(1), ierr)
    call MPI_Get_address(a%x, places(2), ierr)
    call check(MPI_Aint_diff(places(2), places(1)) == 8 .or. MPI_Aint_diff(places(2), places(1)) == 4, 60)
    types = [MPI_INTEGER, MPI_DOUBLE_PRECISION]
    counts = 1
    call MPI_Type_create_struct(2, counts, places, types, datatype, ierr)
    call MPI_Type_commit(datatype, ierr)
    a = mixed(rank, 0.5d0 * rank)
    if (rank == 0) a = mixed(17, 2.5d0)
    call MPI_Bcast(MPI_BOTTOM, 1, datatype, 0, MPI_COMM_WORLD, ierr)
    call check(a%i == 17 .and. a%x == 2.5d0, 61)
    call MPI_Type_get_extent(datatype, lb, extent, ierr)
    call check(lb == places(1) .and. extent >= 12, 62)
    call MPI_Type_get_contents(datatype, 3, 2, 2, counts3(), places, types, ierr)
    call check(types(1) == MPI_INTEGER .and. types(2) == MPI_DOUBLE_PRECISION, 63)
    call MPI_Type_free(datatype, ierr)
    b = a
    call MPI_Sizeof(b%x, bytes, ierr)
    call check(bytes == 8, 64)
    call MPI_Sizeof(counts, bytes, ierr)
    call check(bytes == 4, 65)
    call MPI_Alloc_mem(80_MPI_ADDRESS_KIND, MPI_INFO_NULL, pointer, ierr)
    call c_f_pointer(pointer, memory, [10])
    memory = 1
    call MPI_Allreduce(MPI_IN_PLACE, memory, 10, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    call check(all(memory == size), 66)
    call MPI_Free_mem(memory, ierr)
    call MPI_Alloc_mem(80_MPI_ADDRESS_KIND, MPI_INFO_NULL, base, ierr)
    call check(base /= 0, 67)
    call MPI_Type_create_f90_real(15, 300, datatype, ierr)
    call MPI_Sendrecv(a%x, 1, datatype, rank, 0, b%x, 1, MPI_DOUBLE_PRECISION, rank, 0, MPI_COMM_WORLD, status, ierr)
    call check(b%x == 2.5d0, 68)
    call MPI_Type_match_size(MPI_TYPECLASS_REAL, 4, datatype, ierr)
    call MPI_Type_size(datatype, n, ierr)
    call check(n == 4, 69)
  end subroutine

  function counts3()
    integer :: counts3(3)
    counts3 = 0
  end function

  subroutine others
    integer :: grid, coords(2), dims(2), counts(size), places(size), types(size), all_ranks(size), mine(size), group, groups(2)
    integer :: section(4, 4), part(2, 2), ranges(3, 1)
    logical :: periods(2), flag
    counts = 1
    places = [(4 * i, i = 0, size - 1)]
    types = MPI_INTEGER
    mine = rank
    call MPI_Alltoallw(mine, counts, places, types, all_ranks, counts, places, types, MPI_COMM_WORLD, ierr)
    call check(all(all_ranks == [(i, i = 0, size - 1)]), 80)
    call MPI_Alltoallw(MPI_IN_PLACE, counts, places, types, all_ranks, counts, places, types, MPI_COMM_WORLD, ierr)
    call check(all(all_ranks == rank), 81)
    dims = 0
    call MPI_Dims_create(size, 2, dims, ierr)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.true., .false.], .false., grid, ierr)
    call MPI_Cart_get(grid, 2, dims, periods, coords, ierr)
    call check(periods(1) .and. .not. periods(2), 82)
    call check(product(dims) == size, 83)
    call MPI_Comm_free(grid, ierr)
    ranges(:, 1) = [0, size - 1, 1]
    call MPI_Comm_group(MPI_COMM_WORLD, groups(1), ierr)
    call MPI_Group_range_incl(groups(1), 1, ranges, group, ierr)
    call MPI_Group_compare(groups(1), group, n, ierr)
    call check(n == MPI_IDENT, 84)
    call MPI_Group_free(group, ierr)
    call MPI_Group_free(groups(1), ierr)
    ! a section goes through a copy of the compiler's
    section = reshape([(i, i = 1, 16)], [4, 4])
    call MPI_Sendrecv(section(1:3:2, 1:3:2), 4, MPI_INTEGER, rank, 0, part, 4, MPI_INTEGER, rank, 0, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE, ierr)
    call check(all(part == section(1:3:2, 1:3:2)), 85)
    call MPI_Initialized(flag, ierr)
    call check(flag, 86)
    call check(.not. MPI_SUBARRAYS_SUPPORTED, 87)
  end subroutine
end program
