// Halo updates: every rank gets what its halo lacks, straight into its place in memory.
#include "atoll/halo.hpp"

#include <algorithm>
#include <memory>

#include "array/array_state.hpp"
#include "array/calls.hpp"
#include "array/distribution/images.hpp"
#include "array/distribution/piece.hpp"
#include "array/frame.hpp"
#include "array/race_notes.hpp"
#include "atoll/error.hpp"
#include "world/collective.hpp"

namespace lagoon::atoll {

namespace {

using detail::Action;
using detail::ArrayState;
using detail::Operation;
using detail::require;

[[noreturn]] void bad(const ArrayState& state, const std::string& message) {
  throw Error(ErrorKind::value, message).during("update_halo", state.name);
}

/// The number of a direction among all: its entries as digits 0, 1 and 2.
std::size_t number_of(const Index& direction) {
  std::size_t number = 0;
  for (const std::int64_t entry : direction)
    number = 3 * number + static_cast<std::size_t>(entry + 1);
  return number;
}

/// A part of the halo and where its contents come from.
struct Source {
  Patch patch;
  std::byte* target;
};

/// What an update has to do on this rank.
class Plan {
 public:
  /// Error(value) for bad options.
  Plan(const ArrayState& state, const HaloOptions& options) : state_(state), options_(options) {
    check_periodic();
    choose();
    if (!state.distribution->has_halo()) return;
    const LocalBlock block = block_of(state);
    if (block.data == nullptr) return;
    strides_ = block.strides;
    const Index& halo = state.distribution->halo();
    Index turn = Index::filled(halo.size(), 0), count = turn;
    for (int d = 0; d < halo.size(); ++d) count[d] = halo[d] > 0 ? 3 : 1;
    do {
      Index direction = turn;
      for (int d = 0; d < halo.size(); ++d) direction[d] = count[d] == 1 ? 0 : turn[d] - 1;
      if (wanted(direction)) add(direction, block);
    } while (next_position(turn, count));
  }

  std::uint64_t bytes() const noexcept { return elements_ * state_.element_bytes; }
  void start(ArrayState& state, Operation& operation) const {
    for (const Source& source : sources_) {
      state.transfer(Action::get, source.patch, source.target, strides_, nullptr, operation);
      if (operation.nonblocking && detail::follows_races())
        detail::note_begun(state, Action::get, source.patch, nullptr, {}, operation);
    }
  }

  static LocalBlock block_of(const ArrayState& state);

 private:
  void check_periodic() const {
    const std::size_t given = options_.periodic.size();
    if (given > 1 && given != static_cast<std::size_t>(state_.shape.size()))
      bad(state_, "periodic has " + std::to_string(given) + " entries, the shape " +
                      state_.shape.to_string() + " has " + std::to_string(state_.shape.size()));
  }
  bool periodic(int d) const {
    const std::vector<bool>& given = options_.periodic;
    return !given.empty() && given[given.size() == 1 ? 0 : static_cast<std::size_t>(d)];
  }
  void choose() {
    const int n = state_.shape.size();
    std::size_t all = 1;
    for (int d = 0; d < n; ++d) all *= 3;
    if (!options_.directions.empty()) chosen_.resize(all, false);
    for (const Index& direction : options_.directions) {
      bool zero = true, good = direction.size() == n;
      for (const std::int64_t entry : direction) {
        good = good && entry >= -1 && entry <= 1;
        zero = zero && entry == 0;
      }
      if (!good || zero)
        bad(state_, "direction " + direction.to_string() + " does not have " + std::to_string(n) +
                        " entries of -1, 0 and 1 that are not all 0");
      chosen_[number_of(direction)] = true;
    }
  }
  bool wanted(const Index& direction) const {
    const auto sides = std::count_if(direction.begin(), direction.end(),
                                     [](std::int64_t entry) { return entry != 0; });
    if (sides == 0) return false;
    if (!chosen_.empty()) return chosen_[number_of(direction)];
    return options_.corners || sides == 1;
  }
  void add(const Index& direction, const LocalBlock& block) {
    const Index& halo = state_.distribution->halo();
    Patch region = block.patch;
    for (int d = 0; d < halo.size(); ++d) {
      const std::int64_t lo = block.patch.lo[d] + halo[d], hi = block.patch.hi[d] - halo[d];
      const std::int64_t side = direction[d];
      if (side > 0) region.lo[d] = hi;
      if (side == 0) region.lo[d] = lo;
      if (side == 0) region.hi[d] = hi;
      if (side < 0) region.hi[d] = lo;
    }
    detail::for_each_image(
        region, state_.shape, [this](int d) { return periodic(d); },
        [&](const Patch& part, const Index& position) {
          std::int64_t offset = 0;
          for (int d = 0; d < position.size(); ++d)
            offset += (region.lo[d] + position[d] - block.patch.lo[d]) * block.strides[d];
          sources_.push_back({part, static_cast<std::byte*>(block.data) +
                                        offset * static_cast<std::int64_t>(state_.element_bytes)});
          elements_ += static_cast<std::uint64_t>(part.elements());
        });
  }

  const ArrayState& state_;
  const HaloOptions& options_;
  std::vector<bool> chosen_;  // by number; empty: all
  std::vector<Source> sources_;
  Index strides_;
  std::uint64_t elements_ = 0;
};

LocalBlock block_with_halo_of(const ArrayState& state, int rank, std::byte* memory) {
  const Distribution& distribution = *state.distribution;
  if (!distribution.one_block_a_rank())
    throw Error(ErrorKind::value, "a " + distribution.to_string() +
                                      " array has no halo: only blocked and irregular ones may")
        .during("block_with_halo", state.name);
  const std::vector<Patch> patches = distribution.patches(rank);
  LocalBlock block{{}, nullptr, packed_strides(distribution.memory_shape(rank))};
  if (patches.empty()) {
    block.patch.lo = block.patch.hi = Index::filled(state.shape.size(), 0);
    return block;
  }
  block.patch = patches.front();
  for (int d = 0; d < state.shape.size(); ++d) {
    block.patch.lo[d] -= distribution.halo()[d];
    block.patch.hi[d] += distribution.halo()[d];
  }
  block.data = memory;
  return block;
}

LocalBlock Plan::block_of(const ArrayState& state) {
  const int me = state.group.rank();
  return block_with_halo_of(state, me, state.block(me));
}

std::uint64_t hash_of(const ArrayState& state, const HaloOptions& options) {
  detail::ArgumentHash hash;
  hash.add(state.segment->number().sequence).add(std::uint64_t{options.corners});
  hash.add(options.periodic.size());
  for (const bool wraps : options.periodic) hash.add(std::uint64_t{wraps});
  for (const Index& direction : options.directions) hash.add(direction);
  return hash.value();
}

/// All members have agreed on one that is made, and have what it takes.
class Update {
 public:
  /// `nonblocking`: the caller goes on before it waits.
  Update(AnyArray& array, const HaloOptions& options, bool nonblocking)
      : state_(require(array.state())) {
    detail::enter_collective(state_.group, "update_halo", hash_of(state_, options), [&] {
      plan_ = std::make_unique<Plan>(state_, options);
      operation_ = std::make_shared<Operation>();
      operation_->nonblocking = nonblocking;
      operation_->together = true;
      operation_->keeps = array.state();
    });
  }
  Handle start() {
    const detail::ProfiledCall call(state_.profile, "update_halo", plan_->bytes());
    Handle handle(operation_);
    plan_->start(state_, *operation_);
    return handle;
  }

 private:
  ArrayState& state_;
  std::unique_ptr<Plan> plan_;
  std::shared_ptr<Operation> operation_;
};

}  // namespace

Handle update_halo_begin(AnyArray& array, const HaloOptions& options) {
  return Update(array, options, true).start();
}

void update_halo(AnyArray& array, const HaloOptions& options) {
  const Group group = require(array.state()).group;
  Update update(array, options, false);
  detail::leave_collective(group, detail::attempt([&] { update.start().wait(); }));
}

LocalBlock block_with_halo(const AnyArray& array, int rank) {
  const ArrayState& state = require(array.state());
  return block_with_halo_of(state, rank, static_cast<std::byte*>(array.storage(rank)));
}

LocalBlock local_with_halo(const AnyArray& array) {
  return block_with_halo(array, array.group().rank());
}

}  // namespace lagoon::atoll
