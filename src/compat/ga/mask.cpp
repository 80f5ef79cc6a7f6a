#include "compat/ga/mask.hpp"

#include <cstdint>
#include <utility>

#include "compat/ga/runtime.hpp"

namespace lagoon::atoll::ga {

namespace {

struct NextMask {
  Mask mask;
  std::uint64_t meetings = 0;  // so far, when it was set
};

}  // namespace

void mask_next_call(Mask mask) {
  Runtime& runtime = Runtime::get();
  runtime.keep<NextMask>() = {mask, runtime.world().meetings()};
}

Mask take_mask() {
  Runtime& runtime = Runtime::get();
  const NextMask next = std::exchange(runtime.keep<NextMask>(), {});
  return next.meetings == runtime.world().meetings() ? next.mask : Mask{};
}

void drop_mask() {
  if (Runtime::running()) (void)take_mask();
}

}  // namespace lagoon::atoll::ga
