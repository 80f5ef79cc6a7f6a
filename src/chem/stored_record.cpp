#include "stored_record.hpp"

#include <cstring>

#include "packing.hpp"

namespace lagoon::atoll::chem {

namespace {
constexpr std::size_t header_bytes = sizeof(RecordHeader);

std::uint64_t checksum_of(std::span<const std::byte> record) {
  return checksum(record.subspan(sizeof(std::uint64_t)));
}
}  // namespace

void begin_record(std::vector<std::byte>& record) { record.resize(header_bytes); }

void end_record(std::vector<std::byte>& record, const BlockQuartet& task, Rows rows) {
  record.resize((record.size() + packing_slack + 7) / 8 * 8);
  RecordHeader header{0, record.size(), task, rows};
  std::memcpy(record.data(), &header, header_bytes);
  header.checksum = checksum_of(record);
  std::memcpy(record.data(), &header.checksum, sizeof header.checksum);
}

std::span<const std::byte> record_contents(std::span<const std::byte> record,
                                           const BlockQuartet& task, Rows rows, bool verify) {
  RecordHeader header;
  if (record.size() < header_bytes + packing_slack) return {};
  std::memcpy(&header, record.data(), header_bytes);
  const RecordHeader expected{header.checksum, record.size(), task, rows};
  if (std::memcmp(&header, &expected, header_bytes) != 0) return {};
  if (verify && checksum_of(record) != header.checksum) return {};
  return record.subspan(header_bytes, record.size() - header_bytes - packing_slack);
}

}  // namespace lagoon::atoll::chem
