// Headers of slots tell commits apart: they hold the checksum of the table.
#include "disk/record_guard.hpp"

#include <cerrno>
#include <utility>

#include "atoll/error.hpp"

namespace lagoon::atoll::detail {

namespace {

/// Empty where neither is in order.
std::vector<std::byte> newest_header(const OpenFile& record, const DiskLayout& layout) {
  std::vector<std::byte> newest;
  std::uint64_t generation = 0;
  for (const int slot : {0, 1}) {
    std::vector<std::byte> header(commit_header_bytes);
    header.resize(record.read(slot_offset(layout, slot), header.data(), header.size()));
    const auto found = generation_of(header);
    if (!found || (!newest.empty() && *found < generation)) continue;
    generation = *found;
    newest = std::move(header);
  }
  return newest;
}

}  // namespace

void RecordGuard::look(const OpenFile& record, const DiskLayout& layout) {
  known_ = newest_header(record, layout);
}

void RecordGuard::write(OpenFile& record, const DiskLayout& layout, const DiskCommit& commit) {
  const std::vector<std::byte> bytes = encode(commit), found = newest_header(record, layout);
  if (!found.empty() && found != known_ && found != tried_)
    throw Error::of_file(ESTALE, "record a write in " + record.label() +
                                     ", which somebody else has written meanwhile");
  tried_.assign(bytes.begin(), bytes.begin() + commit_header_bytes);
  record.write(slot_offset(layout, static_cast<int>(commit.generation % 2)), bytes.data(),
               bytes.size());
  known_ = tried_;
}

}  // namespace lagoon::atoll::detail
