! A Fortran program's use of disk resident arrays: of two dimensions by dra_*, of any number by ndra_*.
#define CHECK(condition) if (.not. (condition)) then; line = __LINE__; return; end if
      subroutine dra_program_in_fortran(folder, line)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "dra.fh"
      character*(*) folder
      integer line, n, m, g, t, d, i, j, k, kind, dim1, dim2, status
      parameter (n = 60, m = 44)
      integer requests(4)
      double precision a(n, m), b(m, n)
      character*80 name
      character*250 file
      double precision dra_program_value
      external dra_program_value
      CHECK(ga_create(MT_DBL, n, m, 'array', 0, 0, g))
      CHECK(ga_create(MT_DBL, m, n, 'transposed', 0, 0, t))
      do j = 1, m
        do i = 1, n
          a(i, j) = dra_program_value(i, j)
        end do
      end do
      if (ga_nodeid() .eq. 0) call ga_put(g, 1, n, 1, m, a, n)
      call dra_set_default_config(2, 2)
      CHECK(dra_set_debug(.false.) .eq. 0)
      status = dra_create(MT_DBL, n, m, 'of Fortran', folder//'f', DRA_RW, 20, -1, d)
      CHECK(status .eq. 0)
! Columns 1-22 as they are, the others from the transposed array.
      status = dra_write_section(.false., g, 1, n, 1, 22, d, 1, n, 1, 22, requests(1))
      CHECK(status .eq. 0)
      call ga_transpose_by_get(g, t, n, m)
      status = dra_write_section(.true., t, 23, m, 1, n, d, 1, n, 23, m, requests(2))
      CHECK(status .eq. 0)
      CHECK(dra_wait(requests(2)) .eq. 0)
      CHECK(dra_wait(requests(1)) .eq. 0)
      CHECK(dra_close(d) .eq. 0)
      CHECK(dra_open(folder//'nowhere', DRA_R, d) .ne. 0)
      CHECK(dra_open(folder//'f   ', DRA_R, d) .eq. 0)
      CHECK(dra_inquire(d, kind, dim1, dim2, name, file) .eq. 0)
      CHECK(kind .eq. MT_DBL .and. dim1 .eq. n .and. dim2 .eq. m)
      CHECK(name .eq. 'of Fortran' .and. file .eq. folder//'f')
      call ga_zero(g)
      CHECK(dra_read(g, d, requests(1)) .eq. 0)
      call dra_flick()
 10   CHECK(dra_probe(requests(1), status) .eq. 0)
      if (status .ne. ELIO_DONE) goto 10
      a = 0
      call ga_get(g, 1, n, 1, m, a, n)
      do j = 1, m
        do i = 1, n
          CHECK(a(i, j) .eq. dra_program_value(i, j))
        end do
      end do
! Transposed, row by row of the array on disk, in a loop of requests.
      call ga_zero(t)
      do i = 1, n
        k = mod(i - 1, 4) + 1
        if (i .gt. 4) then
          CHECK(dra_wait(requests(k)) .eq. 0)
        end if
        status = dra_read_section(.true., t, 1, m, i, i, d, i, i, 1, m, requests(k))
        CHECK(status .eq. 0)
      end do
      do k = 1, 4
        CHECK(dra_wait(requests(k)) .eq. 0)
      end do
      CHECK(dra_wait(DRA_REQ_INVALID) .eq. 0)
      call ga_get(t, 1, m, 1, n, b, m)
      do i = 1, n
        do j = 1, m
          CHECK(b(j, i) .eq. dra_program_value(i, j))
        end do
      end do
      call ga_sync()
      CHECK(dra_delete(d) .eq. 0)
      CHECK(dra_open(folder//'f', DRA_R, d) .ne. 0)
      CHECK(ga_destroy(g))
      CHECK(ga_destroy(t))
      call dra_program_in_three(folder, line)
      end

      double precision function dra_program_value(i, j)
      implicit none
      integer i, j
      dra_program_value = i + 1000 * j
      end

! t(j, i) = g(i, j)
      subroutine ga_transpose_by_get(g, t, n, m)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer g, t, n, m, i
      double precision row(m)
      call ga_sync()
      do i = 1 + ga_nodeid(), n, ga_nnodes()
        call ga_get(g, i, i, 1, m, row, 1)
        call ga_put(t, 1, m, i, i, row, m)
      end do
      end

      subroutine dra_program_in_three(folder, line)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "dra.fh"
      character*(*) folder
      integer line, g, d, request, kind, ndim, i, j, k, status
      integer dims(3), unknown(3), glo(3), ghi(3), dlo(3), dhi(3), found(7)
      integer a(4, 6, 8)
      character*80 name
      character*250 file
      data dims, unknown /4, 6, 8, -1, -1, -1/
      data glo, ghi /2, 1, 3, 4, 6, 5/
      data dlo, dhi /1, 1, 6, 3, 6, 8/
      CHECK(nga_create(MT_INT, 3, dims, 'three', -1, g))
      status = ndra_create(MT_INT, 3, dims, '3 d', folder//'3', DRA_RW, unknown, d)
      CHECK(status .eq. 0)
      call ga_zero(g)
      CHECK(ndra_write(g, d, request) .eq. 0)
      CHECK(dra_wait(request) .eq. 0)
      do k = 1, 8
        do j = 1, 6
          do i = 1, 4
            a(i, j, k) = i + 10 * j + 100 * k
          end do
        end do
      end do
      dims = (/1, 1, 1/)
      found(1:3) = (/4, 6, 8/)
      call ga_sync()
      if (ga_nodeid() .eq. 0) call nga_put(g, dims, found, a, (/4, 6/))
      status = ndra_write_section(.false., g, glo, ghi, d, dlo, dhi, request)
      CHECK(status .eq. 0)
      CHECK(dra_wait(request) .eq. 0)
      call ga_sync()
      CHECK(ndra_read(g, d, request) .eq. 0)
      CHECK(dra_wait(request) .eq. 0)
      call nga_get(g, dims, found, a, (/4, 6/))
      do k = 1, 8
        do j = 1, 6
          do i = 1, 4
            if (i .le. 3 .and. k .ge. 6) then
              CHECK(a(i, j, k) .eq. (i + 1) + 10 * j + 100 * (k - 3))
            else
              CHECK(a(i, j, k) .eq. 0)
            end if
          end do
        end do
      end do
      call ga_sync()
      status = ndra_read_section(.false., g, glo, ghi, d, dlo, dhi, request)
      CHECK(status .eq. 0)
      CHECK(dra_wait(request) .eq. 0)
      call nga_get(g, glo, ghi, a, (/4, 6/))
      CHECK(a(1, 2, 3) .eq. 2 + 10 * 2 + 100 * 5)
      CHECK(ndra_inquire(d, kind, ndim, found, name, file) .eq. 0)
      CHECK(kind .eq. MT_INT .and. ndim .eq. 3)
      CHECK(all(found(1:3) .eq. (/4, 6, 8/)))
      CHECK(name .eq. '3 d' .and. file .eq. folder//'3')
      call dra_set_mode(1)
      CHECK(dra_close(d) .eq. 0)
      dims = (/4, 6, 8/)
      status = ndra_create_config(MT_INT, 3, dims, 'again', folder//'3', DRA_RW, unknown, 2, 2, d)
      CHECK(status .eq. 0)
      call ga_sync()
      CHECK(ga_destroy(g))
      CHECK(dra_delete(d) .eq. 0)
      line = 0
      end

      subroutine dra_program_reads_c(path, line)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "dra.fh"
      character*(*) path
      integer line, g, d, request, kind, ndim, i, j, k
      integer dims(7), lo(3)
      double precision a(7, 5, 3)
      character*80 name
      character*250 file
      data lo /1, 1, 1/
      CHECK(dra_open(path, DRA_R, d) .eq. 0)
      CHECK(ndra_inquire(d, kind, ndim, dims, name, file) .eq. 0)
      CHECK(kind .eq. MT_DBL .and. ndim .eq. 3 .and. name .eq. 'of C')
      CHECK(all(dims(1:3) .eq. (/7, 5, 3/)))
      CHECK(nga_create(MT_DBL, 3, dims, 'read', -1, g))
      CHECK(ndra_read(g, d, request) .eq. 0)
      CHECK(dra_wait(request) .eq. 0)
      call nga_get(g, lo, dims, a, dims)
      do k = 1, 3
        do j = 1, 5
          do i = 1, 7
            CHECK(a(i, j, k) .eq. 100000 + (i - 1) + 7 * (j - 1) + 35 * (k - 1))
          end do
        end do
      end do
      call ga_sync()
      CHECK(ga_destroy(g))
      CHECK(dra_close(d) .eq. 0)
      line = 0
      end
