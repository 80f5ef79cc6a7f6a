! A Fortran program that knows of TCGMSG alone: pbeginf starts MPI, pend stops it. Prints "ok" on
! rank 0.
      program tcgmsg_start
      implicit none
#include "tcgmsg.fh"
#include "msgtypesf.h"
      integer me, nodes, length, from
      character*32 name
      double precision sent, received, total
      call pbeginf()
      me = nodeid()
      nodes = nnodes()
      sent = me
      received = -1
      call snd(5 + MSGDBL, sent, mdtob(1), mod(me + 1, nodes), 0)
      call rcv(5 + MSGDBL, received, mdtob(1), length, -1, from, 1)
      call waitcom(-1)
      if (received .ne. mod(me + nodes - 1, nodes) .or. length .ne. 8) call parerr(1)
      if (nxtval(nodes) .ge. nodes) call parerr(2)
      total = received
      call dgop(6, total, 1, '+')
      if (total .ne. nodes * (nodes - 1) / 2) call parerr(3)
      call synch(7)
      if (me .eq. 0) print '(a)', 'ok'
      flush (6)
! From here on each rank writes into a file of its own.
      call llog()
      print '(a)', 'into the log'
      flush (6)
      write (name, '(a, i0)') 'log.', me
      open (77, file=name, status='old')
      read (77, '(a)') name
      close (77, status='delete')
      if (name .ne. 'into the log') call parerr(4)
      call pend()
      end program
