#include "mpi/adaptor/standard.hpp"

#include "mpi/adaptor/adaptor.hpp"
#include "mpi/adaptor/adaptors.hpp"

namespace lagoon::atoll::mpi {

std::vector<std::string> fill_for_standard(Calls& into, Lookup find) {
  return Adaptor<Standard>::fill(into, find);
}

}  // namespace lagoon::atoll::mpi
