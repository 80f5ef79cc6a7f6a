// The adaptors that there are. Each fills the table with functions of an MPI that it looks up by
// their names, and returns the names of those that are not there.
#pragma once

#include <string>
#include <vector>

#include "mpi/adaptor/interface.hpp"
#include "mpi/calls.hpp"

namespace lagoon::atoll::mpi {

std::vector<std::string> fill_for_mpich(Calls& into, Lookup find);
std::vector<std::string> fill_for_open_mpi(Calls& into, Lookup find);
std::vector<std::string> fill_for_standard(Calls& into, Lookup find);

}  // namespace lagoon::atoll::mpi
