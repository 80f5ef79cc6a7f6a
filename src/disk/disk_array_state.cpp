// Transfers from agreement to commit.
#include "disk/disk_array_state.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <limits>
#include <optional>
#include <system_error>
#include <thread>
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

/// The newest commit that all files have; with its checksums on all ranks. Collective. `commits`,
/// those of this rank's record, are null where it has none.
DiskCommit common_commit(const Group& group, const char* operation, std::int64_t tiles,
                         const std::vector<DiskCommit>* commits, const std::string& path) {
  std::int64_t generation = std::numeric_limits<std::int64_t>::max();
  if (commits != nullptr) generation = static_cast<std::int64_t>(commits->front().generation);
  generation = group.reduce(generation, Reduction::minimum);
  DiskCommit common{static_cast<std::uint64_t>(generation), {}};
  enter_collective(group, operation, 2, [&] {
    common.checksums.resize(static_cast<std::size_t>(tiles));
    if (commits == nullptr) return;
    const auto commit = std::find_if(commits->begin(), commits->end(), [&](const DiskCommit& one) {
      return one.generation == common.generation;
    });
    if (commit == commits->end())
      throw Error(ErrorKind::file,
                  "'" + path + "' is damaged: it lacks commit " + std::to_string(generation),
                  EBADMSG);
    common.checksums = commit->checksums;
  });
  group.broadcast(std::span(common.checksums), 0);
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
  DiskCommit commit =
      common_commit(group, operation, description->layout.tiles, found ? &found->commits : nullptr,
                    found ? found->record->path() : std::string());
  std::shared_ptr<DiskArrayState> state(new DiskArrayState(opening, folder, std::move(data)));
  state->description_ = std::make_shared<const DiskDescription>(std::move(*description));
  state->commit_ = std::make_shared<const DiskCommit>(std::move(commit));
  if (found) state->record_ = found->record;
  const DiskFolder here = folder_of(*state->data_, state->layout());
  state->log_ = std::make_shared<IntentLog>(here.intents());
  const bool logs = opening.writes && opening.durability == Durability::in_place;
  enter_collective(group, operation, opening.hash, [&] {
    if (!found) return;
    if (opening.writes) state->guard_.look(*found->record, state->layout());
    if (logs) IntentLog::make(here.intents(), state->layout().tiles, opening.sparse);
  });
  if (logs) enter_collective(group, operation, opening.hash, [&] { state->log_->open_to_write(); });
  // Last: the folder may get its name back.
  if (found && opening.exists && opening.writes) remove_leftovers(folder);
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
  auto transfer = std::make_shared<DiskTransfer>(DiskTransfer{
      ++transfers_, direction, array.state(), array_patch, patch, transpose == Transpose::yes, {}});
  transfer->job = job_of(*transfer);
  under_way_.push_back(transfer);
  return transfer;
}

std::shared_ptr<SectionJob> DiskArrayState::job_of(const DiskTransfer& transfer) const {
  const std::shared_ptr<const DiskLayout> shared_layout(description_, &description_->layout);
  const AnyArray array(transfer.array);
  const bool writes = transfer.direction == Direction::write;
  const Section section(*shared_layout, transfer.patch, transfer.array_patch, transfer.transposed);
  return std::make_shared<SectionJob>(
      SectionTask{shared_layout,
                  data_,
                  {commit_, &commit_->checksums},
                  log_,
                  transfer.array,
                  transfer.array_patch,
                  transfer.patch,
                  transfer.transposed,
                  transfer.direction,
                  !writes && array.mirrored() ? tiles_of_rank_in_copy(section, group)
                                              : tiles_of_rank(*description_, section, array, group),
                  {.direct = writes && durability != Durability::scratch && !data_->in_memory(),
                   .logged = writes && durability == Durability::in_place},
                  writes && durability == Durability::in_place});
}

void DiskArrayState::end(DiskTransfer& transfer, const std::function<void(SectionJob&)>& work) {
  const char* const operation = name_of(transfer.direction);
  const std::shared_ptr<SectionJob> job = std::exchange(transfer.job, nullptr);
  std::erase_if(under_way_, [&](const auto& other) { return other.get() == &transfer; });
  bool worked = false;
  try {
    move(transfer, [&] {
      worked = true;
      work(*job);
    });
    if (transfer.direction == Direction::write) return publish(operation, *job);
    if (transfer.array->mirror != nullptr) mark_alike(*transfer.array, transfer.array_patch);
    leave_collective(group);
  } catch (const Error& error) {
    transfer.failure = std::current_exception();
    if (!worked) job->let_end();  // nobody is to find it under way after this
    if (transfer.direction == Direction::write) unwritten_.add(layout(), job->section(), error);
    throw;
  }
}

void DiskArrayState::move(const DiskTransfer& transfer, const std::function<void()>& work) {
  const char* const operation = name_of(transfer.direction);
  try {
    return enter_collective(group, operation, transfer.number, work);
  } catch (const Error& error) {
    if (transfer.direction == Direction::write || error.error_number() != EBADMSG || writes_) throw;
  }
  // Somebody may have written since, or be writing now.
  again_while_written(operation, [&] {
    enter_collective(group, operation, transfer.number, [&] { job_of(transfer)->run_here(); });
  });
}

void DiskArrayState::again_while_written(const char* operation, const std::function<void()>& step) {
  constexpr int most_attempts = 200;
  constexpr auto pause = std::chrono::milliseconds(1);
  for (int attempt = 1;; ++attempt) {
    const bool changed = refresh(operation), written = is_being_written();
    try {
      return step();
    } catch (const Error& error) {
      if (error.error_number() != EBADMSG || !(changed || written)) throw;
      if (attempt == most_attempts)
        throw Error(ErrorKind::file,
                    text() +
                        " is open for writing, and what was read is being written or is "
                        "damaged: " +
                        error.message(),
                    EAGAIN)
            .during(operation);
    }
    if (!changed) std::this_thread::sleep_for(pause);
  }
}

bool DiskArrayState::is_being_written() const {
  const std::int32_t here = record_ != nullptr && record_->is_locked_elsewhere() ? 1 : 0;
  return group.reduce(here, Reduction::maximum) != 0;
}

bool DiskArrayState::refresh(const char* operation) {
  if (writes_) return false;
  std::vector<DiskCommit> commits;
  together(operation, [&] {
    if (record_ != nullptr) commits = read_commits(*record_, layout());
  });
  DiskCommit newest =
      common_commit(group, operation, layout().tiles, record_ != nullptr ? &commits : nullptr,
                    record_ != nullptr ? record_->path() : std::string());
  if (newest.generation == commit_->generation) return false;
  commit_ = std::make_shared<const DiskCommit>(std::move(newest));
  return true;
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
  commit(operation, std::move(next));
  unwritten_.remove(section);
}

void DiskArrayState::commit(const char* operation, DiskCommit next) {
  ++next.generation;
  together(operation, [&] {
    if (record_ == nullptr) return;
    guard_.write(*record_, layout(), next);
    if (durability == Durability::in_place) record_->sync();
  });
  commit_ = std::make_shared<const DiskCommit>(std::move(next));
}

void DiskArrayState::require_written(const char* operation) const {
  try {
    unwritten_.require_none(layout(), text());
  } catch (const Error& error) {
    throw error.during(operation);
  }
}

void DiskArrayState::sync(const char* operation) {
  require_written(operation);
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
  require_written(operation);
  together(operation, [&] {
    if (record_ == nullptr) return;
    // It may lie where there is an instant without its name.
    std::error_code error;
    const bool named = std::filesystem::exists(folder.path, error);
    check_zarr(named ? folder : folder_of(*data_, layout()), layout());
  });
  const auto [first, last] = tiles_of_rank(*description_, group);
  std::vector<std::int64_t> suspects;  // of mine
  for (std::int64_t tile = first; tile < last; ++tile) suspects.push_back(tile);
  const auto look = [&] {
    std::vector<std::int64_t> damaged;
    together(operation, [&] {
      Serving waiting;
      TileMover mover(layout(), data_, commit_->checksums, *log_, waiting);
      for (const std::int64_t tile : suspects)
        if (!mover.checksum_of(tile)) damaged.push_back(tile);
    });
    suspects = std::move(damaged);
    require_no_suspects(operation, suspects);
  };
  try {
    look();
  } catch (const Error& error) {
    if (writes_ || error.error_number() != EBADMSG) throw;
    again_while_written(operation, look);
  }
}

void DiskArrayState::take_over_intents() {
  constexpr const char* operation = "repair disk array";
  const std::pair<std::int64_t, std::int64_t> mine = tiles_of_rank(*description_, group);
  std::vector<std::int64_t> found;  // by tile: one more than the checksum, if it is another
  together(operation, [&] {
    found.resize(static_cast<std::size_t>(layout().tiles));
    Serving waiting;
    TileMover mover(layout(), data_, commit_->checksums, *log_, waiting);
    for (std::int64_t tile = mine.first; tile < mine.second; ++tile) {
      const auto place = static_cast<std::size_t>(tile);
      const auto checksum = mover.checksum_of(tile);
      if (checksum && *checksum != commit_->checksums[place])
        found[place] = std::int64_t{*checksum} + 1;
    }
  });
  group.reduce(std::span(found));
  DiskCommit next = *commit_;
  for (std::size_t tile = 0; tile < found.size(); ++tile)
    if (found[tile] > 0) next.checksums[tile] = static_cast<std::uint32_t>(found[tile] - 1);
  if (next.checksums == commit_->checksums) return;
  together(operation, [&] { data_->sync(); });
  commit(operation, std::move(next));
}

void DiskArrayState::require_no_suspects(const char* operation,
                                         const std::vector<std::int64_t>& mine) const {
  const std::int64_t damaged = group.reduce(std::ssize(mine));
  const std::int64_t first = group.reduce(
      mine.empty() ? std::numeric_limits<std::int64_t>::max() : mine.front(), Reduction::minimum);
  if (damaged == 0) return;
  throw Error(ErrorKind::file,
              std::to_string(damaged) + " of " + std::to_string(layout().tiles) + " tiles of " +
                  text() + " are damaged, the first is " + layout().patch_of(first).to_string(),
              EBADMSG)
      .during(operation);
}

void DiskArrayState::finish() {
  constexpr const char* operation = "close disk array";
  require_written(operation);
  if (durability != Durability::checkpoint) return;
  sync(operation);
  together(operation, [&] {
    if (record_ != nullptr) replace_disk_array(folder, {path}, {*description_, {}, record_, data_});
  });
}

void DiskArrayState::close() noexcept {
  data_.reset();
  log_.reset();
  record_.reset();
}

}  // namespace lagoon::atoll::detail
