! Fortran programs' use of private and of shared files. Offsets are double precision.
#define CHECK(condition) if (.not. (condition)) then; line = __LINE__; return; end if
      subroutine eaf_program_in_fortran(directory, line)
      implicit none
#include "eaf.fh"
      character*(*) directory
      character*256 name
      character*100 words
      character*4 few
      character*16 type
      integer line, fd, other, i, n, request, status, code, kilobytes
      integer whole(100), again(100)
      double precision a(1000), b(1000), offset, length, far
      n = 1000
      name = directory//'/fortran.eaf'
      do i = 1, n
        a(i) = 0.5d0 * i
      end do
      CHECK(eaf_open(name, eaf_r, fd) .ne. 0)
      CHECK(eaf_open(name, eaf_rw, fd) .eq. 0)
      CHECK(fd .ge. 0)
      CHECK(eaf_open(directory//'/other', eaf_w, other) .eq. 0)
      CHECK(other .ne. fd)
      CHECK(eaf_close(other) .eq. 0)
      CHECK(eaf_write(fd, 0d0, a, 8 * n) .eq. 0)
      CHECK(eaf_read(fd, 8d0, b, 8 * (n - 1)) .eq. 0)
      do i = 1, n - 1
        CHECK(b(i) .eq. a(i + 1))
      end do
! Beyond what four bytes count.
      far = 5d0 * 1024d0**3
      do i = 1, 100
        whole(i) = 7 * i
      end do
      CHECK(eaf_awrite(fd, far, whole, storage_size(i) / 8 * 100, request) .eq. 0)
      CHECK(eaf_wait(fd, request) .eq. 0)
      CHECK(eaf_aread(fd, far, again, storage_size(i) / 8 * 100, request) .eq. 0)
      status = 0
      do while (status .eq. 0)
        CHECK(eaf_probe(request, status) .eq. 0)
      end do
      CHECK(eaf_wait(fd, request) .eq. 0)
      CHECK(all(again .eq. whole))
      CHECK(eaf_length(fd, length) .eq. 0)
      CHECK(length .eq. far + storage_size(i) / 8 * 100)
! The end, and what a code means.
      code = eaf_read(fd, length, b, 8)
      CHECK(code .ne. 0)
      CHECK(eaf_eof(code))
      CHECK(.not. eaf_eof(0))
      call eaf_errmsg(code, words)
      CHECK(words .eq. 'the file ends before: 0 of 8 bytes read')
      call eaf_errmsg(code, few)
      CHECK(few .eq. 'the ')
      offset = -8d0
      code = eaf_read(fd, offset, b, 8)
      CHECK(code .ne. 0 .and. .not. eaf_eof(code))
      CHECK(eaf_read(fd, 0d0, b, -8) .eq. code)
      CHECK(eaf_read(fd, 0.5d0, b, 8) .eq. code)
      CHECK(eaf_truncate(fd, 80d0) .eq. 0)
      CHECK(eaf_length(fd, length) .eq. 0)
      CHECK(length .eq. 80d0)
      call eaf_print_stats(fd)
      CHECK(eaf_close(fd) .eq. 0)
      CHECK(eaf_close(fd) .ne. 0)
      CHECK(eaf_stat(name, kilobytes, type) .eq. 0)
      CHECK(kilobytes .gt. 0)
      CHECK(type .ne. ' ')
      CHECK(eaf_delete(name) .eq. 0)
      CHECK(eaf_open(name, eaf_r, fd) .ne. 0)
      CHECK(eaf_delete(directory//'/other') .eq. 0)
! Helpers of programs that measure.
      CHECK(eaf_util_szint() .eq. storage_size(i) / 8)
      length = eaf_util_random(7)
      do i = 1, 1000
        offset = eaf_util_random(0)
        CHECK(offset .ge. 0d0 .and. offset .lt. 1d0)
        CHECK(offset .ne. length)
      end do
      CHECK(eaf_util_random(7) .eq. length)
      line = 0
      end subroutine

      subroutine sf_program_writes(directory, rank, handle, line)
      implicit none
#include "sf.fh"
      character*(*) directory
      integer rank, handle, line, i, requests(10)
      double precision a(100, 10)
      CHECK(sf_create_suffix(directory//'/many  ', 1d6, 1d5, 8d3, i, 12) .eq. 0)
      CHECK(sf_destroy(i) .eq. 0)
      CHECK(sf_create(directory//'/fortran', 1d9, 1d6, 8d3, handle) .eq. 0)
      do i = 1, 10
        a(:, i) = rank + 0.01d0 * i
        CHECK(sf_write(handle, 8d3 * rank + 8d2 * (i - 1), 8d2, a(1, i), requests(i)) .eq. 0)
      end do
      CHECK(sf_waitall(requests, 10) .eq. 0)
      CHECK(all(requests .eq. -1))
      line = 0
      end subroutine

      subroutine sf_program_reads(rank, ranks, handle, line)
      implicit none
#include "sf.fh"
      integer rank, ranks, handle, line, other, i, request, code
      integer sf_fsync
      external sf_fsync
      character*100 words
      double precision b(100)
      other = mod(rank + 1, ranks)
      do i = 1, 10
        CHECK(sf_read(handle, 8d3 * other + 8d2 * (i - 1), 8d2, b, request) .eq. 0)
        CHECK(sf_wait(request) .eq. 0)
        CHECK(request .eq. -1)
        CHECK(all(b .eq. other + 0.01d0 * i))
      end do
      CHECK(sf_fsync(handle) .eq. 0)
      CHECK(sf_close(handle) .eq. 0)
      CHECK(sf_read(handle, 0d0, 8d0, b, request) .ne. 0)
      CHECK(sf_open(handle) .eq. 0)
      CHECK(sf_rwtor(handle) .eq. 0)
      CHECK(sf_write(handle, 0d0, 8d0, b, request) .ne. 0)
      code = sf_read(handle, 8d3 * ranks, 8d0, b, request)
      CHECK(code .ne. 0)
      CHECK(sf_wait(request) .eq. code)
      call sf_errmsg(code, words)
      CHECK(words(1:20) .eq. 'the file ends before')
      CHECK(sf_destroy(handle) .eq. 0)
      line = 0
      end subroutine
