! Pieces of a complex matrix for ScaLAPACK. 0, or the line of the check that failed.
#define CHECK(condition) if (.not. (condition)) then; line = __LINE__; return; end if
      subroutine complex_pieces_in_fortran(line)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer line, m, n, i, j, g_a, nprow, npcol, row, column, rows, columns
      parameter (m = 13, n = 11)
      double complex a(m, n), b(m, n), piece(m + 2, n)
      double precision re(4, 2), im(4, 2)
      integer block_row, block_column
      line = -1
      do j = 1, n
        do i = 1, m
          a(i, j) = dcmplx(i + 20d0 * j, -1d0 * i * j)
        end do
      end do
      CHECK(ga_create(MT_DCPL, m, n, 'a', 0, 0, g_a))
      if (ga_nodeid() .eq. 0) call ga_put(g_a, 1, m, 1, n, a, m)
      call ga_sync()
      call findgrid(ga_nnodes(), nprow, npcol)
      call slinit2(m)
      piece = -1
      call ga_to_sl2cpl(g_a, m, n, 2, 3, piece, m + 2, m, n)
      row = ga_nodeid() / npcol
      column = mod(ga_nodeid(), npcol)
      CHECK(right_piece())
      call ga_zero(g_a)
      call ga_from_sl2cpl(g_a, m, n, 2, 3, piece, m + 2, m, n)
      re = -1
      im = -1
      b = 0
      call ga_get(g_a, 1, m, 1, n, b, m)
      CHECK(all(b .eq. a))
      call ga_cpycpl2dbl(a, m, 2, 3, re, im, 4, 3, 2)
      CHECK(all(re(1:3, :) .eq. dble(a(2:4, 3:4))))
      CHECK(all(im(1:3, :) .eq. dimag(a(2:4, 3:4))))
      CHECK(all(re(4, :) .eq. -1) .and. all(im(4, :) .eq. -1))
      call ga_cpydbl2cpl(b, m, 1, 2, re, im, 4, 3, 2)
      CHECK(all(b(1:3, 2:3) .eq. a(2:4, 3:4)))
      b(1:3, 2:3) = a(1:3, 2:3)
      CHECK(all(b .eq. a))
      call ga_sync()
      call slexit2()
      CHECK(ga_destroy(g_a))
      line = 0

      contains

! What the piece is to hold, and that it holds nothing else.
      logical function right_piece()
      right_piece = .true.
      columns = 0
      rows = 0
      do block_column = column * 3, n - 1, npcol * 3
        do j = block_column + 1, min(block_column + 3, n)
          columns = columns + 1
          rows = 0
          do block_row = row * 2, m - 1, nprow * 2
            do i = block_row + 1, min(block_row + 2, m)
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
