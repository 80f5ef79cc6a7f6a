! Arrays in the memory of others by Fortran names. 0, or the line of the check that failed.
#define CHECK(condition) if (.not. (condition)) then; line = __LINE__; return; end if
      subroutine overlays_in_fortran(line)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer line, g_p, g_a, g_b, i, j
      double precision a(7, 6), b(7, 6)
      line = -1
      do j = 1, 6
        do i = 1, 7
          a(i, j) = i + 10d0 * j
        end do
      end do
      CHECK(ga_create(MT_DBL, 7, 6, 'parent', 0, 0, g_p))
      if (ga_nodeid() .eq. 0) call ga_put(g_p, 1, 7, 1, 6, a, 7)
      call ga_sync()
      g_a = ga_create_handle()
      call ga_set_data(g_a, 2, (/ 7, 6 /), MT_DBL)
      CHECK(ga_overlay(g_a, g_p))
      g_b = ga_create_handle()
      call ga_set_data(g_b, 2, (/ 7, 6 /), MT_DBL)
      CHECK(nga_overlay(g_b, g_p))
      b = 0
      call ga_get(g_a, 1, 7, 1, 6, b, 7)
      CHECK(all(b .eq. a))
      call ga_sync()
      call ga_scale(g_b, 3d0)
      CHECK(ga_destroy(g_b))
      call ga_get(g_p, 1, 7, 1, 6, b, 7)
      CHECK(all(b .eq. 3 * a))
      call ga_sync()
      CHECK(ga_destroy(g_p))
      call ga_get(g_a, 1, 7, 1, 6, b, 7)
      CHECK(all(b .eq. 3 * a))
      call ga_sync()
      CHECK(ga_destroy(g_a))
      line = 0
      end subroutine
