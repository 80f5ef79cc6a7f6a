#include "compat/armci/addresses.hpp"

#include <vector>

namespace lagoon::atoll::armci {

void exchange_addresses(const Session& session, const Group& group, void** addresses) {
  // Of each member the allocation and the offset in it, if there is one, and the address itself.
  constexpr std::size_t words = 3;
  std::vector<std::int64_t> told(words * static_cast<std::size_t>(group.size()));
  void* const own = addresses[group.rank()];
  std::int64_t* const mine = told.data() + words * static_cast<std::size_t>(group.rank());
  if (const Place place = session.allocations.find(own, session.world.rank());
      place.memory != nullptr) {
    mine[0] = session.allocations.number_of(*place.memory);
    mine[1] = place.offset;
  }
  mine[2] = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(own));
  group.reduce(std::span(told));
  for (int rank = 0; rank < group.size(); ++rank) {
    const std::int64_t* const theirs = told.data() + words * static_cast<std::size_t>(rank);
    void* const known =
        session.allocations.address_of(theirs[0], group.world_rank(rank), theirs[1]);
    addresses[rank] =
        known != nullptr ? known : reinterpret_cast<void*>(static_cast<std::intptr_t>(theirs[2]));
  }
}

}  // namespace lagoon::atoll::armci
