// C's and Fortran's structures of complex numbers.
#pragma once

#include <complex>

#include "ga/typesf2c.h"

namespace lagoon::atoll::ga {

inline DoubleComplex structure(std::complex<double> z) { return {z.real(), z.imag()}; }
inline SingleComplex structure(std::complex<float> z) { return {z.real(), z.imag()}; }
inline std::complex<double> number(DoubleComplex z) { return {z.real, z.imag}; }
inline std::complex<float> number(SingleComplex z) { return {z.real, z.imag}; }

}  // namespace lagoon::atoll::ga
