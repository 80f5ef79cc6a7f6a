// The entry of the tests in a program's own mpi.h: one World for the whole run, as in ../main.cpp.
#include <mpi.h>

#include "rank_run.hpp"

int main(int argc, char** argv) {
  const atoll::test::Options options = atoll::test::read_options(argc, argv);
  const atoll::World world(argc, argv);
  return atoll::test::run_tests(atoll::World::current(), options);
}
