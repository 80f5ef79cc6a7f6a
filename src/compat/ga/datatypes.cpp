#include "compat/ga/datatypes.hpp"

#include <array>
#include <complex>
#include <concepts>
#include <cstring>
#include <type_traits>

#include "atoll/error.hpp"
#include "compat/ga/runtime.hpp"
#include "compat/handle_table.hpp"
#include "ga/macommon.h"
#include "ga/typesf2c.h"

namespace lagoon::atoll::ga {

namespace {

constexpr int first_registered = MT_LAST + 1;
constexpr int most_registered = 256;

/// A C type and what Atoll computes it with: what has the same kind, sign and size.
template <class T>
constexpr Datatype row(int code) {
  Datatype made{code, sizeof(T), std::nullopt};
  for (const ElementTraits& traits : element_traits)
    if (is_known(traits.type) && traits.integer == std::integral<T> &&
        traits.complex == !std::is_arithmetic_v<T> &&
        traits.has_sign == !std::unsigned_integral<T> && traits.bytes == sizeof(T))
      made.element = traits.type;
  return made;
}

// In the order of their numbers.
constexpr std::array<Datatype, MT_NUMTYPES> builtin = {{
    row<std::uint8_t>(MT_C_CHAR),
    row<int>(MT_C_INT),
    row<long>(MT_C_LONGINT),
    row<float>(MT_C_FLOAT),
    row<double>(MT_C_DBL),
    row<long double>(MT_C_LDBL),
    row<std::complex<float>>(MT_C_SCPL),
    row<std::complex<double>>(MT_C_DCPL),
    row<std::complex<long double>>(MT_C_LDCPL),
    row<std::uint8_t>(MT_F_BYTE),
    row<Integer>(MT_F_INT),
    row<Integer>(MT_F_LOG),
    row<Real>(MT_F_REAL),
    row<DoublePrecision>(MT_F_DBL),
    row<std::complex<Real>>(MT_F_SCPL),
    row<std::complex<DoublePrecision>>(MT_F_DCPL),
    row<long long>(MT_C_LONGLONG),
}};

constexpr bool is_of_fortran(int code) { return code >= MT_F_BYTE && code <= MT_F_DCPL; }

/// The first type of the language that is computed with the same; -1 where there is none.
int code_of(std::optional<ElementType> element, bool fortran) {
  for (const Datatype& type : builtin)
    if (element && type.element == element && is_of_fortran(type.code) == fortran) return type.code;
  return -1;
}

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
  return is_of_fortran(code) ? code_of(datatype(code).element, false) : code;
}

int code_for_fortran(int code) {
  const bool of_c = code >= MT_FIRST && code <= MT_LAST && !is_of_fortran(code);
  return of_c ? code_of(datatype(code).element, true) : code;
}

int code_of(ElementType element) {
  if (const int code = code_of(element, false); code >= 0) return code;
  throw Error(ErrorKind::type,
              "Global Arrays have no type for elements of " + std::string(name_of(element)));
}

ElementType element_of(const Datatype& type) {
  if (type.element) return *type.element;
  throw Error(ErrorKind::type,
              "there is no arithmetic for elements of type " + std::to_string(type.code));
}

Scalar scalar_at(const void* value, ElementType type) {
  return with_datatype(type, [&]<class T>(T) {
    T number;
    std::memcpy(&number, value, sizeof number);
    return Scalar(number);
  });
}

void store(const Scalar& scalar, ElementType type, void* value) {
  with_datatype(type, [&]<class T>(T) {
    const T number = scalar.as<T>();
    std::memcpy(value, &number, sizeof number);
  });
}

}  // namespace lagoon::atoll::ga
