// What two threads of a process do may be ordered by what another process does between: it waits
// for the first before it asks the second. ThreadSanitizer sees one process and calls it a race.
#pragma once

#if defined(__SANITIZE_THREAD__)
#include <mutex>
#endif

namespace lagoon::atoll::detail {

/// Orders the calls of this on all threads, in builds with ThreadSanitizer: to be called after what
/// another process may wait for, and before what it may ask for then.
inline void show_unseen_order() {
#if defined(__SANITIZE_THREAD__)
  static std::mutex order;
  const std::lock_guard lock(order);
#endif
}

}  // namespace lagoon::atoll::detail
