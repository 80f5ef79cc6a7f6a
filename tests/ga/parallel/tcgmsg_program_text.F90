! Text in messages and file names: with lengths that nobody declared.
#define CHECK(condition) if (.not. (condition)) then; line = __LINE__; return; end if
      subroutine tcgmsg_text_in_fortran(line)
      implicit none
#include "tcgmsg.fh"
#include "msgtypesf.h"
      integer line, length, from
      character*16 text, file, own
      text = ' '
      if (nodeid() .eq. nnodes() - 1) text = 'sixteen letters!'
      call brdcst(1 + MSGCHR, text, 16, nnodes() - 1)
      CHECK(text .eq. 'sixteen letters!')
      call snd(2 + MSGCHR, text, 7, nodeid(), 1)
      text = ' '
      call rcv(2 + MSGCHR, text, 16, length, nodeid(), from, 1)
      CHECK(text .eq. 'sixteen' .and. length .eq. 7 .and. from .eq. nodeid())
      file = 'tcgmsg_copy.tmp'
      if (nodeid() .eq. 0) then
        open(20, file=file)
        write(20, '(a)') 'from rank 0'
        close(20)
      end if
      call synch(3)
      call pfcopy(4, 0, file)
      call pfilecopy(5, 0, file)
      open(20, file=file, status='old')
      read(20, '(a)') own
      close(20)
      CHECK(own .eq. 'from rank 0')
      call synch(6)
      if (nodeid() .eq. 0) then
        open(20, file=file)
        close(20, status='delete')
      end if
      line = 0
      end subroutine
