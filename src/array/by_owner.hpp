// ByOwner: scattered elements sorted by owner, and their values packed in that order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <unordered_map>
#include <vector>

#include "array/copy_element.hpp"

namespace lagoon::atoll::detail {

/// Those of one owner keep the caller's order.
class ByOwner {
 public:
  /// The number of this owner, counted from 0 as they come.
  std::int32_t number_of(int rank) {
    const auto [found, fresh] =
        numbers_.try_emplace(rank, static_cast<std::int32_t>(owners_.size()));
    if (fresh) owners_.push_back(rank);
    return found->second;
  }
  void add(std::int32_t owner, std::int64_t offset, std::size_t element) {
    found_.push_back({owner, offset, element});
  }
  /// All memory that is needed, before anything is moved.
  void sort(std::size_t element_bytes) {
    starts_.assign(owners_.size() + 1, 0);
    for (const Found& each : found_) ++starts_[static_cast<std::size_t>(each.owner) + 1];
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    std::vector<std::size_t> next(starts_.begin(), starts_.end());
    offsets_.resize(found_.size());
    elements_.resize(found_.size());
    packed_.resize(found_.size() * element_bytes);
    for (const Found& each : found_) {
      const std::size_t place = next[static_cast<std::size_t>(each.owner)]++;
      offsets_[place] = each.offset;
      elements_[place] = each.element;
    }
  }
  bool empty() const noexcept { return found_.empty(); }
  std::size_t owners() const noexcept { return owners_.size(); }
  int rank(std::size_t owner) const noexcept { return owners_[owner]; }
  std::span<const std::int64_t> offsets(std::size_t owner) const noexcept {
    return std::span(offsets_).subspan(starts_[owner], starts_[owner + 1] - starts_[owner]);
  }
  std::byte* packed(std::size_t owner, std::size_t element_bytes) noexcept {
    return packed_.data() + starts_[owner] * element_bytes;
  }
  void pack(const std::byte* values, std::size_t bytes) noexcept {
    for (std::size_t i = 0; i < elements_.size(); ++i)
      copy_element(packed_.data() + i * bytes, values + elements_[i] * bytes, bytes);
  }
  void unpack(std::byte* values, std::size_t bytes) const noexcept {
    for (std::size_t i = 0; i < elements_.size(); ++i)
      copy_element(values + elements_[i] * bytes, packed_.data() + i * bytes, bytes);
  }

 private:
  struct Found {
    std::int32_t owner;
    std::int64_t offset;
    std::size_t element;  // in the caller's order
  };
  std::unordered_map<int, std::int32_t> numbers_;
  std::vector<int> owners_;
  std::vector<Found> found_;
  std::vector<std::size_t> starts_, elements_;
  std::vector<std::int64_t> offsets_;
  std::vector<std::byte> packed_;
};

}  // namespace lagoon::atoll::detail
