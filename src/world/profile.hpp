// Profile: what this rank asked of every array, how long it took, and whose memory it touched.
//
// Exists only with ATOLL_PROFILE=FILE, or with ATOLL_TIMEOUT, whose watchdog asks what is being
// done and to what; everybody who records asks for a null pointer first, which is all that a run
// without it pays. Any thread that calls Atoll records. At the end of the World the first
// rank writes what all have recorded as one JSON file (docs/profile.md).
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "world/doing.hpp"

namespace lagoon::atoll::detail {

class WorldState;

/// Sums over the calls of one operation. Class k of `sizes` counts calls of 2^(k-1) to 2^k - 1
/// bytes, class 0 those of none.
struct CallSums {
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
  std::chrono::nanoseconds time{0};
  std::array<std::uint64_t, 65> sizes{};
};

/// One array, or several of equal name, type and shape; or the calls on no array.
class ProfileEntry {
 public:
  explicit ProfileEntry(std::string description) : description_(std::move(description)) {}
  /// `operation` is a string constant.
  void record(const char* operation, std::uint64_t bytes, std::chrono::nanoseconds time);
  const std::string& description() const noexcept { return description_; }

 private:
  friend class Profile;
  std::string description_;                          // JSON members
  std::mutex mutex_;                                 // guards the sums while calls are made
  std::map<std::string_view, CallSums> operations_;  // of string constants
};

class Profile {
 public:
  explicit Profile(std::string file);

  /// Lives as long as the profile.
  ProfileEntry& array(const std::string& name, std::string_view type,
                      std::span<const std::int64_t> shape);
  ProfileEntry& world() { return *world_; }
  /// This rank touched memory of the world's rank `target`.
  void touched(int target, std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    Traffic& traffic = traffic_[target];
    ++traffic.pieces;
    traffic.bytes += bytes;
  }
  /// Gathers from all ranks and writes the file. Collective. A file that cannot be written is told
  /// on stderr: the results of the run matter more.
  void write(WorldState& world) const;

 private:
  struct Traffic {
    std::uint64_t pieces = 0;
    std::uint64_t bytes = 0;
  };
  std::string calls_of(int rank) const;
  std::string traffic_of(int rank) const;

  std::mutex mutex_;  // guards the traffic while calls are made
  std::string file_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::unique_ptr<ProfileEntry> world_;
  std::map<std::string, std::unique_ptr<ProfileEntry>> arrays_;
  std::unordered_map<int, Traffic> traffic_;  // grows with the ranks talked to, not with all
};

/// Records the time from here to its end as one call.
class ProfiledCall {
 public:
  ProfiledCall(ProfileEntry* entry, const char* operation, std::uint64_t bytes = 0) noexcept
      : entry_(entry), operation_(operation), bytes_(bytes) {
    if (entry_ != nullptr) begin();
  }
  ProfiledCall(const ProfiledCall&) = delete;
  ProfiledCall& operator=(const ProfiledCall&) = delete;
  ~ProfiledCall() {
    if (entry_ != nullptr) record();
  }

 private:
  void begin() noexcept;
  void record() noexcept;
  ProfileEntry* entry_;
  const char* operation_;
  std::uint64_t bytes_;
  Doing doing_;
};

/// The entry for calls on no array; null without a profile or a world.
ProfileEntry* world_profile() noexcept;

}  // namespace lagoon::atoll::detail
