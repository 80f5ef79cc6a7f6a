// Windows' synchronisation: fences, access granted by the target, and locks.
#include <algorithm>
#include <atomic>
#include <chrono>

#include "ghost/windows/lock_queue.hpp"
#include "ghost/windows/moving.hpp"
#include "ghost/windows/predefined.hpp"
#include "ghost/windows/window.hpp"

namespace lagoon::atoll::ghost {

namespace {

using What = LockRequest::What;
using atoll::detail::WorldState;

void require(bool right) {
  if (!right) throw Refused(MPI_ERR_RMA_SYNC);
}

constexpr atoll::detail::UpdateRun word_of_lock{offsetof(Control, lock), 1};

}  // namespace

/// Before an operation: whether the program may access the rank now; takes the lock where lock_all
/// has left that to be done.
void Window::begin(int rank) {
  if (lock_of(rank) != Lock::none) return;
  if (all_locked_) {
    if (!all_unchecked_) take(rank, false);
    set_lock(rank, all_unchecked_ ? Lock::unchecked : Lock::shared);
    return;
  }
  require(fenced_ || (in_access_ && std::ranges::find(started_, rank) != started_.end()));
}

void Window::fence(int assertion) {
  require(locked_.empty() && !all_locked_ && !in_access_ && !in_exposure_);
  finish(any_rank);
  if (threads_meet()) {
    group().fence();
    meet();
  } else {
    group().sync();
  }
  writes_under_way_ = false;
  fenced_ = (assertion & MPI_MODE_NOSUCCEED) == 0;
}

void Window::add_to_counter(int rank, std::int64_t offset, std::int32_t more) {
  const atoll::detail::UpdateRun run{offset, 1};
  update(rank, counter_kind(), {&run, 1}, reinterpret_cast<const std::byte*>(&more), nullptr)
      .wait();
}

std::int32_t Window::counter(std::int64_t offset) const {
  auto* const word = reinterpret_cast<std::int32_t*>(base_ - control_bytes_ + offset);
  return std::atomic_ref(*word).load(std::memory_order_acquire);
}

/// All ranks have come here, as by Group::sync, but other threads come in while this one waits: of
/// two that meet by two windows, another rank may have the other one first. By dissemination: in
/// round k everybody tells the rank 2^k further.
void Window::meet() {
  WorldState::get().observe_agent();
  const int me = group().rank();
  ++meetings_;
  auto word = static_cast<std::int64_t>(offsetof(Control, heard));
  for (int reach = 1; reach < size(); reach *= 2, word += sizeof(std::int32_t)) {
    add_to_counter((me + reach) % size(), word, 1);
    wait_for([&] {
      return static_cast<std::int32_t>(static_cast<std::uint32_t>(counter(word)) - meetings_) >= 0;
    });
  }
  WorldState::get().observe_agent();
}

void Window::post(const std::vector<int>& ranks, int assertion) {
  require(!in_exposure_);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const int me = group().rank();
  if ((assertion & MPI_MODE_NOCHECK) == 0)
    for (const int rank : ranks) add_to_counter(rank, grants_from(me), 1);
  expected_ = static_cast<std::int32_t>(ranks.size());
  in_exposure_ = true;
  fenced_ = false;
}

void Window::start(const std::vector<int>& ranks, int assertion) {
  require(locked_.empty() && !all_locked_ && !in_access_);
  const int me = group().rank();
  if ((assertion & MPI_MODE_NOCHECK) == 0)
    for (const int rank : ranks) {
      wait_for([&] { return counter(grants_from(rank)) > 0; });
      add_to_counter(me, grants_from(rank), -1);
    }
  started_ = ranks;
  in_access_ = true;
  fenced_ = false;
}

void Window::end_access() {
  require(in_access_);
  finish(any_rank);
  for (const int rank : started_) complete(rank);
  for (const int rank : started_) add_to_counter(rank, offsetof(Control, completed), 1);
  started_.clear();
  in_access_ = false;
}

bool Window::end_exposure(bool wait) {
  require(in_exposure_);
  const int me = group().rank();
  const auto over = [&] { return counter(offsetof(Control, completed)) >= expected_; };
  if (wait)
    wait_for(over);
  else if (!over())
    return (void)WorldState::get().serve(), false;
  add_to_counter(me, offsetof(Control, completed), -expected_);
  WorldState::get().observe_agent();
  in_exposure_ = false;
  return true;
}

/// What the word was before.
LockWord Window::ask(int rank, const LockRequest& request) {
  LockWord before;
  update(rank, lock_kind(), {&word_of_lock, 1}, reinterpret_cast<const std::byte*>(&request),
         reinterpret_cast<std::byte*>(&before))
      .wait();
  return before;
}

void Window::tell(int rank, const LockRequest& request) {
  update(rank, lock_kind(), {&word_of_lock, 1}, reinterpret_cast<const std::byte*>(&request),
         nullptr)
      .wait();
}

void Window::take(int rank, bool exclusive) {
  const LockWord before = ask(rank, {exclusive ? What::exclude : What::share});
  if (!granted_at_once(before, exclusive)) {
    using Clock = std::chrono::steady_clock;
    LockQueue queue(before, exclusive, Clock::now());
    wait_for([&] {
      if (!queue.due(Clock::now())) return false;
      const LockWord now = ask(rank, {exclusive ? What::look : What::share_now, queue.ticket()});
      queue.saw(now, Clock::now());
      return granted(now, exclusive, queue.ticket());
    });
  }
  WorldState::get().observe_agent();
}

void Window::release(int rank) {
  const Lock lock = lock_of(rank);
  if (lock == Lock::exclusive) tell(rank, {What::end_excluding});
  if (lock == Lock::shared) tell(rank, {What::end_sharing});
  locks_[static_cast<std::size_t>(rank)] = Lock::none;
}

void Window::set_lock(int rank, Lock lock) {
  locks_[static_cast<std::size_t>(rank)] = lock;
  locked_.push_back(rank);
}

void Window::lock(int type, int rank, int assertion) {
  if (type != MPI_LOCK_EXCLUSIVE && type != MPI_LOCK_SHARED) throw Refused(MPI_ERR_LOCKTYPE);
  require(!in_access_ && !passive(rank));
  const bool exclusive = type == MPI_LOCK_EXCLUSIVE;
  const bool unchecked = (assertion & MPI_MODE_NOCHECK) != 0;
  if (!unchecked) take(rank, exclusive);
  set_lock(rank, unchecked ? Lock::unchecked : exclusive ? Lock::exclusive : Lock::shared);
  fenced_ = false;
}

void Window::unlock(int rank) {
  require(!all_locked_ && passive(rank));
  flush(rank, false);
  release(rank);
  std::erase(locked_, rank);
}

void Window::lock_all(int assertion) {
  require(!in_access_ && !all_locked_ && locked_.empty());
  all_locked_ = true;
  all_unchecked_ = (assertion & MPI_MODE_NOCHECK) != 0;
  fenced_ = false;
  // My own part may be read and written by load and store from now on, the others only by
  // operations, which take their lock.
  begin(group().rank());
}

void Window::unlock_all() {
  require(all_locked_);
  flush_all(false);
  for (const int rank : locked_) release(rank);
  locked_.clear();
  all_locked_ = false;
}

void Window::require_passive(int rank) const { require(passive(rank)); }

/// At the target.
void Window::complete(int rank) {
  writes_under_way_ = false;  // as good as: others go at once then, too
  if (memory_->block(rank) == nullptr)
    group().fence(rank);
  else
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

void Window::flush(int rank, bool local) {
  require(passive(rank));
  finish(rank);
  if (!local) complete(rank);
}

void Window::flush_all(bool local) {
  require(all_locked_ || !locked_.empty());
  finish(any_rank);
  if (local) return;
  group().fence();
  writes_under_way_ = false;
}

void Window::sync() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  WorldState::get().observe_agent();
}

}  // namespace lagoon::atoll::ghost
