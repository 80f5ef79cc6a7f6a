// The parts of TCGMSG's tests that are written in Fortran.
#pragma once

#include "ga/typesf2c.h"

extern "C" {
/// 0, or the line that failed. Collective.
void tcgmsg_program_in_fortran_(Integer* line);
void tcgmsg_text_in_fortran_(Integer* line);
}
