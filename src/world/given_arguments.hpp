// What a collective call was given, for the message of ranks that disagree: kept as it is, since
// text is made only then.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "atoll/index.hpp"
#include "atoll/types.hpp"

namespace lagoon::atoll::detail {

/// How much of a text fits into `most` bytes without cutting a letter of UTF-8 in two.
constexpr std::size_t bytes_of_whole_letters(std::string_view text, std::size_t most) noexcept {
  if (text.size() <= most) return text.size();
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) --most;
  return most;
}

/// The arguments of this thread's last call that had any.
class GivenArguments {
 public:
  /// The beginning of a name.
  struct Name {
    explicit Name(std::string_view text) noexcept
        : length(bytes_of_whole_letters(text, longest)), is_cut(length < text.size()) {
      std::copy_n(text.begin(), length, beginning.begin());
    }
    static constexpr std::size_t longest = 32;
    std::size_t length;
    bool is_cut;
    std::array<char, longest> beginning;  // NOLINT: so much of it as there is
  };
  struct Array {
    Array(std::string_view text, const Index& extents) noexcept : name(text), shape(extents) {}
    Name name;
    Index shape;
  };
  using Argument = std::variant<std::monostate, ElementType, Name, Array, Index, Patch, Scalar>;

  static GivenArguments& of_thread() noexcept;
  void begin() noexcept;
  /// One of the kinds above, made in place: this is part of every collective call.
  template <class Kind, class... Values>
  void add(const Values&... values) noexcept {
    List& list = now();
    if (list.count < list.arguments.size())
      list.arguments[list.count++].template emplace<Kind>(values...);
    else
      list.is_cut = true;
  }
  /// A number: perhaps that of arguments that were gathered just before, which count as these.
  void add_hash(std::uint64_t hash) noexcept;
  /// `hash`: the number that stands for all of them when the ranks meet.
  void end(std::uint64_t hash) noexcept { now().hash = hash; }
  /// "float64, (8, 3)", or nothing where the call of this hash was another one.
  std::string text(std::uint64_t hash) const;

 private:
  struct List {
    std::array<Argument, 8> arguments;
    std::size_t count = 0;
    std::uint64_t hash = 0;
    bool has_before = false;  ///< the other list counts as part of it
    bool is_cut = false;      ///< there were more
  };
  List& now() noexcept { return lists_[now_]; }
  static std::string text_of(const List& list);

  std::array<List, 2> lists_;  // of the call, and those gathered before
  std::size_t now_ = 0;
};

/// "2.5", "7" (an integer), "7.0" or "(1.0, 1e-12)": other text for other numbers.
std::string to_string(const Scalar& scalar);

}  // namespace lagoon::atoll::detail
