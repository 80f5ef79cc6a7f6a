! Algebra by its Fortran names: rows and columns as Fortran counts them. 0, or the line of the check
! that failed.
#define CHECK(condition) if (.not. (condition)) then; line = __LINE__; return; end if
      subroutine algebra_program_in_fortran(line)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer line
      call algebra_of_patches(line)
      if (line .eq. 0) call algebra_products(line)
      if (line .eq. 0) call algebra_matrices(line)
      if (line .eq. 0) call algebra_steps(line)
      if (line .eq. 0) call algebra_complex(line)
      if (line .eq. 0) call algebra_vectors(line)
      end subroutine

! A matrix with elements 10 i + j, and a copy of it.
      subroutine algebra_matrix(m, n, g_a, a)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer m, n, g_a, i, j
      double precision a(m, n)
      if (.not. ga_create(MT_DBL, m, n, 'matrix', 0, 0, g_a)) call ga_error('no array', 1)
      do j = 1, n
        do i = 1, m
          a(i, j) = 10 * i + j
        end do
      end do
      if (ga_nodeid() .eq. 0) call ga_put(g_a, 1, m, 1, n, a, m)
      call ga_sync()
      end subroutine

! Whether the array is what the copy says.
      logical function algebra_same(m, n, g_a, a)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer m, n, g_a
      double precision a(m, n), b(m, n)
      call ga_sync()
      call ga_get(g_a, 1, m, 1, n, b, m)
      call ga_sync()
      algebra_same = maxval(abs(a - b)) .lt. 1d-9
      end function

      subroutine algebra_of_patches(line)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer line, g_a, g_b, lo(2), hi(2), lob(2), hib(2), at(2)
      double precision a(6, 5), b(5, 6), x
      logical algebra_same, ok
      line = 0
      call algebra_matrix(6, 5, g_a, a)
      call algebra_matrix(5, 6, g_b, b)
      lo = (/ 2, 1 /)
      hi = (/ 4, 3 /)
      lob = (/ 1, 4 /)
      hib = (/ 3, 6 /)
      call ga_scale_patch(g_a, 2, 4, 1, 3, 2d0)
      a(2:4, 1:3) = 2 * a(2:4, 1:3)
      call nga_scale_patch(g_a, lo, hi, 2d0)
      a(2:4, 1:3) = 2 * a(2:4, 1:3)
      call ga_dfill_patch(g_b, 1, 2, 1, 2, -7d0)
      b(1:2, 1:2) = -7
      CHECK(algebra_same(6, 5, g_a, a))
      CHECK(algebra_same(5, 6, g_b, b))
      call ga_dadd_patch(3d0, g_a, 2, 4, 1, 3, -1d0, g_b, 1, 3, 4, 6, g_a, 2, 4, 1, 3)
      a(2:4, 1:3) = 3 * a(2:4, 1:3) - b(1:3, 4:6)
      call nga_add_patch(1d0, g_a, lo, hi, 1d0, g_b, lob, hib, g_b, lob, hib)
      b(1:3, 4:6) = a(2:4, 1:3) + b(1:3, 4:6)
      CHECK(algebra_same(6, 5, g_a, a))
      CHECK(algebra_same(5, 6, g_b, b))
      x = ga_ddot_patch(g_a, 'n', 2, 4, 1, 2, g_b, 't', 1, 2, 4, 6)
      CHECK(x .eq. sum(a(2:4, 1:2) * transpose(b(1:2, 4:6))))
      x = nga_ddot_patch(g_a, 'n', lo, hi, g_b, 'n', lob, hib)
      CHECK(x .eq. sum(a(2:4, 1:3) * b(1:3, 4:6)))
      call ga_copy_patch('t', g_a, 1, 2, 1, 3, g_b, 3, 5, 5, 6)
      b(3:5, 5:6) = transpose(a(1:2, 1:3))
      call ga_copy_patch('n', g_a, 1, 6, 1, 1, g_b, 1, 3, 1, 2)
      b(1:3, 1:2) = reshape(a(1:6, 1), (/ 3, 2 /))
      CHECK(algebra_same(5, 6, g_b, b))
      call nga_copy_patch('n', g_b, lob, hib, g_a, lo, hi)
      a(2:4, 1:3) = b(1:3, 4:6)
      call ga_zero_patch(g_a, 1, 2, 4, 5)
      a(1:2, 4:5) = 0
      call nga_zero_patch(g_b, lob, hib)
      b(1:3, 4:6) = 0
      CHECK(algebra_same(6, 5, g_a, a))
      CHECK(algebra_same(5, 6, g_b, b))
      call ga_add_constant_patch(g_a, lo, hi, -1000d0)
      call ga_abs_value_patch(g_a, lo, hi)
      a(2:4, 1:3) = abs(a(2:4, 1:3) - 1000)
      CHECK(algebra_same(6, 5, g_a, a))
      call nga_fill_patch(g_a, (/ 6, 2 /), (/ 6, 2 /), 99999d0)
      call nga_select_elem(g_a, 'max ', x, at)
      CHECK(x .eq. 99999d0 .and. at(1) .eq. 6 .and. at(2) .eq. 2)
      ok = ga_destroy(g_a) .and. ga_destroy(g_b)
      end subroutine

      subroutine algebra_products(line)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer line, g_a, g_b, g_c, g_t
      double precision a(6, 5), b(7, 8), c(8, 8), t(5, 6)
      logical algebra_same, ok
      line = 0
      call algebra_matrix(6, 5, g_a, a)
      call algebra_matrix(7, 8, g_b, b)
      call algebra_matrix(8, 8, g_c, c)
      call algebra_matrix(5, 6, g_t, t)
      call ga_dgemm('n', 'n', 6, 8, 5, 2d0, g_a, g_b, -1d0, g_c)
      c(1:6, 1:8) = 2 * matmul(a, b(1:5, :)) - c(1:6, 1:8)
      CHECK(algebra_same(8, 8, g_c, c))
      call ga_dgemm('T', 'n', 5, 8, 6, 1d0, g_a, g_b, 0d0, g_c)
      c(1:5, 1:8) = matmul(transpose(a), b(1:6, :))
      CHECK(algebra_same(8, 8, g_c, c))
      call ga_dgemm('n', 't', 4, 7, 5, 1d0, g_a, g_b, 1d0, g_c)
      c(1:4, 1:7) = matmul(a(1:4, :), transpose(b(:, 1:5))) + c(1:4, 1:7)
      CHECK(algebra_same(8, 8, g_c, c))
      call ga_matmul_patch('n', 'n', 1d0, 1d0, g_a, 3, 6, 2, 4, g_b, 5, 7, 4, 8, g_c, 2, 5, 1, 5)
      c(2:5, 1:5) = matmul(a(3:6, 2:4), b(5:7, 4:8)) + c(2:5, 1:5)
      CHECK(algebra_same(8, 8, g_c, c))
      call nga_matmul_patch('t', 'n', 1d0, 0d0, g_a, (/ 2, 1 /), (/ 5, 3 /), g_b, (/ 2, 1 /),        &
          (/ 4, 3 /), g_c, (/ 5, 6 /), (/ 8, 8 /))
      c(5:8, 6:8) = matmul(transpose(a(1:3, 2:5)), b(2:4, 1:3))
      CHECK(algebra_same(8, 8, g_c, c))
      call ga_matmul_patch('t', 'n', 1d0, 0d0, g_a, 2, 5, 1, 3, g_b, 2, 4, 1, 3, g_c, 1, 4, 1, 3)
      c(1:4, 1:3) = matmul(transpose(a(1:3, 2:5)), b(2:4, 1:3))
      CHECK(algebra_same(8, 8, g_c, c))
      call ga_transpose(g_a, g_t)
      t = transpose(a)
      CHECK(algebra_same(5, 6, g_t, t))
      ok = ga_destroy(g_a) .and. ga_destroy(g_b) .and. ga_destroy(g_c) .and. ga_destroy(g_t)
      end subroutine

      subroutine algebra_matrices(line)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer line, g_a, g_s, g_v, g_w, i, j
      double precision a(3, 5), s(4, 4), v(3), w(5), x
      logical algebra_same, ok
      line = 0
      call algebra_matrix(3, 5, g_a, a)
      call algebra_matrix(4, 4, g_s, s)
      ok = nga_create(MT_DBL, 1, 3, 'v', 0, g_v) .and. nga_create(MT_DBL, 1, 5, 'w', 0, g_w)
      v = (/ 1d0, 2d0, 3d0 /)
      w = (/ 5d0, 4d0, 3d0, 2d0, 1d0 /)
      call nga_put(g_v, 1, 3, v, 3)
      call nga_put(g_w, 1, 5, w, 5)
      call ga_sync()
      call ga_scale_rows(g_a, g_v)
      call ga_scale_cols(g_a, g_w)
      do j = 1, 5
        do i = 1, 3
          a(i, j) = a(i, j) * v(i) * w(j)
        end do
      end do
      CHECK(algebra_same(3, 5, g_a, a))
      call ga_norm1(g_a, x)
      CHECK(abs(x - sum(abs(a))) .lt. 1d-9)
      call ga_norm_infinity(g_a, x)
      CHECK(x .eq. maxval(abs(a)))
      CHECK(ga_ddot(g_a, g_a) .eq. sum(a * a))
      call ga_symul('L', g_s)
      do j = 1, 4
        do i = 1, j - 1
          s(i, j) = s(j, i)
        end do
      end do
      CHECK(algebra_same(4, 4, g_s, s))
      s(4, 1) = -5
      s(1, 4) = 3
      call ga_put(g_s, 4, 4, 1, 1, -5d0, 1)
      call ga_put(g_s, 1, 1, 4, 4, 3d0, 1)
      call ga_sync()
      call ga_symul('U', g_s)
      s(4, 1) = 3
      CHECK(algebra_same(4, 4, g_s, s))
      call ga_shift_diagonal(g_s, 2d0)
      call ga_dscal(g_s, 3d0)
      call ga_dadd(1d0, g_s, 1d0, g_s, g_s)
      do i = 1, 4
        s(i, i) = s(i, i) + 2
      end do
      s = 6 * s
      CHECK(algebra_same(4, 4, g_s, s))
      call ga_symmetrize(g_s)
      CHECK(algebra_same(4, 4, g_s, (s + transpose(s)) / 2))
      ok = ga_destroy(g_a) .and. ga_destroy(g_s) .and. ga_destroy(g_v) .and. ga_destroy(g_w)
      end subroutine

      subroutine algebra_steps(line)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer line, g_a, g_b, g_c
      double precision c(9)
      logical ok
      line = 0
      ok = nga_create(MT_DBL, 1, 9, 'a', 0, g_a) .and. nga_create(MT_DBL, 1, 9, 'b', 0, g_b) .and.  &
          nga_create(MT_DBL, 1, 9, 'c', 0, g_c)
      call nga_put(g_a, 1, 9, (/ 2d0, 2d0, 2d0, 0d0, 0d0, 0d0, -2d0, -2d0, -2d0 /), 9)
      call nga_put(g_b, 1, 9, (/ 4d0, 0d0, -4d0, 4d0, 0d0, -4d0, 4d0, 0d0, -4d0 /), 9)
      call ga_sync()
! What GA gives, measured.
      call ga_elem_step_divide_patch(g_a, 1, 9, g_b, 1, 9, g_c, 1, 9)
      call nga_get(g_c, 1, 9, c, 9)
      CHECK(all(c .eq. (/ .5d0, 1d307, -.5d0, 1d307, 1d307, 0d0, -.5d0, 1d307, .5d0 /)))
      call ga_sync()
      call nga_elem_stepb_divide_patch(g_a, 1, 9, g_b, 1, 9, g_c, 1, 9)
      call nga_get(g_c, 1, 9, c, 9)
      CHECK(all(c .eq. (/ .5d0, 1d307, -.5d0, 0d0, 1d307, 1d307, -.5d0, 1d307, .5d0 /)))
      ok = ga_destroy(g_a) .and. ga_destroy(g_b) .and. ga_destroy(g_c)
      end subroutine

      subroutine algebra_complex(line)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer line, g_a, g_b, g_s
      double complex a(3, 4), b(4, 3), c(3, 3), z
      complex s
      logical ok
      line = 0
      ok = ga_create(MT_DCPL, 3, 4, 'a', 0, 0, g_a) .and. ga_create(MT_DCPL, 3, 3, 'b', 0, 0, g_b) &
          .and. nga_create(MT_F_SCPL, 1, 4, 's', 0, g_s)
      call ga_zfill_patch(g_a, 1, 3, 1, 4, (1d0, 2d0))
      call ga_zfill_patch(g_a, 2, 2, 1, 4, (0d0, -1d0))
      a = (1d0, 2d0)
      a(2, :) = (0d0, -1d0)
      CHECK(ga_zdot(g_a, g_a) .eq. sum(a * a))
      z = ga_zdot_patch(g_a, 'n', 1, 2, 1, 1, g_a, 'n', 2, 3, 4, 4)
      CHECK(z .eq. sum(a(1:2, 1) * a(2:3, 4)))
      call ga_zgemm('n', 'c', 3, 3, 4, (0d0, 1d0), g_a, g_a, (0d0, 0d0), g_b)
      c = (0d0, 1d0) * matmul(a, conjg(transpose(a)))
      call ga_get(g_b, 1, 3, 1, 3, b, 3)
      CHECK(maxval(abs(reshape(b, (/ 9 /)) - reshape(c, (/ 9 /)))) .lt. 1d-12)
      call ga_fill(g_s, (1.0, 2.0))
      s = ga_cdot(g_s, g_s)
      CHECK(s .eq. 4 * (1.0, 2.0)**2)
      ok = ga_destroy(g_a) .and. ga_destroy(g_b) .and. ga_destroy(g_s)
      end subroutine

      subroutine algebra_vectors(line)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer line, g_a, g_b, g_mask, count, a(6), values(3), n
      integer g_bin, g_cnt, g_off, p
      integer, allocatable :: bins(:)
      logical ok
      line = 0
      p = ga_nnodes()
      ok = nga_create(MT_INT, 1, 6, 'a', 0, g_a) .and. nga_create(MT_INT, 1, 6, 'b', 0, g_b) .and.  &
          nga_create(MT_INT, 1, 6, 'mask', 0, g_mask)
      call ga_patch_enum(g_a, 1, 6, 3, 2)
      call nga_put(g_mask, 1, 6, (/ 0, 1, 0, 0, 1, 1 /), 6)
      call ga_sync()
      call ga_fill(g_b, -5)
      call ga_scan_add(g_a, g_b, g_mask, 1, 6, 0)
      call nga_get(g_b, 1, 6, a, 6)
      CHECK(all(a .eq. (/ -5, 5, 12, 21, 11, 13 /)))
      CHECK(ga_idot(g_a, g_mask) .eq. 5 + 11 + 13)
      call ga_zero(g_b)
      call ga_pack(g_a, g_b, g_mask, 2, 6, count)
      call nga_get(g_b, 1, 6, a, 6)
      CHECK(count .eq. 3 .and. all(a .eq. (/ 5, 11, 13, 0, 0, 0 /)))
! Each process puts one value into bin 1 and two into bin 3; bin 2 stays empty.
      ok = nga_create(MT_INT, 1, 3 * p, 'bin', 0, g_bin) .and. nga_create(MT_INT, 1, 3, 'cnt', 0,   &
          g_cnt) .and. nga_create(MT_INT, 1, 3, 'off', 0, g_off)
      call nga_put(g_cnt, 1, 3, (/ p, 0, 2 * p /), 3)
      call nga_put(g_off, 1, 3, (/ 0, p, p /), 3)
      call ga_sync()
      n = ga_nodeid()
      values = (/ 200 + 2 * n, 100 - n, 201 + 2 * n /)
      call ga_bin_index(g_bin, g_cnt, g_off, values, (/ 3, 1, 3 /), 3, 1)
      allocate(bins(3 * p))
      call nga_get(g_bin, 1, 3 * p, bins, 3 * p)
      do n = 1, p
        CHECK(bins(n) .eq. 100 - p + n)
      end do
      do n = 1, 2 * p
        CHECK(bins(p + n) .eq. 199 + n)
      end do
      ok = ga_destroy(g_a) .and. ga_destroy(g_b) .and. ga_destroy(g_mask) .and. ga_destroy(g_bin)   &
          .and. ga_destroy(g_cnt) .and. ga_destroy(g_off)
      end subroutine
