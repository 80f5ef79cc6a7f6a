// Transfers from agreement to commit.
#include "disk/disk_array_state.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <optional>
#include <utility>

#include "array/frame.hpp"
#include "array/mirror/merge_job.hpp"
#include "atoll/error.hpp"
#include "disk/common_file.hpp"

namespace lagoon::atoll::detail {

namespace {

constexpr const char* name_of(Direction direction) {
  return direction == Direction::write ? "write disk array" : "read disk array";
}

/// Error(index) for a patch outside, Error(value) for steps.
void check_section(const Patch& patch, const Index& shape, const std::string& what) {
  bool inside = patch.lo.size() == shape.size() && patch.hi.size() == shape.size();
  for (int d = 0; inside && d < shape.size(); ++d)
    inside = patch.lo[d] >= 0 && patch.lo[d] <= patch.hi[d] && patch.hi[d] <= shape[d];
  if (!inside)
    throw Error(ErrorKind::index, "patch " + patch.to_string() + " lies outside " + what);
  for (const std::int64_t step : patch.step)
    if (step != 1)
      throw Error(ErrorKind::value, "patch " + patch.to_string() +
                                        " has steps; disk arrays are "
                                        "moved in whole ranges");
}

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

/// The newest commit that all files have; with its checksums on the first rank. Collective.
DiskCommit common_commit(const DiskArrayState::Opening& opening,
                         const std::optional<OpenDiskArray>& found) {
  std::int64_t generation = std::numeric_limits<std::int64_t>::max();
  if (found) generation = static_cast<std::int64_t>(found->commits.front().generation);
  generation = opening.group.reduce(generation, Reduction::minimum);
  DiskCommit common{static_cast<std::uint64_t>(generation), {}};
  enter_collective(opening.group, opening.operation, opening.hash, [&] {
    if (!found) return;
    const auto commit =
        std::find_if(found->commits.begin(), found->commits.end(),
                     [&](const DiskCommit& one) { return one.generation == common.generation; });
    if (commit == found->commits.end())
      throw Error(ErrorKind::file,
                  "'" + found->record->path() + "' is damaged: it lacks commit " +
                      std::to_string(generation),
                  EBADMSG);
    common.checksums = commit->checksums;
  });
  return common;
}

/// Before a mirrored array's memory is written: its marks tell what the program has written so far.
void prepare_copy(const ArrayState& array) {
  settle(*array.mirror);
  if (!array.mirror->exposed()) return;
  array.mirror->detect(array);
  array.group.barrier();
}

/// Every node has read the same into its copy: nobody has to tell the others.
void mark_alike(const ArrayState& array, const Patch& patch) {
  array.group.barrier();
  if (array.group.rank() == 0) array.mirror->alike(array, patch);
}

}  // namespace

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
        found = opening.first(folder);
        check_part(*found, folder, each_node ? group.nodes() : 0, group.node());
        return found->data;
      },
      opening.writes);
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
  DiskCommit commit = common_commit(opening, found);
  commit.checksums.resize(static_cast<std::size_t>(description->layout.tiles));
  group.broadcast(std::span(commit.checksums), 0);
  std::shared_ptr<DiskArrayState> state(new DiskArrayState(opening, folder, std::move(data)));
  state->description_ = std::make_shared<const DiskDescription>(std::move(*description));
  state->commit_ = std::make_shared<const DiskCommit>(std::move(commit));
  if (found) state->record_ = found->record;
  return state;
}

void DiskArrayState::check(const AnyArray& array, const Patch& array_patch, const Patch& patch,
                           Transpose transpose) const {
  if (array.type() != layout().type)
    throw Error(ErrorKind::type, detail::description(array) + " holds " +
                                     std::string(atoll::name_of(array.type())) + ", " + text() +
                                     " holds " + std::string(atoll::name_of(layout().type)));
  check_section(patch, layout().shape, text());
  check_section(array_patch, array.shape(), detail::description(array));
  Index shape = array_patch.shape();
  if (transpose == Transpose::yes) std::reverse(shape.begin(), shape.end());
  if (shape != patch.shape())
    throw Error(ErrorKind::value,
                "patch " + array_patch.to_string() + " of " + detail::description(array) +
                    " and patch " + patch.to_string() + " of " + text() + " have different shapes");
}

void DiskArrayState::together(const char* operation, const std::function<void()>& step) const {
  enter_collective(group, operation, 1, step);
}

std::shared_ptr<DiskTransfer> DiskArrayState::begin(Direction direction, const AnyArray& array,
                                                    const Patch& array_patch, const Patch& patch,
                                                    Transpose transpose) {
  const char* const operation = name_of(direction);
  // Before the collective frame: an array that is gone has no group.
  require_alive(array, operation);
  const bool into_copies = direction == Direction::read && array.mirrored();
  if (!same_members(group, array.mirrored() ? array.whole_group() : array.group()))
    throw Error(ErrorKind::value,
                detail::description(array) + " and " + text() + " live on different groups")
        .during(operation);
  enter_collective(group, operation,
                   hash_of(std::string_view(path), array, array_patch, patch,
                           static_cast<std::uint64_t>(transpose)),
                   [&] {
                     check(array, array_patch, patch, transpose);
                     if (into_copies && description_->nodes > 0)
                       throw Error(ErrorKind::unsupported,
                                   detail::description(array) + " is mirrored and " + text() +
                                       " has a file on each node: read into a distributed array");
                     if (direction == Direction::write && !writes_)
                       throw Error(ErrorKind::state, text() + " is open for reading only");
                   });
  const std::shared_ptr<const DiskLayout> shared_layout(description_, &description_->layout);
  const Section section(*shared_layout, patch, array_patch, transpose == Transpose::yes);
  for (const auto& before : std::vector(under_way_))
    if ((direction == Direction::write || before->direction == Direction::write) &&
        before->job->section().meets(section)) {
      try {
        wait(*before);
      } catch (const Error&) {
        // Whoever waits for it learns.
      }
    }
  if (into_copies) prepare_copy(*array.state());
  const bool writes_through = direction == Direction::write && durability != Durability::scratch;
  auto job = std::make_shared<SectionJob>(
      SectionTask{shared_layout,
                  data_,
                  {commit_, &commit_->checksums},
                  array.state(),
                  array_patch,
                  patch,
                  transpose == Transpose::yes,
                  direction,
                  into_copies ? tiles_of_rank_in_copy(section, group)
                              : tiles_of_rank(*description_, section, array, group),
                  writes_through && !data_->in_memory(),
                  direction == Direction::write && durability == Durability::in_place});
  auto transfer = std::make_shared<DiskTransfer>(
      DiskTransfer{++transfers_, direction, array.state(), array_patch, std::move(job)});
  under_way_.push_back(transfer);
  return transfer;
}

void DiskArrayState::end(DiskTransfer& transfer, const std::function<void(SectionJob&)>& work) {
  const char* const operation = name_of(transfer.direction);
  const std::shared_ptr<SectionJob> job = std::exchange(transfer.job, nullptr);
  std::erase_if(under_way_, [&](const auto& other) { return other.get() == &transfer; });
  bool worked = false;
  try {
    enter_collective(group, operation, transfer.number, [&] {
      worked = true;
      work(*job);
    });
    if (transfer.direction == Direction::write) return publish(operation, *job);
    if (transfer.array->mirror != nullptr) mark_alike(*transfer.array, transfer.array_patch);
    leave_collective(group);
  } catch (const Error&) {
    transfer.failure = std::current_exception();
    if (!worked) job->let_end();  // nobody is to find it under way after this
    throw;
  }
}

void DiskArrayState::wait(DiskTransfer& transfer) {
  if (transfer.job != nullptr) return end(transfer, [](SectionJob& job) { job.wait(); });
  if (transfer.failure != nullptr) std::rethrow_exception(transfer.failure);
}

std::exception_ptr DiskArrayState::end_all() {
  std::exception_ptr first;
  for (const auto& transfer : std::vector(under_way_)) {
    try {
      wait(*transfer);
    } catch (const Error&) {
      if (first == nullptr) first = std::current_exception();
    }
  }
  return first;
}

void DiskArrayState::publish(const char* operation, const SectionJob& job) {
  const Section& section = job.section();
  std::vector<std::int64_t> checksums(static_cast<std::size_t>(section.tiles()));
  for (const WrittenTile& tile : job.written()) {
    checksums[static_cast<std::size_t>(tile.place)] = tile.checksum;
    unsynced_ = true;
  }
  group.reduce(std::span(checksums));
  DiskCommit next = *commit_;
  for (std::int64_t i = 0; i < section.tiles(); ++i)
    next.checksums[static_cast<std::size_t>(section.tile(i))] =
        static_cast<std::uint32_t>(checksums[static_cast<std::size_t>(i)]);
  ++next.generation;
  together(operation, [&] {
    if (record_ == nullptr) return;
    write_commit(*record_, layout(), next);
    if (durability == Durability::in_place) record_->sync();
  });
  commit_ = std::make_shared<const DiskCommit>(std::move(next));
}

void DiskArrayState::sync(const char* operation) {
  // The system tells once that it has lost something; a second attempt would succeed.
  if (sync_failure_ != nullptr) std::rethrow_exception(sync_failure_);
  try {
    together(operation, [&] {
      if (unsynced_) data_->sync();
    });
  } catch (const Error&) {
    sync_failure_ = std::current_exception();
    throw;
  }
  together(operation, [&] {
    if (record_ != nullptr && writes_) record_->sync();
  });
  unsynced_ = false;
}

void DiskArrayState::verify() {
  constexpr const char* operation = "verify disk array";
  enter_collective(group, operation, hash_of(std::string_view(path)), nullptr);
  (void)end_all();
  const std::int64_t tiles = layout().tiles;
  const std::pair<std::int64_t, std::int64_t> mine = tiles_of_rank(*description_, group);
  std::int64_t damaged = 0, first = std::numeric_limits<std::int64_t>::max();
  together(operation, [&] {
    Serving waiting;
    TileMover mover(layout(), data_, commit_->checksums, waiting);
    for (std::int64_t tile = mine.first; tile < mine.second; ++tile) {
      if (mover.is_whole(tile)) continue;
      ++damaged;
      first = std::min(first, tile);
    }
  });
  damaged = group.reduce(damaged);
  first = group.reduce(first, Reduction::minimum);
  if (damaged > 0)
    throw Error(ErrorKind::file,
                std::to_string(damaged) + " of " + std::to_string(tiles) + " tiles of " + text() +
                    " are damaged, the first is " + layout().patch_of(first).to_string(),
                EBADMSG)
        .during(operation);
}

void DiskArrayState::finish() {
  constexpr const char* operation = "close disk array";
  if (durability != Durability::checkpoint) return;
  sync(operation);
  together(operation, [&] {
    if (record_ != nullptr) replace_disk_array(folder, {path}, {*description_, {}, record_, data_});
  });
}

void DiskArrayState::close() noexcept {
  data_.reset();
  record_.reset();
}

}  // namespace lagoon::atoll::detail
