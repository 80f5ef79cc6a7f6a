// Updates: elements of a segment changed by a function of the program's, under the locks that
// accumulates take, so that updates and accumulates of an element exclude each other.
//
// The function runs where the memory is: in the process of the origin on the same node, in that of
// the agent else. So every process sets the same one before the World starts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "transport/accumulate.hpp"

namespace lagoon::atoll::detail {

/// What is done: the function knows the code; sizes of an element and of its operand (0: none).
struct UpdateKind {
  std::uint32_t code = 0;
  std::int32_t element_bytes = 1;
  std::int32_t operand_bytes = 0;
};

/// Contiguous elements, the first so many bytes from the start of a block. Part of the wire format.
struct UpdateRun {
  std::int64_t offset = 0;
  std::int64_t elements = 0;
};

/// Changes contiguous elements of any alignment.
using Updater = void (*)(std::uint32_t code, const std::byte* operands, std::byte* target,
                         std::int64_t elements) noexcept;
void set_updater(Updater updater) noexcept;

/// Updates the runs of `base`, in order, by packed operands; `old` gets the values before, packed,
/// unless null. The lock of an element is that of its first byte.
void update_in_memory(const Stripes& stripes, const UpdateKind& kind, std::byte* base,
                      std::span<const UpdateRun> runs, const std::byte* operands, std::byte* old);

/// First byte touched, and the end.
struct UpdateReach {
  std::int64_t first = 0, end = 0;
};
UpdateReach reach_of(std::span<const UpdateRun> runs, std::int32_t element_bytes) noexcept;

}  // namespace lagoon::atoll::detail
