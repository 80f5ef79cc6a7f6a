// Commits, and what looks at all of an array: verifying, repairing, taking a place.
#include "disk/disk_array_state.hpp"

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <limits>
#include <system_error>
#include <thread>
#include <utility>

#include "array/frame.hpp"
#include "atoll/error.hpp"

namespace lagoon::atoll::detail {

void DiskArrayState::together(const char* operation, const std::function<void()>& step) const {
  enter_collective(group, operation, 1, step);
}

void DiskArrayState::again_while_written(const char* operation, const std::function<void()>& step) {
  using Clock = std::chrono::steady_clock;
  // A writer commits tiles after it has brought the whole section to the device. Small ones are
  // over by then; whoever meets a long one is told, and asks again when he likes.
  constexpr auto patience = std::chrono::milliseconds(200);
  // Nor is a reader starved for ever by a writer that commits faster than it can read.
  constexpr auto most = std::chrono::seconds(10);
  constexpr auto pause = std::chrono::milliseconds(1);
  const auto start = Clock::now();
  for (auto moved = start;;) {
    const bool changed = refresh(operation), written = is_being_written();
    try {
      return step();
    } catch (const Error& error) {
      if (error.error_number() != EBADMSG || !(changed || written)) throw;
      const auto now = Clock::now();
      if (changed) moved = now;
      const std::int32_t over = now - moved > patience || now - start > most ? 1 : 0;
      if (group.reduce(over, Reduction::maximum) != 0)
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
  std::int32_t newer = 0;
  DiskCommit mine{};
  together(operation, [&] {
    if (commits_ != nullptr && commits_->has_newer()) newer = 1;
  });
  if (group.reduce(newer, Reduction::maximum) == 0) return false;
  together(operation, [&] {
    if (commits_ != nullptr) mine = commits_->read();
  });
  DiskCommit newest =
      common_commit(group, operation, layout().tiles, commits_.get(), std::move(mine));
  if (newest.generation == commit_->generation) return false;
  commit_ = std::make_shared<DiskCommit>(std::move(newest));
  return true;
}

void DiskArrayState::commit(const char* operation, const std::vector<TileChecksum>& changes) {
  together(operation, [&] {
    if (record_ == nullptr) return;
    commits_->write(*commit_, changes);
    if (durability == Durability::in_place) record_->sync();
  });
  ++commit_->generation;
  for (const TileChecksum& change : changes)
    commit_->checksums[static_cast<std::size_t>(change.tile)] = change.checksum;
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
  std::vector<TileChecksum> changes;
  together(operation, [&] {
    for (std::int64_t tile = 0; tile < layout().tiles; ++tile)
      if (const std::int64_t one_more = found[static_cast<std::size_t>(tile)]; one_more > 0)
        changes.push_back({tile, static_cast<std::uint32_t>(one_more - 1)});
    data_->sync();
  });
  if (!changes.empty()) commit(operation, changes);
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
    if (record_ != nullptr) replace_disk_array(folder, {path}, layout(), *data_, *record_);
  });
}

void DiskArrayState::close() noexcept {
  data_.reset();
  log_.reset();
  commits_.reset();
  record_.reset();
}

}  // namespace lagoon::atoll::detail
