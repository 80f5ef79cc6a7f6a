! A program of MPI's oldest Fortran (mpif.h): windows whose memory it sees by operations alone, in each
! kind of epoch, against what they must be; and its world, which rank 0 prints for all ranks.
program by_mpif
  implicit none
  include 'mpif.h'
  integer, parameter :: rounds = 20, line = 200
  integer :: rank, ranks, failed, all_failed, window, unit, length, code
  integer(kind=MPI_ADDRESS_KIND) :: bytes, base, here
  character(len=line) :: text
  character(len=MPI_MAX_OBJECT_NAME) :: name

  failed = 0
  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
  call look_around
  unit = 8
  bytes = 16 * (ranks + 2)  ! MPICH 4.0 by itself mistakes where windows of other sizes begin
  call MPI_Win_allocate(bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, base, window, code)
  call check(base /= 0, 'the window has memory')
  call MPI_Win_set_name(window, 'mine', code)
  call MPI_Win_get_name(window, name, length, code)
  call check(name(:length) == 'mine', 'the window has a name')
  call put_in_fences
  call accumulate_under_locks
  call count_with_all_locked
  call hand_on_to_the_next
  call get_every_other
  call MPI_Win_free(window, code)
  call check(window == MPI_WIN_NULL, 'no window is left')
  call MPI_Reduce(failed, all_failed, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, code)
  if (rank == 0) print '(i0, a)', all_failed, ' failed'
  call MPI_Finalize(code)

contains

  subroutine check(good, what)
    logical, intent(in) :: good
    character(len=*), intent(in) :: what
    if (good) return
    failed = failed + 1
    print '(a, i0, 2a)', 'rank ', rank, ' failed: ', what
  end subroutine

  ! Names, neighbours on a ring, halves, and the group of the world.
  subroutine look_around
    character(len=line), allocatable :: texts(:)
    integer :: ring, before, after, half, of_half, in_half, group, members, likeness, i
    call MPI_Comm_get_name(MPI_COMM_WORLD, name, length, code)
    call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., ring, code)
    call MPI_Cart_shift(ring, 0, 1, before, after, code)
    call MPI_Comm_compare(MPI_COMM_WORLD, ring, likeness, code)
    call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), -rank, half, code)
    call MPI_Comm_size(half, of_half, code)
    call MPI_Comm_rank(half, in_half, code)
    call MPI_Comm_group(MPI_COMM_WORLD, group, code)
    call MPI_Group_size(group, members, code)
    write (text, '(3a, 9(1x, i0), 1x, l1)') 'world ', name(:length), ':', rank, ranks, before, after, of_half, &
      in_half, members, count([likeness == MPI_CONGRUENT]), length, ring /= MPI_COMM_WORLD
    allocate (texts(ranks))
    call MPI_Gather(text, line, MPI_CHARACTER, texts, line, MPI_CHARACTER, 0, MPI_COMM_WORLD, code)
    if (rank == 0) print '(a)', (trim(texts(i)), i=1, ranks)
    call MPI_Group_free(group, code)
    call MPI_Comm_free(half, code)
    call MPI_Comm_free(ring, code)
  end subroutine

  ! Into everybody's place of mine; place ranks + 1 on is nought.
  subroutine put_in_fences
    double precision :: mine(ranks + 2), found(ranks + 2)
    integer :: to
    mine = 0
    here = 0
    call MPI_Win_fence(0, window, code)
    call MPI_Put(mine, ranks + 2, MPI_DOUBLE_PRECISION, rank, here, ranks + 2, MPI_DOUBLE_PRECISION, window, code)
    call MPI_Win_fence(0, window, code)
    here = rank
    do to = 0, ranks - 1
      mine(to + 1) = 100 * rank + to
      call MPI_Put(mine(to + 1), 1, MPI_DOUBLE_PRECISION, to, here, 1, MPI_DOUBLE_PRECISION, window, code)
    end do
    call MPI_Win_fence(0, window, code)
    here = 0
    call MPI_Get(found, ranks + 2, MPI_DOUBLE_PRECISION, rank, here, ranks + 2, MPI_DOUBLE_PRECISION, window, code)
    call MPI_Win_fence(MPI_MODE_NOSUCCEED, window, code)
    call check(all(found == [(dble(100 * to + rank), to=0, ranks - 1), 0d0, 0d0]), 'put in fences')
  end subroutine

  subroutine accumulate_under_locks
    double precision :: one, found
    integer :: i
    one = rank + 1
    here = ranks
    do i = 1, rounds
      call MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window, code)
      call MPI_Accumulate(one, 1, MPI_DOUBLE_PRECISION, 0, here, 1, MPI_DOUBLE_PRECISION, MPI_SUM, window, code)
      call MPI_Win_unlock(0, window, code)
    end do
    call MPI_Barrier(MPI_COMM_WORLD, code)
    call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window, code)
    call MPI_Get(found, 1, MPI_DOUBLE_PRECISION, 0, here, 1, MPI_DOUBLE_PRECISION, window, code)
    call MPI_Win_unlock(0, window, code)
    call check(found == rounds * ranks * (ranks + 1) / 2, 'accumulate under locks')
  end subroutine

  ! Work is shared out by a counter: nobody gets a number twice.
  subroutine count_with_all_locked
    integer :: i
    logical :: good
    double precision :: before, number, total, all_numbers
    before = -1
    total = 0
    good = .true.
    here = ranks + 1
    call MPI_Win_lock_all(0, window, code)
    do i = 1, rounds
      call MPI_Fetch_and_op(1d0, number, MPI_DOUBLE_PRECISION, ranks - 1, here, MPI_SUM, window, code)
      call MPI_Win_flush(ranks - 1, window, code)
      good = good .and. number > before
      before = number
      total = total + number
    end do
    call MPI_Win_unlock_all(window, code)
    call MPI_Allreduce(total, all_numbers, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, code)
    call check(good .and. all_numbers == dble(rounds * ranks) * (rounds * ranks - 1) / 2, 'count with all locked')
  end subroutine

  subroutine hand_on_to_the_next
    integer :: world, next, previous
    double precision :: found, handed
    here = 0
    handed = rank + 7
    call MPI_Comm_group(MPI_COMM_WORLD, world, code)
    call MPI_Group_incl(world, 1, [mod(rank + 1, ranks)], next, code)
    call MPI_Group_incl(world, 1, [mod(rank + ranks - 1, ranks)], previous, code)
    call MPI_Win_post(previous, 0, window, code)
    call MPI_Win_start(next, 0, window, code)
    call MPI_Put(handed, 1, MPI_DOUBLE_PRECISION, mod(rank + 1, ranks), here, 1, MPI_DOUBLE_PRECISION, window, code)
    call MPI_Win_complete(window, code)
    call MPI_Win_wait(window, code)
    call MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window, code)
    call MPI_Get(found, 1, MPI_DOUBLE_PRECISION, rank, here, 1, MPI_DOUBLE_PRECISION, window, code)
    call MPI_Win_unlock(rank, window, code)
    call check(found == mod(rank + ranks - 1, ranks) + 7, 'hand on to the next')
    call MPI_Group_free(previous, code)
    call MPI_Group_free(next, code)
    call MPI_Group_free(world, code)
    call MPI_Barrier(MPI_COMM_WORLD, code)
  end subroutine

  ! A vector datatype, of the last rank: its places have been set by put_in_fences, but the first.
  subroutine get_every_other
    double precision :: found((ranks + 1) / 2)
    integer :: every_other, i, last
    last = ranks - 1
    here = 0
    call MPI_Type_vector((ranks + 1) / 2, 1, 2, MPI_DOUBLE_PRECISION, every_other, code)
    call MPI_Type_commit(every_other, code)
    call MPI_Win_lock(MPI_LOCK_SHARED, last, 0, window, code)
    call MPI_Get(found, size(found), MPI_DOUBLE_PRECISION, last, here, 1, every_other, window, code)
    call MPI_Win_unlock(last, window, code)
    call check(found(1) == mod(2 * ranks - 2, ranks) + 7 .and. &
      all(found(2:) == [(100 * i + last, i=2, ranks - 1, 2)]), 'get every other')
    call MPI_Type_free(every_other, code)
  end subroutine

end program
