// What reads bytes from disk that somebody else may have written.
#pragma once

#include <cstddef>
#include <span>

namespace lagoon::atoll::test {

/// Parses the bytes as each kind of metadata of disk arrays and checkpoints, also as if their
/// checksums were right: whatever they are, nothing else may happen than that they are refused, or
/// accepted with every number in order. Aborts if not.
void parse_metadata(std::span<const std::byte> bytes);

}  // namespace lagoon::atoll::test
