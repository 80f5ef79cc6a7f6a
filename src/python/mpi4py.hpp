// mpi4py beside Atoll.
#pragma once

namespace lagoon::atoll::python {

/// Two MPIs in one process hang or crash in obscure ways: Error(communication) where mpi4py has
/// been imported and calls another library than Atoll does.
void check_mpi4py();

}  // namespace lagoon::atoll::python
