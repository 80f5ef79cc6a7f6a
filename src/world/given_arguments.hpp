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

/// The arguments of this thread's last call that had any.
class GivenArguments {
 public:
  /// The beginning of a name.
  struct Name {
    explicit Name(std::string_view text) noexcept
        : length(std::min(text.size(), longest)), is_cut(length < text.size()) {
      // Not within a character of UTF-8.
      while (is_cut && length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U)
        --length;
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
