// Which MPI the table of calls leads to.
//
// The MPI that is in the process already: the program's, or mpi4py's. Else ATOLL_MPI says it; else
// the one of the launcher that has started the process; else the nearest, where the loader looks
// for our own libraries, before the system's.
#pragma once

#include <string>
#include <vector>

#include "atoll/mpi_family.hpp"
#include "mpi/adaptor/interface.hpp"
#include "mpi/calls.hpp"

namespace lagoon::atoll::mpi {

struct Library {
  MpiFamily family;
  std::string file;  ///< its path; empty where it is part of the program
};

/// The MPI in use: found, and the table filled, by the first call of this or of any function of the
/// face. Error(communication) with the remedy where there is none, there are two, or one lacks
/// functions; Error(value) for an ATOLL_MPI that names nothing.
const Library& library();

/// Whether an MPI is in the process. Loads none.
bool in_process() noexcept;

/// The file of the MPI that a shared object calls, which is loaded; empty where it calls none.
std::string library_of(const char* object);

/// Its path, or in words that it is part of the program.
std::string where(const Library& library);

/// Whether this is the address of MPI_Get_library_version of the MPI in use, as the program or what
/// stands before MPI has it.
bool is_of_library(const void* function);

/// "MPICH", "Open MPI" or "MPI's standard binary interface".
std::string in_words(MpiFamily family);

/// In the place of all that: functions of an MPI of `family` by their names "MPI_Send", for a
/// library that stands before the MPI. Before any other call.
void use(MpiFamily family, Lookup find);

/// Puts functions of other MPIs into the place of the process's own, for tests.
std::vector<std::string> fill(MpiFamily family, Lookup find, Calls& into);

}  // namespace lagoon::atoll::mpi
