// armci_notify: tells a process that what was put there before is there.
#pragma once

#include "compat/armci/session.hpp"

namespace lagoon::atoll::armci {

/// Completes my operations on the process first. How many notifications it has got from me.
int notify(Session& session, int process);
/// Waits for one that was not waited for yet. How many there were from that process.
int wait_for_notification(Session& session, int process);

}  // namespace lagoon::atoll::armci
