// Settings from the environment: every ATOLL_* variable there is (docs/configuration.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lagoon::atoll::detail {

enum class ProgressMode : std::uint8_t { thread, rank, none };
enum class GhostMode : std::uint8_t { automatic, ranks, thread, off };
enum class DeviceKind : std::uint8_t { automatic, uring, threads };
enum class TransportMode : std::uint8_t { automatic, shared, message, rma };

struct Config {
  int nodes = 1;                                 ///< ATOLL_NODES: virtual nodes a host
  bool check = false;                            ///< ATOLL_CHECK: compare every collective call
  ProgressMode progress = ProgressMode::thread;  ///< ATOLL_PROGRESS: thread | rank | none
  int progress_ranks = 1;                        ///< ATOLL_PROGRESS_RANKS: of each node
  bool doorbell = true;                          ///< ATOLL_DOORBELL: auto | off
  TransportMode transport = TransportMode::automatic;  ///< ATOLL_TRANSPORT: auto | shared | ...
  std::uint64_t memory = 0;                 ///< ATOLL_MEMORY: bytes a node; 0: what there is
  bool scalapack = true;                    ///< ATOLL_SCALAPACK: auto | off
  DeviceKind disk = DeviceKind::automatic;  ///< ATOLL_DISK: auto | uring | threads
  std::vector<std::string> scratch;         ///< ATOLL_SCRATCH: folders, or TMPDIR, or /tmp
  int timeout = 0;                          ///< ATOLL_TIMEOUT: seconds; 0: none
  std::string profile;                      ///< ATOLL_PROFILE: file to write; empty: none
  GhostMode ghost = GhostMode::automatic;   ///< ATOLL_GHOST: ranks | thread | off; src/ghost only
  int ghost_ranks = 1;                      ///< ATOLL_GHOST_RANKS: of each node
  bool ghost_check = false;                 ///< ATOLL_GHOST_CHECK: tell of windows at the end

  /// What libatoll_ghost.so wants otherwise than the environment says; null elsewhere.
  static void (*adjust)(Config&);

  /// Reads and checks the environment; Error(value) names an unknown or malformed variable.
  static Config from_environment();
  /// "NAME=value" of the settings that must be the same on all ranks.
  std::vector<std::string> common() const;
  /// The same of every setting, for `atoll info`.
  std::vector<std::string> describe() const;
};

}  // namespace lagoon::atoll::detail
