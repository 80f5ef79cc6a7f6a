! A Fortran program's use of TCGMSG: the included declarations, each function by its Fortran name.
#define CHECK(condition) if (.not. (condition)) then; line = __LINE__; return; end if
      subroutine tcgmsg_program_in_fortran(line)
      implicit none
#include "tcgmsg.fh"
#include "msgtypesf.h"
      integer, parameter :: n = 1000
      integer line, me, nodes, right, left, length, from, root, i, first, counts(0:n)
      integer mdtoi, mitod, mtime, probe, tcgready, niceftn
      double precision x(n), y(n), drand48, seconds
      external mdtoi, mitod, mtime, probe, tcgready, niceftn, drand48
      call pbeginf()
      call pbginf()
      CHECK(tcgready() .eq. 1)
      me = nodeid()
      nodes = nnodes()
      CHECK(me .ge. 0 .and. me .lt. nodes)
      seconds = tcgtime()
      CHECK(mdtob(3) .eq. 24)
      CHECK(mitob(3) .eq. 3 * storage_size(me) / 8)
      CHECK(mitob(mdtoi(3)) .eq. 24)
      CHECK(mdtob(mitod(3)) .ge. mitob(3) .and. mdtob(mitod(3)) .lt. mitob(3) + 8)
! A ring, nonblocking, then the same from whoever sends.
      right = mod(me + 1, nodes)
      left = mod(me + nodes - 1, nodes)
      x = me
      y = -1
      call snd(7 + MSGDBL, x, mdtob(n), right, 0)
      call rcv(7 + MSGDBL, y, mdtob(n), length, left, from, 1)
      CHECK(length .eq. 8 * n .and. from .eq. left .and. all(y .eq. left))
      call waitcom(right)
      call synch(1)
      call snd(8, x, mdtob(2), right, 1)
      call rcv(8, y, mdtob(n), length, -1, from, 0)
      call waitcom(-1)
      CHECK(all(y(1:2) .eq. left) .and. y(3) .eq. left)
      CHECK(probe(8, -1) .eq. 0)
! Collective calls.
      do root = 0, nodes - 1
        x = 0
        if (me .eq. root) x = 10 * root + 1
        call brdcst(9, x, mdtob(n), root)
        CHECK(all(x .eq. 10 * root + 1))
      end do
      x = me + 1
      call dgop(10, x, n, '+')
      CHECK(all(x .eq. nodes * (nodes + 1) / 2))
      x = -me - 1
      call dgop(11, x, n, 'absmax  ')
      CHECK(all(x .eq. nodes))
      counts = me
      call igop(12, counts, n, 'max')
      CHECK(all(counts(0:n - 1) .eq. nodes - 1) .and. counts(n) .eq. me)
      counts = 2 ** mod(me, 8)
      call igop(13, counts, n, 'or')
      CHECK(all(counts(0:n - 1) .eq. 2 ** min(nodes, 8) - 1))
! Each task is somebody's.
      first = nxtval(-nodes)
      CHECK(first .eq. 0)
      counts = 0
      do i = 1, 20
        root = nxtval(nodes)
        CHECK(root .ge. 0 .and. root .lt. 20 * nodes)
        counts(root) = counts(root) + 1
      end do
      call igop(14, counts, 20 * nodes, '+')
      CHECK(all(counts(0:20 * nodes - 1) .eq. 1))
      CHECK(nxtval(0) .eq. 0)
      first = nxtval(-nodes)
      call srand48(1)
      CHECK(abs(drand48() - 0.0416303447718782d0) .lt. 1d-14)
      CHECK(niceftn(0) .ge. 0)
      CHECK(tcgtime() .ge. seconds .and. mtime() .ge. int(100 * seconds))
      call setdbg(0)
      call evon()
      call evbgin('a part of the work')
      call evlog(1, 'text', 2d0)
      call event('in it')
      call evend('a part of the work')
      call evoff()
      if (me .eq. 0) call stats()
      call pend()
      CHECK(tcgready() .eq. 1)
      line = 0
      end subroutine
