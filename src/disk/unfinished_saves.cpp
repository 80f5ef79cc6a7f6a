// A list of them, the same on all ranks of a group.
#include "disk/unfinished_saves.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "world/world_state.hpp"

namespace lagoon::atoll::detail {

namespace {

/// Those that nobody has waited for yet, in the order of their beginnings. The same on all ranks of
/// a group.
std::vector<std::shared_ptr<CheckpointSave>>& unfinished() {
  // Nor is this: arrays cannot be let go of when the program ends without the world.
  static auto& all = *new std::vector<std::shared_ptr<CheckpointSave>>;
  return all;
}

void forget_finished() {
  std::erase_if(unfinished(), [](const auto& save) { return save->done(); });
}

/// When the world ends: what was begun is saved, though nobody waits for it.
void finish_all() {
  for (const auto& save : std::exchange(unfinished(), {})) save->finish_unwatched();
}

}  // namespace

void finish_at_end(std::shared_ptr<CheckpointSave> save) {
  static std::uint64_t asked = 0;  // which world
  WorldState& world = WorldState::get();
  if (std::exchange(asked, world.number) != world.number) world.at_end.emplace_back(finish_all);
  unfinished().push_back(std::move(save));
}

void finish_dropped(const Group& group, const std::string& folder) {
  forget_finished();
  for (const auto& save : std::vector(unfinished())) {
    if (!save->saves(group, folder)) continue;
    constexpr long holders = 2;  // the list, and its copy here
    const std::int32_t dropped = save.use_count() == holders ? 1 : 0;
    if (group.reduce(dropped, Reduction::minimum) != 0) save->finish_unwatched();
  }
  forget_finished();
}

}  // namespace lagoon::atoll::detail
