#include "compat/ga/datatypes.hpp"

#include <array>
#include <cstring>

#include "atoll/error.hpp"
#include "compat/ga/runtime.hpp"
#include "compat/handle_table.hpp"
#include "ga/macommon.h"
#include "ga/typesf2c.h"

namespace lagoon::atoll::ga {

namespace {

constexpr int first_registered = MT_LAST + 1;
constexpr int most_registered = 256;

template <class T>
constexpr ElementType integer_element() {
  return sizeof(T) == 4 ? ElementType::int32 : ElementType::int64;
}

// In the order of their numbers.
constexpr std::array<Datatype, MT_NUMTYPES> builtin = {{
    {MT_C_CHAR, 1, ElementType::uint8},
    {MT_C_INT, sizeof(int), integer_element<int>()},
    {MT_C_LONGINT, sizeof(long), integer_element<long>()},
    {MT_C_FLOAT, sizeof(float), ElementType::float32},
    {MT_C_DBL, sizeof(double), ElementType::float64},
    {MT_C_LDBL, sizeof(long double), std::nullopt},
    {MT_C_SCPL, 2 * sizeof(float), ElementType::complex64},
    {MT_C_DCPL, 2 * sizeof(double), ElementType::complex128},
    {MT_C_LDCPL, 2 * sizeof(long double), std::nullopt},
    {MT_F_BYTE, 1, ElementType::uint8},
    {MT_F_INT, sizeof(Integer), integer_element<Integer>()},
    {MT_F_LOG, sizeof(Integer), integer_element<Integer>()},
    {MT_F_REAL, sizeof(Real), ElementType::float32},
    {MT_F_DBL, sizeof(DoublePrecision), ElementType::float64},
    {MT_F_SCPL, sizeof(SingleComplex), ElementType::complex64},
    {MT_F_DCPL, sizeof(DoubleComplex), ElementType::complex128},
    {MT_C_LONGLONG, sizeof(long long), integer_element<long long>()},
}};

struct Registered {
  compat::HandleTable<Datatype> types{first_registered};
};

compat::HandleTable<Datatype>& registered() { return Runtime::get().keep<Registered>().types; }

const Datatype* find(int code) {
  if (code >= MT_FIRST && code <= MT_LAST)
    return &builtin[static_cast<std::size_t>(code - MT_FIRST)];
  return Runtime::running() ? registered().find(code) : nullptr;
}

}  // namespace

bool is_datatype(int code) { return find(code) != nullptr; }

const Datatype& datatype(int code) {
  if (const Datatype* found = find(code)) return *found;
  throw Error(ErrorKind::type,
              "type is " + std::to_string(code) + ", neither one of MT_* nor of NGA_Register_type");
}

int register_datatype(std::size_t bytes) {
  if (bytes == 0 || bytes > (std::size_t{1} << 30))
    throw Error(ErrorKind::value,
                "an element is to have " + std::to_string(bytes) + " bytes; expected 1 to 2^30");
  const int code = registered().next();
  if (code == first_registered + most_registered)
    throw Error(ErrorKind::value, "there are 256 registered types already");
  return registered().add(std::make_unique<Datatype>(Datatype{code, bytes, std::nullopt}));
}

bool deregister_datatype(int code) {
  return Runtime::running() && registered().take(code) != nullptr;
}

int code_for_c(int code) {
  constexpr int long_or_int = sizeof(Integer) == sizeof(int) ? MT_C_INT : MT_C_LONGINT;
  switch (code) {
    case MT_F_BYTE: return MT_C_CHAR;
    case MT_F_INT:
    case MT_F_LOG: return long_or_int;
    case MT_F_REAL: return MT_C_FLOAT;
    case MT_F_DBL: return MT_C_DBL;
    case MT_F_SCPL: return MT_C_SCPL;
    case MT_F_DCPL: return MT_C_DCPL;
    default: return code;
  }
}

int code_for_fortran(int code) {
  switch (code) {
    case MT_C_CHAR: return MT_F_BYTE;
    case MT_C_INT: return sizeof(int) == sizeof(Integer) ? MT_F_INT : -1;
    case MT_C_LONGINT: return sizeof(long) == sizeof(Integer) ? MT_F_INT : -1;
    case MT_C_LONGLONG: return sizeof(long long) == sizeof(Integer) ? MT_F_INT : -1;
    case MT_C_FLOAT: return MT_F_REAL;
    case MT_C_DBL: return MT_F_DBL;
    case MT_C_SCPL: return MT_F_SCPL;
    case MT_C_DCPL: return MT_F_DCPL;
    case MT_C_LDBL:
    case MT_C_LDCPL: return -1;
    default: return code;
  }
}

ElementType element_of(const Datatype& type) {
  if (type.element) return *type.element;
  throw Error(ErrorKind::type,
              "there is no arithmetic for elements of type " + std::to_string(type.code));
}

Scalar scalar_at(const void* value, ElementType type) {
  return with_element_type(type, [&]<class T>(T) {
    T number;
    std::memcpy(&number, value, sizeof number);
    return Scalar(number);
  });
}

void store(const Scalar& scalar, ElementType type, void* value) {
  with_element_type(type, [&]<class T>(T) {
    const T number = scalar.as<T>();
    std::memcpy(value, &number, sizeof number);
  });
}

}  // namespace lagoon::atoll::ga
