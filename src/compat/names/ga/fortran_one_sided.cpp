// Fortran names: one-sided access.

#include <algorithm>
#include <cstdint>

#include "compat/ga/direct.hpp"
#include "compat/ga/inquiry.hpp"
#include "compat/ga/one_sided.hpp"
#include "compat/names/ga/names.hpp"
#include "ga/typesf2c.h"

using namespace lagoon::atoll;
using compat::guarded;
constexpr ga::Language fortran = ga::Language::fortran;

namespace {

/// A patch of a matrix, as the older calls name it.
struct Bounds {
  Bounds(const Integer* ilo, const Integer* ihi, const Integer* jlo, const Integer* jhi)
      : lo{*ilo, *jlo}, hi{*ihi, *jhi} {}
  Integer lo[ga::most_dimensions],
      hi[ga::most_dimensions];  // room for any array, for the optimizer
};

/// Subscripts in one list, and rows and columns in two, as functions of an element's number.
auto listed(const Integer* g_a, const Integer* subscripts) {
  const int n = guarded("ga", [&] { return ga::array_of(*g_a).dimensions(); });
  return [=](std::int64_t i) { return subscripts + i * n; };
}

struct RowAndColumn {
  const Integer* i;
  const Integer* j;
  Integer at[ga::most_dimensions] = {};
  const Integer* operator()(std::int64_t k) {
    at[0] = i[k];
    at[1] = j[k];
    return at;
  }
};

void access(const char* routine, Integer g_a, const Integer* lo, const Integer* hi, intp* index,
            Integer* ld) {
  guarded(routine, [&] {
    ga::GlobalArray& a = ga::array_of(g_a);
    const Patch patch = ga::patch<fortran>(lo, hi, a.dimensions());
    const ga::DirectMemory memory = ga::direct_memory(a, patch);
    *index = ga::fortran_index(a, memory.data);
    ga::give_leading<fortran>(memory.strides, ld);
    if (a.dimensions() > 1) return;
    // Of a vector GA tells the length of the block.
    const Patch block = a.owned(ga::locate(a, patch.lo));
    *ld = static_cast<Integer>(block.elements());
  });
}

}  // namespace

extern "C" {

void nga_get_(const Integer* g_a, const Integer* lo, const Integer* hi, void* buf,
              const Integer* ld) {
  ga::get<fortran>("nga_get", *g_a, lo, hi, buf, ld);
}
void ga_get_(const Integer* g_a, const Integer* ilo, const Integer* ihi, const Integer* jlo,
             const Integer* jhi, void* buf, const Integer* ld) {
  const Bounds b(ilo, ihi, jlo, jhi);
  ga::get<fortran>("ga_get", *g_a, b.lo, b.hi, buf, ld);
}
void nga_put_(const Integer* g_a, const Integer* lo, const Integer* hi, const void* buf,
              const Integer* ld) {
  ga::put<fortran>("nga_put", *g_a, lo, hi, buf, ld);
}
void ga_put_(const Integer* g_a, const Integer* ilo, const Integer* ihi, const Integer* jlo,
             const Integer* jhi, const void* buf, const Integer* ld) {
  const Bounds b(ilo, ihi, jlo, jhi);
  ga::put<fortran>("ga_put", *g_a, b.lo, b.hi, buf, ld);
}
void nga_acc_(const Integer* g_a, const Integer* lo, const Integer* hi, const void* buf,
              const Integer* ld, const void* alpha) {
  ga::accumulate<fortran>("nga_acc", *g_a, lo, hi, buf, ld, alpha);
}
void ga_acc_(const Integer* g_a, const Integer* ilo, const Integer* ihi, const Integer* jlo,
             const Integer* jhi, const void* buf, const Integer* ld, const void* alpha) {
  const Bounds b(ilo, ihi, jlo, jhi);
  ga::accumulate<fortran>("ga_acc", *g_a, b.lo, b.hi, buf, ld, alpha);
}

void nga_nbget_(const Integer* g_a, const Integer* lo, const Integer* hi, void* buf,
                const Integer* ld, Integer* nbhandle) {
  ga::get_begin<fortran>("nga_nbget", *g_a, lo, hi, buf, ld, nbhandle);
}
void ga_nbget_(const Integer* g_a, const Integer* ilo, const Integer* ihi, const Integer* jlo,
               const Integer* jhi, void* buf, const Integer* ld, Integer* nbhandle) {
  const Bounds b(ilo, ihi, jlo, jhi);
  ga::get_begin<fortran>("ga_nbget", *g_a, b.lo, b.hi, buf, ld, nbhandle);
}
void nga_nbput_(const Integer* g_a, const Integer* lo, const Integer* hi, const void* buf,
                const Integer* ld, Integer* nbhandle) {
  ga::put_begin<fortran>("nga_nbput", *g_a, lo, hi, buf, ld, nbhandle);
}
void ga_nbput_(const Integer* g_a, const Integer* ilo, const Integer* ihi, const Integer* jlo,
               const Integer* jhi, const void* buf, const Integer* ld, Integer* nbhandle) {
  const Bounds b(ilo, ihi, jlo, jhi);
  ga::put_begin<fortran>("ga_nbput", *g_a, b.lo, b.hi, buf, ld, nbhandle);
}
void nga_nbacc_(const Integer* g_a, const Integer* lo, const Integer* hi, const void* buf,
                const Integer* ld, const void* alpha, Integer* nbhandle) {
  ga::accumulate_begin<fortran>("nga_nbacc", *g_a, lo, hi, buf, ld, alpha, nbhandle);
}
void ga_nbacc_(const Integer* g_a, const Integer* ilo, const Integer* ihi, const Integer* jlo,
               const Integer* jhi, const void* buf, const Integer* ld, const void* alpha,
               Integer* nbhandle) {
  const Bounds b(ilo, ihi, jlo, jhi);
  ga::accumulate_begin<fortran>("ga_nbacc", *g_a, b.lo, b.hi, buf, ld, alpha, nbhandle);
}
void nga_nbwait_(const Integer* nbhandle) {
  guarded("nga_nbwait", [&] { ga::Runtime::get().pending->wait(*nbhandle); });
}
ATOLL_GA_ALSO(ga_nbwait_, nga_nbwait_);
Integer nga_nbtest_(const Integer* nbhandle) {
  return guarded("nga_nbtest",
                 [&] { return Integer{ga::Runtime::get().pending->test(*nbhandle) ? 1 : 0}; });
}
ATOLL_GA_ALSO(ga_nbtest_, nga_nbtest_);

// Whoever sees the element of g_b sees the patch of g_a.
void nga_nbput_notify_(const Integer* g_a, const Integer* lo, const Integer* hi, const void* buf,
                       const Integer* ld, const Integer* g_b, const Integer* ecoords,
                       const void* bufn, Integer* nbhandle) {
  ga::put<fortran>("nga_nbput_notify", *g_a, lo, hi, buf, ld);
  guarded("nga_nbput_notify", [&] {
    ga::Runtime::get().world().fence();
    const int n = ga::array_of(*g_b).dimensions();
    Integer leading[ga::most_dimensions] = {};
    std::fill_n(leading, n, Integer{1});
    ga::put_begin<fortran>("nga_nbput_notify", *g_b, ecoords, ecoords, bufn, leading, nbhandle);
  });
}
ATOLL_GA_ALSO(nga_nbwait_notify_, nga_nbwait_);

void nga_strided_get_(const Integer* g_a, const Integer* lo, const Integer* hi, const Integer* skip,
                      void* buf, const Integer* ld) {
  ga::strided_get<fortran>("nga_strided_get", *g_a, lo, hi, skip, buf, ld);
}
void nga_strided_put_(const Integer* g_a, const Integer* lo, const Integer* hi, const Integer* skip,
                      const void* buf, const Integer* ld) {
  ga::strided_put<fortran>("nga_strided_put", *g_a, lo, hi, skip, buf, ld);
}
void nga_strided_acc_(const Integer* g_a, const Integer* lo, const Integer* hi, const Integer* skip,
                      const void* buf, const Integer* ld, const void* alpha) {
  ga::strided_accumulate<fortran>("nga_strided_acc", *g_a, lo, hi, skip, buf, ld, alpha);
}

void nga_get_field_(const Integer* g_a, const Integer* lo, const Integer* hi, const Integer* foff,
                    const Integer* fsize, void* buf, const Integer* ld) {
  ga::get_field<fortran>("nga_get_field", *g_a, lo, hi, *foff, *fsize, buf, ld);
}
void nga_put_field_(const Integer* g_a, const Integer* lo, const Integer* hi, const Integer* foff,
                    const Integer* fsize, const void* buf, const Integer* ld) {
  ga::put_field<fortran>("nga_put_field", *g_a, lo, hi, *foff, *fsize, buf, ld);
}
void nga_nbget_field_(const Integer* g_a, const Integer* lo, const Integer* hi, const Integer* foff,
                      const Integer* fsize, void* buf, const Integer* ld, Integer* nbhandle) {
  ga::get_field_begin<fortran>("nga_nbget_field", *g_a, lo, hi, *foff, *fsize, buf, ld, nbhandle);
}
void nga_nbput_field_(const Integer* g_a, const Integer* lo, const Integer* hi, const Integer* foff,
                      const Integer* fsize, const void* buf, const Integer* ld, Integer* nbhandle) {
  ga::put_field_begin<fortran>("nga_nbput_field", *g_a, lo, hi, *foff, *fsize, buf, ld, nbhandle);
}

void nga_gather_(const Integer* g_a, void* v, const Integer* subscripts, const Integer* n) {
  ga::gather<fortran>("nga_gather", *g_a, v, *n, listed(g_a, subscripts));
}
void ga_gather_(const Integer* g_a, void* v, const Integer* i, const Integer* j, const Integer* n) {
  ga::gather<fortran>("ga_gather", *g_a, v, *n, RowAndColumn{i, j});
}
void nga_scatter_(const Integer* g_a, const void* v, const Integer* subscripts, const Integer* n) {
  ga::scatter<fortran>("nga_scatter", *g_a, v, *n, listed(g_a, subscripts));
}
void ga_scatter_(const Integer* g_a, const void* v, const Integer* i, const Integer* j,
                 const Integer* n) {
  ga::scatter<fortran>("ga_scatter", *g_a, v, *n, RowAndColumn{i, j});
}
void nga_scatter_acc_(const Integer* g_a, const void* v, const Integer* subscripts,
                      const Integer* n, const void* alpha) {
  ga::scatter_accumulate<fortran>("nga_scatter_acc", *g_a, v, *n, alpha, listed(g_a, subscripts));
}
void ga_scatter_acc_(const Integer* g_a, const void* v, const Integer* i, const Integer* j,
                     const Integer* n, const void* alpha) {
  ga::scatter_accumulate<fortran>("ga_scatter_acc", *g_a, v, *n, alpha, RowAndColumn{i, j});
}
// Atoll's scattered access needs no memory set aside.
void nga_alloc_gatscat_buf_(const Integer*) {}
void nga_free_gatscat_buf_(void) {}

Integer nga_read_inc_(const Integer* g_a, const Integer* subscript, const Integer* inc) {
  return static_cast<Integer>(ga::read_increment<fortran>("nga_read_inc", *g_a, subscript, *inc));
}
Integer ga_read_inc_(const Integer* g_a, const Integer* i, const Integer* j, const Integer* inc) {
  const Integer subscript[ga::most_dimensions] = {*i, *j};
  return static_cast<Integer>(ga::read_increment<fortran>("ga_read_inc", *g_a, subscript, *inc));
}

void nga_access_(const Integer* g_a, const Integer* lo, const Integer* hi, intp* index,
                 Integer* ld) {
  access("nga_access", *g_a, lo, hi, index, ld);
}
void ga_access_(const Integer* g_a, const Integer* ilo, const Integer* ihi, const Integer* jlo,
                const Integer* jhi, intp* index, Integer* ld) {
  const Bounds b(ilo, ihi, jlo, jhi);
  access("ga_access", *g_a, b.lo, b.hi, index, ld);
}

void nga_release_(const Integer* g_a, const Integer* lo, const Integer* hi) {
  ga::release<fortran>(*g_a, lo, hi, false);
}
void nga_release_update_(const Integer* g_a, const Integer* lo, const Integer* hi) {
  ga::release<fortran>(*g_a, lo, hi, true);
}
void ga_release_(const Integer* g_a, const Integer* ilo, const Integer* ihi, const Integer* jlo,
                 const Integer* jhi) {
  const Bounds b(ilo, ihi, jlo, jhi);
  ga::release<fortran>(*g_a, b.lo, b.hi, false);
}
void ga_release_update_(const Integer* g_a, const Integer* ilo, const Integer* ihi,
                        const Integer* jlo, const Integer* jhi) {
  const Bounds b(ilo, ihi, jlo, jhi);
  ga::release<fortran>(*g_a, b.lo, b.hi, true);
}

}  // extern "C"
