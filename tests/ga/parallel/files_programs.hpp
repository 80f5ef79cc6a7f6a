// The Fortran programs of the tests of files. Each sets `line` to 0, or to the line of a check that
// failed.
#pragma once

#include "ga/typesf2c.h"

extern "C" {
void eaf_program_in_fortran_(const char* directory, Integer* line, int directory_length);
/// In two parts, between which the caller synchronizes all processes.
void sf_program_writes_(const char* directory, const Integer* rank, Integer* handle, Integer* line,
                        int directory_length);
void sf_program_reads_(const Integer* rank, const Integer* ranks, const Integer* handle,
                       Integer* line);
}
