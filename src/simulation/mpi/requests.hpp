// What the table needs of requests.
#pragma once

#include "simulation/mpi/functions.hpp"

namespace lagoon::atoll::simulation {

void complete_access(Request* request);

namespace face {

int test(mpi::Request*, int*, mpi::Status*);
int testsome(int, mpi::Request*, int*, int*);
int wait(mpi::Request*, mpi::Status*);
int cancel(mpi::Request*);
int request_free(mpi::Request*);

}  // namespace face

}  // namespace lagoon::atoll::simulation
