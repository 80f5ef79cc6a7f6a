// SectionJob: one rank's part of a read or write of a section of a disk array. The tiles are moved
// by the rank's own thread (`run_here`) or by the worker (`run_aside`), while the program computes;
// what lies on other nodes is fetched and brought away as a chore, whenever the rank is inside
// Atoll.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <vector>

#include "atoll/array.hpp"
#include "disk/remote_parts.hpp"
#include "disk/section.hpp"
#include "disk/tile_mover.hpp"
#include "world/world_state.hpp"

namespace lagoon::atoll::detail {

/// What is to be done.
struct SectionTask {
  std::shared_ptr<const DiskLayout> layout;
  std::shared_ptr<OpenFile> file;
  std::shared_ptr<const std::vector<std::uint32_t>> checksums;  ///< of all tiles
  std::shared_ptr<IntentLog> log;
  std::shared_ptr<ArrayState> array;
  Patch array_patch, patch;
  bool transposed;
  Direction direction;
  std::vector<std::int64_t> tiles;  ///< of this rank, by their places in the section
  TileWriting writing;
  bool syncs;  ///< bring what was written to the device
};

class SectionJob final : public Chore, public std::enable_shared_from_this<SectionJob> {
 public:
  explicit SectionJob(SectionTask task);
  ~SectionJob() override;

  /// Moves everything; throws what went wrong.
  void run_here();
  /// Begins; `wait` ends it.
  void run_aside();
  /// Throws what went wrong. By the rank's own thread.
  void wait();
  /// Waits for one that was begun; whatever it comes to.
  void let_end();

  bool done() const noexcept override;
  /// Of this rank's tiles, 0 to 1.
  double fraction() const noexcept;
  const Section& section() const noexcept { return section_; }
  /// Of a write that was waited for.
  const std::vector<WrittenTile>& written() const noexcept { return written_; }

 private:
  bool take_turn() override;
  std::string_view name() const noexcept override { return "moving tiles"; }
  void move(Waiting& waiting) noexcept;
  /// Whether to hand it over would take longer than to do it.
  bool is_small() const noexcept;

  const SectionTask task_;
  AnyArray array_;
  const Section section_;
  RemoteParts remote_;
  std::vector<WrittenTile> written_;
  std::exception_ptr failure_, remote_failure_;  // of who moves tiles, of the rank's thread
  bool begun_ = false, polling_ = false;
  std::atomic<std::int64_t> tiles_moved_{0};
  std::int64_t tiles_seen_ = 0;     // of these, by the rank's thread
  std::atomic<bool> moved_{false};  // all tiles, or it has failed
};

}  // namespace lagoon::atoll::detail
