// What every MT_* is.
#include "compat/ma/datatypes.hpp"

#include <limits>
#include <stdexcept>
#include <string>

#include "ga/macdecls.h"

// One object each in the process: Fortran's common blocks mbc_* become these at the link.
extern "C" {
alignas(64) char ma_cb_char[2];
alignas(64) int ma_cb_int[2];
alignas(64) long ma_cb_long[2];
alignas(64) long long ma_cb_longlong[2];
alignas(64) float ma_cb_float[2];
alignas(64) double ma_cb_dbl[2];
alignas(64) MA_LongDouble ma_cb_ldbl[2];
alignas(64) MA_SingleComplex ma_cb_scpl[2];
alignas(64) MA_DoubleComplex ma_cb_dcpl[2];
alignas(64) MA_LongDoubleComplex ma_cb_ldcpl[2];

alignas(64) char mbc_byte_[2];
alignas(64) Integer mbc_int_[2];
alignas(64) logical mbc_log_[2];
alignas(64) Real mbc_real_[2];
alignas(64) DoublePrecision mbc_dbl_[2];
alignas(64) SingleComplex mbc_scpl_[2];
alignas(64) DoubleComplex mbc_dcpl_[2];
}

namespace lagoon::atoll::ma {

namespace {

template <class T>
Datatype datatype_of(const char* name, T (&base)[2]) {
  return {name, sizeof(T), reinterpret_cast<char*>(base)};
}

}  // namespace

const Datatype& datatype(long code) {
  static const Datatype types[MT_NUMTYPES] = {
      datatype_of("char", ma_cb_char),
      datatype_of("int", ma_cb_int),
      datatype_of("long int", ma_cb_long),
      datatype_of("float", ma_cb_float),
      datatype_of("double", ma_cb_dbl),
      datatype_of("long double", ma_cb_ldbl),
      datatype_of("single precision complex", ma_cb_scpl),
      datatype_of("double precision complex", ma_cb_dcpl),
      datatype_of("long double precision complex", ma_cb_ldcpl),
      datatype_of("Fortran byte", mbc_byte_),
      datatype_of("Fortran integer", mbc_int_),
      datatype_of("Fortran logical", mbc_log_),
      datatype_of("Fortran real", mbc_real_),
      datatype_of("Fortran double precision", mbc_dbl_),
      datatype_of("Fortran single precision complex", mbc_scpl_),
      datatype_of("Fortran double precision complex", mbc_dcpl_),
      datatype_of("long long", ma_cb_longlong)};
  if (code < MT_FIRST || code > MT_LAST)
    throw std::invalid_argument("datatype is " + std::to_string(code) + ", not one of MT_* (" +
                                std::to_string(MT_FIRST) + " to " + std::to_string(MT_LAST) + ")");
  return types[code - MT_FIRST];
}

std::size_t bytes_of(Integer type, Integer elements) {
  if (elements < 0)
    throw std::invalid_argument("nelem is " + std::to_string(elements) + ", negative");
  const std::size_t size = datatype(type).size;
  const auto count = static_cast<std::size_t>(elements);
  if (count > (std::numeric_limits<std::size_t>::max() >> 2) / size)
    throw std::invalid_argument("nelem is " + std::to_string(elements) +
                                ", more than an address space holds");
  return count * size;
}

Integer elements_that_hold(Integer code, Integer elements, Integer other_code) {
  const std::size_t size = datatype(other_code).size;
  const std::size_t count = (bytes_of(code, elements) + size - 1) / size;
  if (count > static_cast<std::size_t>(std::numeric_limits<Integer>::max()))
    throw std::invalid_argument("nelem is " + std::to_string(elements) + ": " +
                                std::to_string(count) + " elements of " +
                                datatype(other_code).name + " are more than an integer holds");
  return static_cast<Integer>(count);
}

}  // namespace lagoon::atoll::ma
