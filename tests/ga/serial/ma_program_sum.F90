! The sum of an array that is handed over.
      double precision function ma_program_sum(x, n)
      implicit none
      integer n
      double precision x(*)
      ma_program_sum = sum(x(1:n))
      end function
