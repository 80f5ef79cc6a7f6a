// Arguments in words.
#include "world/given_arguments.hpp"

#include <array>
#include <charconv>

namespace lagoon::atoll::detail {

namespace {

std::string in_words(std::monostate) { return {}; }
std::string in_words(ElementType type) { return std::string(name_of(type)); }
std::string in_words(const GivenArguments::Name& name) {
  if (name.length == 0) return {};
  return "'" + std::string(name.beginning.data(), name.length) + (name.is_cut ? "…'" : "'");
}
std::string in_words(const GivenArguments::Array& array) {
  const std::string name = in_words(array.name);
  return "array " + name + (name.empty() ? "" : " ") + "of shape " + array.shape.to_string();
}
std::string in_words(const Index& index) { return index.to_string(); }
std::string in_words(const Patch& patch) { return patch.to_string(); }
std::string in_words(const Scalar& scalar) { return to_string(scalar); }

/// The shortest text of this number alone, and none of an integer.
std::string to_string(double number) {
  std::array<char, 32> digits;  // NOLINT: so much of it as there is
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  std::string text(digits.data(), end);
  return text.find_first_not_of("-0123456789") == std::string::npos ? text + ".0" : text;
}

}  // namespace

GivenArguments& GivenArguments::of_thread() noexcept {
  constinit thread_local GivenArguments mine;
  return mine;
}

void GivenArguments::begin() noexcept {
  now_ = 1 - now_;
  List& list = now();
  list.count = 0;
  list.hash = 0;
  list.has_before = false;
  list.is_cut = false;
}

void GivenArguments::add_hash(std::uint64_t hash) noexcept {
  const List& before = lists_[1 - now_];
  if (before.count != 0 && before.hash == hash) now().has_before = true;
}

std::string GivenArguments::text(std::uint64_t hash) const {
  const List& list = lists_[now_];
  if (list.hash != hash) return {};
  const std::string before = list.has_before ? text_of(lists_[1 - now_]) : "";
  const std::string mine = text_of(list);
  return before.empty() || mine.empty() ? mine + before : mine + ", " + before;
}

std::string GivenArguments::text_of(const List& list) {
  std::string text;
  for (std::size_t i = 0; i < list.count; ++i) {
    const std::string words =
        std::visit([](const auto& argument) { return in_words(argument); }, list.arguments[i]);
    if (!words.empty()) text += (text.empty() ? "" : ", ") + words;
  }
  return list.is_cut ? text + ", …" : text;
}

std::string to_string(const Scalar& scalar) {
  const auto& value = scalar.value();
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  if (const auto* real = std::get_if<double>(&value)) return to_string(*real);
  if (const auto* large = std::get_if<std::uint64_t>(&value)) return std::to_string(*large);
  const auto number = std::get<std::complex<double>>(value);
  return "(" + to_string(number.real()) + ", " + to_string(number.imag()) + ")";
}

}  // namespace lagoon::atoll::detail
