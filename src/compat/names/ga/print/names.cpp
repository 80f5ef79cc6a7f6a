// Printing by its C and Fortran names.
#include "compat/names/ga/names.hpp"

#include <cstdio>
#include <string>

#include "atoll/error.hpp"
#include "compat/failure.hpp"
#include "compat/ga/print/print.hpp"
#include "ga/ga.h"

using namespace lagoon::atoll;
using compat::guarded;
using ga::array_of;
using ga::Language;

namespace {

template <Language language, class I>
void print_patch(const char* routine, std::int64_t g_a, const I* lo, const I* hi, bool pretty) {
  guarded(routine, [&] {
    ga::GlobalArray& a = array_of(g_a);
    ga::print(stdout, a, ga::patch<language>(lo, hi, a.dimensions()), pretty);
  });
}

/// Of a matrix.
template <Language language, class I>
void print_patch(const char* routine, std::int64_t g_a, I ilo, I ihi, I jlo, I jhi, bool pretty) {
  guarded(routine, [&] {
    ga::GlobalArray& a = array_of(g_a);
    if (a.dimensions() != 2)
      throw Error(ErrorKind::value, "array '" + a.plan.name + "' has " +
                                        std::to_string(a.dimensions()) + " dimensions, expected 2");
    const I lo[] = {ilo, jlo}, hi[] = {ihi, jhi};
    ga::print(stdout, a, ga::patch<language>(lo, hi, 2), pretty);
  });
}

}  // namespace

extern "C" {

void GA_Print(int g_a) {
  guarded("GA_Print", [&] { ga::print(stdout, array_of(g_a)); });
}
void ga_print_(const Integer* g_a) {
  guarded("ga_print", [&] { ga::print(stdout, array_of(*g_a)); });
}
ATOLL_GA_ALSO(nga_print_, ga_print_);

void GA_Print_file(FILE* file, int g_a) {
  guarded("GA_Print_file", [&] { ga::print(file, array_of(g_a)); });
}

void GA_Print_patch(int g_a, int ilo, int ihi, int jlo, int jhi, int pretty) {
  print_patch<Language::c>("GA_Print_patch", g_a, ilo, ihi, jlo, jhi, pretty != 0);
}
void ga_print_patch_(const Integer* g_a, const Integer* ilo, const Integer* ihi, const Integer* jlo,
                     const Integer* jhi, const Integer* pretty) {
  print_patch<Language::fortran>("ga_print_patch", *g_a, *ilo, *ihi, *jlo, *jhi, *pretty != 0);
}

ATOLL_GA_BOTH(void, NGA_Print_patch, (int g_a, Int lo[], Int hi[], int pretty),
              print_patch<Language::c>(__func__, g_a, lo, hi, pretty != 0));
void nga_print_patch_(const Integer* g_a, const Integer* lo, const Integer* hi,
                      const Integer* pretty) {
  print_patch<Language::fortran>("nga_print_patch", *g_a, lo, hi, *pretty != 0);
}

void GA_Print_distribution(int g_a) {
  guarded("GA_Print_distribution",
          [&] { ga::print_distribution<Language::c>(stdout, array_of(g_a)); });
}
void ga_print_distribution_(const Integer* g_a) {
  guarded("ga_print_distribution",
          [&] { ga::print_distribution<Language::fortran>(stdout, array_of(*g_a)); });
}
ATOLL_GA_ALSO(nga_print_distribution_, ga_print_distribution_);

void GA_Summarize(int verbose) {
  guarded("GA_Summarize", [&] { ga::summarize(stdout, verbose != 0); });
}
void ga_summarize_(const Integer* verbose) {
  guarded("ga_summarize", [&] { ga::summarize(stdout, *verbose != 0); });
}
ATOLL_GA_ALSO(nga_summarize_, ga_summarize_);

void GA_Print_stats(void) {
  guarded("GA_Print_stats", [] { ga::print_statistics(stdout); });
}
ATOLL_GA_ALSO(ga_print_stats_, GA_Print_stats);
ATOLL_GA_ALSO(nga_print_stats_, GA_Print_stats);

}  // extern "C"
