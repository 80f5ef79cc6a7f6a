// Products of mirrored arrays, which each node forms by itself.
#include "compat/ga/mirrored.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <string>

#include "atoll/error.hpp"
#include "ga/typesf2c.h"
#include "ga_support.hpp"

namespace ga = lagoon::atoll::ga;

namespace {

TEST(GaMirroredProducts, TellWhichArrayIsNotMirrored) {
  const int plain = ga_test::create(C_DBL, {4, 4}, "plain");
  int dims[] = {4, 4};
  const int mirror = NGA_Create_config(C_DBL, 2, dims, "m", nullptr, GA_Pgroup_get_mirror());
  ga::check_on_mirrored_group(ga::array_of(mirror));
  std::string message;
  try {
    ga::check_on_mirrored_group(ga::array_of(plain));
  } catch (const atoll::Error& error) {
    message = error.message();
  }
  EXPECT_EQ(message, "array 'plain' is of group -1; expected the mirrored one, 0");
  GA_Destroy(plain);
  GA_Destroy(mirror);
}

}  // namespace

#ifdef ATOLL_TEST_FORTRAN

extern "C" void mirrored_products_in_fortran_(Integer* line);

namespace {

TEST(GaMirroredProducts, AreOfEachNodesOwnCopies) {
  Integer line = -1;
  mirrored_products_in_fortran_(&line);
  EXPECT_EQ(line, 0) << "the check in that line of mirrored_program.F90 failed";
}

}  // namespace

#endif
