#include "compat/ga/mutexes.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

#include "atoll/error.hpp"

namespace lagoon::atoll::ga {

namespace {

/// How long to look away before asking again. Whoever is next in turn asks often.
std::chrono::microseconds pause(std::int64_t ahead) {
  return std::chrono::microseconds(std::min<std::int64_t>(20 * ahead, 1000));
}

}  // namespace

Mutexes::Mutexes(const Group& world, int count)
    : world_(world),
      cells_(world, {count, columns}, {.layout = Layout::blocked({1, columns}), .name = "mutexes"}),
      mine_(static_cast<std::size_t>(count), -1) {}

Mutexes::~Mutexes() { cells_.destroy(); }

void Mutexes::check(int mutex) const {
  if (mutex < 0 || mutex >= static_cast<int>(mine_.size()))
    throw Error(ErrorKind::value,
                "mutex is " + std::to_string(mutex) + " of " + std::to_string(mine_.size()));
}

void Mutexes::lock(int mutex) {
  check(mutex);
  std::int64_t& held = mine_[static_cast<std::size_t>(mutex)];
  if (held >= 0)
    throw Error(ErrorKind::state, "mutex " + std::to_string(mutex) + " is locked by this process");
  held = cells_.fetch_add({mutex, ticket}, 1);
  for (;;) {
    const std::int64_t ahead = held - cells_.fetch_add({mutex, serving}, 0);
    if (ahead == 0) return;
    std::this_thread::sleep_for(pause(ahead));
  }
}

void Mutexes::unlock(int mutex) {
  check(mutex);
  std::int64_t& held = mine_[static_cast<std::size_t>(mutex)];
  if (held < 0)
    throw Error(ErrorKind::state,
                "mutex " + std::to_string(mutex) + " is not locked by this process");
  world_.fence();
  held = -1;
  cells_.fetch_add({mutex, serving}, 1);
}

}  // namespace lagoon::atoll::ga
