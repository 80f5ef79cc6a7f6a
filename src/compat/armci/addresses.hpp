// armci_exchange_address: what a process calls its memory, told to others in their own terms.
#pragma once

#include "compat/armci/session.hpp"

namespace lagoon::atoll::armci {

/// Collective over the group; `addresses` has one of each member.
void exchange_addresses(const Session& session, const Group& group, void** addresses);

}  // namespace lagoon::atoll::armci
