// Errors, traces and checks.
#include "compat/ma/session.hpp"

#include <cstdio>
#include <stdexcept>
#include <string>

#include "atoll/world.hpp"

namespace lagoon::atoll::ma {

Session& Session::get() {
  static Session& session = *new Session;  // buffers may be in use while the process ends
  return session;
}

void Session::look() const {
  if (verifies && allocator.begun()) verify();
}

void Session::failed(const char* routine, const std::exception& error) const {
  const std::string message = std::string(routine) + ": " + error.what();
  if (prints_errors || hard_fails) std::fprintf(stderr, "MA error: %s\n", message.c_str());
  if (!hard_fails) return;
  if (callback != nullptr) callback(message.c_str(), 1);
  // Ranks that wait for this one must not wait for ever.
  World::abort("MA was told that failures end the job: " + message);
}

void Session::trace(const char* what, std::string_view name) const {
  if (!traces) return;
  std::printf("MA: %s '%.*s'\n", what, static_cast<int>(name.size()), name.data());
  std::fflush(stdout);
}

void Session::verify() const {
  std::size_t damaged = 0;
  allocator.for_each_block([&](Integer handle, const Block& block) {
    const bool left = allocator.left_guard_holds(block), right = allocator.right_guard_holds(block);
    if (left && right) [[likely]]
      return;
    ++damaged;
    if (!prints_errors && !hard_fails) return;
    std::fprintf(stderr, "MA: memhandle %ld ('%s'): somebody wrote %s its elements\n",
                 static_cast<long>(handle), block.name,
                 left ? "behind" : (right ? "before" : "before and behind"));
  });
  if (damaged > 0)
    throw std::runtime_error("the guards of " + std::to_string(damaged) + " blocks are damaged");
}

}  // namespace lagoon::atoll::ma
