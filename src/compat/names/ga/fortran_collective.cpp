// Fortran names: synchronisation, broadcasts, reductions, mutexes. The first argument of reductions
// and broadcasts, a message type, means nothing (trap 24).

#include <complex>
#include <string_view>
#include <type_traits>

#include "compat/fortran.hpp"
#include "compat/ga/collective.hpp"
#include "compat/ga/mask.hpp"
#include "compat/ga/runtime.hpp"
#include "compat/names/ga/names.hpp"
#include "ga/typesf2c.h"

using namespace lagoon::atoll;
using compat::guarded;
using compat::text_of;
using compat::TextLength;

namespace {

const Group& default_group() { return ga::Runtime::get().groups.default_group(); }
const Group& group(const Integer* handle) {
  return ga::Runtime::get().groups.at(static_cast<int>(*handle));
}

using Whole = std::conditional_t<sizeof(Integer) == 8, std::int64_t, std::int32_t>;

template <class T>
void reduce(const char* routine, const Group& (*of)(const Integer*), const Integer* handle, void* x,
            const Integer* n, std::string_view op) {
  guarded(routine, [&] { ga::reduce(of(handle), element_type_of<T>(), x, *n, op); });
}

const Group& of_default(const Integer*) { return default_group(); }

}  // namespace

extern "C" {

void ga_sync_(void) {
  guarded("ga_sync", [] { ga::synchronise(default_group()); });
}
ATOLL_GA_ALSO(nga_sync_, ga_sync_);

// Waits for all processes; completes nothing.
void ga_msg_sync_(void) {
  guarded("ga_msg_sync", [] { default_group().barrier(); });
}
ATOLL_GA_ALSO(nga_msg_sync_, ga_msg_sync_);

void ga_mask_sync_(const logical* first, const logical* last) {
  guarded("ga_mask_sync", [&] { ga::mask_next_call({*first != 0, *last != 0}); });
}
ATOLL_GA_ALSO(nga_mask_sync_, ga_mask_sync_);

void ga_init_fence_(void) { guarded("ga_init_fence", ga::begin_fence); }
ATOLL_GA_ALSO(nga_init_fence_, ga_init_fence_);
void ga_fence_(void) { guarded("ga_fence", ga::fence); }
ATOLL_GA_ALSO(nga_fence_, ga_fence_);

logical ga_create_mutexes_(const Integer* number) {
  return guarded("ga_create_mutexes", [&] { return logical{ga::create_mutexes(*number) ? 1 : 0}; });
}
ATOLL_GA_ALSO(nga_create_mutexes_, ga_create_mutexes_);
logical ga_destroy_mutexes_(void) {
  return guarded("ga_destroy_mutexes", [] { return logical{ga::destroy_mutexes() ? 1 : 0}; });
}
ATOLL_GA_ALSO(nga_destroy_mutexes_, ga_destroy_mutexes_);
void ga_lock_(const Integer* mutex) {
  guarded("ga_lock", [&] { ga::lock(*mutex); });
}
ATOLL_GA_ALSO(nga_lock_, ga_lock_);
void ga_unlock_(const Integer* mutex) {
  guarded("ga_unlock", [&] { ga::unlock(*mutex); });
}
ATOLL_GA_ALSO(nga_unlock_, ga_unlock_);

void ga_brdcst_(const Integer*, void* buf, const Integer* bytes, const Integer* root) {
  guarded("ga_brdcst", [&] { ga::broadcast(default_group(), buf, *bytes, *root); });
}
ATOLL_GA_ALSO(nga_brdcst_, ga_brdcst_);
void ga_pgroup_brdcst_(const Integer* grp, const Integer*, void* buf, const Integer* bytes,
                       const Integer* root) {
  guarded("ga_pgroup_brdcst", [&] { ga::broadcast(group(grp), buf, *bytes, *root); });
}

void ga_gop_(const Integer* type, void* x, const Integer* n, const char* op, TextLength length) {
  guarded("ga_gop", [&] { ga::reduce_typed(default_group(), *type, x, *n, text_of(op, length)); });
}
ATOLL_GA_ALSO(nga_gop_, ga_gop_);
void ga_pgroup_gop_(const Integer* grp, const Integer* type, void* x, const Integer* n,
                    const char* op, TextLength length) {
  guarded("ga_pgroup_gop",
          [&] { ga::reduce_typed(group(grp), *type, x, *n, text_of(op, length)); });
}
ATOLL_GA_ALSO(nga_pgroup_gop_, ga_pgroup_gop_);

void ga_igop_(const Integer*, void* x, const Integer* n, const char* op, TextLength length) {
  reduce<Whole>("ga_igop", of_default, nullptr, x, n, text_of(op, length));
}
ATOLL_GA_ALSO(nga_igop_, ga_igop_);
void ga_sgop_(const Integer*, void* x, const Integer* n, const char* op, TextLength length) {
  reduce<float>("ga_sgop", of_default, nullptr, x, n, text_of(op, length));
}
ATOLL_GA_ALSO(nga_sgop_, ga_sgop_);
void ga_dgop_(const Integer*, void* x, const Integer* n, const char* op, TextLength length) {
  reduce<double>("ga_dgop", of_default, nullptr, x, n, text_of(op, length));
}
ATOLL_GA_ALSO(nga_dgop_, ga_dgop_);
void ga_cgop_(const Integer*, void* x, const Integer* n, const char* op, TextLength length) {
  reduce<std::complex<float>>("ga_cgop", of_default, nullptr, x, n, text_of(op, length));
}
ATOLL_GA_ALSO(nga_cgop_, ga_cgop_);
void ga_zgop_(const Integer*, void* x, const Integer* n, const char* op, TextLength length) {
  reduce<std::complex<double>>("ga_zgop", of_default, nullptr, x, n, text_of(op, length));
}
ATOLL_GA_ALSO(nga_zgop_, ga_zgop_);

void ga_pgroup_igop_(const Integer* grp, const Integer*, void* x, const Integer* n, const char* op,
                     TextLength length) {
  reduce<Whole>("ga_pgroup_igop", group, grp, x, n, text_of(op, length));
}
ATOLL_GA_ALSO(nga_pgroup_igop_, ga_pgroup_igop_);
void ga_pgroup_sgop_(const Integer* grp, const Integer*, void* x, const Integer* n, const char* op,
                     TextLength length) {
  reduce<float>("ga_pgroup_sgop", group, grp, x, n, text_of(op, length));
}
ATOLL_GA_ALSO(nga_pgroup_sgop_, ga_pgroup_sgop_);
void ga_pgroup_dgop_(const Integer* grp, const Integer*, void* x, const Integer* n, const char* op,
                     TextLength length) {
  reduce<double>("ga_pgroup_dgop", group, grp, x, n, text_of(op, length));
}
ATOLL_GA_ALSO(nga_pgroup_dgop_, ga_pgroup_dgop_);
void ga_pgroup_cgop_(const Integer* grp, const Integer*, void* x, const Integer* n, const char* op,
                     TextLength length) {
  reduce<std::complex<float>>("ga_pgroup_cgop", group, grp, x, n, text_of(op, length));
}
ATOLL_GA_ALSO(nga_pgroup_cgop_, ga_pgroup_cgop_);
void ga_pgroup_zgop_(const Integer* grp, const Integer*, void* x, const Integer* n, const char* op,
                     TextLength length) {
  reduce<std::complex<double>>("ga_pgroup_zgop", group, grp, x, n, text_of(op, length));
}
ATOLL_GA_ALSO(nga_pgroup_zgop_, ga_pgroup_zgop_);

}  // extern "C"
