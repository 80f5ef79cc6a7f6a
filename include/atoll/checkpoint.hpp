// Checkpoints: arrays and a little state of a run, saved so that the run can go on later, on
// another number of ranks and nodes and with other distributions. A checkpoint is there as a whole
// or not at all, whatever happens meanwhile. They lie in a folder, one folder a step; the last few
// are kept.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "atoll/array.hpp"
#include "atoll/disk_array.hpp"
#include "atoll/group.hpp"

namespace lagoon::atoll {

namespace detail {
class CheckpointSave;
struct CheckpointState;
}  // namespace detail

/// An array and the name that it is saved under: letters, digits, '_', '-' and '.', not first.
struct NamedArray {
  std::string name;
  const AnyArray* array;
};

struct CheckpointOptions {
  /// What the folder of the checkpoint is called: an iteration, say. -1: one more than the last.
  /// One that is there under this number is replaced.
  std::int64_t step = -1;
  /// How many are kept, this one among them: the last that were saved. At least 1.
  std::int64_t keep = 2;
  /// Whether arrays are copied first, so that the program may change them while they are saved.
  bool snapshot = true;
};

/// A checkpoint on its way. It counts when it was waited for; one that nobody waits for is finished
/// by the next save in its folder, once all ranks have dropped it, or when the World ends. If it
/// cannot be saved then, the first rank says so on stderr.
class CheckpointRequest {
 public:
  explicit CheckpointRequest(std::shared_ptr<detail::CheckpointSave> save) noexcept;
  CheckpointRequest(CheckpointRequest&&) noexcept;
  CheckpointRequest& operator=(CheckpointRequest&&) noexcept;
  ~CheckpointRequest();

  /// Collective: all is on the device, and older ones are gone. Error(file) on all ranks if the
  /// system refused; then those before are as they were. Harmless when done.
  void wait();
  /// Whether this rank's part has been written. Not collective; never waits.
  bool test();
  std::int64_t step() const;

 private:
  std::shared_ptr<detail::CheckpointSave> save_;
};

/// Saves arrays of the group (mirrored ones: my node's copy) and `state`, bytes of which the first
/// rank's count. Collective. `folder` is made if it is not there. Error(value) for bad names.
void save_checkpoint(const Group& group, const std::string& folder,
                     std::span<const NamedArray> arrays, const std::string& state = {},
                     const CheckpointOptions& options = {});
/// The same while the program goes on.
[[nodiscard]] CheckpointRequest save_checkpoint_async(const Group& group, const std::string& folder,
                                                      std::span<const NamedArray> arrays,
                                                      const std::string& state = {},
                                                      const CheckpointOptions& options = {});

/// The numbers of the checkpoints in a folder, in the order in which they were saved. Not
/// collective.
std::vector<std::int64_t> checkpoint_steps(const std::string& folder);

/// One that is there.
class Checkpoint {
 public:
  /// The last that was saved, or that of a step. Collective. Error(file): ENOENT if there is none,
  /// EBADMSG if what describes it is damaged; others may be whole then.
  static Checkpoint open(const Group& group, const std::string& folder, std::int64_t step = -1);
  Checkpoint(Checkpoint&&) noexcept;
  Checkpoint& operator=(Checkpoint&&) noexcept;
  ~Checkpoint();

  std::int64_t step() const noexcept;
  const std::string& state() const noexcept;
  std::vector<std::string> names() const;
  bool mirrored(const std::string& name) const;
  /// The folder of an array's files, which `DiskArray` opens, too.
  std::string path_of(const std::string& name) const;
  /// The same, opened for reading. Collective. Error(file), ESTALE, if another one has been saved
  /// under the same number since this one was opened. So do the functions below.
  DiskArray open_array(const std::string& name) const;
  /// A new array: distributed as Atoll chooses; mirrored if it was. Collective.
  AnyArray load(const std::string& name) const;
  /// Into one that is there, of the same shape and type. Collective.
  void read(const std::string& name, AnyArray& array) const;
  /// Error(file) if any of its arrays is not there or not whole; reads everything. Collective.
  void verify() const;

 private:
  explicit Checkpoint(std::unique_ptr<detail::CheckpointState> state) noexcept;
  std::unique_ptr<detail::CheckpointState> state_;
};

}  // namespace lagoon::atoll
