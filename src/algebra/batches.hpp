// Element-wise work between arrays that lie differently: this rank's part of one array, taken in
// batches of bounded size, with the matching elements of the others fetched beside it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "atoll/array.hpp"

namespace lagoon::atoll::detail {

/// How much one rank fetches at a time.
inline constexpr std::size_t batch_bytes = std::size_t{1} << 20;

/// Elements at the same positions of all inputs, packed one patch after the other.
class Batch {
 public:
  std::int64_t elements() const noexcept { return elements_; }
  void* input(std::size_t i) noexcept { return buffers_[i].get(); }
  /// Writes packed elements to the batch's positions of `out`.
  void store(AnyArray& out, const void* data) const;

 private:
  friend class BatchFetcher;
  std::int64_t elements_ = 0;
  std::vector<Patch> patches_;
  std::vector<std::unique_ptr<std::byte[]>> buffers_;
};

/// Calls `work` until all elements that this rank owns of `layout` have had their turn. The inputs
/// have the shape of `layout` and one element type. Not collective; the inputs are read one-sided.
void for_each_batch(const AnyArray& layout, std::span<const AnyArray* const> inputs,
                    const std::function<void(Batch&)>& work);

}  // namespace lagoon::atoll::detail
