// CheckpointFolder: the folders of checkpoints by name, and the manifest, written last, that makes
// one a checkpoint. Used by the first rank of a group.
//
//   folder/000000000012/manifest    what it consists of, and checksums
//                       state       bytes of the program's
//                       NAME.zarr/  a disk array each
//   folder/.new-000000000013/       one that is being written, or was when its run ended
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lagoon::atoll::detail {

struct CheckpointEntry {
  std::string name;
  bool mirrored;
};

struct CheckpointManifest {
  std::int64_t step;
  std::uint64_t number;  ///< counts those saved in the folder
  std::vector<CheckpointEntry> arrays;
};

/// `state`: its length and checksum are part of it.
std::vector<std::byte> encode(const CheckpointManifest& manifest, const std::string& state);
/// Nothing unless both are in order.
std::optional<CheckpointManifest> decode_manifest(std::span<const std::byte> bytes,
                                                  const std::string& state);

class CheckpointFolder {
 public:
  explicit CheckpointFolder(std::string path) : path_(std::move(path)) {}

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
  };
  /// Error(file): ENOENT, EBADMSG.
  Found read(std::int64_t step) const;
  /// All that are there, in the order of saving; damaged ones last.
  struct Listed {
    std::int64_t step;
    bool whole;  ///< as far as the manifest and the state tell
    std::uint64_t number;
  };
  std::vector<Listed> list() const;
  /// The step of the last one; nothing where there is none. Error(file), EBADMSG, if one is
  /// damaged: nobody knows then.
  std::optional<std::int64_t> last() const;

  /// Makes the folder of a step that is to be written, and removes what earlier runs left half
  /// done.
  void begin(std::int64_t step, const std::vector<std::int64_t>& under_way) const;
  /// All arrays are on the device: the step becomes a checkpoint. Older ones than the last `keep`
  /// go.
  void finish(const CheckpointManifest& manifest, const std::string& state,
              std::int64_t keep) const;

 private:
  std::string path_;
};

}  // namespace lagoon::atoll::detail
