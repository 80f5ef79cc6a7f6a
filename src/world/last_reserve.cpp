// A mapping that nobody may touch counts against the limit of addresses, and against nothing else.
#include "world/last_reserve.hpp"

#include <sys/mman.h>

#include <atomic>
#include <cstddef>

namespace lagoon::atoll::detail {

namespace {
constexpr std::size_t reserve_bytes = std::size_t{16} << 20;
std::atomic<void*> reserve{nullptr};
}  // namespace

void keep_last_reserve() noexcept {
  if (reserve.load() != nullptr) return;
  void* kept =
      mmap(nullptr, reserve_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (kept != MAP_FAILED) reserve.store(kept);
}

void give_up_last_reserve() noexcept {
  if (void* kept = reserve.exchange(nullptr)) munmap(kept, reserve_bytes);
}

}  // namespace lagoon::atoll::detail
