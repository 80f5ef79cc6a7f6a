#include "compat/gp/session.hpp"

#include <algorithm>
#include <string>

#include "atoll/error.hpp"
#include "compat/ga/runtime.hpp"

namespace lagoon::atoll::gp {

Session* Session::running = nullptr;

// A program may leave GP_Terminate out: then the memory ended with GA, and this is as if GP had.
Session& Session::get() {
  if (running == nullptr || !running->pool.alive())
    throw Error(ErrorKind::state, "GP is not initialized: call GP_Initialize first");
  return *running;
}

void Session::start() {
  const World& world = ga::Runtime::get().world();
  if (running != nullptr && running->pool.alive()) return;
  delete running;
  running = nullptr;
  running = new Session(world);
}

void Session::stop() {
  if (running != nullptr && running->pool.alive()) {
    ga::Runtime::get().world().sync();
    for (const auto& array : running->arrays_)
      if (array != nullptr) array->deallocate();
    running->pool.destroy();
  }
  delete running;
  running = nullptr;
}

int Session::create() {
  const auto free = std::ranges::find_if(arrays_, [](const auto& array) { return !array; });
  const auto handle = static_cast<int>(free - arrays_.begin());
  auto made = std::make_unique<PointerArray>(handle);
  if (free == arrays_.end())
    arrays_.push_back(std::move(made));
  else
    *free = std::move(made);
  return handle;
}

PointerArray* Session::find(int handle) noexcept {
  const bool known = handle >= 0 && static_cast<std::size_t>(handle) < arrays_.size();
  return known ? arrays_[static_cast<std::size_t>(handle)].get() : nullptr;
}

PointerArray& Session::at(int handle) {
  PointerArray* const found = find(handle);
  if (found == nullptr)
    throw Error(ErrorKind::value, "g_p is " + std::to_string(handle) + ", no global pointer array");
  return *found;
}

bool Session::destroy(int handle) {
  PointerArray* const found = find(handle);
  if (found == nullptr) return false;
  found->deallocate();
  arrays_[static_cast<std::size_t>(handle)].reset();
  return true;
}

}  // namespace lagoon::atoll::gp
