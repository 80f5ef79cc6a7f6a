// IntentLog: the small file beside a disk array in which writers in place say what a tile is to
// hold before they write it (docs/disk-format.md). A run that is killed then leaves tiles that are
// known to be old, or new; without it all that it had written since the last commit would count as
// damaged. Any thread may ask and log; one tile is written by one rank.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "disk/open_file.hpp"

namespace lagoon::atoll::detail {

/// Checksums of a tile.
struct TileIntent {
  std::uint32_t committed;  ///< that of the last commit when it was logged: else it counts no more
  std::uint32_t before;     ///< of the bytes that were there then
  std::uint32_t after;      ///< of those that are to be there

  bool admits(std::uint32_t committed_now, std::uint32_t found) const noexcept {
    return committed == committed_now && (found == before || found == after);
  }
};

class IntentLog {
 public:
  explicit IntentLog(std::string path) : path_(std::move(path)) {}
  /// Makes the file, if it is not there, and takes its space. By one rank. Error(file).
  static void make(const std::string& path, std::int64_t tiles, bool sparse);
  /// For `log`. Error(file).
  void open_to_write();
  /// Nothing where none was logged. Of any open array. Error(file).
  std::optional<TileIntent> intent(std::int64_t tile) const;
  void log(std::int64_t tile, const TileIntent& intent);
  /// What was logged is on the device.
  void sync();

 private:
  /// Null where there is none.
  std::shared_ptr<OpenFile> file_if_any() const;

  const std::string path_;
  mutable std::mutex mutex_;                // guards the next two
  mutable std::shared_ptr<OpenFile> file_;  // null until it is needed
  mutable bool sought_ = false;
};

}  // namespace lagoon::atoll::detail
