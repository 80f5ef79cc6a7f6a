#include "mpi/adaptor/open_mpi.hpp"

#include "mpi/adaptor/adaptor.hpp"
#include "mpi/adaptor/adaptors.hpp"

namespace lagoon::atoll::mpi {

std::vector<std::string> fill_for_open_mpi(Calls& into, Lookup find) {
  return Adaptor<OpenMpi>::fill(into, find);
}

}  // namespace lagoon::atoll::mpi
