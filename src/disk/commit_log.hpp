// CommitLog: the commits of a disk array's record. A commit of few tiles becomes a block of the
// journal, another one, or one for which there is no room, a table of all of them in the slot that
// is not the newest (docs/disk-format.md): what a commit costs depends on what it changes. Where a
// file system has no locks it makes sure that nobody else writes: the first of two writers would
// publish what it knows of the other's tiles, for ever.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "disk/disk_record.hpp"
#include "disk/open_file.hpp"

namespace lagoon::atoll::detail {

class CommitLog {
 public:
  CommitLog(std::shared_ptr<OpenFile> record, const DiskDescription& description);

  /// The newest commit that is whole, or the one of that number. Also beside a writer. Error(file),
  /// EBADMSG, if it is not there.
  DiskCommit read(std::optional<std::uint64_t> generation = {});
  /// Whether there seems to be a newer one than was read or written last.
  bool has_newer() const;
  /// The first one of a new record.
  void write_first(const DiskCommit& first);
  /// The one after `now`. Error(file), ESTALE, if there is another one than was seen last, or
  /// written since. The caller brings it to the device, and goes on from `now` again if that fails.
  void write(const DiskCommit& now, std::span<const TileChecksum> changes);

 private:
  using Bytes = std::vector<std::byte>;
  /// Where a commit is, and where the next one goes.
  struct Position {
    std::uint64_t generation;
    int slot;
    SlotHeader base;         // of that slot
    std::int64_t next_page;  // of the journal, whose blocks before it belong to that slot
  };
  struct Found {
    DiskCommit commit;
    Position position;
  };

  Bytes read_bytes(std::int64_t offset, std::size_t bytes) const;
  std::array<Bytes, 2> slot_headers() const;
  /// The block after a position, if it is there.
  std::optional<JournalHeader> next_header(const Position& position) const;
  std::optional<JournalBlock> next_block(const Position& position) const;
  /// By slots with such headers.
  std::optional<Found> find(const std::array<Bytes, 2>& headers,
                            std::optional<std::uint64_t> generation) const;
  void require_nobody_else(const std::array<Bytes, 2>& headers);
  void write_block(std::span<const TileChecksum> changes);
  void write_slot(const DiskCommit& commit, int slot);

  const std::shared_ptr<OpenFile> record_;
  const DiskLayout layout_;
  const std::int64_t journal_pages_;
  Position position_{}, before_{};
  std::array<Bytes, 2> known_;  // headers of the slots
  Bytes tried_;                 // the header written last: a write that fails may have been done
  Bytes given_up_;  // where the next block goes: of a commit that was there when this one was read
};

}  // namespace lagoon::atoll::detail
