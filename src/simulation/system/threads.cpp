// Threads: who starts one gives it a place in the run; who waits for its end does so there.
#include <pthread.h>

#include <cerrno>
#include <new>

#include "simulation/real.hpp"
#include "simulation/system/words.hpp"

namespace lagoon::atoll::simulation {

namespace {

struct Start {
  void* (*function)(void*);
  void* argument;
  Thread* thread;
};

Key end_of(pthread_t handle) noexcept { return private_key(reinterpret_cast<void*>(handle)); }

/// Also where pthread_exit unwinds.
struct Turn {
  ~Turn() {
    if (me() == nullptr) return;  // it has left before
    wake(end_of(me()->handle), 1 << 30);
    leave();
  }
};

void* run(void* given) {
  const Start start = *static_cast<Start*>(given);
  delete static_cast<Start*>(given);
  begin_thread(start.thread);
  const Turn turn;
  return start.function(start.argument);
}

bool runs(pthread_t handle) noexcept {
  const Scheduler& s = scheduler();
  for (int i = 0; i < s.threads; ++i)
    if (const Thread& each = s.all[static_cast<std::size_t>(i)];
        each.state != Thread::State::none && each.rank == my_rank() && each.handle == handle)
      return true;
  return false;
}

}  // namespace

}  // namespace lagoon::atoll::simulation

using namespace lagoon::atoll::simulation;  // NOLINT: of this library's functions of C

extern "C" {

int pthread_create(pthread_t* handle, const pthread_attr_t* attributes, void* (*function)(void*),
                   void* argument) noexcept {
  static const auto real_one =
      real<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
  if (me() == nullptr) return real_one(handle, attributes, function, argument);
  Thread* const thread = add_thread();
  auto* const start = new (std::nothrow) Start{function, argument, thread};
  if (start == nullptr) {
    forget_thread(thread);
    return EAGAIN;
  }
  const int status = real_one(handle, attributes, &run, start);
  if (status != 0) {
    forget_thread(thread);
    delete start;
    return status;
  }
  thread->handle = *handle;
  step(Kind::begin);
  return 0;
}

int pthread_join(pthread_t handle, void** result) {
  static const auto real_one = real<int(pthread_t, void**)>("pthread_join");
  if (me() != nullptr)
    while (runs(handle)) wait(end_of(handle), never, "waits for a thread's end");
  return real_one(handle, result);
}

}  // extern "C"
