// The same from Fortran.
#include <gtest/gtest.h>

#include "ga/typesf2c.h"

#ifdef ATOLL_TEST_FORTRAN

extern "C" {
Integer fortran_arrays_(void);
Integer fortran_one_sided_(void);
Integer fortran_collectives_(void);
}

namespace {

TEST(GaFortran, ArraysAreCreatedAndTellOfThemselvesColumnsFirstFrom1) {
  EXPECT_EQ(fortran_arrays_(), 0);
}
TEST(GaFortran, OneSidedAccessMovesColumnMajorPatches) { EXPECT_EQ(fortran_one_sided_(), 0); }
TEST(GaFortran, CollectivesAndGroupsWork) { EXPECT_EQ(fortran_collectives_(), 0); }

}  // namespace

#endif
