// The test program's entry: one World for the whole run, every test on every rank (rank_run.hpp).
#include <cstdlib>
#include <string>

#include "atoll/world.hpp"
#include "rank_run.hpp"
#include "watchdog.hpp"
#include "wire_counter.hpp"

int main(int argc, char** argv) {
  const atoll::test::Options options = atoll::test::read_options(argc, argv);
  // A progress rank stays in the World's creation through the whole run; the others watch.
  const char* progress = std::getenv("ATOLL_PROGRESS");
  if (progress == nullptr || std::string(progress) != "rank")
    atoll::test::watch("the start of the run");
  atoll::test::count_wires();
  int status = 0;
  {
    atoll::World world(argc, argv);
    status = atoll::test::run_tests(world, options);
  }
  atoll::test::stop_watching();
  return status;
}
