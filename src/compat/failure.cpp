#include "compat/failure.hpp"

#include <cstdio>

#include "atoll/world.hpp"

namespace lagoon::atoll::compat {

namespace {

std::string rank_text() {
  return World::running() ? std::to_string(World::current().rank()) + ": " : "";
}

}  // namespace

void fail(const char* routine, const std::exception& error) {
  World::abort(rank_text() + routine + ": " + error.what());
}

void fail(const std::string& message, long code) {
  std::fflush(stdout);
  const long shown = code == 0 ? -1 : code;
  World::abort(rank_text() + message + ": " + std::to_string(code), static_cast<int>(shown));
}

}  // namespace lagoon::atoll::compat
