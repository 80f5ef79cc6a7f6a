// Combiner: built-in reductions, and functions of the program's own.
#include "array/mirror/combine.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "world/fold.hpp"

namespace lagoon::atoll::detail {

namespace {

constexpr std::int64_t zeros_at_once = 1024;

}  // namespace

Combiner::Combiner(const Combination& combination, ElementType type, int nodes)
    : combination_(combination), type_(type) {
  if (combination.function()) {
    neutral_ = false;
    alignas(16) std::array<std::byte, 16> zero{};
    for (int node = 1; node < nodes; ++node) fold(zero.data(), nullptr, 1);
    zero_from_zeros_ =
        std::all_of(zero.begin(), zero.end(), [](std::byte b) { return b == std::byte{0}; });
    return;
  }
  check_reducible(type, combination.reduction());
  neutral_ = combination.reduction() == Reduction::sum;
}

void Combiner::fold(std::byte* into, const std::byte* next, std::int64_t elements,
                    bool into_is_first) const {
  const Combination::Function& function = combination_.function();
  const auto with = [&](std::byte* to, const std::byte* from, std::int64_t count) {
    if (function)
      function(to, from, count);
    else
      detail::fold(type_, combination_.reduction(), to, from, count, into_is_first);
  };
  if (next != nullptr) return with(into, next, elements);
  const std::size_t size = size_of(type_);
  const std::vector<std::byte> zeros(static_cast<std::size_t>(std::min(elements, zeros_at_once)) *
                                     size);
  for (std::int64_t done = 0; done < elements; done += zeros_at_once)
    with(into + static_cast<std::size_t>(done) * size, zeros.data(),
         std::min(zeros_at_once, elements - done));
}

}  // namespace lagoon::atoll::detail
