! A Fortran program's use of MA: the included declarations, elements by index from the common blocks.
#define CHECK(condition) if (.not. (condition)) then; line = __LINE__; return; end if
      subroutine ma_program_in_fortran(line)
      implicit none
#include "mafdecls.fh"
      integer line, i, n, a, b, c, found, iterator, ma_set_sizes
      double precision ma_program_sum
      external ma_set_sizes, ma_program_sum
      MA_ACCESS_INDEX_TYPE at_a, at_b, at_c
      n = 100
      CHECK(.not. ma_initialized())
      CHECK(ma_init(MT_DBL, 1000, 1000))
      CHECK(ma_initialized())
      CHECK(ma_push_get(MT_INT, n, 'integers  ', a, at_a))
      CHECK(ma_alloc_get(MT_DCPL, n, 'complex', b, at_b))
      CHECK(ma_push_get(MT_DBL, n, '', c, at_c))
      do i = 1, n
        int_mb(at_a + i - 1) = i
        dcpl_mb(at_b + i - 1) = dcmplx(i, -i)
        dbl_mb(at_c + i - 1) = 0.25d0 * i
      end do
      do i = 1, n
        CHECK(int_mb(at_a + i - 1) .eq. i)
        CHECK(dcpl_mb(at_b + i - 1) .eq. dcmplx(i, -i))
        CHECK(dbl_mb(at_c + i - 1) .eq. 0.25d0 * i)
      end do
! Of another unit, which knows nothing of the common block.
      CHECK(ma_program_sum(dbl_mb(at_c), n) .eq. 0.125d0 * n * (n + 1))
      CHECK(ma_verify_allocator_stuff())
      CHECK(ma_sizeof(MT_INT, 2, MT_BYTE) .eq. 2 * storage_size(n) / 8)
      CHECK(ma_sizeof(MT_DCPL, 2, MT_DBL) .eq. 4)
      CHECK(ma_sizeof_overhead(MT_DBL) .gt. 0)
      CHECK(ma_init_memhandle_iterator(iterator))
      CHECK(ma_get_next_memhandle(iterator, found))
      CHECK(found .eq. b)
      call ma_trace(.false.)
      CHECK(.not. ma_set_error_print(.false.) .eqv. .false.)
      CHECK(.not. ma_pop_stack(a))
      CHECK(.not. ma_set_error_print(.true.))
      CHECK(ma_free_heap_piece(b, 50))
      CHECK(ma_free_heap(b))
      CHECK(ma_chop_stack(a))
      CHECK(ma_inquire_stack(MT_DBL) .eq. 1000)
      CHECK(ma_inquire_heap(MT_DBL) .eq. 1000)
! As in C, each by its Fortran name.
      CHECK(ma_set_sizes() .ne. 0)
      CHECK(ma_allocate_heap(MT_REAL, n, 'reals', a))
      CHECK(ma_get_index(a, at_a))
      real_mb(at_a) = 1.5
      real_mb(at_a + n - 1) = 2.5
      CHECK(ma_set_numalign(6))
      CHECK(ma_get_numalign(found))
      CHECK(found .eq. 6)
      CHECK(ma_push_stack(MT_LOG, n, 'logicals', b))
      CHECK(ma_get_index(b, at_b))
      CHECK(mod(loc(log_mb(at_b)), 64_8) .eq. 0)
      log_mb(at_b) = .true.
      log_mb(at_b + n - 1) = .false.
      CHECK(log_mb(at_b))
      CHECK(real_mb(at_a) .eq. 1.5 .and. real_mb(at_a + n - 1) .eq. 2.5)
      CHECK(.not. ma_set_auto_verify(.true.))
      CHECK(ma_set_auto_verify(.false.))
      CHECK(.not. ma_set_hard_fail(.false.))
      found = ma_inquire_avail(MT_DBL)
      CHECK(found .gt. 1500 .and. found .lt. 2000)
      CHECK(ma_inquire_heap_no_partition(MT_DBL) .eq. found)
      CHECK(ma_inquire_stack_no_partition(MT_DBL) .eq. found)
      CHECK(ma_inquire_heap_check_stack(MT_DBL) .eq. ma_inquire_heap(MT_DBL))
      CHECK(ma_inquire_stack_check_heap(MT_DBL) .eq. ma_inquire_stack(MT_DBL))
      call ma_summarize_allocated_blocks()
      call ma_print_stats(.false.)
      CHECK(ma_pop_stack(b))
      CHECK(ma_free_heap(a))
      line = 0
      end subroutine
