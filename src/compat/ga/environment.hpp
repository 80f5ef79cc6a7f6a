// Start, end, errors and limits of memory, for both languages.
#pragma once

#include <cstdint>
#include <string_view>

#include "mpi/handles.hpp"

namespace lagoon::atoll::ga {

/// `limit` in bytes a process; below 0: none.
void start(const char* routine, mpi::Comm communicator, std::int64_t limit);
void stop(const char* routine);
[[noreturn]] void error(std::string_view message, std::int64_t code);
void set_memory_limit(const char* routine, std::int64_t limit);
/// What the limit leaves; -1 where there is none.
std::int64_t memory_available(const char* routine);
std::int64_t memory_used(const char* routine);
bool memory_is_limited(const char* routine);
/// Uniform in [0, 1); a seed other than 0 begins anew.
double random_number(std::int64_t seed);
double seconds();
/// What was set before.
bool debugging(const char* routine);
void set_debugging(const char* routine, bool debugging);

}  // namespace lagoon::atoll::ga
