// Crowds: all ranks at one agent. What it holds for them, by the pools and credits themselves; and
// how often those who wait for one lock of a window ask for it.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "ghost/windows/lock_queue.hpp"
#include "tables.hpp"
#include "transport/credit.hpp"
#include "transport/staging.hpp"

namespace lagoon::atoll::scale {

void print_crowds() {
  for (const int ranks : rank_counts) {
    // Each has asked for a strided patch, and takes nothing of it.
    detail::Staging staging(12,
                            detail::Allowance(detail::Staging::most_rooms, std::chrono::hours(1)));
    std::vector<std::pair<std::byte*, int>> held;
    for (int rank = 0; rank < ranks; ++rank)
      if (std::byte* const buffer = staging.take(rank)) held.emplace_back(buffer, rank);
    const auto staged = static_cast<std::int64_t>(staging.buffers()) * detail::staged_chunk;
    for (const auto& [buffer, rank] : held) staging.give_back(buffer, rank);
    const auto kept = static_cast<std::int64_t>(staging.buffers()) * detail::staged_chunk;
    detail::Credit credit(ranks);
    const std::int32_t share = credit.messages();
    int answers = 0;
    while (credit.messages() < detail::Credit::most) credit.answered({}, 0), ++answers;
    std::printf("crowds\t%d\t%lld\t%lld\t%d\t%lld\t%d\t%d\n", ranks, static_cast<long long>(staged),
                static_cast<long long>(kept), share, static_cast<long long>(share) * ranks,
                credit.messages(), answers);
  }
}

namespace {

/// Of who looks by the policy of waits alone.
std::int64_t looks_in(std::chrono::nanoseconds time) {
  std::int64_t looks = 1;
  for (std::chrono::nanoseconds waited = detail::waiting::in_call.yield; waited < time; ++looks)
    waited += detail::waiting::in_call.nap(waited);
  return looks;
}

}  // namespace

void print_locks() {
  using std::chrono::microseconds;
  constexpr microseconds kept{100}, look{50};
  for (const int waiters : {10, 100, 1'000, 10'000}) {
    const ghost::LockQueue::Time begin{};
    ghost::LockWord lock{1, 0, 0};
    std::vector<ghost::LockQueue> queue;
    for (int n = 0; n < waiters; ++n, ++lock.tickets) queue.emplace_back(lock, true, begin);
    std::int64_t asks = 0, former = 0;
    microseconds idle{0};
    auto now = begin, free_at = begin + kept;
    for (std::size_t first = 0; first < queue.size(); now += look) {
      lock.gone = static_cast<std::int64_t>(first) + (now < free_at ? 0 : 1);
      for (std::size_t n = first; n < queue.size(); ++n) {
        if (!queue[n].due(now)) continue;
        ++asks;
        queue[n].saw(lock, now);
        if (n != first || lock.gone != queue[n].ticket()) continue;
        idle += std::chrono::duration_cast<microseconds>(now - free_at);
        former += looks_in(now - begin);
        free_at = now + kept;
        ++first;
        break;
      }
    }
    std::printf("locks\t%d\t%.1f\t%.1f\t%.0f\n", waiters, static_cast<double>(former) / waiters,
                static_cast<double>(asks) / waiters, static_cast<double>(idle.count()) / waiters);
  }
}

}  // namespace lagoon::atoll::scale
