// Index and Patch: the small value types for positions, shapes, strides and rectangular sections
// of an N-dimensional array. No heap, at most eight dimensions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <span>
#include <string>
#include <type_traits>

#include "atoll/namespace.hpp"

namespace lagoon::atoll {

inline constexpr int max_dimensions = 8;

namespace detail {
[[noreturn]] void refuse_dimensions(std::size_t count);

template <class T>
concept ExtentLike = std::is_integral_v<T> && sizeof(T) > 1 && !std::is_same_v<T, wchar_t> &&
                     !std::is_same_v<T, char16_t> && !std::is_same_v<T, char32_t>;
template <class Range>
concept RangeOfIntegers = requires(const Range& range) {
  requires ExtentLike<std::remove_cvref_t<decltype(*std::begin(range))>>;
  std::end(range);
};
}  // namespace detail

/// Up to eight 64-bit integers: a position, a shape, or strides.
class Index {
 public:
  constexpr Index() = default;
  /// Throws Error(value) for more than eight entries.
  Index(std::initializer_list<std::int64_t> values) : size_(checked(values.size())) {
    for (std::size_t d = 0; d < values.size(); ++d) values_[d] = values.begin()[d];
  }
  explicit Index(std::span<const std::int64_t> values);
  /// Of any range of integers: a std::vector<int>, a std::array, a span.
  template <class Range>
    requires detail::RangeOfIntegers<Range> && (!std::is_same_v<Range, Index>)
  Index(const Range& values) {
    for (const auto value : values) push_back(static_cast<std::int64_t>(value));
  }
  /// `dimensions` times the same value.
  static Index filled(int dimensions, std::int64_t value) {
    Index index;
    index.size_ = checked(static_cast<std::size_t>(dimensions));
    index.values_.fill(value);  // those out of use, too: four stores instead of a loop
    return index;
  }

  constexpr int size() const noexcept { return size_; }
  constexpr bool empty() const noexcept { return size_ == 0; }
  constexpr std::int64_t& operator[](int d) noexcept { return values_[static_cast<unsigned>(d)]; }
  constexpr std::int64_t operator[](int d) const noexcept {
    return values_[static_cast<unsigned>(d)];
  }
  constexpr std::int64_t* begin() noexcept { return values_.data(); }
  constexpr std::int64_t* end() noexcept { return values_.data() + size_; }
  constexpr const std::int64_t* begin() const noexcept { return values_.data(); }
  constexpr const std::int64_t* end() const noexcept { return values_.data() + size_; }
  void push_back(std::int64_t value) {
    size_ = checked(static_cast<std::size_t>(size_) + 1);
    values_[static_cast<unsigned>(size_ - 1)] = value;
  }
  /// The product of all entries (1 when empty); throws Error(value) when it exceeds 2^63-1.
  std::int64_t product() const;
  /// "(3, 4)"
  std::string to_string() const;
  friend constexpr bool operator==(const Index& a, const Index& b) noexcept {
    if (a.size_ != b.size_) return false;
    for (int d = 0; d < a.size_; ++d)
      if (a[d] != b[d]) return false;
    return true;
  }

 private:
  static std::int32_t checked(std::size_t count) {
    if (count > static_cast<std::size_t>(max_dimensions)) detail::refuse_dimensions(count);
    return static_cast<std::int32_t>(count);
  }

  std::array<std::int64_t, max_dimensions> values_{};
  std::int32_t size_ = 0;
};

/// Advances a position, all zeros at first, in row-major order below `count`; false after the last
/// one, when it is all zeros again.
inline bool next_position(Index& at, const Index& count) noexcept {
  for (int d = at.size() - 1; d >= 0; --d) {
    if (++at[d] < count[d]) return true;
    at[d] = 0;
  }
  return false;
}

/// Row-major strides, in elements, of a packed array of this shape.
Index packed_strides(const Index& shape);

/// A rectangular section: `lo` inclusive, `hi` exclusive, and every `step`-th element of each
/// dimension (an empty `step` means all ones; steps are positive).
struct Patch {
  Index lo;
  Index hi;
  Index step{};

  int dimensions() const noexcept { return lo.size(); }
  /// Elements per dimension, steps counted.
  Index shape() const;
  /// Total number of elements.
  std::int64_t elements() const;
  bool empty() const;
  /// "[0:512, 3:9:2]"
  std::string to_string() const;
  friend bool operator==(const Patch&, const Patch&) noexcept = default;
};

/// The patch that covers a whole array of this shape.
Patch whole(const Index& shape);
/// The common part of two patches of step one (empty, with lo == hi, where there is none).
Patch intersection(const Patch& a, const Patch& b);

}  // namespace lagoon::atoll
