// One rank's file for all others.
#pragma once

#include <string>

#include "atoll/world.hpp"

namespace lagoon::atoll::tcgmsg {

/// Collective: each folder that a rank names, other than the one of `node0`, gets a copy of its
/// file, from one of the ranks that share it. Readers see a whole file, the old or the new one.
/// Error(value) for a node0 that is no rank, Error(file) where the system refuses.
void copy_file(const World& world, long node0, const std::string& name);

}  // namespace lagoon::atoll::tcgmsg
