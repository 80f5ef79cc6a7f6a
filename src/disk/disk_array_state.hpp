// DiskArrayState: what a disk array handle points to, and the collective frame around transfers.
//
// Transfers under way never share a tile unless all of them read: who begins one ends those before
// it that do. So every tile has one checksum to check against, and the order of commits is that of
// waiting.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "atoll/disk_array.hpp"
#include "disk/commit_log.hpp"
#include "disk/disk_folder.hpp"
#include "disk/section_job.hpp"
#include "disk/unwritten_tiles.hpp"

namespace lagoon::atoll::detail {

/// A read or write of a section. The same on all ranks, but for the job.
struct DiskTransfer {
  std::uint64_t number;
  Direction direction;
  std::shared_ptr<ArrayState> array;
  Patch array_patch, patch;  // of the array, of the disk array
  bool transposed;
  std::shared_ptr<SectionJob> job;  // null when it has ended
  std::exception_ptr failure = nullptr;
};

class DiskArrayState {
 public:
  struct Opening {
    const Group& group;
    const std::string& path;
    const char* operation;
    std::uint64_t hash;
    bool writes;
    bool exists;  // and is opened: else it is made
    bool sparse;
    Durability durability;
    /// Makes or finds the files in a folder, on one rank.
    std::function<OpenDiskArray(const DiskFolder&)> first;
  };
  /// Opens on all ranks what `first` makes or finds on the first one, or on the first of each node.
  /// Collective.
  static std::shared_ptr<DiskArrayState> open(const Opening& opening);

  const Group group;
  DiskFolder folder;       // here; while it is written, of a checkpoint another one
  const std::string path;  // the array's, as it was asked for
  const Durability durability;

  const DiskLayout& layout() const noexcept { return description_->layout; }
  const std::string& name() const noexcept { return description_->name; }
  std::uint64_t generation() const noexcept { return commit_->generation - 1; }
  std::string text() const {
    return "disk array '" + path + "' of shape " + layout().shape.to_string();
  }

  /// Agrees on the arguments and ends transfers that are in the way. The job has not begun.
  std::shared_ptr<DiskTransfer> begin(Direction direction, const AnyArray& array,
                                      const Patch& array_patch, const Patch& patch,
                                      Transpose transpose);
  /// `work` moves this rank's part. Throws what went wrong.
  void end(DiskTransfer& transfer, const std::function<void(SectionJob&)>& work);
  void wait(DiskTransfer& transfer);
  /// Ends all that are under way; their errors stay with them. The first one, if any.
  std::exception_ptr end_all();
  void sync(const char* operation);
  void verify();
  /// What the log says of tiles that a killed run has written becomes a commit. Collective.
  void take_over_intents();
  /// Of one that is open for reading: takes in what somebody else has written since. Whether there
  /// was anything. Collective.
  bool refresh(const char* operation);
  /// Puts a checkpoint in its place; nothing that lacks a write. Error(file) if a write has failed
  /// and its tiles were not written again.
  void finish();
  /// Closes the files; requests that somebody keeps may keep this.
  void close() noexcept;

 private:
  DiskArrayState(const Opening& opening, DiskFolder here, std::shared_ptr<OpenFile> data)
      : group(opening.group),
        folder(std::move(here)),
        path(opening.path),
        durability(opening.durability),
        writes_(opening.writes),
        data_(std::move(data)) {}

  void check(const AnyArray& array, const Patch& array_patch, const Patch& patch,
             Transpose transpose) const;
  /// Runs what may fail on one rank: then it fails on all. Collective.
  void together(const char* operation, const std::function<void()>& step) const;
  std::shared_ptr<SectionJob> job_of(const DiskTransfer& transfer) const;
  /// Runs `work`, which ends the job, on all ranks; a read again as `again_while_written` does.
  void move(const DiskTransfer& transfer, const std::function<void()>& work);
  /// Runs a collective step that has found damage again, each time with the newest checksums, as
  /// long as somebody else writes. Error(file), EAGAIN, if that does not end.
  void again_while_written(const char* operation, const std::function<void()>& step);
  /// Whether somebody else has it open for writing. Collective.
  bool is_being_written() const;
  /// Error(file) on all ranks that names the first tile that any of them has.
  void require_no_suspects(const char* operation, const std::vector<std::int64_t>& mine) const;
  /// Error(file) on all ranks if a write has failed and nobody has written its tiles again.
  void require_written(const char* operation) const;
  /// The newest commit that all records have, on all ranks. Collective. `log`: of this rank's
  /// record, null where it has none; `mine`: what it has read there.
  static DiskCommit common_commit(const Group& group, const char* operation, std::int64_t tiles,
                                  CommitLog* log, DiskCommit mine);
  /// What this rank has written, by places in the section; made where a failure can be told.
  struct Written {
    std::vector<std::int64_t> checksums;
    std::vector<TileChecksum> changes;
  };
  static Written written_by(const SectionJob& job);
  /// The tiles that all ranks have written become the array's.
  void publish(const char* operation, const SectionJob& job, Written written);
  /// A commit of such changes, the same on all ranks.
  void commit(const char* operation, const std::vector<TileChecksum>& changes);

  const bool writes_;
  std::shared_ptr<const DiskDescription> description_;
  /// The same on all ranks. Commits change it in place, but never tiles that a job moves;
  /// refreshing makes another one.
  std::shared_ptr<DiskCommit> commit_;
  std::shared_ptr<OpenFile> data_;
  std::shared_ptr<OpenFile> record_;    // on the first rank, or on that of each node
  std::shared_ptr<CommitLog> commits_;  // there
  std::shared_ptr<IntentLog> log_;
  std::vector<std::shared_ptr<DiskTransfer>> under_way_;
  std::uint64_t transfers_ = 0;
  UnwrittenTiles unwritten_;
  std::exception_ptr sync_failure_;  // the same on all ranks
  bool unsynced_ = false;            // this rank has written what it has not brought to the device
};

}  // namespace lagoon::atoll::detail
