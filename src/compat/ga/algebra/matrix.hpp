// Algebra of whole matrices that Atoll's does not name as GA does. Collective.
#pragma once

#include <cstdint>
#include <string>

#include "compat/ga/algebra/section.hpp"

namespace lagoon::atoll::ga {

/// GA's norms are those of the elements as one vector, of matrices, too (measured): the sum of
/// their moduli, and the largest.
double sum_norm(const Section& a);
double largest_norm(const Section& a);

/// Copies the lower triangle ("L", of Fortran's view) to the upper one, or the upper to the lower
/// one ("U"). Error(value) for other letters and for what is no square matrix.
void complete_from_triangle(const Section& a, char triangle);

}  // namespace lagoon::atoll::ga
