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
#include "disk/disk_folder.hpp"
#include "disk/section_job.hpp"

namespace lagoon::atoll::detail {

/// A read or write of a section. The same on all ranks, but for the job.
struct DiskTransfer {
  std::uint64_t number;
  Direction direction;
  std::shared_ptr<ArrayState> array;
  Patch array_patch;
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
  /// Puts a checkpoint in its place.
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
  /// The tiles that all ranks have written become the array's.
  void publish(const char* operation, const SectionJob& job);

  const bool writes_;
  std::shared_ptr<const DiskDescription> description_;
  std::shared_ptr<const DiskCommit>
      commit_;  // the same on all ranks; a job keeps the one it began with
  std::shared_ptr<OpenFile> data_;
  std::shared_ptr<OpenFile> record_;  // on the first rank, or on that of each node
  std::vector<std::shared_ptr<DiskTransfer>> under_way_;
  std::uint64_t transfers_ = 0;
  std::exception_ptr sync_failure_;  // the same on all ranks
  bool unsynced_ = false;            // this rank has written what it has not brought to the device
};

}  // namespace lagoon::atoll::detail
