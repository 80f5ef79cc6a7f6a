#include "stored_record.hpp"

#include <cstring>

#include "packing.hpp"

namespace lagoon::atoll::chem {

namespace {
constexpr std::size_t header_bytes = sizeof(RecordHeader);
// Headers are compared as bytes: none may be without meaning.
static_assert(header_bytes == 2 * sizeof(std::uint64_t) + 6 * sizeof(int) + 2 * sizeof(double) +
                                  sizeof(RecordForm));

std::uint64_t checksum_of(std::span<const std::byte> record) {
  return checksum(record.subspan(sizeof(std::uint64_t)));
}
}  // namespace

void begin_record(std::vector<std::byte>& record) { record.resize(header_bytes); }

void end_record(std::vector<std::byte>& record, const BlockQuartet& task, Rows rows,
                const StoragePolicy& policy) {
  record.resize((record.size() + packing_slack + 7) / 8 * 8);
  RecordHeader header{0, record.size(), task, rows, policy};
  std::memcpy(record.data(), &header, header_bytes);
  header.checksum = checksum_of(record);
  std::memcpy(record.data(), &header.checksum, sizeof header.checksum);
}

std::span<const std::byte> record_contents(std::span<const std::byte> record,
                                           const BlockQuartet& task, Rows rows,
                                           const StoragePolicy& policy, bool verify) {
  RecordHeader header;
  if (record.size() < header_bytes + packing_slack) return {};
  std::memcpy(&header, record.data(), header_bytes);
  const RecordHeader expected{header.checksum, record.size(), task, rows, policy};
  if (std::memcmp(&header, &expected, header_bytes) != 0) return {};
  if (verify && checksum_of(record) != header.checksum) return {};
  return record.subspan(header_bytes, record.size() - header_bytes - packing_slack);
}

}  // namespace lagoon::atoll::chem
