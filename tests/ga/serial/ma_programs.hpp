// The parts of the tests that are written in other languages.
#pragma once

#include "ga/typesf2c.h"

extern "C" {
/// 0, or the line that failed.
int ma_program_in_c(void);
int headers_program_in_c(void);
void ma_program_in_fortran_(Integer* line);
}
