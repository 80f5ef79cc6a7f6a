// What GA_Mask_sync says of the next collective call: whether its processes wait for each other
// before it and behind it. It has its effect on calls that change each process's own part only
// (algebra/elementwise.hpp); all others synchronise in any case, which no program can tell but by
// a process that waits elsewhere for one that is inside the call.
#pragma once

namespace lagoon::atoll::ga {

struct Mask {
  bool first = true, last = true;  ///< whether to synchronise
  bool complete() const noexcept { return first && last; }
};

/// Of the next collective call. Not collective.
void mask_next_call(Mask mask);
/// Of the call that begins now, which uses it up, as any other has that has met since.
Mask take_mask();
/// By calls in which no groups meet as Atoll counts them, also where GA does not run (TCGMSG's).
void drop_mask();

}  // namespace lagoon::atoll::ga
