// C names: synchronisation, broadcasts, reductions, mutexes.

#include <cstdint>

#include "compat/ga/collective.hpp"
#include "compat/ga/mask.hpp"
#include "compat/ga/runtime.hpp"
#include "compat/names/ga/names.hpp"
#include "ga/ga.h"

using namespace lagoon::atoll;
using compat::guarded;

namespace {

template <class T>
void reduce_default(const char* routine, T* x, int n, const char* op) {
  guarded(routine, [&] {
    ga::reduce(ga::Runtime::get().groups.default_group(), element_type_of<T>(), x, n, op);
  });
}

/// long and long long are one of the integers that Atoll has.
template <class T>
std::int64_t* as_int64(T* x) {
  static_assert(sizeof(T) == sizeof(std::int64_t));
  return reinterpret_cast<std::int64_t*>(x);
}

}  // namespace

extern "C" {

void GA_Sync(void) {
  guarded("GA_Sync", [] { ga::synchronise(ga::Runtime::get().groups.default_group()); });
}
ATOLL_GA_ALSO(NGA_Sync, GA_Sync);

void GA_Mask_sync(int first, int last) {
  guarded("GA_Mask_sync", [&] { ga::mask_next_call({first != 0, last != 0}); });
}
ATOLL_GA_ALSO(NGA_Mask_sync, GA_Mask_sync);

void GA_Init_fence(void) { guarded("GA_Init_fence", ga::begin_fence); }
ATOLL_GA_ALSO(NGA_Init_fence, GA_Init_fence);
void GA_Fence(void) { guarded("GA_Fence", ga::fence); }
ATOLL_GA_ALSO(NGA_Fence, GA_Fence);

int GA_Create_mutexes(int number) {
  return guarded("GA_Create_mutexes", [&] { return ga::create_mutexes(number) ? 1 : 0; });
}
int GA_Destroy_mutexes(void) {
  return guarded("GA_Destroy_mutexes", [] { return ga::destroy_mutexes() ? 1 : 0; });
}
ATOLL_GA_ALSO(NGA_Destroy_mutexes, GA_Destroy_mutexes);
void GA_Lock(int mutex) {
  guarded("GA_Lock", [&] { ga::lock(mutex); });
}
ATOLL_GA_ALSO(NGA_Lock, GA_Lock);
void GA_Unlock(int mutex) {
  guarded("GA_Unlock", [&] { ga::unlock(mutex); });
}
ATOLL_GA_ALSO(NGA_Unlock, GA_Unlock);

void GA_Brdcst(void* buf, int lenbuf, int root) {
  guarded("GA_Brdcst",
          [&] { ga::broadcast(ga::Runtime::get().groups.default_group(), buf, lenbuf, root); });
}

void GA_Gop(int type, void* x, int n, const char* op) {
  guarded("GA_Gop",
          [&] { ga::reduce_typed(ga::Runtime::get().groups.default_group(), type, x, n, op); });
}
void GA_Igop(int x[], int n, const char* op) { reduce_default("GA_Igop", x, n, op); }
ATOLL_GA_ALSO(NGA_Igop, GA_Igop);
void GA_Lgop(long x[], int n, const char* op) { reduce_default("GA_Lgop", as_int64(x), n, op); }
void GA_Llgop(long long x[], int n, const char* op) {
  reduce_default("GA_Llgop", as_int64(x), n, op);
}
void GA_Fgop(float x[], int n, const char* op) { reduce_default("GA_Fgop", x, n, op); }
void GA_Dgop(double x[], int n, const char* op) { reduce_default("GA_Dgop", x, n, op); }
ATOLL_GA_ALSO(NGA_Dgop, GA_Dgop);
void GA_Cgop(SingleComplex x[], int n, const char* op) {
  reduce_default("GA_Cgop", reinterpret_cast<std::complex<float>*>(x), n, op);
}
void GA_Zgop(DoubleComplex x[], int n, const char* op) {
  reduce_default("GA_Zgop", reinterpret_cast<std::complex<double>*>(x), n, op);
}

}  // extern "C"
