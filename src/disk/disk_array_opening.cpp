// Opening a disk array on all ranks: the first one makes or finds the files, and tells the others.
#include <cerrno>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "array/frame.hpp"
#include "atoll/error.hpp"
#include "disk/common_file.hpp"
#include "disk/disk_array_state.hpp"

namespace lagoon::atoll::detail {

namespace {

/// Error(value) unless the files are what was asked for: all of an array, or a node's part.
void check_part(const OpenDiskArray& found, const DiskFolder& folder, int nodes, int node) {
  const DiskDescription& there = found.description;
  if (there.nodes == nodes && (nodes == 0 || there.node == node)) return;
  const std::string is = there.nodes == 0 ? "all of a disk array"
                                          : "part " + std::to_string(there.node) + " of " +
                                                std::to_string(there.nodes) + " of a disk array";
  throw Error(ErrorKind::value,
              "'" + folder.path + "' is " + is +
                  (nodes == 0 ? ": put {node} where its number stands"
                              : ", expected part " + std::to_string(node) + " of " +
                                    std::to_string(nodes) + ", of the nodes of this run"));
}

/// Error(file) unless what lies here is a part of what the first rank has found.
void check_same_array(const OpenDiskArray& found, const DiskDescription& first) {
  DiskDescription expected = first;
  expected.node = found.description.node;
  if (encode(expected) != encode(found.description))
    throw Error(ErrorKind::file, "'" + found.record->path() + "' is of another array", EBADMSG);
}

}  // namespace

DiskCommit DiskArrayState::common_commit(const Group& group, const char* operation,
                                         std::int64_t tiles, CommitLog* log, DiskCommit mine) {
  std::int64_t generation = -1;
  for (;;) {
    std::int64_t oldest = std::numeric_limits<std::int64_t>::max();
    if (log != nullptr) oldest = static_cast<std::int64_t>(mine.generation);
    const std::int64_t before = std::exchange(generation, group.reduce(oldest, Reduction::minimum));
    const auto number = static_cast<std::uint64_t>(generation);
    try {
      enter_collective(group, operation, 2, [&] {
        if (log == nullptr)
          mine = DiskCommit{number, std::vector<std::uint32_t>(static_cast<std::size_t>(tiles))};
        else if (mine.generation != number)
          mine = log->read(number);
      });
      break;
    } catch (const Error& error) {
      // As long as a writer goes on in all of them.
      if (error.error_number() != EBADMSG || generation == before) throw;
    }
    enter_collective(group, operation, 2, [&] {
      if (log != nullptr) mine = log->read();
    });
  }
  group.broadcast(std::span(mine.checksums), 0);
  return mine;
}

std::shared_ptr<DiskArrayState> DiskArrayState::open(const Opening& opening) {
  const Group& group = opening.group;
  const char* const operation = opening.operation;
  const bool each_node = has_file_on_each_node(opening.path);
  if (each_node) enter_collective(group, operation, opening.hash, nullptr);
  const Group sharers = each_node ? group.split(group.node()) : group;
  const DiskFolder folder{path_on_node(opening.path, group.node())};
  std::optional<OpenDiskArray> found;
  auto data = open_together(
      group, sharers, operation, opening.hash,
      [&] {
        if (opening.path.empty() || opening.path.find('\0') != std::string::npos)
          throw Error(ErrorKind::value,
                      "path is '" + opening.path + "', expected the name of a folder");
        if (sharers.rank() != 0) return std::shared_ptr<OpenFile>();
        found.reset();  // of an attempt before: its lock is in the way
        found = opening.first(folder);
        check_part(*found, folder, each_node ? group.nodes() : 0, group.node());
        found->record->use_beside_other_hosts();
        return found->data;
      },
      opening.writes, opening.exists ? IfReplaced::again : IfReplaced::error);
  // Everybody learns what the first rank knows.
  std::vector<std::byte> bytes(description_bytes);
  if (found && group.rank() == 0) bytes = encode(found->description);
  group.broadcast(std::span(bytes), 0);
  auto description = decode_description(bytes);
  if (!description)
    throw Error(ErrorKind::communication, "what the first rank sent is not in order")
        .during(operation);
  if (each_node) {
    enter_collective(group, operation, opening.hash, [&] {
      if (found) check_same_array(*found, *description);
    });
    description->node = group.node();
  }
  DiskCommit commit = found
                          ? common_commit(group, operation, description->layout.tiles,
                                          found->log.get(), std::move(found->commit))
                          : common_commit(group, operation, description->layout.tiles, nullptr, {});
  std::shared_ptr<DiskArrayState> state(new DiskArrayState(opening, folder, std::move(data)));
  state->description_ = std::make_shared<const DiskDescription>(std::move(*description));
  state->commit_ = std::make_shared<DiskCommit>(std::move(commit));
  if (found) {
    state->record_ = found->record;
    state->commits_ = found->log;
  }
  const DiskFolder here = folder_of(*state->data_, state->layout());
  state->log_ = std::make_shared<IntentLog>(here.intents());
  const bool logs = opening.writes && opening.durability == Durability::in_place;
  enter_collective(group, operation, opening.hash, [&] {
    if (found && logs) IntentLog::make(here.intents(), state->layout().tiles, opening.sparse);
  });
  if (logs) enter_collective(group, operation, opening.hash, [&] { state->log_->open_to_write(); });
  // Last: the folder may get its name back.
  if (found && opening.exists && opening.writes) remove_leftovers(folder);
  return state;
}

}  // namespace lagoon::atoll::detail
