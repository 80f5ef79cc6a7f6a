! Products of mirrored arrays, whose nodes have copies that differ. 0, or the line of the check that
! failed.
#define CHECK(condition) if (.not. (condition)) then; line = __LINE__; return; end if
      subroutine mirrored_products_in_fortran(line)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer line, g_a, g_b, g_c, i, j, group
      double precision a(6, 5), b(7, 6), c(5, 4), right(5, 4)
      line = -1
      group = ga_pgroup_get_mirror()
      do j = 1, 5
        do i = 1, 6
          a(i, j) = i + 10d0 * j + 100 * ga_cluster_nodeid()
        end do
      end do
      do j = 1, 6
        do i = 1, 7
          b(i, j) = 3d0 * i - j + ga_cluster_nodeid()
        end do
      end do
      do j = 1, 4
        do i = 1, 5
          c(i, j) = i * j
        end do
      end do
      CHECK(nga_create_config(MT_DBL, 2, (/ 6, 5 /), 'a', (/ -1, -1 /), group, g_a))
      CHECK(nga_create_config(MT_DBL, 2, (/ 7, 6 /), 'b', (/ -1, -1 /), group, g_b))
      CHECK(nga_create_config(MT_DBL, 2, (/ 5, 4 /), 'c', (/ -1, -1 /), group, g_c))
      call store(g_a, 6, 5, a)
      call store(g_b, 7, 6, b)
      call store(g_c, 5, 4, c)
      right = c
      right(2:4, 1:3) = 2 * matmul(a(3:5, 2:5), b(1:4, 2:4)) - right(2:4, 1:3)
      call ga_matmul_mirrored('n', 'n', 2d0, -1d0, g_a, 3, 5, 2, 5, g_b, 1, 4, 2, 4, &
          g_c, 2, 4, 1, 3)
      call ga_get(g_c, 1, 5, 1, 4, c, 5)
      CHECK(maxval(abs(c - right)) .lt. 1d-9)
      call ga_sync()
! Both transposed, over the same part.
      right(1:4, 2:4) = matmul(transpose(a(1:6, 1:4)), transpose(b(5:7, 1:6)))
      call ga_matmul_mirrored('t', 'T', 1d0, 0d0, g_a, 1, 4, 1, 6, g_b, 1, 6, 5, 7, &
          g_c, 1, 4, 2, 4)
      call ga_get(g_c, 1, 5, 1, 4, c, 5)
      CHECK(maxval(abs(c - right)) .lt. 1d-9)
      call ga_sync()
      CHECK(ga_destroy(g_a) .and. ga_destroy(g_b) .and. ga_destroy(g_c))
      line = 0

      contains

! All processes of a node bring the same.
      subroutine store(g, lines, width, values)
      integer g, lines, width
      double precision values(lines, width)
      call ga_sync()
      call ga_put(g, 1, lines, 1, width, values, lines)
      call ga_sync()
      end subroutine
      end subroutine
