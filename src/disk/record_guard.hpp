// RecordGuard: writes commits to a record, and makes sure that nobody else does: where a file
// system has no locks, the first of two writers would publish what it knows of the other's tiles,
// for ever.
#pragma once

#include <cstddef>
#include <vector>

#include "disk/disk_record.hpp"
#include "disk/open_file.hpp"

namespace lagoon::atoll::detail {

class RecordGuard {
 public:
  /// Remembers the newest commit.
  void look(const OpenFile& record, const DiskLayout& layout);
  /// Writes the slot that is not the newest one. Error(file), ESTALE, if the newest is not the one
  /// that was seen last, or written since. The caller brings it to the device.
  void write(OpenFile& record, const DiskLayout& layout, const DiskCommit& commit);

 private:
  std::vector<std::byte> known_, tried_;  // headers; a write that fails may have been done
};

}  // namespace lagoon::atoll::detail
