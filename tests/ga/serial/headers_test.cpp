// What headers bring, by a program in C.
#include <gtest/gtest.h>

#include "ma_programs.hpp"

TEST(GaHeaders, BringWhatProgramsTakeFromThem) { EXPECT_EQ(headers_program_in_c(), 0); }
