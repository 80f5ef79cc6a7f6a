! A Fortran program's use of the solvers: systems, factors, eigenvectors, pieces for ScaLAPACK.
#define CHECK(condition) if (.not. (condition)) then; line = __LINE__; return; end if
      subroutine solvers_program_in_fortran(line)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer line, n, i, j, g_a, g_s, g_b, g_v, found, nprow, npcol, h
      parameter (n = 13)
      integer ga_cholesky, ga_llt_f, ga_llt_i
      external ga_cholesky, ga_llt_f, ga_llt_i
      integer*4 slgetmxproc
      external slgetmxproc
      double precision a(n, n), s(n, n), b(n, 2), x(n, 2), v(n, n)
      double precision e(n), other(n), piece(n, n)
      integer row, column, rows, columns, block_row, block_column
      line = -1
      do j = 1, n
        do i = 1, n
          a(i, j) = 1d0 / (i + j) + merge(i + 1d0, 0d0, i .eq. j)
          s(i, j) = 1d0 / (2 + abs(i - j)) + merge(2d0, 0d0, i .eq. j)
        end do
        b(j, 1) = j
        b(j, 2) = -j * j
      end do
      CHECK(ga_create(MT_DBL, n, n, 'a', 0, 0, g_a))
      CHECK(ga_create(MT_DBL, n, n, 's', 0, 0, g_s))
      CHECK(ga_create(MT_DBL, n, n, 'v', 0, 0, g_v))
      CHECK(ga_create(MT_DBL, n, 2, 'b', 0, 0, g_b))
      call store(g_a, n, n, a)
      call store(g_s, n, n, s)
! Systems, of a matrix without symmetry too.
      call store(g_b, n, 2, b)
      CHECK(ga_llt_solve(g_a, g_b) .eq. 0)
      call ga_get(g_b, 1, n, 1, 2, x, n)
      CHECK(maxval(abs(matmul(a, x) - b)) .lt. 1d-10)
      call store(g_b, n, 2, b)
      CHECK(ga_solve(g_a, g_b) .eq. 0)
      call ga_get(g_b, 1, n, 1, 2, x, n)
      CHECK(maxval(abs(matmul(a, x) - b)) .lt. 1d-10)
      a(2, 5) = 3
      call store(g_a, n, n, a)
      call store(g_b, n, 2, b)
      call ga_lu_solve('n', g_a, g_b)
      call ga_get(g_b, 1, n, 1, 2, x, n)
      CHECK(maxval(abs(matmul(a, x) - b)) .lt. 1d-10)
      call store(g_b, n, 2, b)
      call ga_lu_solve_seq('T', g_a, g_b)
      call ga_get(g_b, 1, n, 1, 2, x, n)
      CHECK(maxval(abs(matmul(transpose(a), x) - b)) .lt. 1d-10)
      call store(g_b, n, 2, b)
      call ga_lu_solve_alt(1, g_a, g_b)
      call ga_get(g_b, 1, n, 1, 2, x, n)
      CHECK(maxval(abs(matmul(transpose(a), x) - b)) .lt. 1d-10)
      a(2, 5) = a(5, 2)
      call store(g_a, n, n, a)
! Factors.
      call store(g_v, n, n, a)
      CHECK(ga_cholesky('U', g_v) .eq. 0)
      call ga_get(g_v, 1, n, 1, n, v, n)
      CHECK(maxval(abs(matmul(transpose(v), v) - a)) .lt. 1d-10)
      CHECK(v(2, 1) .eq. 0)
      CHECK(ga_llt_i('U', g_v, -1) .eq. 0)
      call ga_get(g_v, 1, n, 1, n, v, n)
      CHECK(maxval(abs(matmul(a, v) - unit_matrix(n))) .lt. 1d-10)
      CHECK(ga_llt_f('L', g_a, h) .eq. 0)
      call store(g_b, n, 2, b)
      call ga_llt_s('L', g_a, g_b, h)
      call ga_get(g_b, 1, n, 1, 2, x, n)
      CHECK(maxval(abs(matmul(a, x) - b)) .lt. 1d-10)
      call store(g_v, n, n, a)
      CHECK(ga_spd_invert(g_v) .eq. 0)
      call ga_get(g_v, 1, n, 1, n, v, n)
      CHECK(maxval(abs(matmul(a, v) - unit_matrix(n))) .lt. 1d-10)
! Eigenvectors in columns, by each name.
      call ga_diag_std(g_a, g_v, e)
      CHECK(standard())
      call ga_diag_std_seq(g_a, g_v, e)
      CHECK(standard())
      call ga_pdsyev(g_a, g_v, e, 0)
      CHECK(standard())
      call ga_pdsyevd(g_a, g_v, e, 16)
      CHECK(standard())
      call ga_pdsyevx(g_a, g_v, e, 0)
      CHECK(standard())
      found = -1
      call ga_pdsyevr(g_a, g_v, e, 0, found)
      CHECK(standard() .and. found .eq. n)
      call ga_diag(g_a, g_s, g_v, e)
      CHECK(generalized())
      call ga_diag_seq(g_a, g_s, g_v, e)
      CHECK(generalized())
      call ga_diag_reuse(0, g_a, g_s, g_v, e)
      CHECK(generalized())
      call ga_diag_reuse(-1, g_a, g_s, g_v, other)
      call ga_pdsygv(g_a, g_s, g_v, e)
      CHECK(generalized())
! Pieces on the grid of all processes: blocks of 2 x 3.
      call findgrid(ga_nnodes(), nprow, npcol)
      CHECK(nprow * npcol .eq. ga_nnodes() .and. nprow .le. npcol)
      CHECK(slgetmxproc(n, ga_nnodes()) .eq. min(16, ga_nnodes()))
      call slinit()
      piece = -1
      call ga_to_sl(g_a, n, n, 2, 3, piece, n, n, n)
      row = ga_nodeid() / npcol
      column = mod(ga_nodeid(), npcol)
      CHECK(right_piece())
      v = 0
      call store(g_v, n, n, v)
      call ga_from_sl(g_v, n, n, 2, 3, piece, n, n, n)
      call ga_get(g_v, 1, n, 1, n, v, n)
      CHECK(all(v .eq. a))
      call slexit()
      call slinit2(n)
      if (ga_nnodes() .le. 16) then
        piece = -1
        call ga_to_sl2(g_a, n, n, 2, 3, piece, n, n, n)
        CHECK(right_piece())
        v = 0
        call store(g_v, n, n, v)
        call ga_from_sl2(g_v, n, n, 2, 3, piece, n, n, n)
        call ga_get(g_v, 1, n, 1, n, v, n)
        CHECK(all(v .eq. a))
      end if
      call slexit2()
! An array has its own grid.
      h = ga_create_handle()
      call ga_set_data(h, 2, (/ n, n /), MT_DBL)
      call ga_set_block_cyclic_proc_grid(h, (/ 2, 3 /), (/ nprow, npcol /))
      CHECK(ga_allocate(h))
      call slinit3(h)
      call slinit4(h)
      call ga_copy(g_a, h)
      call ga_get(h, 1, n, 1, n, v, n)
      CHECK(all(v .eq. a))
      call slexit3()
      call slexit4()
      CHECK(ga_destroy(h))
      CHECK(ga_destroy(g_a) .and. ga_destroy(g_s))
      CHECK(ga_destroy(g_b) .and. ga_destroy(g_v))
      line = 0

      contains

      subroutine store(g, lines, width, values)
      integer g, lines, width
      double precision values(lines, width)
      call ga_sync()
      if (ga_nodeid() .eq. 0) call ga_put(g, 1, lines, 1, width, values, lines)
      call ga_sync()
      end subroutine

      function unit_matrix(order) result(unit)
      integer order, k
      double precision unit(order, order)
      unit = 0
      do k = 1, order
        unit(k, k) = 1
      end do
      end function

      logical function standard()
      call ga_get(g_v, 1, n, 1, n, v, n)
      standard = maxval(abs(matmul(a, v) - v * spread(e, 1, n))) .lt. 1d-10 .and. ascending()
      standard = standard .and. maxval(abs(matmul(transpose(v), v) - unit_matrix(n))) .lt. 1d-10
      end function

      logical function generalized()
      call ga_get(g_v, 1, n, 1, n, v, n)
      generalized = maxval(abs(matmul(a, v) - matmul(s, v) * spread(e, 1, n))) .lt. 1d-9
      generalized = generalized .and. ascending() .and. &
          maxval(abs(matmul(transpose(v), matmul(s, v)) - unit_matrix(n))) .lt. 1d-10
      end function

      logical function ascending()
      ascending = all(e(2:n) .ge. e(1:n-1))
      end function

! What the piece is to hold, and that it holds nothing else.
      logical function right_piece()
      right_piece = .true.
      columns = 0
      do block_column = column * 3, n - 1, npcol * 3
        do j = block_column + 1, min(block_column + 3, n)
          columns = columns + 1
          rows = 0
          do block_row = row * 2, n - 1, nprow * 2
            do i = block_row + 1, min(block_row + 2, n)
              rows = rows + 1
              right_piece = right_piece .and. piece(rows, columns) .eq. a(i, j)
            end do
          end do
          right_piece = right_piece .and. all(piece(rows + 1:, columns) .eq. -1)
        end do
      end do
      right_piece = right_piece .and. all(piece(:, columns + 1:) .eq. -1)
      end function
      end subroutine
