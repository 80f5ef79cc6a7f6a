#include "compat/armci/pool.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "compat/armci/arguments.hpp"

namespace lagoon::atoll::armci {

namespace {

constexpr std::int64_t alignment = 64;

}  // namespace

Pool::Pool(const Group& world, Allocations& allocations)
    : allocations_(allocations), me_(world.rank()), parts_(0, bytes, alignment) {
  std::vector<void*> addresses(static_cast<std::size_t>(world.size()));
  allocations.allocate(world, bytes, addresses.data());
  const Place mine = allocations.at(addresses[static_cast<std::size_t>(me_)], me_);
  number_ = allocations.number_of(*mine.memory);
}

armci_meminfo_t Pool::take(std::size_t size) {
  if (size == 0) refuse("bytes is 0, not 1 or more");
  const auto offset =
      parts_.take(static_cast<std::int64_t>(std::min(size, std::size_t{bytes} + 1)));
  if (!offset)
    throw Error(ErrorKind::memory, std::to_string(size) + " bytes are not left of the " +
                                       std::to_string(bytes) +
                                       " that each process has for ARMCI_Memget");
  auto* const address = static_cast<char*>(allocations_.address_of(number_, me_, *offset));
  return {address, address, size, me_, {number_, *offset}};
}

void* Pool::find(const armci_meminfo_t& taken, long offset) const {
  if (offset < 0 || static_cast<std::size_t>(offset) > taken.size)
    refuse("offset is " + std::to_string(offset) + ", not 0 to " + std::to_string(taken.size));
  void* const address =
      allocations_.address_of(taken.idlist[0], taken.cpid, taken.idlist[1] + offset);
  if (address == nullptr) refuse("meminfo comes from no ARMCI_Memget");
  return address;
}

void Pool::give_back(const armci_meminfo_t& taken) {
  if (taken.cpid != me_) return;
  if (taken.idlist[0] != number_ || !parts_.give_back(taken.idlist[1]))
    refuse("meminfo is not of memory that this process has");
}

}  // namespace lagoon::atoll::armci
