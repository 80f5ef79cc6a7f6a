// Fortran names that NWChem seldom calls (more_program.F90, more_algebra_program.F90,
// more_blocks_program.F90).
#include <gtest/gtest.h>

#include "ga/typesf2c.h"

#ifdef ATOLL_TEST_FORTRAN

extern "C" {
void more_in_fortran_(Integer* line);
void more_algebra_in_fortran_(Integer* line);
void more_blocks_in_fortran_(Integer* line);
}

namespace {

Integer line_of(void (*program)(Integer*)) {
  Integer line = -1;
  program(&line);
  return line;
}

TEST(GaFortran, FieldsStepsGroupsAndMirrorsAreThoseOfFortran) {
  EXPECT_EQ(line_of(more_in_fortran_), 0) << "of more_program.F90";
}

TEST(GaFortran, AlgebraIsThatOfFortransOwnArrays) {
  EXPECT_EQ(line_of(more_algebra_in_fortran_), 0) << "of more_algebra_program.F90";
}

TEST(GaFortran, BlocksAndGhostsCountFrom1) {
  EXPECT_EQ(line_of(more_blocks_in_fortran_), 0) << "of more_blocks_program.F90";
}

}  // namespace

#endif
