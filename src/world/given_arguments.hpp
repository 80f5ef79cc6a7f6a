// What a collective call was given, for the message of ranks that disagree: kept as it is, since
// text is made only then.
#pragma once

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
    explicit Name(std::string_view text) noexcept;
    std::array<char, 32> characters{};
  };
  struct Array {
    Name name;
    Index shape;
  };
  using Argument = std::variant<std::monostate, ElementType, Name, Array, Index, Patch, Scalar>;

  static GivenArguments& of_thread() noexcept;
  void begin() noexcept;
  void add(const Argument& argument) noexcept;
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
  };
  List& now() noexcept { return lists_[now_]; }

  std::array<List, 2> lists_;  // of the call, and those gathered before
  std::size_t now_ = 0;
};

/// "2.500000", "7" or "(1.000000, 0.000000)".
std::string to_string(const Scalar& scalar);

}  // namespace lagoon::atoll::detail
