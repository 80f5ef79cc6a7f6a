! Algebra by Fortran names that NWChem seldom calls. 0, or the line of the check that failed.
#define CHECK(condition) if (.not. (condition)) then; line = __LINE__; return; end if
      subroutine more_algebra_in_fortran(line)
      implicit none
      integer line
      call more_of_whole_arrays(line)
      if (line .eq. 0) call more_of_patches(line)
      if (line .eq. 0) call more_of_dots(line)
      if (line .eq. 0) call more_of_diagonals(line)
      if (line .eq. 0) call more_of_steps(line)
      if (line .eq. 0) call more_of_single_precision(line)
      if (line .eq. 0) call more_of_vectors(line)
      end subroutine

! Process 0 stores a vector of any type.
      subroutine more_store(g, n, values)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer g, n
      double precision values(n)
      if (ga_nodeid() .eq. 0) call nga_put(g, 1, n, values, n)
      call ga_sync()
      end subroutine

      subroutine more_of_whole_arrays(line)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer line, g_a, g_b, g_c
      double precision a(6, 5), b(6, 5), c(6, 5), first(6, 5)
      logical algebra_same
      line = 0
      call algebra_matrix(6, 5, g_a, a)
      call algebra_matrix(6, 5, g_b, b)
      call algebra_matrix(6, 5, g_c, c)
      call ga_add_constant(g_a, -33.5d0)
      a = a - 33.5d0
      CHECK(algebra_same(6, 5, g_a, a))
      call ga_elem_multiply(g_a, g_b, g_c)
      c = a * b
      CHECK(algebra_same(6, 5, g_c, c))
      call ga_elem_divide(g_c, g_a, g_b)
      b = c / a
      CHECK(algebra_same(6, 5, g_b, b))
      call ga_elem_maximum(g_a, g_c, g_b)
      b = max(a, c)
      CHECK(algebra_same(6, 5, g_b, b))
      call ga_elem_minimum(g_a, g_c, g_b)
      b = min(a, c)
      CHECK(algebra_same(6, 5, g_b, b))
      call ga_copy(g_a, g_b)
      CHECK(algebra_same(6, 5, g_b, a))
      call ga_abs_value(g_b)
      b = abs(a)
      CHECK(algebra_same(6, 5, g_b, b))
      call ga_recip(g_c)
      c = 1 / c
      CHECK(algebra_same(6, 5, g_c, c))
      call ga_median(g_a, g_b, g_c, g_a)
      a = max(min(a, b), min(max(a, b), c))
      CHECK(algebra_same(6, 5, g_a, a))
      call ga_randomize(g_a, 8d0)
      call ga_get(g_a, 1, 6, 1, 5, first, 6)
      CHECK(minval(first) .ge. 0 .and. maxval(first) .lt. 8)
      CHECK(maxval(first) - minval(first) .gt. 1)
      call ga_randomize(g_a, 8d0)
      CHECK(.not. algebra_same(6, 5, g_a, first))
      CHECK(ga_destroy(g_a) .and. ga_destroy(g_b) .and. ga_destroy(g_c))
      end subroutine

! The patch a(2:4, 1:3), b(1:3, 4:6) and c(3:5, 2:4).
      subroutine more_of_patches(line)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer line, g_a, g_b, g_c, lo(2), hi(2), lob(2), hib(2), loc(2), hic(2)
      double precision a(6, 5), b(5, 6), c(5, 5), pa(3, 3), pb(3, 3), pc(3, 3)
      logical algebra_same
      line = 0
      call algebra_matrix(6, 5, g_a, a)
      call algebra_matrix(5, 6, g_b, b)
      call algebra_matrix(5, 5, g_c, c)
      lo = (/ 2, 1 /)
      hi = (/ 4, 3 /)
      lob = (/ 1, 4 /)
      hib = (/ 3, 6 /)
      loc = (/ 3, 2 /)
      hic = (/ 5, 4 /)
      pa = a(2:4, 1:3)
      pb = b(1:3, 4:6)
      call ga_elem_multiply_patch(g_a, lo, hi, g_b, lob, hib, g_c, loc, hic)
      c(3:5, 2:4) = pa * pb
      CHECK(algebra_same(5, 5, g_c, c))
      call ga_elem_divide_patch(g_a, lo, hi, g_b, lob, hib, g_c, loc, hic)
      c(3:5, 2:4) = pa / pb
      CHECK(algebra_same(5, 5, g_c, c))
      call ga_elem_maximum_patch(g_a, lo, hi, g_b, lob, hib, g_c, loc, hic)
      c(3:5, 2:4) = max(pa, pb)
      CHECK(algebra_same(5, 5, g_c, c))
      call ga_elem_minimum_patch(g_a, lo, hi, g_b, lob, hib, g_c, loc, hic)
      c(3:5, 2:4) = min(pa, pb)
      CHECK(algebra_same(5, 5, g_c, c))
      call ga_recip_patch(g_c, loc, hic)
      c(3:5, 2:4) = 1 / c(3:5, 2:4)
      CHECK(algebra_same(5, 5, g_c, c))
      pc = c(3:5, 2:4)
      call ga_median_patch(g_a, lo, hi, g_b, lob, hib, g_c, loc, hic, g_a, lo, hi)
      a(2:4, 1:3) = max(min(pa, pb), min(max(pa, pb), pc))
      CHECK(algebra_same(6, 5, g_a, a))
      CHECK(algebra_same(5, 6, g_b, b))
      CHECK(ga_destroy(g_a) .and. ga_destroy(g_b) .and. ga_destroy(g_c))
      end subroutine

! Sums of products of patches in the types that NWChem has few of.
      subroutine more_of_dots(line)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer line, g, i, j, n(6, 5), ga_idot_patch, lo(2), hi(2), lob(2), hib(2)
      real s(6, 5)
      complex c(6, 5)
      double complex z(6, 5)
      external ga_idot_patch
      line = 0
      lo = (/ 2, 1 /)
      hi = (/ 4, 3 /)
      lob = (/ 4, 2 /)
      hib = (/ 6, 4 /)
      do j = 1, 5
        do i = 1, 6
          n(i, j) = 3 * i - 4 * j
        end do
      end do
      s = n
      c = cmplx(n, 1 - n)
      z = c
      CHECK(ga_create(MT_INT, 6, 5, 'integers', 0, 0, g))
      if (ga_nodeid() .eq. 0) call ga_put(g, 1, 6, 1, 5, n, 6)
      call ga_sync()
      i = sum(n(2:4, 1:3) * n(4:6, 2:4))
      CHECK(ga_idot_patch(g, 'n', 2, 4, 1, 3, g, 'n', 4, 6, 2, 4) .eq. i)
      CHECK(nga_idot_patch(g, 'n', lo, hi, g, 'n', lob, hib) .eq. i)
      CHECK(ga_destroy(g))
      CHECK(ga_create(MT_F_REAL, 6, 5, 'reals', 0, 0, g))
      if (ga_nodeid() .eq. 0) call ga_put(g, 1, 6, 1, 5, s, 6)
      call ga_sync()
      CHECK(ga_sdot(g, g) .eq. sum(s * s))
      CHECK(ga_sdot_patch(g, 'n', 2, 4, 1, 3, g, 'n', 4, 6, 2, 4) .eq. i)
      CHECK(nga_sdot_patch(g, 'n', lo, hi, g, 'n', lob, hib) .eq. i)
      CHECK(ga_destroy(g))
      CHECK(ga_create(MT_F_SCPL, 6, 5, 'complexes', 0, 0, g))
      if (ga_nodeid() .eq. 0) call ga_put(g, 1, 6, 1, 5, c, 6)
      call ga_sync()
      c(1, 1) = sum(c(2:4, 1:3) * c(4:6, 2:4))
      CHECK(ga_cdot_patch(g, 'n', 2, 4, 1, 3, g, 'n', 4, 6, 2, 4) .eq. c(1, 1))
      CHECK(nga_cdot_patch(g, 'n', lo, hi, g, 'n', lob, hib) .eq. c(1, 1))
      CHECK(ga_destroy(g))
      CHECK(ga_create(MT_DCPL, 6, 5, 'doubles', 0, 0, g))
      if (ga_nodeid() .eq. 0) call ga_put(g, 1, 6, 1, 5, z, 6)
      call ga_sync()
      z(1, 1) = sum(z(2:4, 1:3) * z(4:6, 2:4))
      CHECK(nga_zdot_patch(g, 'n', lo, hi, g, 'n', lob, hib) .eq. z(1, 1))
      CHECK(ga_destroy(g))
      end subroutine

      subroutine more_of_diagonals(line)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer line, g_a, g_v, i
      double precision a(4, 6), v(4), got(4)
      logical algebra_same
      line = 0
      call algebra_matrix(4, 6, g_a, a)
      CHECK(nga_create(MT_DBL, 1, 4, 'v', 0, g_v))
      v = (/ 5d0, -1d0, 2d0, 7d0 /)
      call more_store(g_v, 4, v)
      call ga_add_diagonal(g_a, g_v)
      do i = 1, 4
        a(i, i) = a(i, i) + v(i)
      end do
      CHECK(algebra_same(4, 6, g_a, a))
      call ga_get_diag(g_a, g_v)
      call nga_get(g_v, 1, 4, got, 4)
      do i = 1, 4
        CHECK(got(i) .eq. a(i, i))
      end do
      call ga_sync()
      call ga_zero_diagonal(g_a)
      do i = 1, 4
        a(i, i) = 0
      end do
      CHECK(algebra_same(4, 6, g_a, a))
      call ga_set_diagonal(g_a, g_v)
      do i = 1, 4
        a(i, i) = got(i)
      end do
      CHECK(algebra_same(4, 6, g_a, a))
      CHECK(ga_destroy(g_a) .and. ga_destroy(g_v))
      end subroutine

! From x, along the direction: elements 1 and 2 leave 0 .. 5 after 4 and 2 steps.
      subroutine more_of_steps(line)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer line, g_x, g_d, g_l, g_u
      double precision step, least, wolfe, most
      line = 0
      CHECK(nga_create(MT_DBL, 1, 3, 'x', 0, g_x))
      CHECK(nga_create(MT_DBL, 1, 3, 'd', 0, g_d))
      CHECK(nga_create(MT_DBL, 1, 3, 'l', 0, g_l))
      CHECK(nga_create(MT_DBL, 1, 3, 'u', 0, g_u))
      call more_store(g_x, 3, (/ 1d0, 2d0, 3d0 /))
      call more_store(g_d, 3, (/ 1d0, -1d0, 2d0 /))
      call more_store(g_u, 3, (/ 5d0, 5d0, 5d0 /))
      call ga_step_max(g_x, g_d, step)
      CHECK(step .eq. 2)
      call ga_step_bound_info(g_x, g_d, g_l, g_u, least, wolfe, most)
      CHECK(least .eq. 1 .and. wolfe .eq. 1 .and. most .eq. 4)
      call ga_step_max_patch(g_x, 2, 3, g_d, 2, 3, step)
      CHECK(step .eq. 2)
      call ga_step_bound_info_patch(g_x, 1, 2, g_d, 1, 2, g_l, 1, 2, g_u, 1, 2, least, wolfe, most)
      CHECK(least .eq. 2 .and. wolfe .eq. 2 .and. most .eq. 4)
      CHECK(ga_destroy(g_x) .and. ga_destroy(g_d))
      CHECK(ga_destroy(g_l) .and. ga_destroy(g_u))
      end subroutine

      subroutine more_of_single_precision(line)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer line, g_a, g_b, i, j
      real a(3, 4), b(3, 3)
      complex c(3, 4), d(3, 3)
      line = 0
      do j = 1, 4
        do i = 1, 3
          a(i, j) = 2 * i - j
          c(i, j) = cmplx(i - j, j)
        end do
      end do
      CHECK(ga_create(MT_F_REAL, 3, 4, 'a', 0, 0, g_a))
      CHECK(ga_create(MT_F_REAL, 3, 3, 'b', 0, 0, g_b))
      if (ga_nodeid() .eq. 0) call ga_put(g_a, 1, 3, 1, 4, a, 3)
      call ga_fill(g_b, 5.0)
      call ga_sgemm('n', 't', 3, 3, 4, 2.0, g_a, g_a, -1.0, g_b)
      call ga_get(g_b, 1, 3, 1, 3, b, 3)
      CHECK(all(b .eq. 2 * matmul(a, transpose(a)) - 5))
      CHECK(ga_destroy(g_a) .and. ga_destroy(g_b))
      CHECK(ga_create(MT_F_SCPL, 3, 4, 'c', 0, 0, g_a))
      CHECK(ga_create(MT_F_SCPL, 3, 3, 'd', 0, 0, g_b))
      if (ga_nodeid() .eq. 0) call ga_put(g_a, 1, 3, 1, 4, c, 3)
      call ga_fill(g_b, (1.0, 1.0))
      call ga_cgemm('n', 'c', 3, 3, 4, (0.0, 1.0), g_a, g_a, (2.0, 0.0), g_b)
      call ga_get(g_b, 1, 3, 1, 3, d, 3)
      CHECK(all(d .eq. (0.0, 1.0) * matmul(c, conjg(transpose(c))) + (2.0, 2.0)))
      CHECK(ga_destroy(g_a) .and. ga_destroy(g_b))
      end subroutine

      subroutine more_of_vectors(line)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer line, g_a, g_b, g_mask, g_bin, g_cnt, g_off, count, a(6)
      integer p, type, dimensions, extents(2), first, last, range(2)
      line = 0
      CHECK(nga_create(MT_INT, 1, 6, 'a', 0, g_a))
      CHECK(nga_create(MT_INT, 1, 6, 'b', 0, g_b))
      CHECK(nga_create(MT_INT, 1, 6, 'mask', 0, g_mask))
      call ga_patch_enum(g_a, 1, 6, 3, 2)
      if (ga_nodeid() .eq. 0) call nga_put(g_mask, 1, 6, (/ 0, 1, 0, 0, 1, 1 /), 6)
      call ga_sync()
      call ga_scan_copy(g_a, g_b, g_mask, 1, 6)
      call nga_get(g_b, 1, 6, a, 6)
      CHECK(all(a .eq. (/ 0, 5, 5, 5, 11, 13 /)))
      call ga_zero(g_b)
      call ga_unpack(g_a, g_b, g_mask, 1, 6, count)
      call nga_get(g_b, 1, 6, a, 6)
      CHECK(count .eq. 3 .and. all(a .eq. (/ 0, 3, 0, 0, 5, 7 /)))
      CHECK(ga_destroy(g_a))
! Bins of 2, 0 and 4 values.
      CHECK(nga_create(MT_INT, 1, 6, 'bin', 0, g_bin))
      CHECK(nga_create(MT_INT, 1, 3, 'cnt', 0, g_cnt))
      CHECK(nga_create(MT_INT, 1, 3, 'off', 0, g_off))
      if (ga_nodeid() .eq. 0) then
        call nga_put(g_bin, 1, 6, (/ 9, 4, 30, 10, 20, 10 /), 6)
        call nga_put(g_cnt, 1, 3, (/ 2, 0, 4 /), 3)
        call nga_put(g_off, 1, 3, (/ 0, 2, 2 /), 3)
      end if
      call ga_sync()
      call ga_bin_sorter(g_bin, g_cnt, g_off)
      call nga_get(g_bin, 1, 6, a, 6)
      CHECK(all(a .eq. (/ 4, 9, 10, 10, 20, 30 /)))
      CHECK(ga_create_bin_range(g_bin, g_cnt, g_off, g_a))
      call nga_inquire(g_a, type, dimensions, extents)
      CHECK(type .eq. MT_INT .and. dimensions .eq. 2)
      CHECK(all(extents .eq. (/ 2, ga_nnodes() /)))
      do p = 0, ga_nnodes() - 1
        call nga_distribution(g_bin, p, first, last)
        call nga_get(g_a, (/ 1, p + 1 /), (/ 2, p + 1 /), range, 2)
        if (last .lt. first .or. first .lt. 1) then
          CHECK(all(range .eq. 0))
        else
          CHECK(range(1) .eq. bin_of(first) .and. range(2) .eq. bin_of(last))
        end if
      end do
      call ga_sync()
      CHECK(ga_destroy(g_a))
      CHECK(ga_destroy(g_b) .and. ga_destroy(g_mask))
      CHECK(ga_destroy(g_bin) .and. ga_destroy(g_cnt) .and. ga_destroy(g_off))

      contains

      integer function bin_of(element)
      integer element
      bin_of = 3
      if (element .le. 2) bin_of = 1
      end function
      end subroutine
