! Sparse matrices by their Fortran names. 0, or the line of the check that failed.
#define CHECK(condition) if (.not. (condition)) then; line = __LINE__; return; end if
      subroutine sparse_program_in_fortran(line)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer line
      integer s_a, s_b, i, j, me, g_a, g_b, g_v, g_w
      integer nga_sprs_array_duplicate, nga_sprs_array_matmat_multiply
      integer nga_sprs_array_sprsdns_multiply, nga_sprs_array_dnssprs_multiply
      integer nga_sprs_array_create_from_dense, nga_sprs_array_create_from_sparse
      external nga_sprs_array_duplicate, nga_sprs_array_matmat_multiply
      external nga_sprs_array_sprsdns_multiply, nga_sprs_array_dnssprs_multiply
      external nga_sprs_array_create_from_dense, nga_sprs_array_create_from_sparse
      double precision a(7, 9), b(9, 7), c(7, 7), d(9, 9), v(9), w(7), x
      line = 0
      me = ga_nodeid()
      a = 0
      CHECK(nga_sprs_array_create(7, 9, MT_DBL, s_a))
      do j = 1, 9
        do i = 1, 7
          if (mod(i * j, 3) .eq. 1) then
            a(i, j) = 10 * i + j
            x = a(i, j)
            if (mod(i + j, ga_nnodes()) .eq. me) call nga_sprs_array_add_element(s_a, i, j, x)
          end if
        end do
      end do
      CHECK(nga_sprs_array_assemble(s_a))
      call sparse_blocks(s_a, a, line)
      if (line .ne. 0) return

      call nga_sprs_array_scale(s_a, 2d0)
      a = 2 * a
      g_a = nga_sprs_array_create_from_sparse(s_a)
      call ga_get(g_a, 1, 7, 1, 9, d, 9)
      CHECK(all(d(1:7, 1:9) .eq. a))
      CHECK(ga_destroy(g_a))

! Dense matrices and vectors are those of Fortran, too.
      CHECK(ga_create(MT_DBL, 9, 7, 'b', 0, 0, g_b))
      do j = 1, 7
        do i = 1, 9
          b(i, j) = merge(i - 2 * j, 0, mod(i + j, 2) .eq. 0)
        end do
      end do
      if (me .eq. 0) call ga_put(g_b, 1, 9, 1, 7, b, 9)
      call ga_sync()
      g_a = nga_sprs_array_sprsdns_multiply(s_a, g_b)
      call ga_get(g_a, 1, 7, 1, 7, c, 7)
      CHECK(all(c .eq. matmul(a, b)))
      CHECK(ga_destroy(g_a))
      g_a = nga_sprs_array_dnssprs_multiply(g_b, s_a)
      call ga_get(g_a, 1, 9, 1, 9, d, 9)
      CHECK(all(d .eq. matmul(b, a)))
      CHECK(ga_destroy(g_a))
      s_b = nga_sprs_array_create_from_dense(g_b)
      CHECK(ga_destroy(g_b))
      call sparse_product(s_a, s_b, a, b, line)
      if (line .ne. 0) return

      CHECK(nga_create(MT_DBL, 1, 9, 'v', 0, g_v))
      CHECK(nga_create(MT_DBL, 1, 7, 'w', 0, g_w))
      do j = 1, 9
        v(j) = 3 * j - 11
      end do
      if (me .eq. 0) call nga_put(g_v, 1, 9, v, 9)
      call ga_sync()
      call nga_sprs_array_matvec_multiply(s_a, g_v, g_w)
      call nga_get(g_w, 1, 7, w, 7)
      CHECK(all(w .eq. matmul(a, v)))
      call ga_sync()
      call nga_sprs_array_diag_left_multiply(s_a, g_w)
      call nga_sprs_array_diag_right_multiply(s_a, g_v)
      do j = 1, 9
        a(:, j) = a(:, j) * w * v(j)
      end do
      call nga_sprs_array_shift_diag(s_a, 5d0)
      do i = 1, 7
        a(i, i) = a(i, i) + 5
      end do
      call sparse_blocks(s_a, a, line)
      if (line .ne. 0) return
      call nga_sprs_array_get_diag(s_a, g_a)
      call nga_get(g_a, 1, 7, w, 7)
      do i = 1, 7
        CHECK(w(i) .eq. a(i, i))
      end do
      CHECK(ga_destroy(g_a))
      CHECK(ga_destroy(g_v))
      CHECK(ga_destroy(g_w))
      s_b = nga_sprs_array_duplicate(s_a)
      CHECK(nga_sprs_array_destroy(s_a))
      call sparse_blocks(s_b, a, line)
      if (line .ne. 0) return
      call sparse_text(s_b, a, line)
      CHECK(nga_sprs_array_destroy(s_b))
      end subroutine

! My rows are those of the copy, through the pointers.
      subroutine sparse_blocks(s_a, a, line)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer s_a, line, i, k, n, ilo, ihi, jlo, jhi, strips(1000)
      integer(kind=8) idx, jdx, val
      double precision a(7, 9), mine(7, 9)
      mine = 0
      line = 0
      call nga_sprs_array_row_distribution(s_a, ga_nodeid(), ilo, ihi)
      call nga_sprs_array_col_block_list(s_a, strips, n)
      do k = 1, n
        call nga_sprs_array_column_distribution(s_a, strips(k), jlo, jhi)
        call nga_sprs_array_access_col_block(s_a, strips(k), idx, jdx, val)
        CHECK(int_mb(idx) .eq. 1)
        do i = ilo, ihi
          call sparse_row(int_mb(idx + i - ilo), int_mb(jdx), dbl_mb(val), jlo, jhi, mine, i)
        end do
      end do
      do i = ilo, ihi
        CHECK(all(mine(i, :) .eq. a(i, :)))
      end do
      call ga_sync()
      end subroutine

      subroutine sparse_row(starts, columns, values, jlo, jhi, a, i)
      implicit none
      integer starts(2), columns(*), jlo, jhi, i, k
      double precision values(*), a(7, 9)
      do k = starts(1), starts(2) - 1
        if (columns(k) .ge. jlo .and. columns(k) .le. jhi) a(i, columns(k)) = values(k)
      end do
      end subroutine

      subroutine sparse_product(s_a, s_b, a, b, line)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer s_a, s_b, s_c, g_c, line
      integer nga_sprs_array_matmat_multiply, nga_sprs_array_create_from_sparse
      external nga_sprs_array_matmat_multiply, nga_sprs_array_create_from_sparse
      double precision a(7, 9), b(9, 7), c(7, 7)
      line = 0
      s_c = nga_sprs_array_matmat_multiply(s_a, s_b)
      g_c = nga_sprs_array_create_from_sparse(s_c)
      call ga_get(g_c, 1, 7, 1, 7, c, 7)
      CHECK(all(c .eq. matmul(a, b)))
      CHECK(ga_destroy(g_c))
      CHECK(nga_sprs_array_destroy(s_b))
      CHECK(nga_sprs_array_destroy(s_c))
      end subroutine

      subroutine sparse_text(s_a, a, line)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer s_a, line, rows, columns, n, i, j, k
      double precision a(7, 9), x
      line = 0
      call nga_sprs_array_export(s_a, 'sparse_fortran.mtx  ')
      if (ga_nodeid() .eq. 0) then
        open (77, file='sparse_fortran.mtx', status='old')
        read (77, *)
        read (77, *) rows, columns, n
        CHECK(rows .eq. 7 .and. columns .eq. 9)
        CHECK(n .ge. count(a .ne. 0))
        do k = 1, n
          read (77, *) i, j, x
          CHECK(x .eq. a(i, j))
        end do
        close (77, status='delete')
      end if
      call ga_sync()
      end subroutine
