// Folding nodes' contributions to a merge: element by element, in the order of the nodes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "atoll/mirror.hpp"

namespace lagoon::atoll::detail {

/// A combination for one element type.
class Combiner {
 public:
  /// Error(type) for the least or greatest of complex numbers.
  Combiner(const Combination& combination, ElementType type, int nodes);

  /// Whether zeros of some nodes change nothing, however many: they may be left out.
  bool zero_is_neutral() const noexcept { return neutral_; }
  /// Whether only zeros combine to zero.
  bool zero_from_zeros() const noexcept { return zero_from_zeros_; }
  /// into = combination(into, next); `next` null stands for zeros.
  void fold(std::byte* into, const std::byte* next, std::int64_t elements) const;
  ElementType type() const noexcept { return type_; }

 private:
  Combination combination_;
  ElementType type_;
  bool neutral_ = true;
  bool zero_from_zeros_ = true;
};

}  // namespace lagoon::atoll::detail
