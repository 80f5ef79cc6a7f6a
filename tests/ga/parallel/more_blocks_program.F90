! Irregular, block-cyclic and ghosted arrays by Fortran names that NWChem seldom calls. 0, or the line
! of the check that failed.
#define CHECK(condition) if (.not. (condition)) then; line = __LINE__; return; end if
      subroutine more_blocks_in_fortran(line)
      implicit none
      integer line
      call more_of_boundaries(line)
      if (line .eq. 0) call more_of_owners(line)
      if (line .eq. 0) call more_of_blocks(line)
      if (line .eq. 0) call more_of_ghosts(line)
      if (line .eq. 0) call more_of_ghost_creation(line)
      if (line .eq. 0) call more_of_periodic_patches(line)
      end subroutine

! The boundaries that the tests give: a number of rows for each process, one less for the first.
      subroutine more_rows(n, rows, map)
      implicit none
      integer n, rows, map(n + 1), p
      map(1) = 1
      do p = 1, n - 1
        map(p + 1) = rows * p
      end do
      map(n + 1) = 1
      end subroutine

! Whether every process has its rows, and all columns.
      logical function more_has_rows(g, rows, columns)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer g, rows, columns, p, lo(2), hi(2)
      more_has_rows = .true.
      do p = 0, ga_nnodes() - 1
        call nga_distribution(g, p, lo, hi)
        if (lo(1) .ne. max(1, rows * p)) more_has_rows = .false.
        if (hi(1) .ne. rows * p + rows - 1) more_has_rows = .false.
        if (lo(2) .ne. 1 .or. hi(2) .ne. columns) more_has_rows = .false.
      end do
      end function

      subroutine more_of_boundaries(line)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer line, g, plain, n, world, map(65), dims(2), blocks(2)
      logical more_has_rows
      line = 0
      n = ga_nnodes()
      world = ga_pgroup_get_world()
      dims = (/ 2 * n - 1, 6 /)
      blocks = (/ n, 1 /)
      call more_rows(n, 2, map)
      CHECK(nga_create_irreg_config(MT_DBL, 2, dims, 'rows', map, blocks, world, g))
      CHECK(more_has_rows(g, 2, 6))
      CHECK(ga_destroy(g))
      g = ga_create_handle()
      call ga_set_data(g, 2, dims, MT_DBL)
      call ga_set_irreg_distr(g, map, blocks)
      call ga_set_memory_dev(g, 'dram')
      CHECK(ga_allocate(g))
      CHECK(more_has_rows(g, 2, 6))
      CHECK(ga_destroy(g))
! Without the flag the boundaries do not hold.
      g = ga_create_handle()
      call ga_set_data(g, 2, dims, MT_DBL)
      call ga_set_irreg_distr(g, map, blocks)
      call ga_set_irreg_flag(g, .false.)
      CHECK(ga_allocate(g))
      CHECK(ga_create(MT_DBL, 2 * n - 1, 6, 'plain', 0, 0, plain))
      CHECK(ga_compare_distr(g, plain))
      CHECK(ga_destroy(g) .and. ga_destroy(plain))
      end subroutine

! Restricted to the last process, then to the processes 0 and 1, or 0 alone.
      subroutine more_of_owners(line)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer line, g, p, n, turn, lo(2), hi(2)
      logical owns
      line = 0
      n = ga_nnodes()
      do turn = 1, 2
        g = ga_create_handle()
        call ga_set_data(g, 2, (/ 10, 8 /), MT_DBL)
        if (turn .eq. 1) call ga_set_restricted(g, n - 1, 1)
        if (turn .eq. 2) call ga_set_restricted_range(g, 0, min(1, n - 1))
        CHECK(ga_allocate(g))
        do p = 0, n - 1
          call nga_distribution(g, p, lo, hi)
          owns = lo(1) .le. hi(1)
          if (turn .eq. 1) then
            CHECK(owns .eqv. p .eq. n - 1)
            CHECK(.not. owns .or. all(hi - lo + 1 .eq. (/ 10, 8 /)))
          else
            CHECK(owns .eqv. p .le. 1)
          end if
        end do
        CHECK(ga_destroy(g))
      end do
      end subroutine

! 13 x 9 in blocks of 4 x 2, in each of the three ways; the last one has a first row of its own.
      subroutine more_of_blocks(line)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer line, g, way, n, me, i, j, number, owner, length, seen
      integer dims(2), block(2), grid(2), lo(2), hi(2), ld(2), map(9), counts(2), a(13, 9)
      MA_ACCESS_INDEX_TYPE index, again
      line = 0
      n = ga_nnodes()
      me = ga_nodeid()
      dims = (/ 13, 9 /)
      block = (/ 4, 2 /)
      counts = (/ 4, 5 /)
      grid = (/ n, 1 /)
      map = (/ 1, 2, 6, 10, 1, 3, 5, 7, 9 /)
      do j = 1, 9
        do i = 1, 13
          a(i, j) = 100 * i + j
        end do
      end do
      do way = 1, 3
        g = ga_create_handle()
        call ga_set_data(g, 2, dims, MT_INT)
        if (way .eq. 1) call ga_set_block_cyclic(g, block)
        if (way .eq. 2) call ga_set_block_cyclic_proc_grid(g, block, grid)
        if (way .eq. 3) call ga_set_tiled_irreg_proc_grid(g, map, counts, grid)
        CHECK(ga_allocate(g))
        CHECK(ga_uses_proc_grid(g) .eqv. way .ne. 1)
        if (me .eq. 0) call nga_put(g, (/ 1, 1 /), dims, a, 13)
        call ga_sync()
        number = nga_locate_num_blocks(g, (/ 5, 2 /), (/ 6, 3 /))
        CHECK(number .eq. merge(4, 2, way .eq. 3))
        seen = 0
        do number = 0, 19
          owner = mod(number, n)
          if (way .ne. 1) owner = mod(mod(number, 4), n)
          call nga_distribution(g, number, lo, hi)
          i = mod(number, 4)
          if (way .eq. 3) then
            CHECK(lo(1) .eq. map(i + 1) .and. hi(1) .eq. 4 * i + 1)
          else
            CHECK(lo(1) .eq. 4 * i + 1 .and. hi(1) .eq. min(13, 4 * i + 4))
          end if
          CHECK(lo(2) .eq. 2 * (number / 4) + 1)
          if (owner .ne. me) cycle
          call nga_access_block(g, number, index, ld)
          call nga_access_block_grid(g, (/ i, number / 4 /), again, counts)
          CHECK(index .eq. again .and. ld(1) .eq. counts(1))
          do j = lo(2), hi(2)
            do i = lo(1), hi(1)
              again = index + (i - lo(1)) + (j - lo(2)) * ld(1)
              CHECK(int_mb(again) .eq. a(i, j))
              int_mb(again) = -a(i, j)
              seen = seen + 1
            end do
          end do
          call nga_release_block(g, number)
          call nga_release_update_block(g, number)
          call nga_release_update_block_grid(g, (/ mod(number, 4), number / 4 /))
        end do
        counts = (/ 4, 5 /)
        call nga_access_block_segment(g, me, index, length)
        CHECK(length .eq. seen)
        call nga_release_block_segment(g, me)
        call nga_release_update_block_segment(g, me)
        call ga_sync()
        call nga_get(g, (/ 1, 1 /), dims, a, 13)
        do j = 1, 9
          do i = 1, 13
            CHECK(a(i, j) .eq. -(100 * i + j))
            a(i, j) = 100 * i + j
          end do
        end do
        CHECK(ga_destroy(g))
      end do
      end subroutine

! Process 0 stores 100 i + j + turn; no ghost cell holds anything.
      subroutine more_reset(g, rows, columns, turn)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer g, rows, columns, turn, i, j, extents(2), ld(2), values(rows, columns)
      MA_ACCESS_INDEX_TYPE index
      call ga_sync()
      call nga_access_ghosts(g, extents, index, ld)
      do j = 0, extents(2) - 1
        do i = 0, extents(1) - 1
          int_mb(index + i + j * ld(1)) = -1
        end do
      end do
      call nga_release_update_ghosts(g)
      call ga_ghost_barrier()
      do j = 1, columns
        do i = 1, rows
          values(i, j) = 100 * i + j + turn
        end do
      end do
      if (ga_nodeid() .eq. 0) call ga_put(g, 1, rows, 1, columns, values, rows)
      call ga_sync()
      end subroutine

! How many of my cells are wrong: ghosts are of what lies there, round the ends; with no corners those
! in two directions hold nothing.
      integer function more_wrong(g, rows, columns, turn, corners)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer g, rows, columns, turn, i, j, wanted, beside, lo(2), hi(2), extents(2), ld(2)
      MA_ACCESS_INDEX_TYPE index
      logical corners
      more_wrong = 0
      call nga_distribution(g, ga_nodeid(), lo, hi)
      if (lo(1) .gt. hi(1)) return
      call nga_access_ghosts(g, extents, index, ld)
      if (any(extents .ne. hi - lo + (/ 5, 3 /))) more_wrong = 1000
      do j = lo(2) - 1, hi(2) + 1
        do i = lo(1) - 2, hi(1) + 2
          wanted = 100 * (modulo(i - 1, rows) + 1) + modulo(j - 1, columns) + 1 + turn
          beside = merge(0, 1, i .ge. lo(1) .and. i .le. hi(1))
          beside = beside + merge(0, 1, j .ge. lo(2) .and. j .le. hi(2))
          if (beside .eq. 2 .and. .not. corners) wanted = -1
          if (int_mb(index + i - lo(1) + 2 + (j - lo(2) + 1) * ld(1)) .ne. wanted) more_wrong = more_wrong + 1
        end do
      end do
      call nga_release_update_ghosts(g)
      end function

      subroutine more_of_ghosts(line)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer line, g, turn, more_wrong, lo(2), hi(2), ld(2), extents(2), cells(5, 3), i, j
      MA_ACCESS_INDEX_TYPE index, element
      logical done, ga_set_ghost_info, ga_update44_ghosts, ga_update55_ghosts
      external ga_set_ghost_info, ga_update44_ghosts, ga_update55_ghosts
      line = 0
      g = ga_create_handle()
      call ga_set_data(g, 2, (/ 12, 10 /), MT_INT)
      call ga_set_ghosts(g, (/ 2, 1 /))
      call ga_set_chunk(g, (/ 3, 3 /))
      CHECK(ga_allocate(g))
      CHECK(ga_has_ghosts(g))
      CHECK(ga_set_ghost_info(g))
      CHECK(ga_set_update4_info(g))
      CHECK(ga_set_update5_info(g))
      do turn = 1, 7
        call more_reset(g, 12, 10, turn)
        done = .true.
        select case (turn)
        case (1); call ga_update1_ghosts(g)
        case (2); done = ga_update2_ghosts(g)
        case (3); done = ga_update4_ghosts(g)
        case (4); done = ga_update44_ghosts(g)
        case (5); done = ga_update5_ghosts(g)
        case (6); done = ga_update55_ghosts(g)
        case (7); done = ga_update6_ghosts(g)
        end select
        CHECK(done)
        CHECK(more_wrong(g, 12, 10, turn, .true.) .eq. 0)
      end do
! My first element and its ghosts on all sides, from my memory.
      call nga_distribution(g, ga_nodeid(), lo, hi)
      if (lo(1) .le. hi(1)) then
        call nga_get_ghost_block(g, lo - (/ 2, 1 /), lo + (/ 2, 1 /), cells, 5)
        do j = 1, 3
          do i = 1, 5
            turn = 100 * (modulo(lo(1) + i - 4, 12) + 1) + modulo(lo(2) + j - 3, 10) + 1 + 7
            CHECK(cells(i, j) .eq. turn)
          end do
        end do
        call nga_access_ghosts(g, extents, index, ld)
        call nga_access_ghost_element(g, element, (/ 3, 2 /), ld)
        CHECK(element .eq. index + 2 + ld(1))
        call nga_release_ghost_element(g, (/ 3, 2 /))
        call nga_release_update_ghost_element(g, (/ 3, 2 /))
      end if
      call more_reset(g, 12, 10, 9)
      call ga_set_ghost_corner_flag(g, .false.)
      call ga_update_ghosts(g)
      CHECK(more_wrong(g, 12, 10, 9, .false.) .eq. 0)
      CHECK(ga_destroy(g))
      end subroutine

! Each way of creation gives the same ghosts.
      subroutine more_of_ghost_creation(line)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer line, g, n, way, more_wrong, world, map(65), dims(2), blocks(2), width(2)
      logical done, more_has_rows
      line = 0
      n = ga_nnodes()
      world = ga_pgroup_get_world()
      width = (/ 2, 1 /)
      blocks = (/ n, 1 /)
      call more_rows(n, 3, map)
      do way = 1, 3
        dims = (/ 3 * n - 1, 6 /)
        select case (way)
        case (1)
          dims = (/ 12, 10 /)
          done = nga_create_ghosts_config(MT_INT, 2, dims, width, 'g', (/ 3, 3 /), world, g)
        case (2)
          done = nga_create_ghosts_irreg(MT_INT, 2, dims, width, 'g', map, blocks, g)
        case (3)
          done = nga_create_ghosts_irreg_config(MT_INT, 2, dims, width, 'g', map, blocks, world, g)
        end select
        CHECK(done)
        done = way .eq. 1
        if (.not. done) done = more_has_rows(g, 3, 6)
        CHECK(done)
        call more_reset(g, dims(1), dims(2), way)
        call ga_update_ghosts(g)
        CHECK(more_wrong(g, dims(1), dims(2), way, .true.) .eq. 0)
        CHECK(ga_destroy(g))
      end do
      end subroutine

      subroutine more_of_periodic_patches(line)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer line, g, i, j, values(5, 4), got(5, 4)
      line = 0
      CHECK(nga_create(MT_INT, 2, (/ 5, 4 /), 'around', (/ -1, -1 /), g))
      do j = 1, 4
        do i = 1, 5
          values(i, j) = 10 * i + j
        end do
      end do
! From (4, 4) round both ends.
      if (ga_nodeid() .eq. 0) call nga_periodic_put(g, (/ 4, 4 /), (/ 8, 7 /), values, 5)
      call ga_sync()
      call ga_get(g, 1, 5, 1, 4, got, 5)
      CHECK(all(cshift(cshift(values, 2, 1), 1, 2) .eq. got))
      CHECK(ga_destroy(g))
      end subroutine
