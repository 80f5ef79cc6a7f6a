// ArrayState: creation, in memory of its own or in memory that is there already.
#include "array/array_state.hpp"
#include "atoll/error.hpp"
#include "world/collective.hpp"

namespace lagoon::atoll::detail {

namespace {

std::uint64_t hash_of(const Index& shape, ElementType type, const ArrayOptions& options) {
  std::uint64_t hash = mix(static_cast<std::uint64_t>(type),
                           (options.zero ? 1U : 0U) + (options.mirrored ? 2U : 0U));
  hash = mix(hash, static_cast<std::uint64_t>(options.layout.kind));
  for (const Index* index :
       {&shape, &options.layout.block, &options.layout.grid, &options.layout.halo}) {
    hash = mix(hash, static_cast<std::uint64_t>(index->size()));
    for (const std::int64_t value : *index) hash = mix(hash, static_cast<std::uint64_t>(value));
  }
  for (const auto& starts : options.layout.starts) {
    hash = mix(hash, starts.size());
    for (const std::int64_t start : starts) hash = mix(hash, static_cast<std::uint64_t>(start));
  }
  for (const char c : options.name) hash = mix(hash, static_cast<unsigned char>(c));
  return hash;
}

GroupState& members_of(const Group& group) {
  if (!group) throw Error(ErrorKind::state, "create array: this process is not in the group");
  (void)group.state()->world();
  return *group.state();
}

/// The group whose ranks share the memory: for a mirrored array those on my node, once all members
/// have agreed on what to create.
Group sharers(const Group& members, const Index& shape, ElementType type,
              const ArrayOptions& options) {
  (void)members_of(members);
  if (!options.mirrored) return members;
  try {
    enter_collective(members, "create array", hash_of(shape, type, options), [&] {
      (void)Distribution(options.layout, shape, static_cast<int>(members.node_ranks().size()));
    });
  } catch (const Error& error) {
    throw error.during("create array", options.name);
  }
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

}  // namespace

ArrayState::ArrayState(const Group& members, const Index& extents, ElementType element_type,
                       const ArrayOptions& options)
    : type(element_type),
      element_bytes(size_of(element_type)),
      shape(extents),
      name(options.name),
      group(sharers(members, extents, element_type, options)),
      layout(options.layout),
      stripes_(stripes(members_of(members).world().node_memory())),
      transport_(detail::transport(members_of(members).world())) {
  GroupState& state = *group.state();
  std::vector<std::uint64_t> bytes;
  std::uint64_t marks = 0;  // where they begin in the first block
  const Failure arguments = attempt([&] {
    // Streams of this rank may still run into arrays that its peers have let go.
    state.world().fence();
    distribution = std::make_unique<const Distribution>(layout_of(options, shape, state.size()),
                                                        shape, state.size());
    std::int64_t total = 0;
    if (__builtin_mul_overflow(shape.product(), static_cast<std::int64_t>(element_bytes), &total))
      throw Error(ErrorKind::value, "shape " + shape.to_string() + " has more than 2^63 bytes");
    for (const int rank : state.node_ranks())
      bytes.push_back(static_cast<std::uint64_t>(distribution->memory_elements(rank)) *
                      element_bytes);
    if (options.mirrored) {
      mirror = std::make_unique<Mirror>(members, NodeGroup::of(members), shape, element_bytes);
      marks = (bytes.front() + Arena::alignment - 1) / Arena::alignment * Arena::alignment;
      bytes.front() = marks + mirror->bytes();
    }
  });
  const Failure failure = attempt([&] {
    segment =
        std::make_shared<Segment>(group.state(), "create array", hash_of(shape, type, options),
                                  bytes, options.zero, arguments ? &*arguments : nullptr);
    if (mirror != nullptr) mirror->attach(segment->block(0) + marks, !options.zero);
  });
  try {
    // The nodes' copies exist all or none.
    if (options.mirrored) members.state()->agree_or_throw("create array", 0, failure);
    if (failure) throw Error(*failure);
  } catch (const Error& error) {
    if (segment != nullptr) segment->destroy();
    throw error.during("create array", name);
  }
  begin_life(members);
}

ArrayState::ArrayState(const Group& members, const Index& extents, ElementType element_type,
                       const ArrayOptions& options, std::shared_ptr<Segment> memory)
    : type(element_type),
      element_bytes(size_of(element_type)),
      shape(extents),
      name(options.name),
      group(members),
      layout(options.layout),
      stripes_(stripes(members_of(members).world().node_memory())),
      transport_(detail::transport(members_of(members).world())) {
  constexpr const char* operation = "create array in memory";
  try {
    enter_collective(
        group, operation, mix(hash_of(shape, type, options), memory->number().sequence), [&] {
          if (options.mirrored)
            throw Error(ErrorKind::unsupported, "a mirrored array needs memory of its own");
          distribution = std::make_unique<const Distribution>(layout, shape, group.size());
          check_room(*memory);
        });
  } catch (const Error& error) {
    throw error.during(operation, name);
  }
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
}

}  // namespace lagoon::atoll::detail
