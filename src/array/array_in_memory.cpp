#include "atoll/array_in_memory.hpp"

#include "array/array_state.hpp"
#include "array/memory_state.hpp"
#include "atoll/error.hpp"

namespace lagoon::atoll {

using detail::ArrayState;
using detail::MemoryState;

AnyArray array_in(const AnyArray& memory, const Index& shape, ElementType type,
                  const ArrayOptions& options) {
  if (!memory.alive()) throw Error(ErrorKind::state, "the array whose memory it is is gone");
  if (memory.mirrored())
    throw Error(ErrorKind::unsupported,
                "array '" + memory.name() + "' is mirrored: its memory is for itself only");
  const ArrayState& state = *memory.state();
  state.require_writable();
  return AnyArray(std::make_shared<ArrayState>(state.group, shape, type, options, state.segment));
}

AnyArray array_in(const Memory& memory, const Index& shape, ElementType type,
                  const ArrayOptions& options) {
  if (!memory.alive()) throw Error(ErrorKind::state, "the memory is gone");
  const MemoryState& state = *memory.state();
  return AnyArray(std::make_shared<ArrayState>(state.group, shape, type, options, state.segment));
}

}  // namespace lagoon::atoll
