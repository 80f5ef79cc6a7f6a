#include "compat/ga/print/element_text.hpp"

#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>

#include "atoll/error.hpp"
#include "compat/ga/arrays.hpp"
#include "ga/macommon.h"

namespace lagoon::atoll::ga {

namespace {

constexpr int integer_width = 9, real_width = 12;

template <class T>
T number_at(const std::byte* element) {
  T value;
  std::memcpy(&value, element, sizeof value);
  return value;
}

/// Five decimals, or an exponent where that takes more room than a column has.
std::string text_of(long double value) {
  std::array<char, 64> text{};
  const bool fits = !std::isfinite(value) || std::abs(value) < 9999.999995L;
  std::snprintf(text.data(), text.size(), fits ? "%.5Lf" : "%.4Le", value);
  return text.data();
}

std::string right(const std::string& text, int width) {
  const auto wanted = static_cast<std::size_t>(width);
  return text.size() < wanted ? std::string(wanted - text.size(), ' ') + text : " " + text;
}

/// The element's real numbers, or none for an integer, which becomes `integer`.
struct Value {
  int parts = 0;
  long double real = 0, imaginary = 0;
  std::string integer{};
};

template <class T>
Value integer_value(const std::byte* element) {
  return {.integer = std::to_string(number_at<T>(element))};
}

template <class T>
Value real_value(const std::byte* element) {
  return {.parts = 1, .real = number_at<T>(element)};
}

template <class T>
Value complex_value(const std::byte* element) {
  const auto value = number_at<std::array<T, 2>>(element);
  return {.parts = 2, .real = value[0], .imaginary = value[1]};
}

Value value_at(int type, const std::byte* element) {
  switch (type) {
    case MT_C_CHAR: return integer_value<signed char>(element);
    case MT_C_INT: return integer_value<int>(element);
    case MT_C_LONGINT: return integer_value<long>(element);
    case MT_C_LONGLONG: return integer_value<long long>(element);
    case MT_C_FLOAT: return real_value<float>(element);
    case MT_C_DBL: return real_value<double>(element);
    case MT_C_LDBL: return real_value<long double>(element);
    case MT_C_SCPL: return complex_value<float>(element);
    case MT_C_DCPL: return complex_value<double>(element);
    case MT_C_LDCPL: return complex_value<long double>(element);
    default:
      throw Error(ErrorKind::type,
                  "elements of the registered type " + std::to_string(type) + " have no text");
  }
}

int width_of(int type) {
  switch (type) {
    case MT_C_FLOAT:
    case MT_C_DBL:
    case MT_C_LDBL: return real_width;
    case MT_C_SCPL:
    case MT_C_DCPL:
    case MT_C_LDCPL: return 2 * real_width;
    default: return integer_width;
  }
}

}  // namespace

std::string_view type_name(int type) {
  switch (code_for_c(type)) {
    case MT_C_CHAR: return "byte";
    case MT_C_INT: return "integer";
    case MT_C_LONGINT: return "long";
    case MT_C_LONGLONG: return "long long";
    case MT_C_FLOAT: return "float";
    case MT_C_DBL: return "double precision";
    case MT_C_LDBL: return "long double";
    case MT_C_SCPL: return "single complex";
    case MT_C_DCPL: return "double complex";
    case MT_C_LDCPL: return "long double complex";
    default: return "registered type";
  }
}

ElementText::ElementText(const GlobalArray& a)
    : type(code_for_c(a.plan.type)), bytes(a.type().bytes), width(width_of(type)) {
  if (type > MT_LAST)
    throw Error(ErrorKind::type, "elements of array '" + a.plan.name +
                                     "' have the registered type " + std::to_string(type) +
                                     ", which has no text");
}

std::string ElementText::aligned(const std::byte* element) const {
  const Value value = value_at(type, element);
  if (value.parts == 0) return right(value.integer, width);
  const std::string real = right(text_of(value.real), real_width);
  // The comma takes the place of the blank between the columns of the two parts.
  return value.parts == 1 ? real : real + "," + right(text_of(value.imaginary), real_width - 1);
}

std::string ElementText::plain(const std::byte* element) const {
  const Value value = value_at(type, element);
  if (value.parts == 0) return value.integer;
  if (value.parts == 1) return text_of(value.real);
  return "(" + text_of(value.real) + "," + text_of(value.imaginary) + ")";
}

}  // namespace lagoon::atoll::ga
