! Bits that a program may add to its message types, 1 to 32767, to tell what a message holds.
      integer MSGDBL, MSGINT, MSGCHR
      parameter (MSGDBL = 65536)
      parameter (MSGINT = 131072)
      parameter (MSGCHR = 262144)
