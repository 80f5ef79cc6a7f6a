// MA's C names.
#include <cstring>
#include <stdexcept>
#include <string_view>

#include "compat/ma/report.hpp"
#include "compat/ma/session.hpp"
#include "ga/macdecls.h"

using namespace lagoon::atoll::ma;

namespace {

std::string_view name_or_none(const char* name) { return name == nullptr ? "" : name; }

Boolean set(const char* routine, bool Session::* flag, Boolean value) {
  return call<Boolean>(routine, MA_FALSE, [&](Session& session) {
    const Boolean before = session.*flag ? MA_TRUE : MA_FALSE;
    session.*flag = value != MA_FALSE;
    return before;
  });
}

Boolean allocate(const char* routine, Side side, Integer type, Integer elements, const char* name,
                 Integer* handle, MA_AccessIndex* index) {
  return call<Boolean>(routine, MA_FALSE, [&](Session& session) {
    session.look();
    const std::string_view text = name_or_none(name);
    session.trace(side == Side::heap ? "allocating" : "pushing", text);
    *handle = session.allocator.allocate(side, type, elements, text);
    if (index != nullptr) *index = session.allocator.index(*handle);
    return MA_TRUE;
  });
}

Boolean release(const char* routine, const char* what, Integer handle,
                void (Allocator::*work)(Integer)) {
  return call<Boolean>(routine, MA_FALSE, [&](Session& session) {
    session.look();
    session.trace(what, session.allocator.block(handle).name);
    (session.allocator.*work)(handle);
    return MA_TRUE;
  });
}

Integer inquire(const char* routine, Side side, Room room, Integer type) {
  return call<Integer>(routine, 0, [&](Session& session) {
    session.look();
    return session.allocator.room(side, room, type);
  });
}

}  // namespace

extern "C" {

Boolean MA_init(Integer datatype, Integer nominal_stack, Integer nominal_heap) {
  return call<Boolean>("MA_init", MA_FALSE, [&](Session& session) {
    session.allocator.begin(datatype, nominal_stack, nominal_heap);
    return MA_TRUE;
  });
}

Boolean MA_initialized(void) {
  return call<Boolean>("MA_initialized", MA_FALSE, [](Session& session) {
    return session.allocator.begun() ? MA_TRUE : MA_FALSE;
  });
}

Boolean MA_push_stack(Integer datatype, Integer nelem, const char* name, Integer* memhandle) {
  return allocate("MA_push_stack", Side::stack, datatype, nelem, name, memhandle, nullptr);
}

Boolean MA_push_get(Integer datatype, Integer nelem, const char* name, Integer* memhandle,
                    MA_AccessIndex* index) {
  return allocate("MA_push_get", Side::stack, datatype, nelem, name, memhandle, index);
}

Boolean MA_pop_stack(Integer memhandle) {
  return release("MA_pop_stack", "popping", memhandle, &Allocator::pop_stack);
}

Boolean MA_chop_stack(Integer memhandle) {
  return release("MA_chop_stack", "chopping", memhandle, &Allocator::chop_stack);
}

Boolean MA_allocate_heap(Integer datatype, Integer nelem, const char* name, Integer* memhandle) {
  return allocate("MA_allocate_heap", Side::heap, datatype, nelem, name, memhandle, nullptr);
}

Boolean MA_alloc_get(Integer datatype, Integer nelem, const char* name, Integer* memhandle,
                     MA_AccessIndex* index) {
  return allocate("MA_alloc_get", Side::heap, datatype, nelem, name, memhandle, index);
}

Boolean MA_free_heap(Integer memhandle) {
  return release("MA_free_heap", "freeing", memhandle, &Allocator::free_heap);
}

Boolean MA_free_heap_piece(Integer memhandle, Integer nelem) {
  return call<Boolean>("MA_free_heap_piece", MA_FALSE, [&](Session& session) {
    session.look();
    session.trace("freeing a piece of", session.allocator.block(memhandle).name);
    session.allocator.free_heap_piece(memhandle, nelem);
    return MA_TRUE;
  });
}

Boolean MA_get_index(Integer memhandle, MA_AccessIndex* index) {
  return call<Boolean>("MA_get_index", MA_FALSE, [&](Session& session) {
    session.look();
    *index = session.allocator.index(memhandle);
    return MA_TRUE;
  });
}

Boolean MA_get_pointer(Integer memhandle, void* pointer) {
  return call<Boolean>("MA_get_pointer", MA_FALSE, [&](Session& session) {
    session.look();
    const std::byte* const found = session.allocator.pointer(memhandle);
    std::memcpy(pointer, &found, sizeof found);  // it may be of any type of pointer
    return MA_TRUE;
  });
}

Pointer MA_get_mbase(Integer code) {
  return call<Pointer>("MA_get_mbase", nullptr, [&](Session&) { return datatype(code).base; });
}

Boolean MA_init_memhandle_iterator(Integer* ithandle) {
  return call<Boolean>("MA_init_memhandle_iterator", MA_FALSE, [&](Session& session) {
    if (!session.allocator.begun()) throw std::logic_error("MA is not initialized yet");
    *ithandle = 0;
    return MA_TRUE;
  });
}

Boolean MA_get_next_memhandle(Integer* ithandle, Integer* memhandle) {
  return call<Boolean>("MA_get_next_memhandle", MA_FALSE, [&](Session& session) {
    const std::vector<Integer> handles = session.allocator.handles();
    const Integer at = *ithandle;
    if (at < 0 || static_cast<std::size_t>(at) >= handles.size()) return MA_FALSE;
    *memhandle = handles[static_cast<std::size_t>(at)];
    ++*ithandle;
    return MA_TRUE;
  });
}

Integer MA_inquire_avail(Integer datatype) {
  return inquire("MA_inquire_avail", Side::heap, Room::gap, datatype);
}
Integer MA_inquire_heap(Integer datatype) {
  return inquire("MA_inquire_heap", Side::heap, Room::side, datatype);
}
Integer MA_inquire_heap_check_stack(Integer datatype) {
  return inquire("MA_inquire_heap_check_stack", Side::heap, Room::side_or_gap, datatype);
}
Integer MA_inquire_heap_no_partition(Integer datatype) {
  return inquire("MA_inquire_heap_no_partition", Side::heap, Room::anywhere, datatype);
}
Integer MA_inquire_stack(Integer datatype) {
  return inquire("MA_inquire_stack", Side::stack, Room::side, datatype);
}
Integer MA_inquire_stack_check_heap(Integer datatype) {
  return inquire("MA_inquire_stack_check_heap", Side::stack, Room::side_or_gap, datatype);
}
Integer MA_inquire_stack_no_partition(Integer datatype) {
  return inquire("MA_inquire_stack_no_partition", Side::stack, Room::anywhere, datatype);
}

Integer MA_sizeof(Integer datatype1, Integer nelem1, Integer datatype2) {
  return call<Integer>("MA_sizeof", 0,
                       [&](Session&) { return elements_that_hold(datatype1, nelem1, datatype2); });
}

Integer MA_sizeof_overhead(Integer code) {
  return call<Integer>("MA_sizeof_overhead", 0, [&](Session& session) {
    const std::size_t size = datatype(code).size;
    return static_cast<Integer>((session.allocator.overhead(code) + size - 1) / size);
  });
}

Boolean MA_get_numalign(Integer* value) {
  return call<Boolean>("MA_get_numalign", MA_FALSE, [&](Session& session) {
    *value = session.allocator.alignment_exponent();
    return MA_TRUE;
  });
}

Boolean MA_set_numalign(Integer value) {
  return call<Boolean>("MA_set_numalign", MA_FALSE, [&](Session& session) {
    session.allocator.set_alignment_exponent(value);
    return MA_TRUE;
  });
}

Boolean MA_set_auto_verify(Boolean value) {
  return set("MA_set_auto_verify", &Session::verifies, value);
}
Boolean MA_set_error_print(Boolean value) {
  return set("MA_set_error_print", &Session::prints_errors, value);
}
Boolean MA_set_hard_fail(Boolean value) {
  return set("MA_set_hard_fail", &Session::hard_fails, value);
}
void MA_set_error_callback(void (*func)(const char*, int)) { Session::get().callback = func; }

Boolean MA_verify_allocator_stuff(void) {
  return call<Boolean>("MA_verify_allocator_stuff", MA_FALSE, [](Session& session) {
    session.verify();
    return MA_TRUE;
  });
}

void MA_summarize_allocated_blocks(void) {
  call<int>("MA_summarize_allocated_blocks", 0, [](Session& session) {
    print_blocks(session.allocator);
    return 0;
  });
}

void MA_print_stats(Boolean printroutines) {
  call<int>("MA_print_stats", 0, [&](Session& session) {
    print_usage(session, printroutines != MA_FALSE);
    return 0;
  });
}

void MA_trace(Boolean value) { (void)set("MA_trace", &Session::traces, value); }

}  // extern "C"
