// Algebra on patches, written once for all ways to name them: C's and Fortran's bounds, and the
// four numbers of Fortran's older calls for matrices.
#pragma once

#include "atoll/algebra.hpp"
#include "compat/ga/algebra/elementwise.hpp"
#include "compat/ga/algebra/reductions.hpp"
#include "compat/ga/algebra/steps.hpp"
#include "compat/ga/algebra/views.hpp"

namespace lagoon::atoll::ga {

/// The arguments that name a patch.
template <Language language, class I>
struct Part {
  std::int64_t handle;
  const I *lo, *hi;
  Patch patch() const { return patch_of<language>(handle, lo, hi); }
};

/// Rows and columns of Fortran's; of a vector the rows.
struct MatrixPart {
  std::int64_t handle;
  std::int64_t ilo, ihi, jlo, jhi;
  /// Error(value) for arrays of more dimensions.
  Patch patch() const;
};

/// A part of an array as above, and no handle: those have overloads of their own.
template <class P>
concept PatchOfArray = requires(const P& part) { part.handle; };

template <PatchOfArray P>
MutableView numbers(const P& part) {
  return numbers(part.handle, part.patch());
}
template <PatchOfArray P>
MutableView elements(const P& part) {
  return elements(part.handle, part.patch());
}

template <class P>
void copy_patch(const char* routine, char transposition, const P& a, const P& b) {
  compat::guarded(routine, [&] {
    copy_elements(array_of(a.handle), in_form(elements(a), transposition), array_of(b.handle),
                  elements(b));
  });
}

template <class P>
void zero_patch(const char* routine, const P& a) {
  compat::guarded(routine, [&] { set_to_zero(elements(a)); });
}

/// fill_with, scale_by or add_number.
template <class P>
void with_number(const char* routine, void (*work)(const MutableView&, const void*), const P& a,
                 const void* number) {
  compat::guarded(routine, [&] { work(numbers(a), number); });
}

/// absolute_values or reciprocals.
template <class P>
void in_place(const char* routine, void (*work)(const MutableView&), const P& a) {
  compat::guarded(routine, [&] { work(numbers(a)); });
}

template <class P>
void binary_patch(const char* routine, Binary work, const P& a, const P& b, const P& c) {
  compat::guarded(routine, [&] { work(numbers(a), numbers(b), numbers(c)); });
}

template <class P>
void add_patch(const char* routine, const void* alpha, const P& a, const void* beta, const P& b,
               const P& c) {
  compat::guarded(routine, [&] { add_scaled(alpha, numbers(a), beta, numbers(b), numbers(c)); });
}

template <class P>
void median_patch(const char* routine, const P& a, const P& b, const P& c, const P& m) {
  compat::guarded(routine,
                  [&] { median_elements(numbers(a), numbers(b), numbers(c), numbers(m)); });
}

template <class T, class P>
T dot_patch(const char* routine, const P& a, char form_a, const P& b, char form_b) {
  return compat::guarded(
      routine, [&] { return dot_as<T>(in_form(numbers(a), form_a), in_form(numbers(b), form_b)); });
}

template <class P>
void step_max_patch(const char* routine, const P& x, const P& direction, void* step) {
  compat::guarded(routine, [&] { largest_step(numbers(x), numbers(direction), step); });
}

template <class P>
void step_bounds_patch(const char* routine, const P& x, const P& direction, const P& lower,
                       const P& upper, const BoundResults& results) {
  compat::guarded(routine, [&] {
    step_bounds(numbers(x), numbers(direction), numbers(lower), numbers(upper), results);
  });
}

template <Language language, class I>
void select_element(const char* routine, std::int64_t handle, std::string_view word, void* value,
                    I* index) {
  compat::guarded(routine, [&] {
    give_position<language>(select_element(numbers(handle), word, value), index);
  });
}

}  // namespace lagoon::atoll::ga
