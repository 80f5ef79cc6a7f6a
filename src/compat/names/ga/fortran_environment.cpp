// Fortran names: start, end, errors, limits of memory.

#include "compat/fortran.hpp"
#include "compat/ga/environment.hpp"
#include "compat/ga/runtime.hpp"
#include "compat/names/ga/names.hpp"
#include "ga/gacommon.h"
#include "ga/typesf2c.h"
#include "mpi/face.hpp"

using namespace lagoon::atoll;
using compat::text_of;
using compat::TextLength;

extern "C" {

void ga_initialize_(void) { ga::start("ga_initialize", mpi::comm_world, -1); }
ATOLL_GA_ALSO(nga_initialize_, ga_initialize_);

void ga_initialize_ltd_(const Integer* limit) {
  ga::start("ga_initialize_ltd", mpi::comm_world, *limit);
}
ATOLL_GA_ALSO(nga_initialize_ltd_, ga_initialize_ltd_);

// Progress ranks do not return from here.
logical ga_initialize_comm_(const Integer* comm) {
  ga::start("ga_initialize_comm", mpi::comm_f2c(static_cast<int>(*comm)), -1);
  return 1;
}
ATOLL_GA_ALSO(nga_initialize_comm_, ga_initialize_comm_);

logical ga_initialized_(void) { return ga::Runtime::running() ? 1 : 0; }
ATOLL_GA_ALSO(nga_initialized_, ga_initialized_);

void ga_terminate_(void) { ga::stop("ga_terminate"); }
ATOLL_GA_ALSO(nga_terminate_, ga_terminate_);

void ga_error_(const char* text, const Integer* code, TextLength length) {
  ga::error(text_of(text, length), *code);
}
ATOLL_GA_ALSO(nga_error_, ga_error_);

logical ga_uses_ma_(void) { return 0; }
ATOLL_GA_ALSO(nga_uses_ma_, ga_uses_ma_);

logical ga_memory_limited_(void) { return ga::memory_is_limited("ga_memory_limited") ? 1 : 0; }
ATOLL_GA_ALSO(nga_memory_limited_, ga_memory_limited_);

Integer ga_memory_avail_(void) {
  return static_cast<Integer>(ga::memory_available("ga_memory_avail"));
}
ATOLL_GA_ALSO(nga_memory_avail_, ga_memory_avail_);

Integer ga_inquire_memory_(void) {
  return static_cast<Integer>(ga::memory_used("ga_inquire_memory"));
}
ATOLL_GA_ALSO(nga_inquire_memory_, ga_inquire_memory_);

void ga_set_memory_limit_(const Integer* limit) {
  ga::set_memory_limit("ga_set_memory_limit", *limit);
}
ATOLL_GA_ALSO(nga_set_memory_limit_, ga_set_memory_limit_);

double ga_wtime_(void) { return ga::seconds(); }
ATOLL_GA_ALSO(nga_wtime_, ga_wtime_);
ATOLL_GA_ALSO(ga_timer_, ga_wtime_);
ATOLL_GA_ALSO(nga_timer_, ga_wtime_);

double ga_rand_(const Integer* seed) { return ga::random_number(*seed); }
ATOLL_GA_ALSO(nga_rand_, ga_rand_);

void ga_version_(Integer* major, Integer* minor, Integer* patch) {
  *major = GA_VERSION_MAJOR;
  *minor = GA_VERSION_MINOR;
  *patch = GA_VERSION_PATCH;
}
ATOLL_GA_ALSO(nga_version_, ga_version_);

logical ga_get_debug_(void) { return ga::debugging("ga_get_debug") ? 1 : 0; }
ATOLL_GA_ALSO(nga_get_debug_, ga_get_debug_);

void ga_set_debug_(const logical* flag) { ga::set_debugging("ga_set_debug", *flag != 0); }
ATOLL_GA_ALSO(nga_set_debug_, ga_set_debug_);

}  // extern "C"
