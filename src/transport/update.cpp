// Updates: one stripe's lock after the other, and the function on what lies in it.
#include "transport/update.hpp"

#include <algorithm>
#include <cstring>

namespace lagoon::atoll::detail {

namespace {

Updater the_updater = nullptr;

}  // namespace

void set_updater(Updater updater) noexcept { the_updater = updater; }

void update_in_memory(const Stripes& stripes, const UpdateKind& kind, std::byte* base,
                      std::span<const UpdateRun> runs, const std::byte* operands, std::byte* old) {
  const std::int64_t size = kind.element_bytes;
  SharedLock* held = nullptr;
  for (const UpdateRun& run : runs) {
    std::byte* target = base + run.offset;
    for (std::int64_t left = run.elements; left > 0;) {
      const std::uint64_t offset = stripes.offset_of(target);
      const std::uint64_t stripe = Stripes::stripe_of(offset);
      SharedLock* const lock = &stripes.lock_of(stripe);
      if (lock != held) {
        if (held != nullptr) held->unlock();
        held = lock;
        held->lock();
      }
      // Those that begin in the stripe.
      const auto room = static_cast<std::int64_t>((stripe + 1) * Stripes::stripe_bytes - offset);
      const std::int64_t now = std::min(left, (room + size - 1) / size);
      if (old != nullptr) {
        std::memcpy(old, target, static_cast<std::size_t>(now * size));
        old += now * size;
      }
      if (the_updater != nullptr) the_updater(kind.code, operands, target, now);
      if (operands != nullptr) operands += now * kind.operand_bytes;
      target += now * size;
      left -= now;
    }
  }
  if (held != nullptr) held->unlock();
}

UpdateReach reach_of(std::span<const UpdateRun> runs, std::int32_t element_bytes) noexcept {
  UpdateReach reach;
  bool any = false;
  for (const UpdateRun& run : runs) {
    if (run.elements <= 0) continue;
    const std::int64_t end = run.offset + run.elements * element_bytes;
    reach.first = any ? std::min(reach.first, run.offset) : run.offset;
    reach.end = any ? std::max(reach.end, end) : end;
    any = true;
  }
  return reach;
}

}  // namespace lagoon::atoll::detail
