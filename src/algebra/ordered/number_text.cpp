// Choosing between decimals and exponents, and padding so that decimal points stand in a column.
#include "algebra/ordered/number_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <complex>
#include <concepts>
#include <span>
#include <system_error>

namespace lagoon::atoll::detail {

namespace {

constexpr int most_decimals = 8;

enum class Notation : bool { decimal, exponent };

/// As short as it is this number again when read as a Float16.
std::string shortest(Float16 value, Notation notation) {
  const bool exponent = notation == Notation::exponent;
  std::array<char, 64> buffer;  // NOLINT: so much of it as there is
  std::string text;
  for (int digits = 0; digits <= most_decimals; ++digits) {
    const float number = value;
    char* const end =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), number,
                      exponent ? std::chars_format::scientific : std::chars_format::fixed, digits)
            .ptr;
    text.assign(buffer.data(), end);
    float read = 0;
    std::from_chars(buffer.data(), end, read);
    if (Float16(read).bits() == value.bits()) break;
  }
  return text;
}

/// The shortest text that is this number again, cut to `most_decimals`.
template <class Real>
std::string shortest(Real value, Notation notation) {
  char buffer[512];  // a double without exponent has at most 309 digits before the point
  const auto format =
      notation == Notation::decimal ? std::chars_format::fixed : std::chars_format::scientific;
  auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value, format);
  if (error != std::errc{}) return std::to_string(value);
  std::string text(buffer, end);
  const auto decimals_of = [](const std::string& t) {
    const auto point = t.find('.');
    if (point == std::string::npos) return std::size_t{0};
    const auto stop = std::min(t.find('e'), t.size());
    return stop - point - 1;
  };
  if (decimals_of(text) <= static_cast<std::size_t>(most_decimals)) return text;
  end = std::to_chars(buffer, buffer + sizeof buffer, value, format, most_decimals).ptr;
  return {buffer, end};
}

/// A real number taken apart at its point: "12", "5", "e+10".
struct Parts {
  std::string whole, decimals, exponent;
};

Parts apart(const std::string& text) {
  const auto stop = std::min(text.find('e'), text.size());
  const auto point = std::min(text.find('.'), stop);
  Parts parts{text.substr(0, point), "", text.substr(stop)};
  if (point < stop) parts.decimals = text.substr(point + 1, stop - point - 1);
  while (!parts.decimals.empty() && parts.decimals.back() == '0') parts.decimals.pop_back();
  return parts;
}

std::string padded_left(std::string text, std::size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}

template <class Real>
Notation choose_notation(std::span<const Real> numbers) {
  double largest = 0, smallest = HUGE_VAL;
  for (const Real number : numbers) {
    const double size = std::abs(static_cast<double>(number));
    if (!std::isfinite(size) || size == 0) continue;
    largest = std::max(largest, size);
    smallest = std::min(smallest, size);
  }
  const bool exponents =
      largest > 0 && (largest >= 1e8 || smallest < 1e-4 || largest / smallest > 1000);
  return exponents ? Notation::exponent : Notation::decimal;
}

/// `tail` stands right behind the digits ("j"); `plus` shows the sign of positive numbers too.
template <class Real>
std::vector<std::string> real_texts(std::span<const Real> numbers, bool plus,
                                    const std::string& tail) {
  const Notation notation = choose_notation(numbers);
  std::vector<Parts> parts;
  std::size_t decimals = 0, exponent = 0, width = 0;
  for (const Real number : numbers) {
    Parts part{std::isnan(number) ? "nan" : number < 0 ? "-inf" : "inf", "", ""};
    if (std::isfinite(number)) part = apart(shortest(number, notation));
    if (plus && part.whole[0] != '-') part.whole.insert(0, 1, '+');
    decimals = std::max(decimals, part.decimals.size());
    exponent = std::max(exponent, part.exponent.size());
    parts.push_back(std::move(part));
  }
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Parts& part = parts[i];
    std::string text = part.whole;
    if (std::isfinite(numbers[i])) {
      const std::size_t missing = decimals - part.decimals.size();
      text += "." + part.decimals;
      if (notation == Notation::exponent) {
        part.exponent.insert(2, exponent - part.exponent.size(), '0');  // behind "e+"
        text += std::string(missing, '0') + part.exponent + tail;
      } else {
        text += tail + std::string(missing, ' ');
      }
    } else {
      text += tail;
    }
    width = std::max(width, text.size());
    texts.push_back(std::move(text));
  }
  for (std::string& text : texts) text = padded_left(std::move(text), width);
  return texts;
}

template <Element T>
std::vector<std::string> texts_of(std::span<const T> numbers) {
  if constexpr (std::same_as<T, bool>) {
    std::vector<std::string> texts;
    for (const bool truth : numbers) texts.emplace_back(truth ? "True" : "False");
    const bool any_false = std::ranges::find(numbers, false) != numbers.end();
    for (std::string& text : texts) text = padded_left(std::move(text), any_false ? 5 : 4);
    return texts;
  } else if constexpr (is_complex(element_type_of<T>())) {
    using Real = typename T::value_type;
    std::vector<Real> real, imaginary;
    for (const T number : numbers) {
      real.push_back(number.real());
      imaginary.push_back(number.imag());
    }
    std::vector<std::string> texts = real_texts<Real>(real, false, "");
    const std::vector<std::string> rest = real_texts<Real>(imaginary, true, "j");
    for (std::size_t i = 0; i < texts.size(); ++i) texts[i] += rest[i];
    return texts;
  } else if constexpr (is_integer(element_type_of<T>())) {
    std::vector<std::string> texts;
    std::size_t width = 0;
    for (const T number : numbers) {
      texts.push_back(std::to_string(number));
      width = std::max(width, texts.back().size());
    }
    for (std::string& text : texts) text = padded_left(std::move(text), width);
    return texts;
  } else {
    return real_texts<T>(numbers, false, "");
  }
}

}  // namespace

std::vector<std::string> texts_of(ElementType type, const void* elements, std::size_t count) {
  return with_element_type(type, [&]<class T>(T) {
    return texts_of(std::span(static_cast<const T*>(elements), count));
  });
}

}  // namespace lagoon::atoll::detail
