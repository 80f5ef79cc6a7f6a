// Element-wise work between operands that lie differently: this rank's part of one of them, taken
// in batches of bounded size, with the matching elements of the others fetched beside it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "algebra/core/operand.hpp"
#include "algebra/core/sections.hpp"
#include "atoll/array.hpp"

namespace lagoon::atoll::detail {

/// How much one rank fetches at a time.
inline constexpr std::size_t batch_bytes = std::size_t{1} << 20;

/// Elements at the same section coordinates of all inputs, packed one range after the other.
class Batch {
 public:
  std::int64_t elements() const noexcept { return elements_; }
  void* input(std::size_t i) noexcept { return buffers_[i].get(); }
  /// Writes packed elements to the batch's positions of `out`, whose section is given.
  void store(AnyArray& out, const Patch& section, const void* data) const;

 private:
  friend class BatchFetcher;
  std::int64_t elements_ = 0;
  std::vector<Range> ranges_;
  std::vector<std::unique_ptr<std::byte[]>> buffers_;
};

/// Calls `work` until all elements that this rank owns of `layout` have had their turn. The inputs
/// match it and have one element type; `layout` itself is not transposed. Not collective; the
/// inputs are read one-sided.
void for_each_batch(const View& layout, std::span<const View> inputs,
                    const std::function<void(Batch&)>& work);

}  // namespace lagoon::atoll::detail
