// Names: of disk arrays as datasets, and of their folders on this node.
#pragma once

#include <string>

#include "atoll/group.hpp"

namespace lagoon::atoll::dra {

/// A name of the program's as a dataset's name, which is neither empty nor ".", nor has '/': what
/// it may not hold is written as a URL would, an empty one as "%".
std::string dataset_name(const std::string& name);
/// The other way round.
std::string program_name(const std::string& dataset);

/// Collective: removes the disk array or the plain file of this path; one that is not there is no
/// error, whatever else has that name stays.
void remove_array(const Group& group, const std::string& path);

}  // namespace lagoon::atoll::dra
