// One rank's file for all others.
#pragma once

#include <string>

#include "atoll/world.hpp"

namespace lagoon::atoll::tcgmsg {

/// Collective: each folder that a rank names, other than the one of `root`, gets a copy of root's
/// file, from one of the ranks that share it. Readers see a whole file, the old or the new one.
void copy_file(const World& world, int root, const std::string& name);

}  // namespace lagoon::atoll::tcgmsg
