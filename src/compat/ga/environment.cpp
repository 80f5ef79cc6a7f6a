#include "compat/ga/environment.hpp"

#include <chrono>
#include <random>
#include <string>

#include "compat/ga/runtime.hpp"

namespace lagoon::atoll::ga {

namespace {

void limit_memory(Runtime& runtime, std::int64_t limit) {
  runtime.memory_limit.reset();
  if (limit >= 0) runtime.memory_limit = limit;
}

}  // namespace

void start(const char* routine, mpi::Comm communicator, std::int64_t limit) {
  compat::guarded(routine, [&] {
    if (Runtime::running()) return;
    Runtime::start(communicator);
    limit_memory(Runtime::get(), limit);
  });
}

void stop(const char* routine) { compat::guarded(routine, Runtime::stop); }

void error(std::string_view message, std::int64_t code) {
  compat::fail(std::string(message), static_cast<long>(code));
}

void set_memory_limit(const char* routine, std::int64_t limit) {
  compat::guarded(routine, [&] { limit_memory(Runtime::get(), limit); });
}

std::int64_t memory_available(const char* routine) {
  return compat::guarded(routine, [] {
    const Runtime& runtime = Runtime::get();
    return runtime.memory_limit ? *runtime.memory_limit - runtime.memory_used : std::int64_t{-1};
  });
}

std::int64_t memory_used(const char* routine) {
  return compat::guarded(routine, [] { return Runtime::get().memory_used; });
}

bool memory_is_limited(const char* routine) {
  return compat::guarded(routine, [] { return Runtime::get().memory_limit.has_value(); });
}

double random_number(std::int64_t seed) {
  static std::mt19937_64 generator;  // NOLINT(bugprone-random-generator-seed): the same in each run
  if (seed != 0) generator.seed(static_cast<std::uint64_t>(seed));
  return std::uniform_real_distribution<double>()(generator);
}

double seconds() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

bool debugging(const char* routine) {
  return compat::guarded(routine, [] { return Runtime::get().debugging; });
}

void set_debugging(const char* routine, bool debugging) {
  compat::guarded(routine, [&] { Runtime::get().debugging = debugging; });
}

}  // namespace lagoon::atoll::ga
