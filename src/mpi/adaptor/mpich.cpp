#include "mpi/adaptor/mpich.hpp"

#include "mpi/adaptor/adaptor.hpp"
#include "mpi/adaptor/adaptors.hpp"

namespace lagoon::atoll::mpi {

std::vector<std::string> fill_for_mpich(Calls& into, Lookup find) {
  return Adaptor<Mpich>::fill(into, find);
}

}  // namespace lagoon::atoll::mpi
