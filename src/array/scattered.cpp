// Scattered elements of an array: those of my node are read and written where they are; the others,
// and what is added, go sorted by owner, in one message after another.
#include "array/array_state.hpp"
#include "array/by_owner.hpp"
#include "array/copy_element.hpp"
#include "array/distribution/place_finder.hpp"
#include "atoll/error.hpp"

namespace lagoon::atoll::detail {

namespace {

Patch point_at(const std::int64_t* position, int dimensions) {
  Patch point{Index({position, static_cast<std::size_t>(dimensions)}), {}, {}};
  point.hi = point.lo;
  for (std::int64_t& end : point.hi) ++end;
  return point;
}

}  // namespace

void ArrayState::check_positions(std::span<const std::int64_t> positions,
                                 const void* values) const {
  const auto n = static_cast<std::size_t>(shape.size());
  if (positions.size() % n != 0)
    fail(ErrorKind::value, "positions has " + std::to_string(positions.size()) +
                               " numbers, which is no multiple of the " +
                               std::to_string(shape.size()) + " dimensions");
  if (!positions.empty() && values == nullptr)
    fail(ErrorKind::value, "the buffer is a null pointer");
  for (std::size_t i = 0; i < positions.size(); i += n)
    for (std::size_t d = 0; d < n; ++d)
      if (positions[i + d] < 0 || positions[i + d] >= shape[static_cast<int>(d)])
        fail(ErrorKind::index, "position " + Index(positions.subspan(i, n)).to_string() +
                                   " (number " + std::to_string(i / n) +
                                   ") lies outside the shape " + shape.to_string());
}

void ArrayState::scattered(Action action, std::span<const std::int64_t> positions,
                           std::byte* values, const void* alpha) {
  check_positions(positions, values);
  const auto n = static_cast<std::size_t>(shape.size());
  const bool reads = action == Action::gather;
  if (mirror != nullptr && !reads)
    for (std::size_t i = 0; i < positions.size(); i += n)
      mirror->written(point_at(&positions[i], shape.size()));

  struct Owner {
    std::byte* memory;    // of those on my node
    std::int32_t number;  // of those whose elements are sorted
  };
  ByOwner sorted;
  const auto owner_of = [&](int rank) -> Owner {
    std::byte* const memory = action == Action::scatter_accumulate ? nullptr : block(rank);
    return {memory, memory == nullptr ? sorted.number_of(rank) : -1};
  };
  PlaceFinder<Owner> places(*distribution, element_bytes);
  for (std::size_t i = 0; i < positions.size() / n; ++i) {
    constexpr std::size_t now_and_then = 4096;
    if (i % now_and_then == 0) serve_now_and_then();
    const auto [rank, offset, owner] = places.find(&positions[i * n], owner_of);
    if (owner.memory == nullptr) {
      sorted.add(owner.number, offset, i);
      continue;
    }
    std::byte* const element = owner.memory + offset;
    std::byte* const value = values + i * element_bytes;
    copy_element(reads ? value : element, reads ? element : value, element_bytes);
    if (profile != nullptr) count(rank, 1);
  }
  if (sorted.empty()) return;

  // All memory before the first element: else who has none for the last ones and calls again would
  // add the first ones twice.
  sorted.sort(element_bytes);
  if (!reads) sorted.pack(values, element_bytes);
  const Addition addition{type, alpha, segment->record().atomics_in_use};
  const Index none;
  Operation operation;
  for (std::size_t owner = 0; owner < sorted.owners(); ++owner) {
    const int rank = sorted.rank(owner);
    const std::span<const std::int64_t> offsets = sorted.offsets(owner);
    std::byte* const packed = sorted.packed(owner, element_bytes);
    if (profile != nullptr) count(rank, static_cast<std::int64_t>(offsets.size()));
    if (std::byte* const memory = block(rank)) {
      serve_now_and_then();
      scatter_in_memory(stripes_, action, addition, memory, offsets, packed);
    } else {
      transport_->scattered(action, {*segment, rank, 0, none}, offsets, packed, type, alpha,
                            operation);
    }
  }
  operation.wait();
  if (reads) sorted.unpack(values, element_bytes);
}

}  // namespace lagoon::atoll::detail
