#include "ghost/windows/alone.hpp"

#include "ghost/ghost.hpp"

namespace lagoon::atoll::ghost {

MPI_Comm alone() {
  static const MPI_Comm own = [] {
    MPI_Comm made = MPI_COMM_NULL;
    PMPI_Comm_dup(MPI_COMM_SELF, &made);
    PMPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
    return made;
  }();
  return own;
}

}  // namespace lagoon::atoll::ghost
