#include "ghost/windows/registry.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ghost/ghost.hpp"
#include "world/world_state.hpp"

namespace lagoon::atoll::ghost {

namespace {

// Never destroyed: exit() may come in any call.
auto& windows() {
  static auto& all = *new std::unordered_map<MPI_Win, std::unique_ptr<Window>>;
  return all;
}
MPI_Win last_handle = MPI_WIN_NULL;
Window* last_window = nullptr;

/// Groups of communicators that the program has freed. They go in the next call that makes one: in
/// such a function of an attribute MPI may hold a lock of its own, for which another thread of the
/// program waits that has ours. Never destroyed: exit() may come in any call.
struct Forgotten {
  std::mutex lock;
  std::vector<std::unique_ptr<Group>> groups;
};
Forgotten& forgotten() {
  static Forgotten& all = *new Forgotten;
  return all;
}

extern "C" int forget_group(MPI_Comm /*communicator*/, int /*key*/, void* value, void* /*extra*/) {
  const std::lock_guard guard(forgotten().lock);
  forgotten().groups.emplace_back(static_cast<Group*>(value));
  return MPI_SUCCESS;
}

void let_forgotten_go() {
  std::vector<std::unique_ptr<Group>> gone;
  const std::lock_guard guard(forgotten().lock);
  gone.swap(forgotten().groups);
}

int group_key() {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_group, &made, nullptr);
    return made;
  }();
  return key;
}

/// Null where the communicator has none yet.
const Group* kept_group(MPI_Comm communicator) {
  void* found = nullptr;
  int there = 0;
  PMPI_Comm_get_attr(communicator, group_key(), &found, &there);
  return there != 0 ? static_cast<const Group*>(found) : nullptr;
}

}  // namespace

Window* find_window(MPI_Win handle) noexcept {
  if (handle == last_handle) return last_window;
  const auto found = windows().find(handle);
  if (found == windows().end()) return nullptr;
  last_handle = handle;
  last_window = found->second.get();
  return last_window;
}

void enter_window(MPI_Win handle, std::unique_ptr<Window> window) {
  windows()[handle] = std::move(window);
}

std::unique_ptr<Window> take_window(MPI_Win handle) {
  last_handle = MPI_WIN_NULL;
  last_window = nullptr;
  auto node = windows().extract(handle);
  return node.empty() ? nullptr : std::move(node.mapped());
}

std::vector<int> ranks_in(MPI_Group all, MPI_Group members) {
  int size = 0;
  PMPI_Group_size(members, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size)), there(ranks.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  PMPI_Group_translate_ranks(members, size, ranks.data(), all, there.data());
  return there;
}

std::optional<std::vector<int>> world_ranks(MPI_Comm communicator) {
  // The usual case, without MPI's groups.
  if (const Group* const group = kept_group(communicator)) {
    std::vector<int> ranks(static_cast<std::size_t>(group->size()));
    for (std::size_t i = 0; i < ranks.size(); ++i)
      ranks[i] = group->world_rank(static_cast<int>(i));
    return ranks;
  }
  MPI_Group members = MPI_GROUP_NULL, world = MPI_GROUP_NULL;
  PMPI_Comm_group(communicator, &members);
  PMPI_Comm_group(user_world(), &world);
  std::vector<int> there = ranks_in(world, members);
  PMPI_Group_free(&members);
  PMPI_Group_free(&world);
  if (std::ranges::find(there, MPI_UNDEFINED) != there.end()) return {};
  return there;
}

Group group_of(MPI_Comm communicator, const std::vector<int>& ranks) {
  let_forgotten_go();
  if (const Group* const group = kept_group(communicator)) return *group;
  const Group& all = atoll::detail::WorldState::get().all;
  const bool everybody =
      static_cast<int>(ranks.size()) == all.size() && std::ranges::is_sorted(ranks);
  auto* const made = new Group(everybody ? all : all.create_among(ranks));
  PMPI_Comm_set_attr(communicator, group_key(), made);
  return *made;
}

}  // namespace lagoon::atoll::ghost
