#include "compat/gp/session.hpp"

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
    for (const int handle : running->arrays_.handles()) running->at(handle).deallocate();
    running->pool.destroy();
  }
  delete running;
  running = nullptr;
}

PointerArray& Session::at(int handle) {
  if (PointerArray* const found = arrays_.find(handle)) return *found;
  throw Error(ErrorKind::value, "g_p is " + std::to_string(handle) + ", no global pointer array");
}

bool Session::destroy(int handle) {
  if (arrays_.find(handle) == nullptr) return false;
  at(handle).deallocate();
  arrays_.take(handle);
  return true;
}

}  // namespace lagoon::atoll::gp
