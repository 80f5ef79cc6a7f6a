// publish and declare_equal: copies that are changed in place.
#include "array/mirror/merge_call.hpp"
#include "world/collective.hpp"
#include "world/group_state.hpp"

namespace lagoon::atoll {

namespace {

/// What publishing does with a tile.
struct Publication {
  int writer = -1;     ///< whose contents everybody is to have
  bool zeros = false;  ///< they are zeros
  int rival = -1;      ///< another node that has written the tile
};

Publication publication_of(const detail::Marks& marks, std::int64_t tile) {
  const int nodes = marks.nodes();
  bool zeroed_by_all = true;
  for (int node = 0; node < nodes; ++node)
    zeroed_by_all = zeroed_by_all && marks.test(node, detail::Marks::zeroed, tile);
  Publication result;
  bool contents = false;
  for (int node = 0; node < nodes; ++node) {
    const bool zeroed = marks.test(node, detail::Marks::zeroed, tile) && !zeroed_by_all;
    if (!marks.test(node, detail::Marks::written, tile) && !zeroed) continue;
    contents = contents || marks.test(node, detail::Marks::nonzero, tile);
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
void clear_tile(const detail::ArrayState& array, std::int64_t tile) {
  detail::Mirror& mirror = *array.mirror;
  detail::MirrorMemory(array).clear(mirror.tiling.patch(tile));
  mirror.nonzero.clear(tile);
  mirror.renew(array, tile, tile + 1);
}

}  // namespace

void publish(AnyArray& array) {
  constexpr std::string_view operation = "publish";
  detail::require_mirrored(array, operation);
  const std::shared_ptr<detail::ArrayState>& state = array.state();
  const detail::ProfiledCall call(state->profile, "publish");
  detail::Mirror& mirror = *state->mirror;
  const int nodes = mirror.nodes->nodes();
  const detail::Checked checked =
      detail::checked([&] { return detail::Combiner({}, state->type, nodes); });
  if (nodes == 1) {
    detail::agree_alone(mirror.whole, operation, detail::hash_of(array), checked);
    return;
  }
  const detail::Marks marks = detail::meet(*state, operation, detail::hash_of(array), 3, {});
  detail::wait_for(*detail::must_go_on(operation, [&] {
    detail::MergePlan plan(*mirror.nodes, mirror.tiling, state->element_bytes);
    const Patch everything = whole(state->shape);
    plan.confine(everything);
    detail::NodeSet set = detail::all_nodes(nodes);
    std::vector<std::int64_t> to_clear;
    for (std::int64_t tile = 0; tile < mirror.tiling.tiles(); ++tile) {
      const Publication p = publication_of(marks, tile);
      if (p.rival >= 0) throw_conflict(array, mirror.tiling.patch(tile), p);
      if (p.zeros) {
        to_clear.push_back(tile);
      } else if (p.writer >= 0) {
        std::fill(set.begin(), set.end(), 0);
        detail::insert(set, p.writer);
        plan.add(tile, tile + 1, set, -1);
      }
    }
    detail::mark_merged(mirror, marks, everything, false);
    if (!to_clear.empty()) array.group().barrier();  // the marks are not to be set again
    const auto ranks = static_cast<std::size_t>(array.group().size());
    for (auto i = static_cast<std::size_t>(array.group().rank()); i < to_clear.size(); i += ranks)
      clear_tile(*state, to_clear[i]);
    return detail::start_merge(
        {state, nullptr, {}, *checked.combiner, plan.parcels(mirror.whole.rank(), true)});
  }));
}

void declare_equal(AnyArray& array) {
  constexpr std::string_view operation = "declare_equal";
  detail::require_mirrored(array, operation);
  detail::ArrayState& state = *array.state();
  detail::Mirror& mirror = *state.mirror;
  detail::enter_collective(mirror.whole, operation, detail::hash_of(array), nullptr);
  if (mirror.exposed()) {
    mirror.detect(state);
    array.group().barrier();
  }
  if (array.group().rank() == 0 && mirror.has_marks()) mirror.forget();
  detail::leave_collective(mirror.whole);
}

}  // namespace lagoon::atoll
