// MA's Fortran names. Indices count from 1, so that dbl_mb(index) is the first element.
#include "compat/fortran.hpp"

#include "ga/macdecls.h"

using lagoon::atoll::compat::text_of;
using lagoon::atoll::compat::TextLength;

namespace {

/// What MA keeps of a name, with an end as C wants it.
struct Name {
  Name(const char* name, TextLength length) { text_of(name, length).copy(text, sizeof text - 1); }
  char text[MA_NAMESIZE] = "";
};

Boolean from_one(Boolean done, MA_AccessIndex* index) {
  if (done != MA_FALSE) ++*index;
  return done;
}

}  // namespace

extern "C" {

Boolean ma_init_(const Integer* datatype, const Integer* nominal_stack,
                 const Integer* nominal_heap) {
  return MA_init(*datatype, *nominal_stack, *nominal_heap);
}

Boolean ma_initialized_(void) { return MA_initialized(); }

Boolean ma_push_stack_(const Integer* datatype, const Integer* nelem, const char* name,
                       Integer* memhandle, TextLength length) {
  return MA_push_stack(*datatype, *nelem, Name(name, length).text, memhandle);
}

Boolean ma_push_get_(const Integer* datatype, const Integer* nelem, const char* name,
                     Integer* memhandle, MA_AccessIndex* index, TextLength length) {
  return from_one(MA_push_get(*datatype, *nelem, Name(name, length).text, memhandle, index), index);
}

Boolean ma_pop_stack_(const Integer* memhandle) { return MA_pop_stack(*memhandle); }
Boolean ma_chop_stack_(const Integer* memhandle) { return MA_chop_stack(*memhandle); }

Boolean ma_allocate_heap_(const Integer* datatype, const Integer* nelem, const char* name,
                          Integer* memhandle, TextLength length) {
  return MA_allocate_heap(*datatype, *nelem, Name(name, length).text, memhandle);
}

Boolean ma_alloc_get_(const Integer* datatype, const Integer* nelem, const char* name,
                      Integer* memhandle, MA_AccessIndex* index, TextLength length) {
  return from_one(MA_alloc_get(*datatype, *nelem, Name(name, length).text, memhandle, index),
                  index);
}

Boolean ma_free_heap_(const Integer* memhandle) { return MA_free_heap(*memhandle); }

Boolean ma_free_heap_piece_(const Integer* memhandle, const Integer* nelem) {
  return MA_free_heap_piece(*memhandle, *nelem);
}

Boolean ma_get_index_(const Integer* memhandle, MA_AccessIndex* index) {
  return from_one(MA_get_index(*memhandle, index), index);
}

Boolean ma_init_memhandle_iterator_(Integer* ithandle) {
  return MA_init_memhandle_iterator(ithandle);
}

Boolean ma_get_next_memhandle_(Integer* ithandle, Integer* memhandle) {
  return MA_get_next_memhandle(ithandle, memhandle);
}

Integer ma_inquire_avail_(const Integer* datatype) { return MA_inquire_avail(*datatype); }
Integer ma_inquire_heap_(const Integer* datatype) { return MA_inquire_heap(*datatype); }
Integer ma_inquire_heap_check_stack_(const Integer* datatype) {
  return MA_inquire_heap_check_stack(*datatype);
}
Integer ma_inquire_heap_no_partition_(const Integer* datatype) {
  return MA_inquire_heap_no_partition(*datatype);
}
Integer ma_inquire_stack_(const Integer* datatype) { return MA_inquire_stack(*datatype); }
Integer ma_inquire_stack_check_heap_(const Integer* datatype) {
  return MA_inquire_stack_check_heap(*datatype);
}
Integer ma_inquire_stack_no_partition_(const Integer* datatype) {
  return MA_inquire_stack_no_partition(*datatype);
}

Integer ma_sizeof_(const Integer* datatype1, const Integer* nelem1, const Integer* datatype2) {
  return MA_sizeof(*datatype1, *nelem1, *datatype2);
}
Integer ma_sizeof_overhead_(const Integer* datatype) { return MA_sizeof_overhead(*datatype); }

Boolean ma_get_numalign_(Integer* value) { return MA_get_numalign(value); }
Boolean ma_set_numalign_(const Integer* value) { return MA_set_numalign(*value); }
Boolean ma_set_auto_verify_(const Boolean* value) { return MA_set_auto_verify(*value); }
Boolean ma_set_error_print_(const Boolean* value) { return MA_set_error_print(*value); }
Boolean ma_set_hard_fail_(const Boolean* value) { return MA_set_hard_fail(*value); }

// The sizes of Fortran's types are known when the library is built.
Integer ma_set_sizes_(void) { return MA_TRUE; }

Boolean ma_verify_allocator_stuff_(void) { return MA_verify_allocator_stuff(); }
void ma_summarize_allocated_blocks_(void) { MA_summarize_allocated_blocks(); }
void ma_print_stats_(const Boolean* printroutines) { MA_print_stats(*printroutines); }
void ma_trace_(const Boolean* value) { MA_trace(*value); }

}  // extern "C"
