// Algebra element by element, on whole arrays and patches of numbers. All collective.
// Operands of unlike shapes with equally many elements go in order (reshape.hpp).
#pragma once

#include "compat/ga/algebra/views.hpp"

namespace lagoon::atoll::ga {

/// Those marked [mask] keep to GA_Mask_sync (mask.hpp).

/// target = source; opaque elements, too, as they lie. [mask] where the shapes are the same, the
/// arrays are not, and nothing is transposed.
void copy_elements(const GlobalArray& from, View source, const GlobalArray& to,
                   const MutableView& target);
/// Of elements of any type. [mask]
void set_to_zero(const MutableView& a);
/// Where processes pass different numbers each one's is for what it holds: programs fill with their
/// own number. [mask]
void fill_with(const MutableView& a, const void* value);
void scale_by(const MutableView& a, const void* factor);
void add_number(const MutableView& a, const void* number);
void absolute_values(const MutableView& a);
/// Of integers 1 / x as C divides. Error(value), on all alike, where one is zero.
void reciprocals(const MutableView& a);
/// Numbers from zero up to `value`, which they do not reach; of complex numbers each part up to
/// that of `value`.
void randomize(const MutableView& a, const void* value);

/// c = alpha a + beta b, numbers that differ as there. [mask] where all have one shape.
void add_scaled(const void* alpha, const View& a, const void* beta, const View& b,
                const MutableView& c);

/// c = f(a, b). Complex numbers are ordered by their moduli.
using Binary = void (*)(const View& a, const View& b, const MutableView& c);
void multiply_elements(const View& a, const View& b, const MutableView& c);
void divide_elements(const View& a, const View& b, const MutableView& c);
void minimum_elements(const View& a, const View& b, const MutableView& c);
void maximum_elements(const View& a, const View& b, const MutableView& c);
/// a / b, and the type's "infinity" (steps.hpp) where b is zero, or where a is zero and b above it
/// (`step`), or below it (`stepb`).
void step_divide_elements(const View& a, const View& b, const MutableView& c);
void stepb_divide_elements(const View& a, const View& b, const MutableView& c);

/// The middle one; of complex numbers by their moduli.
void median_elements(const View& a, const View& b, const View& c, const MutableView& m);

}  // namespace lagoon::atoll::ga
