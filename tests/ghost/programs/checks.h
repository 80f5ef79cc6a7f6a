// What the test programs of Ghost share: named tests that every rank runs, checks that tell what
// they expected, a stream of random numbers, and an alarm, so that a hang has a name.
//
// The programs are plain MPI and know nothing of Atoll: without the library they pass as well.
#pragma once

#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char* name;
  void (*run)(void);
} Test;

extern int rank;    // in MPI_COMM_WORLD
extern int size;    // of MPI_COMM_WORLD
extern int strict;  // GHOST_TEST_STRICT: also what MPI libraries may leave unchecked

// Counts a failed check and prints the first ones; the test goes on, in step with other ranks.
__attribute__((format(printf, 4, 5))) void check(int good, const char* file, int line,
                                                 const char* format, ...);
#define CHECK(condition, ...) check((condition) != 0, __FILE__, __LINE__, __VA_ARGS__)
#define CHECK_EQUAL(value, expected)                                                 \
  do {                                                                               \
    const long long value_ = (long long)(value), expected_ = (long long)(expected);  \
    CHECK(value_ == expected_, #value " is %lld, expected %lld", value_, expected_); \
  } while (0)
// The call returns an error of this class.
void check_class(int code, int expected, const char* file, int line, const char* what);
#define CHECK_CLASS(call, expected) check_class((call), (expected), __FILE__, __LINE__, #call)
// Bytes equal those expected; says where the first other one is.
void check_bytes(const void* found, const void* expected, size_t bytes, const char* format, ...)
    __attribute__((format(printf, 4, 5)));

// Runs all tests, or those whose names contain one of the arguments; the program's exit status.
int run_tests(const Test* tests, int argc, char** argv);

// A stream of numbers (splitmix64): the same seed gives the same ones on every rank.
uint64_t next_random(uint64_t* state);
int below(uint64_t* state, int bound);  // 0 <= result < bound

static inline uint64_t seed_of(uint64_t a, uint64_t b, uint64_t c) {
  return ((a * 1000003 + b) * 1000003 + c) * 2 + 1;
}
static inline void* allocate(size_t bytes) {
  void* memory = calloc(bytes > 0 ? bytes : 1, 1);
  if (memory == NULL) abort();
  return memory;
}

// MPI_Win_allocate on MPI_COMM_WORLD: zeroed, with its base.
MPI_Win window_of(MPI_Aint bytes, int unit, void* base);
