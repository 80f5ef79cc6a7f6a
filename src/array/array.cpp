// AnyArray: the public calls, thin over ArrayState.
#include "atoll/array.hpp"

#include "array/array_state.hpp"
#include "array/calls.hpp"
#include "array/description.hpp"
#include "array/distribution/piece.hpp"
#include "array/mirror/merge_job.hpp"
#include "array/race_notes.hpp"
#include "atoll/error.hpp"
#include "world/collective.hpp"

namespace lagoon::atoll {

namespace {

using detail::Action;
using detail::ArrayState;
using detail::bytes_of;
using detail::carry_out;
using detail::known;
using detail::name_of;
using detail::named;
using detail::Operation;
using detail::ProfiledCall;
using detail::require;
using detail::set_off;

ArrayState& require_writable(const std::shared_ptr<ArrayState>& state, const char* operation) {
  ArrayState& array = require(state);
  if (array.read_only) named(operation, [&] { array.require_writable(); });
  return array;
}

constexpr const char* async_name_of(Action action) {
  switch (action) {
    case Action::get: return "get_async";
    case Action::put: return "put_async";
    default: return "accumulate_async";
  }
}

std::uint64_t bytes_in(const ArrayState& state, const Patch& patch) {
  if (state.profile == nullptr) return 0;
  try {
    state.check_patch(patch);
  } catch (const Error&) {
    return 0;  // the transfer itself will say so
  }
  return static_cast<std::uint64_t>(patch.empty() ? 0 : patch.elements()) * state.element_bytes;
}

void transfer(ArrayState& state, Action action, const Patch& patch, std::byte* data,
              const Index& strides, const void* alpha) {
  if (state.profile == nullptr && state.transfer_in_last_block(action, patch, data, strides, alpha))
    return;
  const ProfiledCall call(state.profile, name_of(action), bytes_in(state, patch));
  carry_out(name_of(action), [&](Operation& operation) {
    state.transfer(action, patch, data, strides, alpha, operation);
  });
  if (detail::follows_races()) detail::note_transfer(state, action, patch, data, strides);
}

Handle transfer_async(ArrayState& state, Action action, const Patch& patch, std::byte* data,
                      const Index& strides, const void* alpha) {
  if (state.profile == nullptr && state.transfer_in_last_block(action, patch, data, strides, alpha))
    return {};
  const ProfiledCall call(state.profile, async_name_of(action), bytes_in(state, patch));
  return set_off(action, [&](Operation& operation) {
    state.transfer(action, patch, data, strides, alpha, operation);
    if (detail::follows_races()) detail::note_begun(state, action, patch, data, strides, operation);
  });
}

void scattered(ArrayState& state, Action action, std::span<const std::int64_t> positions,
               std::byte* values, const void* alpha) {
  const auto dimensions = static_cast<std::size_t>(state.shape.size());
  const ProfiledCall call(state.profile, name_of(action),
                          positions.size() / dimensions * state.element_bytes);
  state.scattered(action, positions, values, alpha);
  if (detail::follows_races()) detail::note_scattered(state, action, positions);
}

std::int64_t fetch(const std::shared_ptr<ArrayState>& array, Action action, const Index& position,
                   std::int64_t operand) {
  return named(name_of(action), [&] {
    ArrayState& state = require(array);
    state.require_writable();
    const ProfiledCall call(state.profile, name_of(action), state.element_bytes);
    return state.fetch(action, position, operand);
  });
}

/// The memory of a rank on my node.
std::byte* block_here(const ArrayState& state, int rank) {
  (void)state.group.world_rank(rank);
  std::byte* const memory = state.block(rank);
  if (memory == nullptr)
    throw Error(ErrorKind::value, "rank " + std::to_string(rank) +
                                      " lives on another node; its block has no address here")
        .during({}, state.name);
  return memory;
}

template <class Block>
std::vector<Block> blocks_in(const ArrayState& state, std::byte* memory, int rank) {
  std::vector<Block> result;
  for (const Patch& patch : state.distribution->patches(rank))
    state.distribution->for_each_piece(patch, [&](const Piece& piece) {
      result.push_back({patch,
                        memory + piece.offset * static_cast<std::int64_t>(state.element_bytes),
                        piece.strides});
    });
  return result;
}

template <class Block>
Block only_block(const AnyArray& array, const std::vector<Block>& all) {
  if (all.size() > 1 || !array.distribution().one_block_a_rank())
    throw Error(ErrorKind::value, "a " + array.distribution().to_string() +
                                      " array may have several blocks a rank: use blocks()");
  if (!all.empty()) return all.front();
  const Index zero = Index::filled(array.dimensions(), 0);
  return {{zero, zero, {}}, nullptr, packed_strides(zero)};
}

}  // namespace

AnyArray::AnyArray(const Group& group, const Index& shape, ElementType type,
                   const ArrayOptions& options)
    // All members meet inside. What fails there is told to all; a rank that has no memory even to
    // tell, or to begin, would leave the others there.
    : state_(detail::must_go_on("create array", [&] {
        return std::make_shared<ArrayState>(group, shape, type, options);
      })) {}
AnyArray::AnyArray(std::shared_ptr<ArrayState> state) noexcept : state_(std::move(state)) {}
AnyArray::AnyArray(AnyArray&&) noexcept = default;
AnyArray& AnyArray::operator=(AnyArray&&) noexcept = default;
AnyArray::~AnyArray() = default;

void AnyArray::destroy() {
  ArrayState& state = require(state_);
  const std::string which = state.name.empty() ? "" : " '" + state.name + "'";
  detail::enter_collective(whole_group(), "destroy array" + which, state.creation, nullptr);
  if (state.mirror != nullptr) detail::settle(*state.mirror);
  if (state.cache != nullptr) state.cache->drop();
  detail::Segment::leave(state.segment);
}

AnyArray AnyArray::duplicate(const std::string& name, bool zero) const {
  const ArrayState& state = require(state_);
  const ArrayOptions options{state.layout, name, zero, state.mirror != nullptr};
  return AnyArray(whole_group(), state.shape, state.type, options);
}

bool AnyArray::alive() const noexcept { return state_ != nullptr && state_->alive(); }
ElementType AnyArray::type() const { return known(state_).type; }
const Index& AnyArray::shape() const { return known(state_).shape; }
int AnyArray::dimensions() const { return known(state_).shape.size(); }
std::int64_t AnyArray::elements() const { return known(state_).shape.product(); }
const std::string& AnyArray::name() const { return known(state_).name; }
const Group& AnyArray::group() const { return known(state_).group; }
bool AnyArray::mirrored() const { return known(state_).mirror != nullptr; }
const Group& AnyArray::whole_group() const {
  const ArrayState& state = known(state_);
  return state.mirror != nullptr ? state.mirror->whole : state.group;
}
const Distribution& AnyArray::distribution() const { return *known(state_).distribution; }

void AnyArray::set_read_only(bool read_only) {
  constexpr const char* operation = "set_read_only";
  ArrayState& state = require(state_);
  if (state.mirror != nullptr)
    throw Error(ErrorKind::value, "a mirrored array has a copy on every node already")
        .during(operation, state.name);
  detail::enter_collective(state.group, operation,
                           detail::mix(state.segment->number().sequence, read_only ? 1 : 0),
                           nullptr);
  if (read_only == state.read_only) return;
  if (read_only && state.group.nodes() > 1)
    state.cache =
        std::make_unique<detail::NodeCache>(state, AnyLazyMirror::default_budget, operation);
  if (!read_only && state.cache != nullptr) {
    state.cache->drop();
    state.cache.reset();
  }
  state.read_only = read_only;
}
bool AnyArray::read_only() const { return known(state_).read_only; }

void AnyArray::get(const Patch& patch, void* out, const Index& strides) const {
  ArrayState& state = require(state_);
  auto* const to = static_cast<std::byte*>(out);
  if (state.cache == nullptr)
    transfer(state, Action::get, patch, to, strides, nullptr);
  else
    named("get", [&] { state.cache->get(patch, to, strides); });
}
void AnyArray::put(const Patch& patch, const void* data, const Index& strides) {
  transfer(require_writable(state_, "put"), Action::put, patch, bytes_of(data), strides, nullptr);
}
void AnyArray::accumulate(const Patch& patch, const void* data, const void* alpha,
                          const Index& strides) {
  transfer(require_writable(state_, "accumulate"), Action::accumulate, patch, bytes_of(data),
           strides, alpha);
}
Handle AnyArray::get_async(const Patch& patch, void* out, const Index& strides) const {
  return transfer_async(require(state_), Action::get, patch, static_cast<std::byte*>(out), strides,
                        nullptr);
}
Handle AnyArray::put_async(const Patch& patch, const void* data, const Index& strides) {
  return transfer_async(require_writable(state_, "put_async"), Action::put, patch, bytes_of(data),
                        strides, nullptr);
}
Handle AnyArray::accumulate_async(const Patch& patch, const void* data, const void* alpha,
                                  const Index& strides) {
  return transfer_async(require_writable(state_, "accumulate_async"), Action::accumulate, patch,
                        bytes_of(data), strides, alpha);
}

void AnyArray::gather(std::span<const std::int64_t> positions, void* values) const {
  named("gather", [&] {
    ArrayState& state = require(state_);
    auto* const to = static_cast<std::byte*>(values);
    if (state.cache != nullptr) return state.cache->gather(positions, to);
    scattered(state, Action::gather, positions, to, nullptr);
  });
}
void AnyArray::scatter(std::span<const std::int64_t> positions, const void* values) {
  named("scatter", [&] {
    ArrayState& state = require_writable(state_, "scatter");
    scattered(state, Action::scatter, positions, bytes_of(values), nullptr);
  });
}
void AnyArray::scatter_accumulate(std::span<const std::int64_t> positions, const void* values,
                                  const void* alpha) {
  named("scatter_accumulate", [&] {
    ArrayState& state = require_writable(state_, "scatter_accumulate");
    scattered(state, Action::scatter_accumulate, positions, bytes_of(values), alpha);
  });
}

std::int64_t AnyArray::fetch_add(const Index& position, std::int64_t increment) {
  return fetch(state_, Action::fetch_add, position, increment);
}
std::int64_t AnyArray::swap(const Index& position, std::int64_t value) {
  return fetch(state_, Action::swap, position, value);
}

int AnyArray::owner(const Index& position) const { return known(state_).owner(position); }

std::vector<OwnedPatch> AnyArray::locate(const Patch& patch) const {
  named("locate", [&] { known(state_).check_patch(patch); });
  return distribution().locate(patch);
}

std::vector<Patch> AnyArray::patches(int rank) const {
  (void)group().world_rank(rank);
  return distribution().patches(rank);
}

void* AnyArray::storage(int rank) const {
  ArrayState& state = require_writable(state_, "local access");
  std::byte* const memory = block_here(state, rank);
  if (state.mirror != nullptr) state.mirror->expose(state, state.group.state()->local_of(rank));
  if (detail::follows_races()) detail::note_lent(state, rank, true);
  return memory;
}

std::vector<LocalBlock> AnyArray::blocks(int rank) const {
  auto* const memory = static_cast<std::byte*>(storage(rank));
  return blocks_in<LocalBlock>(*state_, memory, rank);
}

std::vector<ReadableBlock> AnyArray::readable_blocks(int rank) const {
  const ArrayState& state = require(state_);
  std::byte* const memory = block_here(state, rank);
  if (detail::follows_races()) detail::note_lent(state, rank, false);
  return blocks_in<ReadableBlock>(state, memory, rank);
}

LocalBlock AnyArray::block(int rank) const { return only_block(*this, blocks(rank)); }
ReadableBlock AnyArray::readable_block(int rank) const {
  return only_block(*this, readable_blocks(rank));
}

LocalBlock AnyArray::local() const { return block(group().rank()); }

namespace detail {

void throw_type_mismatch(ElementType have, ElementType want) {
  throw Error(ErrorKind::type, "the array holds " + std::string(atoll::name_of(have)) + ", not " +
                                   std::string(atoll::name_of(want)));
}

std::string description(const AnyArray& array) {
  return (array.name().empty() ? "array" : "array '" + array.name() + "'") + " of shape " +
         array.shape().to_string();
}

}  // namespace detail

}  // namespace lagoon::atoll
