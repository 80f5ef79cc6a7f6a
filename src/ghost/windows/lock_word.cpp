#include "ghost/windows/lock_word.hpp"

#include <cstring>

namespace lagoon::atoll::ghost {

void ask_lock(const std::byte* request, std::byte* word) noexcept {
  using What = LockRequest::What;
  LockRequest asked{What::look};
  LockWord lock;
  std::memcpy(&asked, request, sizeof asked);
  std::memcpy(&lock, word, sizeof lock);
  switch (asked.what) {
    case What::share:
      if (lock.let_in == lock.tickets) ++lock.let_in;
      ++lock.tickets;
      break;
    case What::exclude: ++lock.tickets; break;
    case What::share_now:
      if (lock.let_in == asked.ticket) ++lock.let_in;
      break;
    case What::look: break;
    case What::end_sharing: ++lock.gone; break;
    case What::end_excluding:
      ++lock.let_in;
      ++lock.gone;
      break;
  }
  std::memcpy(word, &lock, sizeof lock);
}

bool granted(const LockWord& before, bool exclusive, std::int64_t ticket) noexcept {
  return (exclusive ? before.gone : before.let_in) == ticket;
}

bool granted_at_once(const LockWord& before, bool exclusive) noexcept {
  return granted(before, exclusive, before.tickets);
}

}  // namespace lagoon::atoll::ghost
