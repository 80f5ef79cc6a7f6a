// CheckpointSave: a checkpoint that is being saved, from the choice of its step to its name. All
// calls are collective, but for the inquiries.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "array/frame.hpp"
#include "atoll/checkpoint.hpp"
#include "atoll/disk_array.hpp"
#include "disk/checkpoint_folder.hpp"

namespace lagoon::atoll::detail {

class CheckpointSave {
 public:
  CheckpointSave(const Group& group, const std::string& folder, std::span<const NamedArray> arrays,
                 std::string state, const CheckpointOptions& options);
  CheckpointSave(const CheckpointSave&) = delete;
  CheckpointSave& operator=(const CheckpointSave&) = delete;
  ~CheckpointSave() { forget(); }

  void wait();
  bool test();
  std::int64_t step() const noexcept { return manifest_.step; }
  bool done() const noexcept { return done_; }
  bool saves(const Group& group, const std::string& folder) const {
    return folder_.path() == folder && same_members(group_, group);
  }
  /// `wait` of one that nobody waits for any more: the first rank says so if it cannot be saved.
  void finish_unwatched() noexcept;

 private:
  static constexpr const char* operation = "save checkpoint";
  bool first() const { return group_.rank() == 0; }
  void choose_step(const CheckpointOptions& options);
  void begin_arrays(std::span<const NamedArray> arrays, bool snapshot);
  void forget() noexcept;
  /// Removes what has been written, on the first rank.
  void give_up() noexcept;

  const Group group_;
  const CheckpointFolder folder_;
  const std::string state_;
  const std::int64_t keep_;
  CheckpointManifest manifest_{};
  FileIdentity identity_{};  // of the folder that is written, on the first rank
  std::vector<AnyArray> copies_;
  std::vector<DiskArray> disks_;
  std::vector<DiskRequest> requests_;
  bool done_ = false;
};

}  // namespace lagoon::atoll::detail
