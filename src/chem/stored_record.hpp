// A record: the packed integrals of some rows of a task, with a header that says which and tells
// whether the bytes are still what was written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "shell_pairs.hpp"

namespace lagoon::atoll::chem {

/// Packed: in few bytes, quartet by quartet; panels: as they are, for memory (panels.hpp).
enum class RecordForm : std::int64_t { packed, panels };

/// Which quartets records hold. It knows nothing of densities, so it is the same in every build.
struct StoragePolicy {
  double tolerance = std::numeric_limits<double>::infinity();  // of Q_ij Q_kl
  double least_cost = 0;                                       // of computing a value
  RecordForm form = RecordForm::packed;
  bool stores(const ShellPair& bra, const ShellPair& ket, double bound) const noexcept {
    return bound > tolerance && bra.cost * ket.cost >= least_cost;
  }
};

/// What stands at the beginning of a record, in the byte order of the machine: records do not leave
/// it. The length of a record is a multiple of eight.
struct RecordHeader {
  std::uint64_t checksum;  // of all that follows
  std::uint64_t bytes;     // of the record, with this header
  BlockQuartet task;
  Rows rows;
  StoragePolicy policy;
};

/// Begins a record in an empty vector.
void begin_record(std::vector<std::byte>& record);
/// Fills in the header, after the last packed quartet.
void end_record(std::vector<std::byte>& record, const BlockQuartet& task, Rows rows,
                const StoragePolicy& policy);
/// The packed quartets of a record that is of this task, these rows and this policy and, where
/// `verify`, whose checksum is right; else empty, at no place.
std::span<const std::byte> record_contents(std::span<const std::byte> record,
                                           const BlockQuartet& task, Rows rows,
                                           const StoragePolicy& policy, bool verify);

}  // namespace lagoon::atoll::chem
