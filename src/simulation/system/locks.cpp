// Mutexes, conditions and semaphores: the system's own hold them, waiting for them is ours.
#include <pthread.h>
#include <semaphore.h>

#include <array>
#include <cerrno>

#include "simulation/real.hpp"
#include "simulation/system/time.hpp"
#include "simulation/system/words.hpp"

namespace lagoon::atoll::simulation {

namespace {

constexpr int all = 1 << 30;

/// No step where nobody waits: interpreters use semaphores as often as the addresses of their
/// objects make them.
void wake_some(const void* what, int most) noexcept {
  if (const int woken = wake(private_key(what), most); woken > 0)
    step(Kind::wake, static_cast<std::uint64_t>(woken));
}

/// Nearly all are a process's own; to find out what memory is takes longer.
Key key_of_lock(const pthread_mutex_t* mutex) noexcept {
  constexpr int shared = 128;  // of glibc and musl
  return (mutex->__data.__kind & shared) != 0 ? key_of(mutex) : private_key(mutex);
}

/// Whether other threads have had it, too. What one thread alone has (an interpreter's lock, say)
/// is taken as often as files and addresses have it, and hides nothing.
bool is_shared(const pthread_mutex_t* mutex) noexcept {
  struct User {
    const pthread_mutex_t* mutex;
    const Thread* thread;
    bool others;
  };
  static std::array<User, 4096> users{};
  User& user = users[mixed(reinterpret_cast<std::uintptr_t>(mutex)) % users.size()];
  if (user.mutex != mutex) user = {mutex, me(), false};
  user.others = user.others || user.thread != me();
  return user.others;
}

/// Whoever holds it may be a thread that takes no part: so one looks again now and then.
constexpr Time patience = 5 * millisecond;

template <class Try>
int acquire(Key key, const char* doing, Try&& try_it) noexcept {
  for (;;) {
    const int status = try_it();
    if (status != EBUSY) return status;
    wait(key, now() + patience, doing);
  }
}

int lock(pthread_mutex_t* mutex) noexcept {
  static const auto try_lock = real<int(pthread_mutex_t*)>("pthread_mutex_trylock");
  return acquire(key_of_lock(mutex), "waits for a mutex", [&] { return try_lock(mutex); });
}

void unlock(pthread_mutex_t* mutex) noexcept {
  static const auto real_one = real<int(pthread_mutex_t*)>("pthread_mutex_unlock");
  real_one(mutex);
  wake(key_of_lock(mutex), 1);
}

int wait_for(pthread_cond_t* condition, pthread_mutex_t* mutex, Time until) noexcept {
  unlock(mutex);
  const bool woken = wait(private_key(condition), until, "waits for a condition");
  lock(mutex);
  return woken ? 0 : ETIMEDOUT;
}

int take(sem_t* semaphore, Time until) noexcept {
  static const auto try_it = real<int(sem_t*)>("sem_trywait");
  for (;;) {
    if (try_it(semaphore) == 0) return 0;
    if (errno != EAGAIN) return -1;
    if (now() >= until) {
      errno = ETIMEDOUT;
      return -1;
    }
    wait(private_key(semaphore), until, "waits for a semaphore");
  }
}

}  // namespace

}  // namespace lagoon::atoll::simulation

using namespace lagoon::atoll::simulation;  // NOLINT: of this library's functions of C

extern "C" {

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  static const auto real_one = real<int(pthread_mutex_t*)>("pthread_mutex_lock");
  if (me() == nullptr) return real_one(mutex);
  if (is_shared(mutex)) step(Kind::lock);
  return lock(mutex);
}

int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  static const auto real_one = real<int(pthread_mutex_t*)>("pthread_mutex_unlock");
  const int status = real_one(mutex);
  if (me() != nullptr) wake(key_of_lock(mutex), 1);
  return status;
}

int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  static const auto real_one = real<int(pthread_cond_t*, pthread_mutex_t*)>("pthread_cond_wait");
  if (me() == nullptr) return real_one(condition, mutex);
  return wait_for(condition, mutex, never);
}

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                           const timespec* until) {
  static const auto real_one =
      real<int(pthread_cond_t*, pthread_mutex_t*, const timespec*)>("pthread_cond_timedwait");
  if (me() == nullptr) return real_one(condition, mutex, until);
  return wait_for(condition, mutex, on_our_clock(CLOCK_REALTIME, *until));
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* until) {
  static const auto real_one =
      real<int(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*)>(
          "pthread_cond_clockwait");
  if (me() == nullptr) return real_one(condition, mutex, clock, until);
  return wait_for(condition, mutex, on_our_clock(clock, *until));
}

int pthread_cond_signal(pthread_cond_t* condition) noexcept {
  static const auto real_one = real<int(pthread_cond_t*)>("pthread_cond_signal");
  if (me() == nullptr) return real_one(condition);
  wake_some(condition, 1);
  return real_one(condition);
}

int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  static const auto real_one = real<int(pthread_cond_t*)>("pthread_cond_broadcast");
  if (me() == nullptr) return real_one(condition);
  wake_some(condition, all);
  return real_one(condition);
}

int sem_wait(sem_t* semaphore) {
  static const auto real_one = real<int(sem_t*)>("sem_wait");
  return me() == nullptr ? real_one(semaphore) : take(semaphore, never);
}

int sem_timedwait(sem_t* semaphore, const timespec* until) {
  static const auto real_one = real<int(sem_t*, const timespec*)>("sem_timedwait");
  if (me() == nullptr) return real_one(semaphore, until);
  return take(semaphore, on_our_clock(CLOCK_REALTIME, *until));
}

int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* until) {
  static const auto real_one = real<int(sem_t*, clockid_t, const timespec*)>("sem_clockwait");
  if (me() == nullptr) return real_one(semaphore, clock, until);
  return take(semaphore, on_our_clock(clock, *until));
}

int sem_post(sem_t* semaphore) noexcept {
  static const auto real_one = real<int(sem_t*)>("sem_post");
  const int status = real_one(semaphore);
  if (me() != nullptr) wake_some(semaphore, 1);
  return status;
}

int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  static const auto real_one = real<int(pthread_rwlock_t*)>("pthread_rwlock_rdlock");
  static const auto try_it = real<int(pthread_rwlock_t*)>("pthread_rwlock_tryrdlock");
  if (me() == nullptr) return real_one(lock);
  step(Kind::lock);
  return acquire(private_key(lock), "waits for a lock, to read", [&] { return try_it(lock); });
}

int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  static const auto real_one = real<int(pthread_rwlock_t*)>("pthread_rwlock_wrlock");
  static const auto try_it = real<int(pthread_rwlock_t*)>("pthread_rwlock_trywrlock");
  if (me() == nullptr) return real_one(lock);
  step(Kind::lock);
  return acquire(private_key(lock), "waits for a lock, to write", [&] { return try_it(lock); });
}

int pthread_rwlock_unlock(pthread_rwlock_t* lock) noexcept {
  static const auto real_one = real<int(pthread_rwlock_t*)>("pthread_rwlock_unlock");
  const int status = real_one(lock);
  if (me() != nullptr) wake(private_key(lock), all);
  return status;
}

}  // extern "C"
