// C names: start, end, errors, limits of memory.
#include "compat/ga/environment.hpp"
#include "compat/ga/runtime.hpp"
#include "compat/mpi_calls.hpp"
#include "compat/names/ga/names.hpp"
#include "ga/ga.h"
#include "mpi/face.hpp"

using namespace lagoon::atoll;

extern "C" {

void GA_Initialize(void) { ga::start("GA_Initialize", mpi::comm_world, -1); }
ATOLL_GA_ALSO(NGA_Initialize, GA_Initialize);

void GA_Initialize_args(int*, char***) { ga::start("GA_Initialize_args", mpi::comm_world, -1); }

void GA_Initialize_ltd(size_t limit) {
  ga::start("GA_Initialize_ltd", mpi::comm_world, static_cast<std::int64_t>(limit));
}
ATOLL_GA_ALSO(NGA_Initialize_ltd, GA_Initialize_ltd);

// Progress ranks do not return from here, whatever the communicator.
int GA_Initialize_comm(compat::ProgramComm comm) {
  ga::start("GA_Initialize_comm", mpi::calls.comm_of_native(comm), -1);
  return 1;
}
ATOLL_GA_ALSO(NGA_Initialize_comm, GA_Initialize_comm);

int GA_Initialized(void) { return ga::Runtime::running() ? 1 : 0; }
ATOLL_GA_ALSO(NGA_Initialized, GA_Initialized);

void GA_Terminate(void) { ga::stop("GA_Terminate"); }
ATOLL_GA_ALSO(NGA_Terminate, GA_Terminate);

void GA_Error(const char* str, int code) { ga::error(str == nullptr ? "" : str, code); }
ATOLL_GA_ALSO(NGA_Error, GA_Error);

int GA_Uses_ma(void) { return 0; }
ATOLL_GA_ALSO(NGA_Uses_ma, GA_Uses_ma);

// Whether C programs see arrays as Fortran does: counted from 1, the first dimension fastest.
int GA_Uses_fapi(void) { return 0; }

int GA_Memory_limited(void) { return ga::memory_is_limited("GA_Memory_limited") ? 1 : 0; }
ATOLL_GA_ALSO(NGA_Memory_limited, GA_Memory_limited);

size_t GA_Memory_avail(void) {
  return static_cast<size_t>(ga::memory_available("GA_Memory_avail"));
}
ATOLL_GA_ALSO(NGA_Memory_avail, GA_Memory_avail);

size_t GA_Inquire_memory(void) { return static_cast<size_t>(ga::memory_used("GA_Inquire_memory")); }
ATOLL_GA_ALSO(NGA_Inquire_memory, GA_Inquire_memory);

void GA_Set_memory_limit(size_t limit) {
  ga::set_memory_limit("GA_Set_memory_limit", static_cast<std::int64_t>(limit));
}
ATOLL_GA_ALSO(NGA_Set_memory_limit, GA_Set_memory_limit);

double GA_Wtime(void) { return ga::seconds(); }
ATOLL_GA_ALSO(NGA_Wtime, GA_Wtime);

double GA_Rand(int idum) { return ga::random_number(idum); }
ATOLL_GA_ALSO(NGA_Rand, GA_Rand);

int GA_Get_debug(void) { return ga::debugging("GA_Get_debug") ? 1 : 0; }
ATOLL_GA_ALSO(NGA_Get_debug, GA_Get_debug);

void GA_Set_debug(int flag) { ga::set_debugging("GA_Set_debug", flag != 0); }
ATOLL_GA_ALSO(NGA_Set_debug, GA_Set_debug);

// Atoll takes no temporary memory that it could ask the program's allocator for.
void GA_Register_stack_memory(void* (*)(size_t, int, char*), void (*)(void*)) {}

}  // extern "C"
