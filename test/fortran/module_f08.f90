! SPDX-License-Identifier: BSD-3-Clause
! `use mpi_f08`: handle types, statuses, counts of eight bytes, callbacks with typed handles, no ierror where it is not wanted.
! run: np=1,2,4 timeout=60
module procedures
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: handled = 0, deleted = 0
contains
  subroutine check(good, number)
    logical, intent(in) :: good
    integer, intent(in) :: number
    if (good) return
    print *, 'check', number, 'failed'
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine
  subroutine addup(invec, inoutvec, len, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: a(:), b(:)
    call c_f_pointer(invec, a, [len])
    call c_f_pointer(inoutvec, b, [len])
    if (datatype == MPI_INTEGER) b = a + b
  end subroutine
  subroutine addup_large(invec, inoutvec, len, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer(MPI_COUNT_KIND) :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: a(:), b(:)
    call c_f_pointer(invec, a, [len])
    call c_f_pointer(inoutvec, b, [len])
    if (datatype == MPI_INTEGER) b = a + b
  end subroutine
  subroutine handler(comm, error_code)
    type(MPI_Comm) :: comm
    integer :: error_code
    if (comm /= MPI_COMM_NULL .and. error_code /= MPI_SUCCESS) handled = handled + 1
  end subroutine
  subroutine copy_attribute(oldcomm, comm_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
    type(MPI_Comm) :: oldcomm
    integer :: comm_keyval, ierror
    integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
    logical :: flag
    attribute_val_out = attribute_val_in + extra_state
    flag = oldcomm /= MPI_COMM_NULL .and. comm_keyval /= MPI_KEYVAL_INVALID
    ierror = MPI_SUCCESS
  end subroutine
  subroutine delete_attribute(comm, comm_keyval, attribute_val, extra_state, ierror)
    type(MPI_Comm) :: comm
    integer :: comm_keyval, ierror
    integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
    deleted = deleted + int(extra_state)
    ierror = merge(MPI_SUCCESS, MPI_ERR_OTHER, attribute_val /= 0 .and. comm /= MPI_COMM_NULL .and. comm_keyval /= 0)
  end subroutine
end module

program module_f08
  use procedures
  implicit none
  integer :: rank, size, ierr, i, n, next, previous
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror=ierr)
  call check(ierr == MPI_SUCCESS, 1)
  next = mod(rank + 1, size)
  previous = mod(rank + size - 1, size)
  call messages
  call handles
  call callbacks
  call memory
  call MPI_Barrier(MPI_COMM_WORLD)
  if (rank == 0) write (*, '(a)') 'ok'
  call MPI_Finalize()
contains
  subroutine messages
    type(MPI_Request) :: requests(2)
    type(MPI_Status) :: status, statuses(2)
    integer, asynchronous :: sent(2), got(2)
    integer :: as_integers(MPI_STATUS_SIZE), indices(2)
    integer(MPI_COUNT_KIND) :: count
    logical :: flag
    sent = [rank, -rank]
    call MPI_Irecv(got, 2, MPI_INTEGER, previous, 9, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(sent, 2_MPI_COUNT_KIND, MPI_INTEGER, next, 9, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, statuses)
    call check(all(got == [previous, -previous]), 10)
    call check(statuses(1)%MPI_SOURCE == previous .and. statuses(1)%MPI_TAG == 9, 11)
    call check(requests(1) == MPI_REQUEST_NULL .and. .not. requests(2) /= MPI_REQUEST_NULL, 12)
    call MPI_Get_count(statuses(1), MPI_INTEGER, n)
    call MPI_Get_count(statuses(1), MPI_INTEGER, count)
    call check(n == 2 .and. count == 2, 13)
    call MPI_Status_f082f(statuses(1), as_integers)
    call check(as_integers(MPI_SOURCE) == previous .and. as_integers(MPI_TAG) == 9, 14)
    as_integers(MPI_TAG) = 8
    call MPI_Status_f2f08(as_integers, status)
    call check(status%MPI_TAG == 8, 15)
    call MPI_Status_set_tag(status, 6)
    call MPI_Status_get_tag(status, n)
    call check(n == 6, 16)
    call MPI_Waitsome(2, requests, n, indices, MPI_STATUSES_IGNORE)
    call check(n == MPI_UNDEFINED, 17)
    call MPI_Sendrecv_replace(got, 2, MPI_INTEGER, next, 0, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Testany(2, requests, n, flag, status)
    call check(flag .and. n == MPI_UNDEFINED, 18)
    n = rank
    call MPI_Allreduce(MPI_IN_PLACE, n, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD)
    call check(n == size - 1, 19)
    call MPI_Ibarrier(MPI_COMM_WORLD, requests(1))
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
    call MPI_Send(n, 1, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD)
  end subroutine

  subroutine handles
    type(MPI_Comm) :: copy, grid
    type(MPI_Group) :: group
    type(MPI_Info) :: info
    type(MPI_Datatype) :: column
    type(MPI_Datatype) :: types(size)
    integer :: counts(size), places(size), mine(size), all_ranks(size), dims(1)
    character(len=MPI_MAX_OBJECT_NAME) :: name
    character(len=8) :: value
    integer(MPI_ADDRESS_KIND) :: lb, extent
    logical :: flag, periods(1)
    call MPI_Comm_dup(MPI_COMM_WORLD, copy)
    call check(copy /= MPI_COMM_WORLD .and. copy /= MPI_COMM_NULL, 30)
    call MPI_Comm_compare(copy, MPI_COMM_WORLD, n)
    call check(n == MPI_CONGRUENT, 31)
    call MPI_Comm_set_name(copy, 'copy')
    call MPI_Comm_get_name(copy, name, n)
    call check(name == 'copy' .and. n == 4, 32)
    grid%MPI_VAL = copy%MPI_VAL
    call check(grid == copy, 33)
    call MPI_Comm_group(copy, group)
    call MPI_Group_free(group)
    call check(group == MPI_GROUP_NULL, 34)
    call MPI_Comm_free(copy)
    call check(copy == MPI_COMM_NULL, 35)
    call MPI_Info_create(info)
    call MPI_Info_set(info, 'a', 'b')
    call MPI_Info_get(info, 'a', 8, value, flag)
    call check(flag .and. value == 'b', 36)
    call MPI_Info_free(info)
    call MPI_Type_vector(2, 1, 3, MPI_INTEGER, column)
    call MPI_Type_commit(column)
    call MPI_Type_get_extent(column, lb, extent)
    call check(lb == 0 .and. extent == 16, 37)
    call MPI_Type_free(column)
    types = MPI_INTEGER
    counts = 1
    places = [(4 * i, i = 0, size - 1)]
    mine = rank
    call MPI_Alltoallw(mine, counts, places, types, all_ranks, counts, places, types, MPI_COMM_WORLD)
    call check(all(all_ranks == [(i, i = 0, size - 1)]), 38)
    call MPI_Cart_create(MPI_COMM_WORLD, 1, [size], [.true.], .false., grid)
    call MPI_Cart_get(grid, 1, dims, periods, counts)
    call check(dims(1) == size .and. periods(1), 39)
    call MPI_Comm_free(grid)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [previous], MPI_UNWEIGHTED, 1, [next], MPI_UNWEIGHTED, MPI_INFO_NULL, &
                                        .false., grid)
    call MPI_Dist_graph_neighbors_count(grid, i, n, flag)
    call check(i == 1 .and. n == 1 .and. .not. flag, 40)
    call MPI_Neighbor_alltoallw(mine, counts1(1), [0_MPI_ADDRESS_KIND], types, all_ranks, counts1(1), [0_MPI_ADDRESS_KIND], &
                                types, grid)
    call check(all_ranks(1) == previous, 41)
    call MPI_Comm_free(grid)
  end subroutine

  function counts1(value)
    integer, intent(in) :: value
    integer :: counts1(1)
    counts1 = value
  end function

  subroutine callbacks
    type(MPI_Op) :: op
    type(MPI_Errhandler) :: errhandler
    type(MPI_Comm) :: copy
    integer :: key, mine(2), sums(2)
    integer(MPI_ADDRESS_KIND) :: value
    logical :: flag
    mine = [1, rank]
    call MPI_Op_create(addup, .true., op)
    call MPI_Allreduce(mine, sums, 2, MPI_INTEGER, op, MPI_COMM_WORLD)
    call check(all(sums == [size, size * (size - 1) / 2]), 50)
    call MPI_Op_free(op)
    call MPI_Op_create_c(addup_large, .true., op)
    call MPI_Allreduce(mine, sums, 2, MPI_INTEGER, op, MPI_COMM_WORLD)
    call check(all(sums == [size, size * (size - 1) / 2]), 51)
    call MPI_Op_free(op)
    call check(op == MPI_OP_NULL, 52)
    call MPI_Comm_dup(MPI_COMM_WORLD, copy)
    call MPI_Comm_create_errhandler(handler, errhandler)
    call MPI_Comm_set_errhandler(copy, errhandler)
    call MPI_Errhandler_free(errhandler)
    call MPI_Send(mine, -1, MPI_INTEGER, next, 0, copy, n)
    call check(handled == 1 .and. n /= MPI_SUCCESS, 53)
    call MPI_Comm_free(copy)
    call MPI_Comm_create_keyval(copy_attribute, delete_attribute, key, 10_MPI_ADDRESS_KIND)
    call MPI_Comm_set_attr(MPI_COMM_WORLD, key, 5_MPI_ADDRESS_KIND)
    call MPI_Comm_dup(MPI_COMM_WORLD, copy)
    call MPI_Comm_get_attr(copy, key, value, flag)
    call check(flag .and. value == 15, 54)
    call MPI_Comm_free(copy)
    call MPI_Comm_delete_attr(MPI_COMM_WORLD, key)
    call check(deleted == 20, 55)
    call MPI_Comm_free_keyval(key)
    call MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, key, 0_MPI_ADDRESS_KIND)
    call MPI_Type_free_keyval(key)
    call check(key == MPI_KEYVAL_INVALID, 56)
  end subroutine

  subroutine memory
    type(c_ptr) :: place
    real(8), pointer :: values(:)
    integer :: bytes, attached
    character, asynchronous :: buffer(1000)
    character(len=20) :: packed
    integer(MPI_ADDRESS_KIND) :: position
    call MPI_Alloc_mem(80_MPI_ADDRESS_KIND, MPI_INFO_NULL, place)
    call c_f_pointer(place, values, [10])
    values = rank
    call MPI_Bcast(values, 10, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
    call check(all(values == 0), 60)
    call MPI_Free_mem(values)
    call MPI_Sizeof(values, bytes)
    call check(bytes == 8, 61)
    call MPI_Buffer_attach(buffer, 1000)
    call MPI_Buffer_detach(place, attached)
    call MPI_Get_address(buffer, position)
    call check(attached == 1000 .and. transfer(place, position) == position, 62)
    position = 0
    call MPI_Pack_external('external32', rank, 1, MPI_INTEGER, packed, 20_MPI_ADDRESS_KIND, position)
    call check(position == 4 .and. ichar(packed(4:4)) == rank, 63)
    call check(MPI_Wtime() > 0 .and. MPI_Wtick() > 0, 64)
    call check(MPI_Aint_add(5_MPI_ADDRESS_KIND, 3_MPI_ADDRESS_KIND) == 8, 65)
  end subroutine
end program
