// Periodic access: C and Fortran names. Patches may reach beyond the array, which goes on at its
// other end in every dimension.
#include "atoll/periodic.hpp"

#include <cstdint>

#include "compat/ga/one_sided.hpp"
#include "compat/names/ga/names.hpp"
#include "ga/ga.h"

using namespace lagoon::atoll;
using ga::Language;

namespace {

template <Language language, class I>
void get(const char* routine, std::int64_t g_a, const I* lo, const I* hi, void* buffer,
         const I* ld) {
  compat::guarded(routine, [&] {
    const ga::BufferedPatch s = ga::section<language>(g_a, lo, hi, ld);
    get_periodic(s.global.array(), s.patch, buffer, s.strides);
  });
}

template <Language language, class I>
void put(const char* routine, std::int64_t g_a, const I* lo, const I* hi, const void* buffer,
         const I* ld) {
  compat::guarded(routine, [&] {
    const ga::BufferedPatch s = ga::section<language>(g_a, lo, hi, ld);
    put_periodic(s.global.array(), s.patch, buffer, s.strides);
  });
}

template <Language language, class I>
void accumulate(const char* routine, std::int64_t g_a, const I* lo, const I* hi, const void* buffer,
                const I* ld, const void* alpha) {
  compat::guarded(routine, [&] {
    const ga::BufferedPatch s = ga::section<language>(g_a, lo, hi, ld);
    (void)ga::element_of(s.global.type());
    accumulate_periodic(s.global.array(), s.patch, buffer, alpha, s.strides);
  });
}

}  // namespace

extern "C" {

ATOLL_GA_BOTH(void, NGA_Periodic_get, (int g_a, Int lo[], Int hi[], void* buf, Int ld[]),
              get<Language::c>(__func__, g_a, lo, hi, buf, ld));
ATOLL_GA_BOTH(void, NGA_Periodic_put, (int g_a, Int lo[], Int hi[], void* buf, Int ld[]),
              put<Language::c>(__func__, g_a, lo, hi, buf, ld));
ATOLL_GA_BOTH(void, NGA_Periodic_acc,
              (int g_a, Int lo[], Int hi[], void* buf, Int ld[], void* alpha),
              accumulate<Language::c>(__func__, g_a, lo, hi, buf, ld, alpha));

void nga_periodic_get_(const Integer* g_a, const Integer* lo, const Integer* hi, void* buf,
                       const Integer* ld) {
  get<Language::fortran>("nga_periodic_get", *g_a, lo, hi, buf, ld);
}
void nga_periodic_put_(const Integer* g_a, const Integer* lo, const Integer* hi, const void* buf,
                       const Integer* ld) {
  put<Language::fortran>("nga_periodic_put", *g_a, lo, hi, buf, ld);
}
void nga_periodic_acc_(const Integer* g_a, const Integer* lo, const Integer* hi, const void* buf,
                       const Integer* ld, const void* alpha) {
  accumulate<Language::fortran>("nga_periodic_acc", *g_a, lo, hi, buf, ld, alpha);
}

}  // extern "C"
