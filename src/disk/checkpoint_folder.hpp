// CheckpointFolder: the folders of checkpoints by name, and the manifest, written last, that makes
// one a checkpoint. Used by the first rank of a group.
//
//   folder/000000000012/manifest    what it consists of, and checksums
//                       state       bytes of the program's
//                       NAME.zarr/  a disk array each
//   folder/.new-000000000013/       one that is being written, or was when its run ended
//   folder/.gone-000000000010/      one that is being removed
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "disk/names.hpp"
#include "disk/open_file.hpp"
#include "disk/open_folder.hpp"

namespace lagoon::atoll::detail {

inline constexpr std::int64_t most_steps = 1'000'000'000'000'000;

/// Letters, digits, '_', '-' and '.', not first: it becomes a name in a folder.
bool is_array_name(const std::string& name);

struct CheckpointEntry {
  std::string name;
  bool mirrored;
};

/// One that could not be read: its number, and the folder's own on its device: another one may be
/// saved under the number.
struct UnreadStep {
  std::int64_t step;
  std::uint64_t folder;
  friend bool operator==(const UnreadStep&, const UnreadStep&) = default;
};

struct CheckpointManifest {
  std::int64_t step;
  std::int64_t number;  ///< counts those saved in the folder
  std::uint64_t state_bytes;
  std::uint32_t state_checksum;
  std::vector<CheckpointEntry> arrays;
  /// Steps that could not be read when this one was saved: it is newer than they are.
  std::vector<UnreadStep> older_unread{};

  void describe_state(const std::string& state);
  bool fits(const std::string& state) const;
};

std::vector<std::byte> encode(const CheckpointManifest& manifest);
/// Nothing unless every part of it is in order.
std::optional<CheckpointManifest> decode_manifest(std::span<const std::byte> bytes);

class CheckpointFolder {
 public:
  explicit CheckpointFolder(const std::string& path) : path_(without_slashes(path)) {}

  const std::string& path() const noexcept { return path_; }
  std::string step(std::int64_t number) const;
  /// Where it is written.
  std::string before(std::int64_t number) const;
  static std::string array(const std::string& step, const std::string& name) {
    return step + "/" + name + ".zarr";
  }

  bool exists() const;
  struct Found {
    CheckpointManifest manifest;
    std::string state;
    std::string folder;     ///< where it is
    FileIdentity identity;  ///< of that folder
  };
  /// Error(file): ENOENT, EBADMSG. All of one checkpoint, also while another one takes its place.
  Found read(std::int64_t step) const;
  /// The last one; nothing where there is none.
  std::optional<Found> read_last() const;
  /// All that are there, in the order of saving; damaged ones last.
  struct Listed {
    std::int64_t step;
    bool whole;  ///< as far as the manifest tells
    std::int64_t number;
    std::uint64_t folder;  ///< see UnreadStep
    std::vector<UnreadStep> older_unread;
    std::string why_not;  ///< whole
  };
  std::vector<Listed> list() const;
  /// The step of the last one; nothing where there is none. Error(file), EBADMSG, if one cannot be
  /// read that may be the last.
  std::optional<std::int64_t> last() const;

  /// Makes the folder of a step that is to be written, and removes what runs that ended have left.
  FileIdentity begin(std::int64_t step, const std::vector<std::int64_t>& under_way) const;
  /// All arrays are on the device: the step becomes a checkpoint. Older ones than the last `keep`
  /// go. Error(file), ESTALE, if the folder is not the one that `begin` made: another run saves
  /// here.
  void finish(const CheckpointManifest& manifest, const std::string& state, std::int64_t keep,
              FileIdentity made) const;

 private:
  /// The step that a folder of this name holds, an old one also while its name is another's; else
  /// -1.
  std::int64_t number_of(const std::string& name) const;
  /// The folder of a step; what it is called where names cannot be exchanged at once.
  OpenFolder open_step(std::int64_t step) const;
  std::string gone(std::int64_t number) const;
  void clean(const std::vector<std::int64_t>& under_way) const;

  std::string path_;
};

}  // namespace lagoon::atoll::detail
