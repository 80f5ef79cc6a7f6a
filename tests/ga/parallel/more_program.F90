! Arrays, one-sided access and groups by Fortran names that NWChem seldom calls. 0, or the line of the
! check that failed.
#define CHECK(condition) if (.not. (condition)) then; line = __LINE__; return; end if
      subroutine more_in_fortran(line)
      implicit none
      integer line
      call more_of_environment(line)
      if (line .eq. 0) call more_of_creation(line)
      if (line .eq. 0) call more_of_fields(line)
      if (line .eq. 0) call more_of_access(line)
      if (line .eq. 0) call more_of_nonblocking(line)
      if (line .eq. 0) call more_of_groups(line)
      if (line .eq. 0) call more_of_mirrors(line)
      end subroutine

      subroutine more_of_environment(line)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer line
      integer(kind=8) outer(2), inner(2), rate
      double precision begin, end, first, ga_rand, ga_timer
      external ga_rand, ga_timer
      line = 0
      CHECK(ga_initialized())
! What passed is more than another clock tells from within, and less than from without.
      call system_clock(outer(1), rate)
      begin = ga_wtime()
      call system_clock(inner(1))
      inner(2) = inner(1)
      do while (inner(2) - inner(1) .lt. rate / 100)
        call system_clock(inner(2))
      end do
      end = ga_timer()
      call system_clock(outer(2))
      CHECK(end - begin .gt. dble(inner(2) - inner(1)) / rate - 1d-3)
      CHECK(end - begin .lt. dble(outer(2) - outer(1)) / rate + 1d-3)
      first = ga_rand(17)
      first = ga_rand(0)
      CHECK(first .ge. 0 .and. first .lt. 1)
      CHECK(ga_rand(0) .ne. first)
      begin = ga_rand(17)
      CHECK(ga_rand(0) .eq. first)
      call ga_set_debug(.true.)
      CHECK(ga_get_debug())
      call ga_set_debug(.false.)
      CHECK(.not. ga_get_debug())
      end subroutine

      subroutine more_of_creation(line)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer line, group, ga_pgroup_duplicate, g, p, row, column, place(2), lo(2), hi(2), counts(2)
      external ga_pgroup_duplicate
      line = 0
      group = ga_pgroup_duplicate(ga_pgroup_get_world())
      CHECK(group .ne. ga_pgroup_get_world())
      CHECK(ga_pgroup_nnodes(group) .eq. ga_nnodes())
      CHECK(ga_pgroup_nodeid(group) .eq. ga_nodeid())
      CHECK(nga_create_config(MT_DBL, 2, (/ 12, 9 /), 'group', (/ 12, -1 /), group, g))
      CHECK(ga_get_pgroup(g) .eq. group)
! All rows together: the place in the grid is that of the columns.
      column = 0
      do p = 0, ga_nnodes() - 1
        call nga_distribution(g, p, lo, hi)
        if (hi(2) .lt. lo(2)) cycle
        CHECK(lo(1) .eq. 1 .and. hi(1) .eq. 12)
        call nga_proc_topology(g, p, place)
        call ga_proc_topology(g, p, row, counts(2))
        CHECK(all(place .eq. (/ 0, column /)))
        CHECK(row .eq. 0 .and. counts(2) .eq. column)
        column = column + 1
      end do
      call ga_nblock(g, counts)
      CHECK(all(counts .eq. (/ 1, column /)))
      CHECK(ga_deallocate(g))
      CHECK(.not. ga_valid_handle(g))
      CHECK(ga_allocate(g))
      call nga_distribution(g, 0, lo, hi)
      CHECK(lo(1) .eq. 1 .and. hi(1) .eq. 12)
      CHECK(ga_destroy(g))
      CHECK(ga_pgroup_destroy(group))
      end subroutine

! Elements of three Fortran integers.
      subroutine more_of_fields(line)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer line, word, type, g, n, me, next, handle, k, triples(3, 4)
! Written between two calls: without `asynchronous` compilers may read it before the second one.
      integer, asynchronous :: got(4)
      line = 0
      word = ma_sizeof(MT_INT, 1, MT_BYTE)
      type = nga_register_type(3 * word)
      n = ga_nnodes()
      me = ga_nodeid()
      next = mod(me + 1, n)
      CHECK(nga_create(type, 1, 4 * n, 'triples', -1, g))
      do k = 1, 4
        triples(:, k) = (/ 10 * me + k, 20 * me + k, 30 * me + k /)
      end do
      call nga_put(g, 4 * me + 1, 4 * me + 4, triples, 4)
      call nga_put_field(g, 4 * me + 1, 4 * me + 4, word, word, (/ -me, -1, -2, -3 /), 4)
      call nga_nbput_field(g, 4 * me + 4, 4 * me + 4, 2 * word, word, 7 * me, 1, handle)
      call nga_nbwait(handle)
      call ga_sync()
      call nga_get(g, 4 * next + 1, 4 * next + 4, triples, 4)
      CHECK(all(triples(1, :) .eq. 10 * next + (/ 1, 2, 3, 4 /)))
      CHECK(all(triples(2, :) .eq. (/ -next, -1, -2, -3 /)))
      CHECK(all(triples(3, 1:3) .eq. 30 * next + (/ 1, 2, 3 /)))
      CHECK(triples(3, 4) .eq. 7 * next)
      call nga_get_field(g, 4 * next + 1, 4 * next + 4, 0, word, got, 4)
      CHECK(all(got .eq. 10 * next + (/ 1, 2, 3, 4 /)))
      call nga_nbget_field(g, 4 * next + 1, 4 * next + 2, word, word, got, 2, handle)
      call nga_nbwait(handle)
      CHECK(all(got .eq. (/ -next, -1, 10 * next + 3, 10 * next + 4 /)))
      CHECK(ga_destroy(g))
      CHECK(nga_deregister_type(type) .eq. 0)
      CHECK(nga_deregister_type(type) .ne. 0)
      end subroutine

      subroutine more_of_access(line)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer line, g, n, me, i, j, ld, lo(2), hi(2), skip(2), subs(2, 3)
      MA_ACCESS_INDEX_TYPE index
      double precision a(8, 6), b(8, 6), got(3), values(3), steps(2, 3)
      line = 0
      n = ga_nnodes()
      me = ga_nodeid()
      call algebra_matrix(8, 6, g, a)
      values = (/ 0.5d0, 1.5d0, 2.5d0 /)
      subs(:, 1) = (/ 8, 1 /)
      subs(:, 2) = (/ 1, 6 /)
      subs(:, 3) = (/ 4, 3 /)
      call nga_alloc_gatscat_buf(3)
      if (me .eq. n - 1) call nga_scatter(g, values, subs, 3)
      call ga_sync()
      call ga_scatter_acc(g, values, subs(1, :), subs(2, :), 3, 2d0)
      call nga_free_gatscat_buf()
      call ga_sync()
      do i = 1, 3
        a(subs(1, i), subs(2, i)) = values(i) * (1 + 2 * n)
      end do
! Rows 2 and 4 of columns 1, 3 and 5.
      lo = (/ 2, 1 /)
      hi = (/ 4, 5 /)
      skip = (/ 2, 2 /)
      steps = reshape((/ 1d0, 2d0, 3d0, 4d0, 5d0, 6d0 /), (/ 2, 3 /))
      if (me .eq. 0) call nga_strided_put(g, lo, hi, skip, steps, 2)
      call ga_sync()
      call nga_strided_acc(g, lo, hi, skip, steps, 2, 3d0)
      call ga_sync()
      a(2:4:2, 1:5:2) = steps * (1 + 3 * n)
      call ga_get(g, 1, 8, 1, 6, b, 8)
      CHECK(all(a .eq. b))
      call ga_sync()
      call ga_distribution(g, me, lo(1), hi(1), lo(2), hi(2))
      if (lo(1) .le. hi(1)) then
        call nga_access(g, lo, hi, index, ld)
        do j = 0, hi(2) - lo(2)
          do i = 0, hi(1) - lo(1)
            dbl_mb(index + i + j * ld) = -dbl_mb(index + i + j * ld)
          end do
        end do
        call nga_release_update(g, lo, hi)
        call ga_access(g, lo(1), lo(1), lo(2), lo(2), index, ld)
        CHECK(dbl_mb(index) .eq. -a(lo(1), lo(2)))
        call ga_release(g, lo(1), lo(1), lo(2), lo(2))
      end if
      call ga_sync()
      call ga_get(g, 1, 8, 1, 6, b, 8)
      CHECK(all(a .eq. -b))
      CHECK(ga_destroy(g))
      end subroutine

      subroutine more_of_nonblocking(line)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer line, g, n, handle, lo(2), hi(2)
      double precision a(8, 6)
      double precision, asynchronous :: b(2, 3)
      line = 0
      n = ga_nnodes()
      call algebra_matrix(8, 6, g, a)
      b = reshape((/ 1d0, 2d0, 3d0, 4d0, 5d0, 6d0 /), (/ 2, 3 /))
      if (ga_nodeid() .eq. n - 1) then
        handle = 0
        call ga_nbput(g, 3, 4, 2, 4, b, 2, handle)
        CHECK(handle .ne. 0)
        call ga_nbwait(handle)
      end if
      call ga_sync()
      lo = (/ 3, 2 /)
      hi = (/ 4, 4 /)
      call nga_nbacc(g, lo, hi, b, 2, 2d0, handle)
      do while (ga_nbtest(handle) .eq. 0)
      end do
      call ga_sync()
      a(3:4, 2:4) = b * (1 + 2 * n)
      lo = (/ 4, 3 /)
      hi = (/ 5, 5 /)
      handle = 0
      call nga_nbget(g, lo, hi, b, 2, handle)
      CHECK(handle .ne. 0)
      call nga_nbwait(handle)
      CHECK(ga_nbtest(handle) .ne. 0)
      CHECK(all(b .eq. a(4:5, 3:5)))
      CHECK(ga_destroy(g))
      end subroutine

      subroutine more_of_groups(line)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer line, n, half, size
      real s(2)
      complex c
      double complex z
      line = 0
      n = ga_nnodes()
      c = (1.0, -2.0)
      call ga_cgop(1, c, 1, '+')
      CHECK(c .eq. n * (1.0, -2.0))
      half = ga_pgroup_split_irreg(ga_pgroup_get_world(), mod(ga_nodeid(), 2))
      size = (n + 1 - mod(ga_nodeid(), 2)) / 2
      c = (0.0, 1.0)
      call ga_pgroup_cgop(half, 1, c, 1, '*')
      CHECK(abs(c - (0.0, 1.0)**size) .lt. 1e-6)
      s = (/ 1.0 * ga_nodeid(), 1.0 /)
      call ga_pgroup_sgop(half, 1, s, 1, 'max')
      CHECK(s(1) .eq. 2 * (size - 1) + mod(ga_nodeid(), 2) .and. s(2) .eq. 1)
      z = (1d0, 2d0)
      call ga_pgroup_zgop(half, 1, z, 1, '+')
      CHECK(z .eq. size * (1d0, 2d0))
      CHECK(ga_pgroup_destroy(half))
      end subroutine

! Each node's copy holds its number from 1.
      subroutine more_of_mirrors(line)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer line, nodes, total, group, g, g_b, lo(2), hi(2), lob(2), hib(2)
      double precision a(4, 5), b(7, 6)
      line = 0
      nodes = ga_cluster_nnodes()
      total = nodes * (nodes + 1) / 2
      lo = (/ 1, 1 /)
      hi = (/ 4, 5 /)
      group = ga_pgroup_get_mirror()
      CHECK(nga_create_config(MT_DBL, 2, hi, 'mirror', (/ -1, -1 /), group, g))
      CHECK((ga_is_mirrored(g) .ne. 0) .eqv. (nodes .gt. 1))
      a = ga_cluster_nodeid() + 1
      if (ga_nodeid() .eq. ga_cluster_procid(ga_cluster_nodeid(), 0)) call nga_put(g, lo, hi, a, 4)
      call ga_sync()
      CHECK(ga_create(MT_DBL, 7, 6, 'ordinary', 0, 0, g_b))
      lo = (/ 2, 1 /)
      hi = (/ 3, 4 /)
      lob = (/ 6, 2 /)
      hib = (/ 7, 5 /)
      call nga_merge_distr_patch(g, lo, hi, g_b, lob, hib)
      call ga_get(g_b, 1, 7, 1, 6, b, 7)
      CHECK(all(b(6:7, 2:5) .eq. total) .and. sum(b) .eq. 8 * total)
      call ga_merge_mirrored(g)
      call ga_get(g, 1, 4, 1, 5, a, 4)
      CHECK(all(a .eq. total))
      CHECK(ga_destroy(g) .and. ga_destroy(g_b))
      end subroutine
