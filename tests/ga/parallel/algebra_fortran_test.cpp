// Algebra by its Fortran names (algebra_program.F90).
#include <gtest/gtest.h>

#include "ga/typesf2c.h"

#ifdef ATOLL_TEST_FORTRAN

extern "C" void algebra_program_in_fortran_(Integer* line);

TEST(AlgebraInFortran, CountsRowsAndColumnsAsFortranDoes) {
  Integer line = 0;
  algebra_program_in_fortran_(&line);
  EXPECT_EQ(line, 0) << "of algebra_program.F90";
}

#endif
