// merge, publish and merge_into: from the nodes' marks to a plan, and the job that carries it out.
#include <array>
#include <cstring>
#include <optional>
#include <string>

#include "array/merge_job.hpp"
#include "array/merge_meeting.hpp"
#include "array/piece.hpp"
#include "atoll/error.hpp"
#include "atoll/mirror.hpp"
#include "world/collective.hpp"
#include "world/group_state.hpp"

namespace lagoon::atoll {

namespace {

using detail::ArrayState;
using detail::Marks;
using detail::meet;
using detail::MergePlan;
using detail::Mirror;
using detail::NodeSet;
using detail::ProfiledCall;
using State = std::shared_ptr<ArrayState>;

std::string description(const AnyArray& array) {
  return (array.name().empty() ? "the array" : "array '" + array.name() + "'") + " of shape " +
         array.shape().to_string();
}

void require_mirrored(const AnyArray& array, std::string_view operation) {
  if (array.state() == nullptr)
    throw Error(ErrorKind::state, "the array was moved from").during(operation);
  array.state()->require_alive();
  if (!array.mirrored())
    throw Error(ErrorKind::value, description(array) + " is not mirrored").during(operation);
}

std::uint64_t hash_of(const AnyArray& array) {
  std::uint64_t hash = detail::mix(static_cast<std::uint64_t>(array.type()), array.name().size());
  for (const char c : array.name()) hash = detail::mix(hash, static_cast<unsigned char>(c));
  hash = detail::mix(hash, static_cast<std::uint64_t>(array.dimensions()));
  for (const std::int64_t extent : array.shape())
    hash = detail::mix(hash, static_cast<std::uint64_t>(extent));
  return hash;
}

std::uint64_t hash_with(std::uint64_t hash, const Patch& patch) {
  for (const Index* index : {&patch.lo, &patch.hi, &patch.step}) {
    hash = detail::mix(hash, static_cast<std::uint64_t>(index->size()));
    for (const std::int64_t entry : *index)
      hash = detail::mix(hash, static_cast<std::uint64_t>(entry));
  }
  return hash;
}

std::uint64_t hash_with(std::uint64_t hash, const Combination& combination) {
  return detail::mix(
      hash, combination.function() ? 100 : static_cast<std::uint64_t>(combination.reduction()));
}

void check_unit_steps(const Patch& patch) {
  for (const std::int64_t step : patch.step)
    if (step != 1)
      throw Error(ErrorKind::value,
                  "patch " + patch.to_string() + " has steps; a merge takes whole ranges");
}

/// Every rank has read the marks in `exchanged`, or will; those of my node change now.
void mark_merged(Mirror& mirror, const Marks& marks, const Patch& patch, bool all_nonzero) {
  if (mirror.nodes->node().rank() != 0) return;
  mirror.tiling.for_each_run(patch, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t tile = first; tile < last; ++tile) {
      if (all_nonzero || marks.any(Marks::nonzero, tile)) mirror.nonzero.set(tile, tile + 1);
      if (!mirror.tiling.covered(tile, patch)) continue;
      mirror.set_since.clear(tile);
      mirror.zeroed_since.clear(tile);
    }
  });
}

std::shared_ptr<detail::MergeJob> start(const State& array, detail::MergeTask task) {
  array->mirror->begin_merge();
  auto job = std::make_shared<detail::MergeJob>(std::move(task));
  array->group.state()->world().chores.push_back(job);
  (void)job->poll();
  return job;
}

void wait_for(detail::MergeJob& job) {
  detail::WorldState::get().wait_until([&] { return job.settled(); });
  job.rethrow();
}

NodeSet all_nodes(int nodes) {
  NodeSet set((static_cast<std::size_t>(nodes) + 63) / 64);
  for (int node = 0; node < nodes; ++node)
    set[static_cast<std::size_t>(node) / 64] |= std::uint64_t{1} << (node % 64);
  return set;
}

bool empty(const NodeSet& set) {
  return std::all_of(set.begin(), set.end(), [](std::uint64_t word) { return word == 0; });
}

/// Adds the tiles of `patch` to the plan by contributors; those without any only with a `home`.
void add_patch(MergePlan& plan, const detail::Tiling& tiling, const Marks& marks,
               const detail::Combiner& combiner, const Patch& patch, int home) {
  plan.confine(patch);
  const NodeSet everybody = all_nodes(marks.nodes());
  NodeSet set = everybody;
  tiling.for_each_run(patch, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t tile = first; tile < last; ++tile) {
      marks.nodes_with(Marks::nonzero, tile, set);
      if (!combiner.zero_from_zeros())
        plan.add(tile, tile + 1, everybody, home);
      else if (home >= 0 || !empty(set))
        plan.add(tile, tile + 1, set, home);
    }
  });
}

struct Checked {
  std::optional<Error> failure;
  std::optional<detail::Combiner> combiner;
};

template <class F>
Checked check(F&& f) {
  Checked result;
  try {
    result.combiner.emplace(f());
  } catch (const Error& error) {
    result.failure = error;
  }
  return result;
}

/// The part of the array that is one node's: nothing to combine, but the call is collective.
void agree_alone(const Group& whole, std::string_view operation, std::uint64_t arguments,
                 const Checked& checked) {
  detail::enter_collective(whole, operation, arguments, [&] {
    if (checked.failure) throw Error(*checked.failure);
  });
}

std::shared_ptr<detail::MergeJob> begin_merge(AnyArray& array, const Patch& patch,
                                              const Combination& combination) {
  constexpr std::string_view operation = "merge";
  require_mirrored(array, operation);
  const State& state = array.state();
  Mirror& mirror = *state->mirror;
  const int nodes = mirror.nodes->nodes();
  const Checked checked = check([&] {
    state->check_patch(patch);
    check_unit_steps(patch);
    return detail::Combiner(combination, state->type, nodes);
  });
  const std::uint64_t hash = hash_with(hash_with(hash_of(array), patch), combination);
  if (nodes == 1) {
    agree_alone(mirror.whole, operation, hash, checked);
    return nullptr;
  }
  const Marks marks =
      meet(*state, operation, hash, 1, checked.failure ? &*checked.failure : nullptr);
  MergePlan plan(*mirror.nodes, mirror.tiling, state->element_bytes);
  add_patch(plan, mirror.tiling, marks, *checked.combiner, patch, -1);
  mark_merged(mirror, marks, patch, !checked.combiner->zero_from_zeros());
  return start(state,
               {state, nullptr, {}, *checked.combiner, plan.parcels(mirror.whole.rank(), true)});
}

/// What publishing does with a tile.
struct Publication {
  int writer = -1;     ///< whose contents everybody is to have
  bool zeros = false;  ///< they are zeros
  int rival = -1;      ///< another node that has written the tile
};

Publication publication_of(const Marks& marks, std::int64_t tile) {
  const int nodes = marks.nodes();
  bool zeroed_by_all = true;
  for (int node = 0; node < nodes; ++node)
    zeroed_by_all = zeroed_by_all && marks.test(node, Marks::zeroed, tile);
  Publication result;
  bool contents = false;
  for (int node = 0; node < nodes; ++node) {
    const bool zeroed = marks.test(node, Marks::zeroed, tile) && !zeroed_by_all;
    if (!marks.test(node, Marks::written, tile) && !zeroed) continue;
    contents = contents || marks.test(node, Marks::nonzero, tile);
    (result.writer < 0 ? result.writer : result.rival) = node;
  }
  // Nodes that have zeroed the same tile do not contradict each other.
  if (!contents) result.rival = -1;
  result.zeros = result.writer >= 0 && !contents;
  return result;
}

[[noreturn]] void throw_conflict(const AnyArray& array, const Patch& tile, const Publication& p) {
  throw Error(ErrorKind::value, "tile " + tile.to_string() + " was written on nodes " +
                                    std::to_string(p.writer) + " and " + std::to_string(p.rival) +
                                    " since the last merge or publish")
      .during("publish", array.name());
}

/// Zeros a tile in my node's copy.
void clear_tile(const ArrayState& array, std::int64_t tile) {
  Mirror& mirror = *array.mirror;
  detail::MirrorMemory(array).clear(mirror.tiling.patch(tile));
  mirror.nonzero.clear(tile);
  mirror.renew(array, tile, tile + 1);
}

void require_target(const AnyArray& array, const AnyArray& target) {
  if (target.state() == nullptr) throw Error(ErrorKind::state, "the target was moved from");
  target.state()->require_alive();
  const Group &whole = array.whole_group(), &theirs = target.group();
  bool same = !target.mirrored() && whole.size() == theirs.size();
  for (int rank = 0; same && rank < whole.size(); ++rank)
    same = whole.world_rank(rank) == theirs.world_rank(rank);
  if (!same)
    throw Error(ErrorKind::value, description(target) +
                                      " is not distributed over the ranks of all copies of " +
                                      description(array));
}

detail::Combiner check_into(const AnyArray& array, const Patch& patch, const AnyArray& target,
                            const Patch& target_patch, const Combination& combination, int nodes) {
  array.state()->check_patch(patch);
  target.state()->check_patch(target_patch);
  check_unit_steps(patch);
  check_unit_steps(target_patch);
  if (array.type() != target.type())
    throw Error(ErrorKind::type,
                description(array) + " holds " + std::string(name_of(array.type())) + ", " +
                    description(target) + " holds " + std::string(name_of(target.type())));
  if (patch.shape() != target_patch.shape())
    throw Error(ErrorKind::value, "patch " + patch.to_string() + " and target patch " +
                                      target_patch.to_string() + " have different shapes");
  return {combination, array.type(), nodes};
}

}  // namespace

PendingMerge::PendingMerge() noexcept = default;
PendingMerge::PendingMerge(std::shared_ptr<detail::MergeJob> job) noexcept : job_(std::move(job)) {}
PendingMerge::PendingMerge(PendingMerge&&) noexcept = default;

PendingMerge& PendingMerge::operator=(PendingMerge&& other) noexcept {
  PendingMerge earlier(std::move(*this));
  job_ = std::move(other.job_);
  return *this;
}

PendingMerge::~PendingMerge() {
  if (job_ == nullptr || std::uncaught_exceptions() > 0) return;
  try {
    wait();
  } catch (...) {  // nobody is left to tell
  }
}

void PendingMerge::let_go() noexcept { job_.reset(); }

void PendingMerge::wait() {
  if (job_ == nullptr) return;
  const auto job = std::move(job_);
  if (job->alive()) wait_for(*job);
}

bool PendingMerge::test() {
  if (job_ == nullptr) return true;
  if (job_->alive() && !job_->settled()) (void)detail::WorldState::get().serve();
  return !job_->alive() || job_->settled();
}

PendingMerge merge_begin(AnyArray& array, const Combination& combination) {
  return merge_begin(array, whole(array.shape()), combination);
}

PendingMerge merge_begin(AnyArray& array, const Patch& patch, const Combination& combination) {
  const ProfiledCall call(array.state() != nullptr ? array.state()->profile : nullptr,
                          "merge_begin");
  return PendingMerge(begin_merge(array, patch, combination));
}

void merge(AnyArray& array, const Combination& combination) {
  merge(array, whole(array.shape()), combination);
}

void merge(AnyArray& array, const Patch& patch, const Combination& combination) {
  const ProfiledCall call(array.state() != nullptr ? array.state()->profile : nullptr, "merge");
  if (const auto job = begin_merge(array, patch, combination)) wait_for(*job);
}

void publish(AnyArray& array) {
  constexpr std::string_view operation = "publish";
  require_mirrored(array, operation);
  const State& state = array.state();
  const ProfiledCall call(state->profile, "publish");
  Mirror& mirror = *state->mirror;
  const int nodes = mirror.nodes->nodes();
  const Checked checked = check([&] { return detail::Combiner({}, state->type, nodes); });
  if (nodes == 1) {
    agree_alone(mirror.whole, operation, hash_of(array), checked);
    return;
  }
  const Marks marks = meet(*state, operation, hash_of(array), 3, nullptr);
  MergePlan plan(*mirror.nodes, mirror.tiling, state->element_bytes);
  const Patch everything = whole(state->shape);
  plan.confine(everything);
  NodeSet set = all_nodes(nodes);
  std::vector<std::int64_t> to_clear;
  for (std::int64_t tile = 0; tile < mirror.tiling.tiles(); ++tile) {
    const Publication p = publication_of(marks, tile);
    if (p.rival >= 0) throw_conflict(array, mirror.tiling.patch(tile), p);
    if (p.zeros) {
      to_clear.push_back(tile);
    } else if (p.writer >= 0) {
      std::fill(set.begin(), set.end(), 0);
      set[static_cast<std::size_t>(p.writer) / 64] |= std::uint64_t{1} << (p.writer % 64);
      plan.add(tile, tile + 1, set, -1);
    }
  }
  mark_merged(mirror, marks, everything, false);
  if (!to_clear.empty()) array.group().barrier();  // the marks are not to be set again
  const auto ranks = static_cast<std::size_t>(array.group().size());
  for (auto i = static_cast<std::size_t>(array.group().rank()); i < to_clear.size(); i += ranks)
    clear_tile(*state, to_clear[i]);
  wait_for(*start(
      state, {state, nullptr, {}, *checked.combiner, plan.parcels(mirror.whole.rank(), true)}));
}

void merge_into(const AnyArray& array, AnyArray& target, const Combination& combination) {
  merge_into(array, whole(array.shape()), target, whole(target.shape()), combination);
}

void merge_into(const AnyArray& array, const Patch& patch, AnyArray& target,
                const Patch& target_patch, const Combination& combination) {
  constexpr std::string_view operation = "merge_into";
  require_mirrored(array, operation);
  const State& state = array.state();
  const ProfiledCall call(state->profile, "merge_into");
  Mirror& mirror = *state->mirror;
  const int nodes = mirror.nodes->nodes();
  const Checked checked = check([&] {
    require_target(array, target);
    return check_into(array, patch, target, target_patch, combination, nodes);
  });
  const std::uint64_t hash =
      hash_with(hash_with(hash_with(hash_of(array), patch), target_patch), combination);
  if (nodes == 1) {
    agree_alone(mirror.whole, operation, hash, checked);
  } else {
    (void)meet(*state, operation, hash, 1, checked.failure ? &*checked.failure : nullptr);
  }
  detail::MergeTask task{state, target.state(), patch.lo, *checked.combiner, {}};
  for (int d = 0; d < patch.dimensions(); ++d) task.shift[d] = target_patch.lo[d] - patch.lo[d];
  if (nodes == 1) {
    // One copy: everybody writes the blocks that it owns.
    const detail::MirrorMemory source(*state), into(*target.state());
    for (const Patch& block : target.patches(target.group().rank())) {
      Patch part = intersection(block, {target_patch.lo, target_patch.hi, {}});
      if (part.empty()) continue;
      std::vector<std::byte> buffer(static_cast<std::size_t>(part.elements()) *
                                    state->element_bytes);
      Patch from = part;
      for (int d = 0; d < patch.dimensions(); ++d) {
        from.lo[d] -= task.shift[d];
        from.hi[d] -= task.shift[d];
      }
      source.pack(from, buffer.data());
      into.unpack(part, buffer.data());
    }
  } else {
    const Marks marks(mirror);
    MergePlan plan(*mirror.nodes, mirror.tiling, state->element_bytes);
    for (int owner = 0; owner < target.group().size(); ++owner)
      for (const Patch& block : target.patches(owner)) {
        Patch part = intersection(block, {target_patch.lo, target_patch.hi, {}});
        if (part.empty()) continue;
        for (int d = 0; d < patch.dimensions(); ++d) {
          part.lo[d] -= task.shift[d];
          part.hi[d] -= task.shift[d];
        }
        add_patch(plan, mirror.tiling, marks, *checked.combiner, part,
                  target.group().node_of(owner));
      }
    task.parcels = plan.parcels(mirror.whole.rank(), false);
    wait_for(*start(state, std::move(task)));
  }
  detail::leave_collective(target.group());
}

void declare_equal(AnyArray& array) {
  constexpr std::string_view operation = "declare_equal";
  require_mirrored(array, operation);
  ArrayState& state = *array.state();
  Mirror& mirror = *state.mirror;
  detail::enter_collective(mirror.whole, operation, hash_of(array), nullptr);
  if (mirror.exposed()) {
    mirror.detect(state);
    array.group().barrier();
  }
  if (array.group().rank() == 0 && mirror.has_marks()) mirror.forget();
  detail::leave_collective(mirror.whole);
}

}  // namespace lagoon::atoll
