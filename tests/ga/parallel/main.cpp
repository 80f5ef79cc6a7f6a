// The entry of the tests on ranks: MPI, GA and MA are up, as programs have them.
#include <mpi.h>

#include "atoll/world.hpp"
#include "ga/ga.h"
#include "ga/macdecls.h"
#include "rank_run.hpp"
#include "watchdog.hpp"

int main(int argc, char** argv) {
  const atoll::test::Options options = atoll::test::read_options(argc, argv);
  atoll::test::watch("the start of the run");
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  GA_Initialize();
  MA_init(MT_C_DBL, 1 << 20, 1 << 20);
  const int status = atoll::test::run_tests(atoll::World::current(), options);
  GA_Terminate();
  MPI_Finalize();
  atoll::test::stop_watching();
  return status;
}
