! Block-cyclic, irregular and ghosted arrays as a Fortran program uses them. Each function returns how
! many things are wrong.
integer function ga_blocks_program() result(wrong)
  implicit none
#include "mafdecls.fh"
#include "global.fh"
  integer, parameter :: rows = 13, columns = 9
  integer :: h, dims(2), block(2), grid(2), counts(2), extents(2), place(2), lo(2), hi(2), ld(2)
  integer :: number, i, j, length, seen, values(rows, columns)
  integer(kind=8) :: index
  wrong = 0
  dims = (/ rows, columns /)
  block = (/ 4, 2 /)
  grid = (/ ga_nnodes(), 1 /)
  h = ga_create_handle()
  call ga_set_data(h, 2, dims, MT_F_INT)
  call ga_set_tiled_proc_grid(h, block, grid)
  if (.not. ga_allocate(h)) wrong = wrong + 1
  do j = 1, columns
    do i = 1, rows
      values(i, j) = 100 * i + j
    end do
  end do
  if (ga_nodeid() == 0) call nga_put(h, (/ 1, 1 /), dims, values, (/ rows /))
  call ga_sync()
  call ga_get_block_info(h, counts, extents)
  if (any(counts /= (/ 4, 5 /)) .or. any(extents /= block)) wrong = wrong + 1
  if (ga_total_blocks(h) /= 20 .or. .not. ga_uses_proc_grid(h)) wrong = wrong + 1
  call ga_get_proc_grid(h, counts)
  if (any(counts /= grid)) wrong = wrong + 1
  call ga_get_proc_index(h, ga_nodeid(), place)
  if (any(place /= (/ ga_nodeid(), 0 /))) wrong = wrong + 1
  ! My blocks: those of every ga_nnodes()-th row of blocks, block subscripts from 0.
  seen = 0
  do number = 0, 19
    place = (/ mod(number, 4), number / 4 /)
    if (mod(place(1), ga_nnodes()) /= ga_nodeid()) cycle
    call nga_distribution(h, number, lo, hi)
    if (any(lo /= place * block + 1)) wrong = wrong + 1
    call nga_access_block_grid(h, place, index, ld)
    do j = lo(2), hi(2)
      do i = lo(1), hi(1)
        if (int_mb(index + (i - lo(1)) + (j - lo(2)) * ld(1)) /= values(i, j)) wrong = wrong + 1
        seen = seen + 1
      end do
    end do
    call nga_release_block_grid(h, place)
  end do
  call nga_access_block_segment(h, ga_nodeid(), index, length)
  if (length /= seen) wrong = wrong + 1
  if (.not. ga_destroy(h)) wrong = wrong + 1
end function

integer function ga_irregular_program() result(wrong)
  implicit none
#include "mafdecls.fh"
#include "global.fh"
  integer :: h, n, p, lo(2), hi(2), map(64)
  wrong = 0
  n = ga_nnodes()
  ! The first process has one row, the others two each; all columns.
  map(1) = 1
  do p = 1, n - 1
    map(p + 1) = 2 * p
  end do
  map(n + 1) = 1
  if (.not. nga_create_irreg(MT_F_DBL, 2, (/ 2 * n - 1, 6 /), 'rows', map, (/ n, 1 /), h)) wrong = 1
  call nga_distribution(h, ga_nodeid(), lo, hi)
  if (lo(1) /= max(1, 2 * ga_nodeid())) wrong = wrong + 1
  if (hi(1) /= 2 * ga_nodeid() + 1 .or. lo(2) /= 1 .or. hi(2) /= 6) wrong = wrong + 1
  if (.not. ga_destroy(h)) wrong = wrong + 1
  if (.not. ga_create_irreg(MT_F_DBL, 2 * n - 1, 6, 'rows', map, n, map(n + 1), 1, h)) wrong = wrong + 1
  call nga_distribution(h, ga_nodeid(), lo, hi)
  if (hi(1) /= 2 * ga_nodeid() + 1) wrong = wrong + 1
  call ga_set_property(h, 'read_only')
  call ga_unset_property(h)
  if (.not. ga_destroy(h)) wrong = wrong + 1
end function

integer function ga_ghosts_program() result(wrong)
  implicit none
#include "mafdecls.fh"
#include "global.fh"
  integer, parameter :: rows = 12, columns = 10
  integer :: h, dims(2), width(2), lo(2), hi(2), extents(2), ld(2), i, j, at(2), chunk(2), turn
  integer :: values(rows, columns), wanted
  integer(kind=8) :: index, element
  logical :: done
  wrong = 0
  dims = (/ rows, columns /)
  width = (/ 2, 1 /)
  chunk = (/ 3, 3 /)
  if (.not. nga_create_ghosts(MT_F_INT, 2, dims, width, 'ghosts', chunk, h)) wrong = 1
  if (.not. ga_has_ghosts(h)) wrong = wrong + 1
  do j = 1, columns
    do i = 1, rows
      values(i, j) = 100 * i + j
    end do
  end do
  do turn = 1, 6
    if (ga_nodeid() == 0) call nga_put(h, (/ 1, 1 /), dims, values + turn, (/ rows /))
    call ga_sync()
    select case (turn)
    case (1); call ga_update_ghosts(h)
    case (2); done = ga_update3_ghosts(h)
    case (3); done = ga_update7_ghosts(h)
    case (4)
      ! One dimension after the other, the second with the first's ghosts.
      done = nga_update_ghost_dir(h, 1, -1, .true.)
      done = nga_update_ghost_dir(h, 1, 1, .true.)
      done = nga_update_ghost_dir(h, 2, -1, .true.)
      done = nga_update_ghost_dir(h, 2, 1, .true.)
    case (5)
      do j = -1, 1
        do i = -1, 1
          call nga_nbget_ghost_dir(h, (/ i, j /), at(1))
          call nga_nbwait(at(1))
        end do
      end do
    case (6)
      call nga_update_ghosts_nb(h, at(1))
      call nga_nbwait(at(1))
    end select
    call nga_distribution(h, ga_nodeid(), lo, hi)
    if (hi(1) >= lo(1)) then
      call nga_access_ghosts(h, extents, index, ld)
      if (any(extents /= hi - lo + 1 + 2 * width) .or. ld(1) /= extents(1)) wrong = wrong + 1
      do j = 1, extents(2)
        do i = 1, extents(1)
          at = (/ modulo(lo(1) - width(1) + i - 2, rows), modulo(lo(2) - width(2) + j - 2, columns) /)
          wanted = values(at(1) + 1, at(2) + 1) + turn
          if (int_mb(index + (i - 1) + (j - 1) * ld(1)) /= wanted) wrong = wrong + 1
        end do
      end do
      call nga_access_ghost_element(h, element, (/ 2, 2 /), ld)
      if (element /= index + 1 + ld(1)) wrong = wrong + 1
      call nga_release_ghosts(h)
    end if
    call ga_sync()
  end do
  if (.not. ga_destroy(h)) wrong = wrong + 1
end function

integer function ga_periodic_program() result(wrong)
  implicit none
#include "mafdecls.fh"
#include "global.fh"
  integer :: h, i, j, values(5, 4), got(9, 2)
  wrong = 0
  if (.not. nga_create(MT_F_INT, 2, (/ 5, 4 /), 'around', (/ -1, -1 /), h)) wrong = 1
  do j = 1, 4
    do i = 1, 5
      values(i, j) = 10 * i + j
    end do
  end do
  if (ga_nodeid() == 0) call nga_put(h, (/ 1, 1 /), (/ 5, 4 /), values, (/ 5 /))
  call ga_sync()
  call nga_periodic_get(h, (/ -1, 4 /), (/ 7, 5 /), got, (/ 9 /))
  do j = 4, 5
    do i = -1, 7
      if (got(i + 2, j - 3) /= values(modulo(i - 1, 5) + 1, modulo(j - 1, 4) + 1)) wrong = wrong + 1
    end do
  end do
  call ga_sync()
  call nga_periodic_acc(h, (/ 6, 5 /), (/ 6, 5 /), 1, (/ 1 /), 2)
  call ga_sync()
  call nga_periodic_get(h, (/ 1, 1 /), (/ 1, 1 /), got, (/ 9 /))
  if (got(1, 1) /= values(1, 1) + 2 * ga_nnodes()) wrong = wrong + 1
  if (.not. ga_destroy(h)) wrong = wrong + 1
end function
