/* A C program's use of MA: the headers alone, plain C, elements by index. */
#include <macdecls.h>

#define CHECK(condition) \
  if (!(condition)) return __LINE__

int ma_program_in_c(void);

int ma_program_in_c(void) {
  Integer a, b, elements = 100;
  MA_AccessIndex at_a, at_b, i;
  double* doubles;
  CHECK(MA_init(MT_DBL, 1000, 1000));
  CHECK(MA_push_get(MT_INT, elements, "integers", &a, &at_a));
  CHECK(MA_alloc_get(MT_DBL, elements, "doubles", &b, &at_b));
  for (i = 0; i < elements; ++i) {
    ma_cb_int[at_a + i] = (int)i;
    ma_cb_dbl[at_b + i] = 0.5 * (double)i;
  }
  CHECK(MA_get_pointer(b, &doubles));
  for (i = 0; i < elements; ++i) CHECK(ma_cb_int[at_a + i] == i && doubles[i] == 0.5 * (double)i);
  CHECK(MA_verify_allocator_stuff());
  CHECK(MA_free_heap(b));
  CHECK(MA_pop_stack(a));
  return 0;
}
