// Folding nodes' contributions to a merge: element by element, pairwise in the order of the nodes.
#pragma once

#include <bit>
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
  bool one_after_the_other() const noexcept { return combination_.function() != nullptr; }
  /// into = combination(into, next); `next` null stands for zeros. The built-in ones also the other
  /// way round, which differs in signs of zeros and NaNs.
  void fold(std::byte* into, const std::byte* next, std::int64_t elements,
            bool into_is_first = true) const;
  ElementType type() const noexcept { return type_; }

 private:
  Combination combination_;
  ElementType type_;
  bool neutral_ = true;
  bool zero_from_zeros_ = true;
};

/// Combines contributions [first, last): the larger power of two of them, the rest, then both, each
/// likewise. All ways of merging go by this order, and so give the same bits. (A function of the
/// program's own sees one after the other: it may do anything.) `of(i)` is a contribution, null for
/// zeros; `fold(into, next)` combines two, and gives where the result is; `zeros()` is memory with
/// zeros. Null where all are.
template <class Of, class Fold, class Zeros>
std::byte* fold_contributions(int first, int last, const Combiner& combiner, const Of& of,
                              const Fold& fold, const Zeros& zeros) {
  const int count = last - first;
  if (count == 1) return of(first);
  const int middle =
      combiner.one_after_the_other()
          ? last - 1
          : first + static_cast<int>(std::bit_floor(static_cast<unsigned>(count - 1)));
  std::byte* left = fold_contributions(first, middle, combiner, of, fold, zeros);
  std::byte* const right = fold_contributions(middle, last, combiner, of, fold, zeros);
  if (left == nullptr) {
    if (right == nullptr || combiner.zero_is_neutral()) return right;
    left = zeros();
  }
  return right == nullptr && combiner.zero_is_neutral() ? left : fold(left, right);
}

}  // namespace lagoon::atoll::detail
