// Lock word: the lock of a rank's part of a window, a lock for readers and writers that serves in
// the order of asking. It lies in the window's memory and changes by updates only.
//
// Who asks takes a ticket. A shared lock is granted when as many have been let in or have gone as
// hold earlier tickets, an exclusive one when all of them have gone.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lagoon::atoll::ghost {

struct LockWord {
  std::int64_t tickets = 0;
  std::int64_t let_in = 0;  // shared ones, and exclusive ones that have gone
  std::int64_t gone = 0;
};

struct LockRequest {
  enum class What : std::int64_t { share, exclude, share_now, look, end_sharing, end_excluding };
  What what;
  std::int64_t ticket = 0;  // of share_now
};

/// One request, by who holds the memory's lock.
void ask_lock(const std::byte* request, std::byte* word) noexcept;

/// What the word was before a request tells what came of it: whether the lock is granted. A
/// `ticket` is what the word's `tickets` were at the first request.
bool granted_at_once(const LockWord& before, bool exclusive) noexcept;
bool granted(const LockWord& before, bool exclusive, std::int64_t ticket) noexcept;

}  // namespace lagoon::atoll::ghost
