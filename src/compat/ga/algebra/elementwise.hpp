// Algebra element by element, on whole arrays and patches of numbers. All collective.
// Operands of unlike shapes with equally many elements go in order (reshape.hpp).
#pragma once

#include "compat/ga/algebra/section.hpp"

namespace lagoon::atoll::ga {

/// target = source; opaque elements, too.
void copy_elements(const GlobalArray& from, const Section& source, const GlobalArray& to,
                   const Section& target, bool transposed = false);
/// Of any type.
void zero_elements(const Section& a);
void fill_with(const Section& a, const void* value);
void scale_by(const Section& a, const void* factor);
void add_number(const Section& a, const void* number);
void absolute_values(const Section& a);
void reciprocals(const Section& a);
/// Numbers from zero up to `value`, which they do not reach; of complex numbers each part up to
/// that of `value`.
void randomize(const Section& a, const void* value);

/// c = alpha a + beta b
void add_scaled(const void* alpha, const Section& a, const void* beta, const Section& b,
                const Section& c);

/// c = f(a, b). Complex numbers are ordered by their moduli.
using Binary = void (*)(const Section& a, const Section& b, const Section& c);
void multiply_elements(const Section& a, const Section& b, const Section& c);
void divide_elements(const Section& a, const Section& b, const Section& c);
void minimum_elements(const Section& a, const Section& b, const Section& c);
void maximum_elements(const Section& a, const Section& b, const Section& c);
/// a / b, and the type's "infinity" (steps.hpp) where b is zero, or where a is zero and b above it
/// (`step`), or below it (`stepb`).
void step_divide_elements(const Section& a, const Section& b, const Section& c);
void stepb_divide_elements(const Section& a, const Section& b, const Section& c);

void median_elements(const Section& a, const Section& b, const Section& c, const Section& m);

/// Error(value) for characters other than n and t.
bool is_transposed(char character);

}  // namespace lagoon::atoll::ga
