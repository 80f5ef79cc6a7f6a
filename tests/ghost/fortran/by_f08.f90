! A program of MPI's newest Fortran (mpi_f08): windows whose memory is a C_PTR, requests, all operations
! that fetch, attributes and errors of a window, against what they must be; and its world, which rank 0
! prints for all ranks.
program by_f08
  use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
  use mpi_f08
  implicit none
  integer, parameter :: rounds = 10, line = 200
  integer :: rank, ranks, failed, all_failed, i
  integer(kind=MPI_ADDRESS_KIND) :: bytes
  type(c_ptr) :: base
  type(MPI_Win) :: window
  integer, pointer, asynchronous :: memory(:)

  failed = 0
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call look_around
  bytes = 16 * (ranks + 3)  ! MPICH 4.0 by itself mistakes where windows of other sizes begin
  call MPI_Win_allocate(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, window)
  call c_f_pointer(base, memory, [ranks + 3])
  memory = 0
  call look_at_window
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_Win_lock_all(MPI_MODE_NOCHECK, window)
  call put_by_requests
  call count_by_swaps
  call add_and_get
  call MPI_Win_unlock_all(window)
  call write_to_nobody
  call MPI_Win_free(window)
  call MPI_Reduce(failed, all_failed, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD)
  if (rank == 0) print '(i0, a)', all_failed, ' failed'
  call MPI_Finalize()

contains

  subroutine check(good, what)
    logical, intent(in) :: good
    character(len=*), intent(in) :: what
    if (good) return
    failed = failed + 1
    print '(a, i0, 2a)', 'rank ', rank, ' failed: ', what
  end subroutine

  ! A grid, its rows, who shares memory, and a communicator of all but the first.
  subroutine look_around
    character(len=line) :: text
    character(len=line), allocatable :: texts(:)
    type(MPI_Comm) :: grid, row, node, some
    type(MPI_Group) :: world, others
    integer :: sides(2), place(2), of_row, of_node, of_some
    sides = 0
    call MPI_Dims_create(ranks, 2, sides)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, sides, [.false., .true.], .true., grid)
    call MPI_Cart_coords(grid, rank, 2, place)
    call MPI_Cart_sub(grid, [.true., .false.], row)
    call MPI_Comm_size(row, of_row)
    call MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, node)
    call MPI_Comm_size(node, of_node)
    call MPI_Comm_group(MPI_COMM_WORLD, world)
    call MPI_Group_excl(world, 1, [0], others)
    call MPI_Comm_create(MPI_COMM_WORLD, others, some)
    of_some = 0
    if (some /= MPI_COMM_NULL) then
      call MPI_Comm_size(some, of_some)
      call MPI_Comm_free(some)
    end if
    write (text, '(a, 9(1x, i0))') 'world:', rank, ranks, sides, place, of_row, of_node, of_some
    allocate (texts(ranks))
    call MPI_Gather(text, line, MPI_CHARACTER, texts, line, MPI_CHARACTER, 0, MPI_COMM_WORLD)
    if (rank == 0) print '(a)', (trim(texts(i)), i=1, ranks)
    call MPI_Group_free(others)
    call MPI_Group_free(world)
    call MPI_Comm_free(node)
    call MPI_Comm_free(row)
    call MPI_Comm_free(grid)
  end subroutine

  subroutine look_at_window
    integer(kind=MPI_ADDRESS_KIND) :: value
    type(MPI_Group) :: group
    logical :: there
    integer :: members
    call MPI_Win_get_attr(window, MPI_WIN_SIZE, value, there)
    call check(there .and. value == bytes, 'its size')
    call MPI_Win_get_attr(window, MPI_WIN_DISP_UNIT, value, there)
    call check(there .and. value == 4, 'its unit')
    call MPI_Win_get_group(window, group)
    call MPI_Group_size(group, members)
    call check(members == ranks, 'its group')
    call MPI_Group_free(group)
  end subroutine

  ! Everybody's place of mine, seen in memory by a load.
  subroutine put_by_requests
    type(MPI_Request) :: requests(ranks)
    integer, asynchronous :: values(ranks)
    values = [(10 * rank + i, i=0, ranks - 1)]
    do i = 1, ranks
      call MPI_Rput(values(i), 1, MPI_INTEGER, i - 1, int(rank, MPI_ADDRESS_KIND), 1, MPI_INTEGER, window, requests(i))
    end do
    call MPI_Waitall(ranks, requests, MPI_STATUSES_IGNORE)
    call MPI_Win_flush_all(window)
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_Win_sync(window)
    call check(all(memory(:ranks) == [(10 * i + rank, i=0, ranks - 1)]), 'put by requests')
  end subroutine

  ! Everybody counts on, from what there was a moment ago or else from what is there.
  subroutine count_by_swaps
    integer, asynchronous :: found, known, next
    known = 0
    do i = 1, rounds
      do
        next = known + 1
        call MPI_Compare_and_swap(next, known, found, MPI_INTEGER, 0, int(ranks, MPI_ADDRESS_KIND), window)
        call MPI_Win_flush(0, window)
        if (found == known) exit
        known = found
      end do
      known = next
    end do
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_Win_sync(window)
    call check(rank /= 0 .or. memory(ranks + 1) == rounds * ranks, 'count by swaps')
  end subroutine

  ! Two numbers of the last rank grow together, each before the other one sees it.
  subroutine add_and_get
    integer, asynchronous :: found(2), read(2)
    integer :: last
    logical :: good
    last = ranks - 1
    good = .true.
    do i = 1, rounds
      call MPI_Get_accumulate([1, 2], 2, MPI_INTEGER, found, 2, MPI_INTEGER, last, int(ranks + 1, MPI_ADDRESS_KIND), &
        2, MPI_INTEGER, MPI_SUM, window)
      call MPI_Win_flush(last, window)
      good = good .and. found(1) >= i - 1 .and. found(2) >= 2 * (i - 1)
    end do
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_Get(read, 2, MPI_INTEGER, last, int(ranks + 1, MPI_ADDRESS_KIND), 2, MPI_INTEGER, window)
    call MPI_Win_flush_local_all(window)
    call check(good .and. all(read == [1, 2] * rounds * ranks), 'add and get')
  end subroutine

  ! An error of the window is the program's to handle.
  subroutine write_to_nobody
    integer :: code, class
    call MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN)
    call MPI_Win_fence(0, window)
    call MPI_Put(rank, 1, MPI_INTEGER, ranks, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, window, code)
    call MPI_Error_class(code, class)
    call check(class == MPI_ERR_RANK, 'write to nobody')
    call MPI_Win_fence(0, window)
  end subroutine

end program
