! Threads of a process, made by OpenMP, in one-sided calls at once, as hybrid programs make them. 0, or the
! line of the check that failed; and how many threads there were.
#define CHECK(condition) if (.not. (condition)) then; line = __LINE__; return; end if
! Pieces of columns, which processes share out in both dimensions where there are enough of them.
#define EXTENT 64
#define LENGTH 8
#define PIECES (EXTENT * EXTENT / LENGTH)
#define THREADS 4
      subroutine threads_in_fortran(line, threads)
!$    use omp_lib
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer line, threads, g_a, g_sum, g_next, wrong, rounds, thread, i, j, dims(2)
      double precision whole(EXTENT, EXTENT), sums(LENGTH)
      line = 0
      threads = 1
      wrong = 0
      thread = 0
      rounds = 40
      if (ga_cluster_nnodes() .eq. 1) rounds = 20000
      dims = EXTENT
      CHECK(nga_create(MT_DBL, 2, dims, 'pieces', 0, g_a))
      CHECK(nga_create(MT_DBL, 1, LENGTH, 'sums', 0, g_sum))
      CHECK(nga_create(MT_INT, 1, 1, 'next', 0, g_next))
      call ga_zero(g_a)
      call ga_zero(g_sum)
      call ga_zero(g_next)
!$omp parallel num_threads(THREADS) firstprivate(thread) reduction(+:wrong)
!$    thread = omp_get_thread_num()
!$omp master
!$    threads = omp_get_num_threads()
!$omp end master
      call draw_pieces(g_a, g_sum, g_next, wrong)
      call move_own_pieces(g_a, THREADS * ga_nodeid() + thread, THREADS * ga_nnodes(), rounds, wrong)
!$omp end parallel
      call ga_sync()
      call nga_get(g_a, (/ 1, 1 /), dims, whole, EXTENT)
      do j = 1, EXTENT
        do i = 1, EXTENT
          if (whole(i, j) .ne. dble(1000 * i + j)) wrong = wrong + 1
        end do
      end do
      CHECK(wrong .eq. 0)
      call nga_get(g_sum, 1, LENGTH, sums, LENGTH)
      CHECK(all(sums .eq. 2d0 * PIECES))
      call ga_sync()
      CHECK(ga_destroy(g_a) .and. ga_destroy(g_sum) .and. ga_destroy(g_next))
      end subroutine

! Puts a piece, numbered from 0, and gets it.
      subroutine move_piece(g_a, piece, wrong)
      implicit none
      integer g_a, piece, wrong, i, lo(2), hi(2)
      double precision mine(LENGTH), got(LENGTH)
      lo = (/ 1 + LENGTH * mod(piece, EXTENT / LENGTH), 1 + piece / (EXTENT / LENGTH) /)
      hi = (/ lo(1) + LENGTH - 1, lo(2) /)
      mine = (/ (1000d0 * i + lo(2), i = lo(1), hi(1)) /)
      call nga_put(g_a, lo, hi, mine, LENGTH)
      call nga_get(g_a, lo, hi, got, LENGTH)
      wrong = wrong + count(got .ne. mine)
      end subroutine

! Each piece is drawn by one thread of all.
      subroutine draw_pieces(g_a, g_sum, g_next, wrong)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer g_a, g_sum, g_next, wrong, piece
      double precision ones(LENGTH)
      ones = 1d0
      do
        piece = nga_read_inc(g_next, 1, 1)
        if (piece .ge. PIECES) exit
        call move_piece(g_a, piece, wrong)
        call nga_acc(g_sum, 1, LENGTH, ones, LENGTH, 2d0)
      end do
      end subroutine

! The me-th thread of all moves its own pieces again and again.
      subroutine move_own_pieces(g_a, me, all, rounds, wrong)
      implicit none
      integer g_a, me, all, rounds, wrong, round
      do round = 0, rounds - 1
        call move_piece(g_a, me + all * mod(round, PIECES / all), wrong)
      end do
      end subroutine
