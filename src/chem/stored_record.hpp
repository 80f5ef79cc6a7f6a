// A record: the packed integrals of some rows of a task, with a header that says which and tells
// whether the bytes are still what was written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shell_pairs.hpp"

namespace lagoon::atoll::chem {

/// What stands at the beginning of a record, in the byte order of the machine: records do not leave
/// it. The length of a record is a multiple of eight.
struct RecordHeader {
  std::uint64_t checksum;  // of all that follows
  std::uint64_t bytes;     // of the record, with this header
  BlockQuartet task;
  Rows rows;
};

/// Begins a record in an empty vector.
void begin_record(std::vector<std::byte>& record);
/// Fills in the header, after the last packed quartet.
void end_record(std::vector<std::byte>& record, const BlockQuartet& task, Rows rows);
/// The packed quartets of a record that is of this task and these rows and, where `verify`, whose
/// checksum is right; else empty.
std::span<const std::byte> record_contents(std::span<const std::byte> record,
                                           const BlockQuartet& task, Rows rows, bool verify);

}  // namespace lagoon::atoll::chem
