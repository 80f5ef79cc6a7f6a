#include "compat/armci/mutexes.hpp"

#include <string>

#include "atoll/error.hpp"
#include "compat/armci/arguments.hpp"
#include "world/world_state.hpp"

namespace lagoon::atoll::armci {

namespace {

constexpr std::int64_t word = sizeof(std::int64_t), mutex_bytes = 2 * word;

std::string text_of(int mutex, int process) {
  return "mutex " + std::to_string(mutex) + " of process " + std::to_string(process);
}

}  // namespace

Mutexes::Mutexes(const Group& world, int count)
    : tickets_(world, count < 0 ? -1 : count * mutex_bytes, "ARMCI_Create_mutexes") {}

void Mutexes::check(int mutex, int process) const {
  (void)checked("proc", process, tickets_.group().size());
  if (mutex < 0 || mutex >= tickets_.bytes(process) / mutex_bytes)
    refuse("there is no " + text_of(mutex, process) + ", which created " +
           std::to_string(tickets_.bytes(process) / mutex_bytes));
}

std::int64_t Mutexes::served(std::int64_t offset, int process) {
  return tickets_.fetch_add(ElementType::int64, process, offset + word, 0);
}

void Mutexes::lock(int mutex, int process) {
  check(mutex, process);
  if (held_.contains({process, mutex}))
    throw Error(ErrorKind::state, "this process holds " + text_of(mutex, process) + " already");
  const std::int64_t offset = mutex * mutex_bytes;
  const std::int64_t ticket = tickets_.fetch_add(ElementType::int64, process, offset, 1);
  // One that is on another node is asked by message: less often, the longer it takes.
  detail::WorldState::get().wait_until([&] { return served(offset, process) == ticket; });
  held_.insert({process, mutex});
}

void Mutexes::unlock(int mutex, int process) {
  check(mutex, process);
  if (held_.erase({process, mutex}) == 0)
    throw Error(ErrorKind::state, "this process does not hold " + text_of(mutex, process));
  tickets_.group().fence();
  (void)tickets_.fetch_add(ElementType::int64, process, mutex * mutex_bytes + word, 1);
}

}  // namespace lagoon::atoll::armci
