// Arguments in words.
#include "world/given_arguments.hpp"

#include <algorithm>

namespace lagoon::atoll::detail {

namespace {

std::string in_words(std::monostate) { return {}; }
std::string in_words(ElementType type) { return std::string(name_of(type)); }
std::string in_words(const GivenArguments::Name& name) {
  return name.characters.front() == '\0' ? "" : "'" + std::string(name.characters.data()) + "'";
}
std::string in_words(const GivenArguments::Array& array) {
  const std::string name = in_words(array.name);
  return "array " + name + (name.empty() ? "" : " ") + "of shape " + array.shape.to_string();
}
std::string in_words(const Index& index) { return index.to_string(); }
std::string in_words(const Patch& patch) { return patch.to_string(); }
std::string in_words(const Scalar& scalar) { return to_string(scalar); }

}  // namespace

GivenArguments::Name::Name(std::string_view text) noexcept {
  std::copy_n(text.begin(), std::min(text.size(), characters.size() - 1), characters.begin());
}

GivenArguments& GivenArguments::of_thread() noexcept {
  thread_local GivenArguments mine;
  return mine;
}

void GivenArguments::begin() noexcept {
  now_ = 1 - now_;
  now().count = 0;
  now().hash = 0;
}

void GivenArguments::add(const Argument& argument) noexcept {
  List& list = now();
  if (list.count < list.arguments.size()) list.arguments[list.count++] = argument;
}

void GivenArguments::add_hash(std::uint64_t hash) noexcept {
  const List& before = lists_[1 - now_];
  if (before.count == 0 || before.hash != hash) return;
  for (std::size_t i = 0; i < before.count; ++i) add(before.arguments[i]);
}

std::string GivenArguments::text(std::uint64_t hash) const {
  const List& list = lists_[now_];
  if (list.hash != hash) return {};
  std::string text;
  for (std::size_t i = 0; i < list.count; ++i) {
    const std::string words =
        std::visit([](const auto& argument) { return in_words(argument); }, list.arguments[i]);
    if (!words.empty()) text += (text.empty() ? "" : ", ") + words;
  }
  return text;
}

std::string to_string(const Scalar& scalar) {
  const auto& value = scalar.value();
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  if (const auto* real = std::get_if<double>(&value)) return std::to_string(*real);
  const auto number = std::get<std::complex<double>>(value);
  return "(" + std::to_string(number.real()) + ", " + std::to_string(number.imag()) + ")";
}

}  // namespace lagoon::atoll::detail
