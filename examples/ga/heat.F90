! Heat in a square plate whose rim is held at given temperatures, as heat.c: Jacobi's iteration with
! ghost cells.
!
!   mpiexec -n 4 heat
      program heat
      implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "tcgmsg.fh"
      integer n, plates(0:1), sweeps, relax
      double precision middle, corner
      parameter (n = 49)
      external relax
      call pbeginf()
      call ga_initialize()
      if (.not. ma_init(mt_dbl, 1000, 1000)) call ga_error('ma_init failed', 1)
      call create_plate('even', n, plates(0))
      call create_plate('odd', n, plates(1))
      sweeps = relax(plates, n)
      call ga_sync()
      if (ga_nodeid() .eq. 0) then
        call ga_get(plates(mod(sweeps, 2)), 1 + n / 2, 1 + n / 2, 1 + n / 2, 1 + n / 2, middle, 1)
        call ga_get(plates(mod(sweeps, 2)), 1, 1, 1, 1, corner, 1)
        write (6, 10) n, n, sweeps, middle, corner
      endif
 10   format ('plate of ', i0, ' x ', i0, ': steady after ', i0, ' sweeps, ', f0.6, &
              ' in the middle, ', f0.6, ' in the first corner')
      call ga_sync()
      if (.not. ga_destroy(plates(1))) call ga_error('destroy', 1)
      if (.not. ga_destroy(plates(0))) call ga_error('destroy', 2)
      call ga_terminate()
      call pend()
      end

      subroutine create_plate(name, n, g_a)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      character*(*) name
      integer n, g_a, dims(2), width(2), chunk(2)
      dims = n
      width = 1
      chunk = -1
      if (.not. nga_create_ghosts(mt_dbl, 2, dims, width, name, chunk, g_a)) &
        call ga_error('no memory for the plate', n)
      end

! GA's ghost cells wrap around; those beyond the plate's edge are its rim: the first column's is hot.
      subroutine set_rim(cells, ld, rows, columns, lo, hi, n)
      implicit none
      integer ld, rows, columns, lo(2), hi(2), n
      double precision cells(0:ld - 1, 0:columns + 1)
      if (lo(2) .eq. 1) cells(0:rows + 1, 0) = 100
      if (hi(2) .eq. n) cells(0:rows + 1, columns + 1) = 0
      if (lo(1) .eq. 1) cells(0, 0:columns + 1) = 0
      if (hi(1) .eq. n) cells(rows + 1, 0:columns + 1) = 0
      end

! Every cell becomes the mean of its neighbours; the greatest change.
      double precision function sweep(from, to, ld, rows, columns)
      implicit none
      integer ld, rows, columns, i, j
      double precision from(0:ld - 1, 0:columns + 1), to(0:ld - 1, 0:columns + 1), mean
      sweep = 0
      do j = 1, columns
        do i = 1, rows
          mean = 0.25d0 * (from(i, j - 1) + from(i, j + 1) + from(i - 1, j) + from(i + 1, j))
          sweep = max(sweep, abs(mean - from(i, j)))
          to(i, j) = mean
        enddo
      enddo
      end

! Sweeps until nothing changes by more than the tolerance; how many that took.
      integer function relax(plates, n)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer plates(0:1), n, most, lo(2), hi(2), dims(2), ld(1), rows, columns, from, to
      parameter (most = 100000)
      MA_ACCESS_INDEX_TYPE k_from, k_to
      double precision change, sweep
      external sweep
      do relax = 1, most
        from = plates(mod(relax + 1, 2))
        to = plates(mod(relax, 2))
        call ga_update_ghosts(from)
        call nga_distribution(from, ga_nodeid(), lo, hi)
        change = 0
        if (lo(1) .le. hi(1) .and. lo(1) .gt. 0) then
          rows = hi(1) - lo(1) + 1
          columns = hi(2) - lo(2) + 1
          call nga_access_ghosts(from, dims, k_from, ld)
          call nga_access_ghosts(to, dims, k_to, ld)
          call set_rim(dbl_mb(k_from), ld(1), rows, columns, lo, hi, n)
          change = sweep(dbl_mb(k_from), dbl_mb(k_to), ld(1), rows, columns)
          call nga_release_update_ghosts(from)
          call nga_release_update_ghosts(to)
        endif
        if (mod(relax, 50) .eq. 0) then
          call ga_dgop(1, change, 1, 'max')
          if (change .lt. 1d-6) return
        endif
      enddo
      call ga_error('no steady state after sweeps', most)
      end
