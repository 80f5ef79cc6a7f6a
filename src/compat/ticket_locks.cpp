#include "compat/ticket_locks.hpp"

#include <algorithm>
#include <string>

#include "atoll/error.hpp"
#include "atoll/world.hpp"

namespace lagoon::atoll::compat {

namespace {

constexpr std::int64_t word = sizeof(std::int64_t), lock_bytes = 2 * word;

std::string text_of(std::int64_t lock, int process) {
  return "mutex " + std::to_string(lock) + " of process " + std::to_string(process);
}

}  // namespace

TicketLocks::TicketLocks(const Group& group, std::int64_t count)
    : tickets_(group, count < 0 ? -1 : count * lock_bytes, "mutexes") {}

std::int64_t TicketLocks::count(int process) const { return tickets_.bytes(process) / lock_bytes; }

void TicketLocks::check(std::int64_t lock, int process) const {
  const int processes = tickets_.group().size();
  if (process < 0 || process >= processes)
    throw Error(ErrorKind::value, "proc is " + std::to_string(process) + ", not 0 to " +
                                      std::to_string(processes - 1));
  if (lock < 0 || lock >= count(process))
    throw Error(ErrorKind::value, "there is no " + text_of(lock, process) + ", which created " +
                                      std::to_string(count(process)));
}

std::int64_t TicketLocks::served(std::int64_t offset, int process) {
  return tickets_.fetch_add(ElementType::int64, process, offset + word, 0);
}

void TicketLocks::lock(std::int64_t lock, int process) {
  check(lock, process);
  if (std::ranges::find(held_, std::pair(process, lock)) != held_.end())
    throw Error(ErrorKind::state, "this process holds " + text_of(lock, process) + " already");
  const std::int64_t offset = lock * lock_bytes;
  const std::int64_t ticket = tickets_.fetch_add(ElementType::int64, process, offset, 1);
  // Serving others meanwhile: whoever holds the lock may need this process, which may have no
  // agent.
  if (served(offset, process) != ticket)
    World::current().wait_until([&] { return served(offset, process) == ticket; });
  held_.emplace_back(process, lock);
}

void TicketLocks::unlock(std::int64_t lock, int process) {
  check(lock, process);
  if (std::erase(held_, std::pair(process, lock)) == 0)
    throw Error(ErrorKind::state, "this process does not hold " + text_of(lock, process));
  tickets_.group().fence();
  (void)tickets_.fetch_add(ElementType::int64, process, lock * lock_bytes + word, 1);
}

}  // namespace lagoon::atoll::compat
