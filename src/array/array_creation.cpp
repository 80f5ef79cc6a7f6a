// ArrayState: creation, in memory of its own or in memory that is there already.
#include <algorithm>
#include <cstring>

#include "array/array_state.hpp"
#include "array/calls.hpp"
#include "array/frame.hpp"
#include "array/race_notes.hpp"
#include "atoll/error.hpp"
#include "world/collective.hpp"

namespace lagoon::atoll::detail {

namespace {

constexpr const char* creating = "create array";

std::uint64_t hash_of(const Index& shape, ElementType type, const ArrayOptions& options) {
  const Layout& layout = options.layout;
  ArgumentHash hash;
  hash.add(type)
      .add((options.zero ? 1U : 0U) + (options.mirrored ? 2U : 0U))
      .add(static_cast<std::uint64_t>(layout.kind))
      .add(shape)
      .add(layout.block)
      .add(layout.grid)
      .add(layout.halo)
      .add(std::string_view(options.name));
  for (const auto& starts : layout.starts) {
    hash.add(starts.size());
    for (const std::int64_t start : starts) hash.add(static_cast<std::uint64_t>(start));
  }
  return hash.value();
}

/// The group whose ranks share the memory: for a mirrored array those on my node, once all members
/// have agreed on what to create.
Group sharers(const Group& members, const Index& shape, ElementType type,
              const ArrayOptions& options) {
  if (!options.mirrored || !members) return members;
  named(
      creating,
      [&] {
        enter_collective(members, creating, hash_of(shape, type, options), [&] {
          const int sharing = static_cast<int>(members.node_ranks().size());
          (void)Distribution(options.layout, shape, sharing);
        });
      },
      options.name);
  return NodeGroup::of(members)->node();
}

/// Where the caller leaves the cut of a mirrored array to us, the ranks get bands of rows, so that
/// most of what a merge moves lies in one piece.
Layout layout_of(const ArrayOptions& options, const Index& shape, int ranks) {
  if (!options.mirrored || options.layout.kind != DistributionKind::blocked ||
      !options.layout.block.empty() || shape.empty() || shape[0] < ranks)
    return options.layout;
  Layout bands = options.layout;
  bands.block = shape;
  bands.block[0] = 1;
  return bands;
}

/// Zeroes what lies around the middle of packed memory: `sides` elements at either end of each
/// dimension from the d-th on.
void clear_around(std::byte* memory, const Index& shape, const Index& sides, int d,
                  std::size_t element_bytes) {
  if (d == shape.size()) return;
  std::int64_t inner = static_cast<std::int64_t>(element_bytes);
  for (int e = d + 1; e < shape.size(); ++e) inner *= shape[e];
  const std::int64_t rim = sides[d] * inner, inside = shape[d] - 2 * sides[d];
  std::memset(memory, 0, static_cast<std::size_t>(rim));
  std::memset(memory + rim + inside * inner, 0, static_cast<std::size_t>(rim));
  const auto deeper =
      std::any_of(sides.begin() + d + 1, sides.end(), [](std::int64_t side) { return side > 0; });
  for (std::int64_t i = 0; deeper && i < inside; ++i)
    clear_around(memory + rim + i * inner, shape, sides, d + 1, element_bytes);
}

/// What a new array does to this rank's block before anybody uses it, where its elements are left
/// undefined: the halo holds zeros all the same.
Segment::Prepare clearing_halo(const Distribution* distribution, int rank,
                               std::size_t element_bytes) {
  if (distribution == nullptr || !distribution->has_halo()) return nullptr;
  return [=](std::byte* block) {
    const Index shape = distribution->memory_shape(rank);
    if (!shape.empty() && shape.product() > 0)
      clear_around(block, shape, distribution->halo(), 0, element_bytes);
  };
}

}  // namespace

ArrayState::ArrayState(const Index& extents, ElementType element_type, const ArrayOptions& options,
                       const Group& sharing)
    : Blocks(kind, sharing, options.name),
      type(element_type),
      element_bytes(size_of(element_type)),
      shape(extents),
      layout(options.layout) {}

ArrayState::ArrayState(const Group& members, const Index& extents, ElementType element_type,
                       const ArrayOptions& options)
    : ArrayState(extents, element_type, options, sharers(members, extents, element_type, options)) {
  GroupState& state = *group.state();
  std::vector<std::uint64_t> bytes;
  bool has_tickets = false;
  std::uint64_t marks = 0;  // where they begin in the first block
  const Failure arguments = attempt([&] {
    // Streams of this rank may still run into arrays that its peers have let go.
    state.world().fence();
    distribution = std::make_unique<const Distribution>(layout_of(options, shape, state.size()),
                                                        shape, state.size());
    std::int64_t total = 0;
    if (__builtin_mul_overflow(shape.product(), static_cast<std::int64_t>(element_bytes), &total))
      throw Error(ErrorKind::value, "shape " + shape.to_string() + " has more than 2^63 bytes");
    blocks_.make_room(state.node_ranks().size());
    for (const int rank : state.node_ranks())
      bytes.push_back(static_cast<std::uint64_t>(distribution->memory_elements(rank)) *
                      element_bytes);
    has_tickets = follows_races() && can_count(type) && !options.mirrored;
    for (std::size_t i = 0; has_tickets && i < bytes.size(); ++i)
      bytes[i] = tickets_at(*this, state.node_ranks()[i]) + ticket_words * sizeof(std::int64_t);
    if (options.mirrored) {
      mirror = std::make_unique<Mirror>(members, NodeGroup::of(members), shape, element_bytes);
      marks = (bytes.front() + Arena::alignment - 1) / Arena::alignment * Arena::alignment;
      bytes.front() = marks + mirror->bytes();
    }
  });
  race::Detector::tell_fence();  // also where one write was lost: the others are complete
  // Members meet inside; what fails there is told. Who has no memory to come there cannot be.
  const Failure failure = attempt_with_others(creating, [&] {
    Segment::Prepare clear_halo =
        options.zero ? nullptr : clearing_halo(distribution.get(), state.rank(), element_bytes);
    if (has_tickets && !options.zero)
      clear_halo = [clear_halo, at = tickets_at(*this, state.rank())](std::byte* block) {
        if (clear_halo) clear_halo(block);
        std::memset(block + at, 0, ticket_words * sizeof(std::int64_t));
      };
    segment =
        std::make_shared<Segment>(group.state(), creating, hash_of(shape, type, options), bytes,
                                  options.zero, arguments ? &*arguments : nullptr, clear_halo);
    if (mirror != nullptr) mirror->attach(segment->block(0) + marks, !options.zero);
  });
  try {
    // The nodes' copies exist all or none.
    if (options.mirrored) members.state()->agree_or_throw(creating, 0, failure);
    if (failure) throw Error(*failure);
  } catch (const Error& error) {
    if (segment != nullptr) segment->destroy();
    throw error.during(creating, name);
  }
  begin_life(members);
  if (has_tickets) note_tickets(*this);
}

ArrayState::ArrayState(const Group& members, const Index& extents, ElementType element_type,
                       const ArrayOptions& options, std::shared_ptr<Segment> memory)
    : ArrayState(extents, element_type, options, members) {
  constexpr const char* operation = "create array in memory";
  named(
      operation,
      [&] {
        enter_collective(
            group, operation, mix(hash_of(shape, type, options), memory->number().sequence), [&] {
              if (options.mirrored)
                throw Error(ErrorKind::unsupported, "a mirrored array needs memory of its own");
              distribution = std::make_unique<const Distribution>(layout, shape, group.size());
              blocks_.make_room(group.state()->node_ranks().size());
              check_room(*memory);
            });
      },
      name);
  memory->share();
  segment = std::move(memory);
  begin_life(members);
}

/// My own block: the others look after theirs.
void ArrayState::check_room(const Segment& memory) const {
  const GroupState& state = *group.state();
  const std::int64_t needed = distribution->memory_elements(state.rank());
  const std::uint64_t there = memory.record().member[state.local()].bytes;
  if (static_cast<std::uint64_t>(needed) > there / element_bytes)
    throw Error(ErrorKind::value, "rank " + std::to_string(state.rank()) + " needs memory for " +
                                      std::to_string(needed) + " elements of " +
                                      std::to_string(element_bytes) + " bytes, there are " +
                                      std::to_string(there) + " bytes");
}

void ArrayState::begin_life(const Group& members) {
  creation = members.state()->take_sequence();
  if (const auto& recorder = group.state()->world().profile; recorder != nullptr)
    profile = &recorder->array(name, name_of(type),
                               {shape.begin(), static_cast<std::size_t>(shape.size())});
  if (follows_races()) note_life(*this);
}

}  // namespace lagoon::atoll::detail
