// Who goes on, and what the clock says.
#include "simulation/scheduler.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "simulation/mpi/network.hpp"
#include "simulation/real.hpp"
#include "simulation/trace.hpp"

namespace lagoon::atoll::simulation {

namespace {

constexpr std::uintptr_t scheduler_address = segment_address + (sizeof(Head) + 4095) / 4096 * 4096;
constexpr Time start_of_clock = 1000 * second;
// What a change of priority comes with; others are drawn below it.
constexpr std::uint32_t steps_of_a_priority = 48, most_priority = 1U << 20U;
constexpr std::uint64_t most_steps_after_kill = 4000;
constexpr std::int64_t no_end = std::numeric_limits<std::int64_t>::max();

__attribute__((tls_model("initial-exec"))) thread_local Thread* mine = nullptr;

template <class Choice, std::size_t n>
Choice drawn(Random& random, const Choice (&choices)[n]) {
  return choices[random.below(n)];
}

Temper draw_temper(Random& random) {
  using Order = Temper::Order;
  Temper temper{};
  temper.order = drawn(random, {Order::any, Order::keep_on, Order::keep_on, Order::priorities});
  temper.keep_on = drawn(random, {2U, 4U, 16U, 64U});
  temper.loses_core = drawn(random, {0U, 100U, 1000U, 4000U});
  temper.longest_loss = drawn(random, {30 * microsecond, millisecond, 8 * millisecond});
  temper.step = drawn(random, {Time{100}, Time{400}, Time{3000}});
  temper.latency =
      drawn(random, {microsecond, 20 * microsecond, 300 * microsecond, 3 * millisecond});
  temper.overtakes = drawn(random, {0U, 0U, 2U, 8U});
  temper.late = drawn(random, {0U, 2U, 16U});
  temper.lost_rings = drawn(random, {0U, 0U, 4U, 64U});
  temper.eager = drawn(random, {std::uint64_t{0}, std::uint64_t{512}, std::uint64_t{8192},
                                std::uint64_t{65536}, std::uint64_t{65536}});
  temper.cores = drawn(random, {1, 2, 64});
  if (head().asked.no_faults != 0) {
    temper.loses_core = temper.overtakes = temper.late = temper.lost_rings = 0;
    temper.latency = 1;
    temper.step = 100;
  }
  return temper;
}

void build() {
  Head& h = head();
  auto* const s = reinterpret_cast<Scheduler*>(scheduler_address);
  h.heap.use((scheduler_address + sizeof(Scheduler) + 4095) / 4096 * 4096,
             segment_address + static_cast<std::uint64_t>(h.asked.bytes));
  s->random.seed(h.asked.seed);
  s->temper = draw_temper(s->random);
  s->now = s->moved = start_of_clock;
  s->end_at = no_end;
  s->threads = static_cast<int>(h.asked.ranks);
  h.ended.hash = mixed(h.asked.seed);
  build_network();
}

void give_turn(int index) noexcept {
  Scheduler& s = scheduler();
  s.running = index;
  Thread& to = s.all[static_cast<std::size_t>(index)];
  to.turn.store(1, std::memory_order_release);
  wake_really(to.turn);
}

void await_turn() noexcept {
  while (mine->turn.load(std::memory_order_acquire) == 0) sleep_really(mine->turn, 0);
  mine->turn.store(0, std::memory_order_relaxed);
}

int index_of(const Thread& thread) noexcept {
  return static_cast<int>(&thread - scheduler().all.data());
}

std::string all_that_wait() {
  std::string text;
  Scheduler& s = scheduler();
  for (int i = 0; i < s.threads; ++i) {
    const Thread& thread = s.all[static_cast<std::size_t>(i)];
    if (thread.state == Thread::State::none) continue;
    char line[256];
    const char* const till = thread.until == never ? ", for ever" : "";
    std::snprintf(line, sizeof line, "  rank %d, thread %d: %s%s\n", thread.rank, thread.number,
                  thread.doing[0] != 0 ? thread.doing.data() : "goes on", till);
    text += line;
  }
  return text + what_is_under_way();
}

[[noreturn]] void end_where_all_stand(End end) noexcept {
  if (scheduler().end_at != no_end) end = End::killed;
  end_run(end, 0, all_that_wait().c_str());
}

/// Those that may go on; their number.
int collect(std::array<int, Scheduler::most_threads>& ready) noexcept {
  Scheduler& s = scheduler();
  int count = 0;
  for (int i = 0; i < s.threads; ++i) {
    Thread& thread = s.all[static_cast<std::size_t>(i)];
    if (thread.state == Thread::State::waiting && thread.until <= s.now)
      thread.state = Thread::State::ready;
    if (thread.state == Thread::State::ready) ready[static_cast<std::size_t>(count++)] = i;
  }
  return count;
}

int pick(const int* ready, int count) noexcept {
  Scheduler& s = scheduler();
  const int* const end = ready + count;
  const auto any = [&] { return ready[s.random.below(static_cast<std::uint64_t>(count))]; };
  switch (s.temper.order) {
    case Temper::Order::keep_on:
      if (std::find(ready, end, s.running) != end && !s.random.one_in(s.temper.keep_on))
        return s.running;
      return any();
    case Temper::Order::priorities: {
      const auto priority = [&](int i) { return s.all[static_cast<std::size_t>(i)].priority; };
      return *std::max_element(ready, end,
                               [&](int one, int other) { return priority(one) < priority(other); });
    }
    default: return any();
  }
}

/// The clock goes on to where the next wait ends, if nobody is ready.
int choose() noexcept {
  Scheduler& s = scheduler();
  static std::array<int, Scheduler::most_threads> ready;
  int count = collect(ready);
  while (count == 0) {
    Time next = never;
    for (int i = 0; i < s.threads; ++i) {
      const Thread& thread = s.all[static_cast<std::size_t>(i)];
      if (thread.state == Thread::State::waiting) next = std::min(next, thread.until);
    }
    if (next == never) end_where_all_stand(End::deadlock);
    s.now = std::max(s.now, next);
    count = collect(ready);
  }
  if (s.now - s.moved > head().asked.most_idle) end_where_all_stand(End::idle);
  return pick(ready.data(), count);
}

/// Whoever is chosen goes on, and this thread when it is chosen.
void switch_over() noexcept {
  const int next = choose();
  if (next == index_of(*mine)) {
    scheduler().running = next;
    return;
  }
  ++head().ended.switches;
  give_turn(next);
  await_turn();
}

void kill_as_asked() noexcept {
  Scheduler& s = scheduler();
  const auto rank = static_cast<std::size_t>(head().asked.killed_rank);
  Rank& victim = s.ranks[rank];
  if (!victim.alive) return;
  trace(Kind::kill, rank);
  trace_line("kill");
  victim.alive = false;
  victim.killed = true;
  s.end_at = s.steps + 1 + static_cast<std::int64_t>(s.random.below(most_steps_after_kill));
  const bool ourselves = static_cast<std::size_t>(mine->rank) == rank;
  for (int i = 0; i < s.threads; ++i)
    if (Thread& thread = s.all[static_cast<std::size_t>(i)];
        static_cast<std::size_t>(thread.rank) == rank)
      thread.state = Thread::State::none;
  if (ourselves) {
    const bool last = std::none_of(s.all.begin(), s.all.begin() + s.threads, [](const auto& each) {
      return each.state != Thread::State::none;
    });
    if (last) end_run(End::killed, 0, "");
    give_turn(choose());
  }
  ::kill(victim.process, SIGKILL);
  if (!ourselves) return;
  for (;;) ::pause();
}

/// Counts a step, and what happens at it.
void count_step() noexcept {
  Scheduler& s = scheduler();
  head().ended.steps = ++s.steps;
  const auto passed =
      20 + static_cast<Time>(s.random.below(static_cast<std::uint64_t>(s.temper.step)));
  s.now += passed;
  mine->used += passed;
  if (s.steps == head().asked.killed_at_step) kill_as_asked();
  if (s.steps >= s.end_at) end_run(End::killed, 0, "");
  if (s.steps > head().asked.most_steps) end_where_all_stand(End::endless);
  if (s.temper.order == Temper::Order::priorities && s.random.one_in(steps_of_a_priority))
    mine->priority = static_cast<std::uint32_t>(s.random.below(most_priority));
}

}  // namespace

Scheduler& scheduler() noexcept { return *reinterpret_cast<Scheduler*>(scheduler_address); }

Thread* me() noexcept { return mine; }

void come(int rank) noexcept {
  Head& h = head();
  int nobody = 0;
  if (h.built.compare_exchange_strong(nobody, 1)) {
    build();
    h.built.store(2, std::memory_order_release);
  }
  while (h.built.load(std::memory_order_acquire) != 2) ::usleep(100);
  Scheduler& s = scheduler();
  Thread& thread = s.all[static_cast<std::size_t>(rank)];
  thread.rank = rank;
  thread.handle = pthread_self();
  thread.state = Thread::State::ready;
  thread.until = never;
  thread.priority = static_cast<std::uint32_t>(
      mixed(h.asked.seed + static_cast<std::uint64_t>(rank)) % most_priority);
  s.ranks[static_cast<std::size_t>(rank)] = {::getpid(), true, false};
  mine = &thread;
  if (h.here.fetch_add(1, std::memory_order_acq_rel) + 1 == h.asked.ranks) give_turn(choose());
  await_turn();
}

void leave() noexcept {
  Scheduler& s = scheduler();
  trace(Kind::end);
  trace_line("ends");
  moved();
  mine->state = Thread::State::none;
  mine->doing[0] = 0;
  mine = nullptr;
  const bool last = std::none_of(s.all.begin(), s.all.begin() + s.threads, [](const auto& each) {
    return each.state != Thread::State::none;
  });
  if (!last) return give_turn(choose());
  if (Ended& ended = head().ended; ended.end == End::running && s.end_at != no_end) {
    ended.steps = s.steps;
    ended.end = End::killed;
  }
}

void rank_leaves() noexcept {
  Scheduler& s = scheduler();
  s.ranks[static_cast<std::size_t>(mine->rank)].alive = false;
  const bool last = std::none_of(s.ranks.begin(), s.ranks.begin() + head().asked.ranks,
                                 [](const Rank& rank) { return rank.alive || rank.killed; });
  if (last) {
    const std::string left = what_is_under_way();
    if (!left.empty()) end_run(End::left_over, 0, left.c_str());
    Ended& ended = head().ended;
    ended.steps = s.steps;
    ended.now = s.now - start_of_clock;
    ended.end = End::finished;
  }
  leave();
}

Thread* add_thread() noexcept {
  Scheduler& s = scheduler();
  int number = 0, place = static_cast<int>(head().asked.ranks);
  for (int i = 0; i < s.threads; ++i)
    if (const Thread& each = s.all[static_cast<std::size_t>(i)];
        each.state != Thread::State::none && each.rank == mine->rank)
      number = std::max(number, each.number + 1);
  while (place < s.threads && s.all[static_cast<std::size_t>(place)].state != Thread::State::none)
    ++place;
  if (place == Scheduler::most_threads) misuse("more than %d threads", place);
  s.threads = std::max(s.threads, place + 1);
  Thread& thread = s.all[static_cast<std::size_t>(place)];
  thread.turn.store(0);
  thread.state = Thread::State::ready;
  thread.woken = false;
  thread.rank = mine->rank;
  thread.number = number;
  thread.key = no_key;
  thread.until = never;
  thread.used = 0;
  thread.handle = 0;
  thread.priority = static_cast<std::uint32_t>(s.random.below(most_priority));
  thread.doing[0] = 0;
  trace(Kind::begin, static_cast<std::uint64_t>(place));
  trace_line("starts thread %d", number);
  moved();
  return &thread;
}

void forget_thread(Thread* thread) noexcept { thread->state = Thread::State::none; }

void begin_thread(Thread* thread) noexcept {
  mine = thread;
  await_turn();
}

void step(Kind kind, std::uint64_t what) noexcept {
  Scheduler& s = scheduler();
  trace(kind, what);
  count_step();
  if (kind == Kind::yield && s.temper.order == Temper::Order::priorities) mine->priority /= 2;
  // More often behind what others have been told: they may rely on what is to come next.
  const bool told = kind == Kind::send || kind == Kind::wake || kind == Kind::ring;
  const std::uint32_t rate = s.temper.loses_core / (told ? 12 : 1);
  if (rate != 0 && s.random.one_in(rate)) {
    const auto most = static_cast<std::uint64_t>(s.temper.longest_loss);
    mine->until = s.now + static_cast<Time>(s.random.below(most));
    mine->key = no_key;
    mine->state = Thread::State::waiting;
  }
  switch_over();
}

bool wait(Key key, Time until, const char* doing, std::uint32_t mask) noexcept {
  trace(Kind::wait, until == never ? 0 : static_cast<std::uint64_t>(until));
  std::snprintf(mine->doing.data(), mine->doing.size(), "%s", doing);
  mine->state = Thread::State::waiting;
  mine->woken = false;
  mine->key = key;
  mine->until = until;
  mine->mask = mask;
  count_step();
  switch_over();
  mine->doing[0] = 0;
  mine->key = no_key;
  mine->until = never;
  trace(mine->woken ? Kind::woken : Kind::timeout);
  return mine->woken;
}

int wake(Key key, int most, std::uint32_t mask) noexcept {
  Scheduler& s = scheduler();
  int count = 0;
  for (int i = 0; i < s.threads && count < most; ++i) {
    Thread& thread = s.all[static_cast<std::size_t>(i)];
    if (thread.state != Thread::State::waiting || thread.key != key || (thread.mask & mask) == 0)
      continue;
    thread.state = Thread::State::ready;
    thread.woken = true;
    ++count;
  }
  return count;
}

void wake_at(Key key, Time time) noexcept {
  Scheduler& s = scheduler();
  for (int i = 0; i < s.threads; ++i)
    if (Thread& thread = s.all[static_cast<std::size_t>(i)];
        thread.state == Thread::State::waiting && thread.key == key)
      thread.until = std::min(thread.until, time);
}

void end_run(End end, int code, const char* report) noexcept {
  Scheduler& s = scheduler();
  Head& h = head();
  std::snprintf(h.report.data(), h.report.size(), "%s", report);
  h.ended.code = code;
  h.ended.rank = mine->rank;
  h.ended.steps = s.steps;
  h.ended.now = s.now - start_of_clock;
  h.ended.end = end;
  for (int rank = 0; rank < h.asked.ranks; ++rank)
    if (const Rank& other = s.ranks[static_cast<std::size_t>(rank)];
        other.alive && rank != mine->rank)
      ::kill(other.process, SIGKILL);
  ::kill(::getpid(), SIGKILL);
  for (;;) ::pause();
}

void misuse(const char* format, ...) noexcept {
  char text[1024];
  int length = std::snprintf(text, sizeof text, "  rank %d, thread %d: ", mine->rank, mine->number);
  std::va_list arguments;
  va_start(arguments, format);
  length += std::vsnprintf(text + length, sizeof text - static_cast<std::size_t>(length), format,
                           arguments);
  va_end(arguments);
  end_run(End::misuse, 0, (std::string(text) + '\n' + all_that_wait()).c_str());
}

}  // namespace lagoon::atoll::simulation
