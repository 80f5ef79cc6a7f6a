// Algebra of whole matrices that Atoll's does not name as GA does. Collective.
#pragma once

#include <cstdint>
#include <string>

#include "compat/ga/algebra/views.hpp"

namespace lagoon::atoll::ga {

/// GA's norms are those of the elements as one vector, of matrices, too (measured): the sum of
/// their moduli, and the largest.
double sum_norm(const View& a);
double largest_norm(const View& a);

/// a = (a + its transpose) / 2, where the first two dimensions are exchanged, Fortran's last two,
/// for every index of the others. Error(value) where those two differ in extent.
void symmetrize_pairs(AnyArray& a);

/// Copies the lower triangle ("L", of Fortran's view) to the upper one, or the upper to the lower
/// one ("U"). Error(value) for other letters and for what is no square matrix.
void complete_from_triangle(AnyArray& a, char triangle);

}  // namespace lagoon::atoll::ga
