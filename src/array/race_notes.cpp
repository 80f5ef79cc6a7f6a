#include "array/race_notes.hpp"

#include <utility>
#include <vector>

#include "array/description.hpp"
#include "array/distribution/piece.hpp"

namespace lagoon::atoll::detail {

namespace {

using race::Detector;

/// Arrays that lie in one memory and are cut alike have one place; of others in it nothing is
/// known.
race::Place place_of(const ArrayState& array) noexcept {
  const SegmentNumber& number = array.segment->number();
  std::uint64_t cut = static_cast<std::uint64_t>(array.type);
  for (const std::int64_t extent : array.shape) cut = mix(cut, static_cast<std::uint64_t>(extent));
  const Distribution& distribution = *array.distribution;
  cut = mix(cut, static_cast<std::uint64_t>(distribution.kind()));
  for (const std::int64_t extent : distribution.block())
    cut = mix(cut, static_cast<std::uint64_t>(extent));
  return {number.group, number.sequence, cut};
}

race::Kind kind_of(Action action) noexcept {
  switch (action) {
    case Action::get:
    case Action::gather: return race::Kind::get;
    case Action::put:
    case Action::scatter: return race::Kind::put;
    case Action::fetch_add:
    case Action::swap: return race::Kind::atomic;
    default: return race::Kind::accumulate;
  }
}

/// The world rank of the one whose memory the patch is.
std::int32_t target_of(const ArrayState& array, const Patch& patch) {
  if (!array.distribution->one_block_a_rank()) return race::Access::several_targets;
  Index last = patch.hi;
  for (std::int64_t& position : last) --position;
  const int owner = array.distribution->owner(patch.lo);
  return owner == array.distribution->owner(last) ? array.group.world_rank(owner)
                                                  : race::Access::several_targets;
}

race::Buffer buffer_of(const ArrayState& array, const Patch& patch, const std::byte* data,
                       const Index& strides, race::Bytes bytes) {
  const std::size_t size =
      bytes.end == 0 ? array.element_bytes : static_cast<std::size_t>(bytes.end - bytes.first);
  race::Buffer buffer{data, patch.shape(), strides, size};
  if (strides.empty()) buffer.strides = packed_strides(buffer.shape);
  for (std::int64_t& stride : buffer.strides) stride *= static_cast<std::int64_t>(size);
  return buffer;
}

}  // namespace

void note_life(const ArrayState& array) {
  const std::string name = array.name.empty() ? "an array" : "array '" + array.name + "'";
  Detector::running->begin_life(place_of(array), name + " of shape " + array.shape.to_string());
}

void note_transfer(const ArrayState& array, Action action, const Patch& patch,
                   const std::byte* data, const Index& strides, race::Bytes bytes) {
  if (patch.empty() || Detector::inside_library()) return;
  const Detector::Use use{place_of(array), kind_of(action), target_of(array, patch), bytes};
  if (data != nullptr)
    Detector::running->use_buffer(use, patch, buffer_of(array, patch, data, strides, bytes));
  Detector::running->access(use, patch);
}

void note_begun(const ArrayState& array, Action action, const Patch& patch, const std::byte* data,
                const Index& strides, const Operation& operation, race::Bytes bytes) {
  if (patch.empty() || Detector::inside_library()) return;
  Detector::running->begin_access(
      {place_of(array), kind_of(action), target_of(array, patch), bytes}, patch,
      buffer_of(array, patch, data, strides, bytes), &operation);
}

void note_scattered(const ArrayState& array, Action action,
                    std::span<const std::int64_t> positions) {
  if (Detector::inside_library()) return;
  const auto n = static_cast<std::size_t>(array.shape.size());
  std::vector<Index> all;
  for (std::size_t i = 0; i < positions.size(); i += n) all.emplace_back(positions.subspan(i, n));
  Detector::running->access({place_of(array), kind_of(action)}, std::move(all));
}

void note_lent(const ArrayState& array, int rank, bool writable) {
  if (Detector::inside_library()) return;
  const bool told = race::language_site != 0 || DirectIsTold::told();
  // Of a mirrored array merges write, too, whenever somebody waits.
  const bool watched = writable && (array.mirror == nullptr || !array.mirror->has_marks());
  const race::Place place = place_of(array);
  const auto target = array.group.world_rank(rank);
  for (const Patch& patch : array.distribution->patches(rank)) {
    if (patch.empty()) continue;
    if (!told) Detector::running->access({place, race::Kind::load, target}, patch);
    if (!watched) continue;
    array.distribution->for_each_piece(patch, [&](const Piece& piece) {
      const auto size = static_cast<std::int64_t>(array.element_bytes);
      race::Lent block;
      block.place = place;
      block.patch = patch;
      block.memory = array.block(rank) + piece.offset * size;
      block.strides = piece.strides;
      for (std::int64_t& stride : block.strides) stride *= size;
      block.element_bytes = array.element_bytes;
      block.target = target;
      Detector::running->lend(block);
    });
  }
}

void note_direct(const ArrayState& array, const Patch& patch, bool wrote) {
  if (patch.empty() || Detector::inside_library()) return;
  Detector::running->access(
      {place_of(array), wrote ? race::Kind::store : race::Kind::load, target_of(array, patch)},
      patch);
}

std::uint64_t tickets_at(const ArrayState& array, int rank) {
  const auto bytes =
      static_cast<std::uint64_t>(array.distribution->memory_elements(rank)) * array.element_bytes;
  return (bytes + Arena::alignment - 1) / Arena::alignment * Arena::alignment;
}

void note_tickets(const ArrayState& array) {
  const SegmentNumber& number = array.segment->number();
  Detector::running->has_tickets(number.group, number.sequence);
}

// Whoever has an earlier ticket before its fetch is before whoever has a later one behind its own.
void fetch_in_order(const ArrayState& array, int rank, std::int64_t offset,
                    const std::function<std::int64_t(std::int64_t)>& fetch) {
  const SegmentNumber& number = array.segment->number();
  // Those that lie in memory that was there already have none.
  if (Detector::inside_library() ||
      !Detector::running->with_tickets(number.group, number.sequence)) {
    (void)fetch(offset);
    return;
  }
  constexpr std::int64_t word = sizeof(std::int64_t);
  const std::int64_t which = offset / static_cast<std::int64_t>(array.element_bytes) % ticket_words;
  const auto at = static_cast<std::int64_t>(tickets_at(array, rank)) + which * word;
  const std::uint64_t object = mix(mix(number.group, number.sequence),
                                   static_cast<std::uint64_t>(rank * ticket_words + which));
  Detector::running->release(object, fetch(at));
  (void)fetch(offset);
  Detector::running->acquire(object, fetch(at));
}

}  // namespace lagoon::atoll::detail
