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
    : allocations_(allocations), me_(world.rank()) {
  std::vector<void*> addresses(static_cast<std::size_t>(world.size()));
  allocations.allocate(world, bytes, addresses.data());
  const Place mine = allocations.at(addresses[static_cast<std::size_t>(me_)], me_);
  number_ = allocations.number_of(*mine.memory);
}

/// The first gap that is large enough.
std::int64_t Pool::gap_for(std::int64_t size) const {
  std::int64_t offset = 0;
  for (const auto& [begin, length] : used_) {
    if (begin - offset >= size) return offset;
    offset = begin + length;
  }
  if (bytes - offset >= size) return offset;
  throw Error(ErrorKind::memory, std::to_string(size) + " bytes are not left of the " +
                                     std::to_string(bytes) +
                                     " that each process has for ARMCI_Memget");
}

armci_meminfo_t Pool::take(std::size_t size) {
  if (size == 0) refuse("bytes is 0, not 1 or more");
  // No rounding up of what is too much anyway: it may overflow.
  const auto wanted = static_cast<std::int64_t>(std::min(size, std::size_t{bytes} + 1));
  const std::int64_t length = (wanted + alignment - 1) / alignment * alignment;
  const std::int64_t offset = gap_for(length);
  used_[offset] = length;
  auto* const address = static_cast<char*>(allocations_.address_of(number_, me_, offset));
  return {address, address, size, me_, {number_, offset}};
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
  if (taken.idlist[0] != number_ || used_.erase(taken.idlist[1]) == 0)
    refuse("meminfo is not of memory that this process has");
}

}  // namespace lagoon::atoll::armci
