// The parts of the tests of disk resident arrays that are written in Fortran.
#pragma once

#include "ga/typesf2c.h"

extern "C" {
/// 0, or the line that failed. The folder's name ends with a slash.
void dra_program_in_fortran_(const char* folder, Integer* line, int length);
/// Reads an array of 3 x 5 x 7 doubles as C has written it.
void dra_program_reads_c_(const char* path, Integer* line, int length);
}
