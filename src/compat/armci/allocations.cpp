#include "compat/armci/allocations.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <mutex>
#include <string>

#include "atoll/error.hpp"

namespace lagoon::atoll::armci {

namespace {

std::uintptr_t value_of(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

// Made of an integer: of what another process has there is nothing here to point to.
void* pointer_to(std::uintptr_t value) { return reinterpret_cast<void*>(value); }

std::string text_of(const void* address) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%p", address);
  return text.data();
}

/// Where each member has its own block. Collective.
std::vector<std::uintptr_t> own_addresses(const Memory& memory) {
  const Group& group = memory.group();
  std::vector<std::int64_t> all(static_cast<std::size_t>(group.size()));
  const auto me = static_cast<std::size_t>(group.rank());
  all[me] = static_cast<std::int64_t>(value_of(memory.address(group.rank())));
  group.reduce(std::span(all));
  return {all.begin(), all.end()};
}

}  // namespace

Allocations::Blocks& Allocations::blocks_of(std::vector<Blocks>& all, const Group& group,
                                            int rank) const {
  return all[static_cast<std::size_t>(world_.rank_of_world(group.world_rank(rank)))];
}

void Allocations::allocate(const Group& group, std::int64_t bytes, void** addresses) {
  Memory memory(group, bytes, "ARMCI_Malloc");
  std::fill_n(addresses, group.size(), nullptr);
  // A number that none of the members has used.
  const std::int64_t number = group.reduce(next_, Reduction::maximum);
  next_ = number + 1;
  std::vector<std::uintptr_t> owners = own_addresses(memory);
  bool nothing = true;
  for (int rank = 0; rank < group.size(); ++rank) nothing = nothing && memory.bytes(rank) == 0;
  if (nothing) return memory.destroy();
  const std::lock_guard lock(mutex_);
  change();
  Allocation& made =
      allocations_.emplace(number, Allocation{std::move(memory), {}, std::move(owners)})
          .first->second;
  for (int rank = 0; rank < group.size(); ++rank) {
    const auto size = static_cast<std::uintptr_t>(made.memory.bytes(rank));
    const std::uintptr_t owner = made.owners[static_cast<std::size_t>(rank)];
    const std::byte* here = made.memory.address(rank);
    made.begins.push_back(here != nullptr ? value_of(here) : owner);
    if (size == 0) continue;
    const std::uintptr_t begin = made.begins.back();
    blocks_of(here_, group, rank)[begin + size] = {begin, begin + size, &made.memory, rank};
    blocks_of(there_, group, rank)[owner + size] = {owner, owner + size, &made.memory, rank};
    addresses[rank] = pointer_to(begin);
  }
}

void Allocations::free(const Group& group, void* address) {
  constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
  std::int64_t mine = 0;
  if (address != nullptr) {
    const Place place = at(address, world_.rank());
    if (place.offset == 0 && place.memory->group() == group) mine = number_of(*place.memory);
  }
  const bool refused = address != nullptr && mine == 0;
  const std::int64_t most = group.reduce(refused ? any : mine, Reduction::maximum);
  const std::int64_t least = group.reduce(mine == 0 ? any : mine, Reduction::minimum);
  if (refused)
    throw Error(ErrorKind::value, "this process got no memory at " + text_of(address) +
                                      " together with the processes that call");
  if (most == 0) return;  // nobody had any bytes
  if (most != least)
    throw Error(ErrorKind::mismatch, "processes pass addresses of different memory");
  remove(most);
}

void Allocations::remove(std::int64_t number) {
  std::unique_lock lock(mutex_);
  Allocation& allocation = allocations_.at(number);
  const Group group = allocation.memory.group();
  for (int rank = 0; rank < group.size(); ++rank) {
    const auto size = static_cast<std::uintptr_t>(allocation.memory.bytes(rank));
    if (size == 0) continue;
    const auto r = static_cast<std::size_t>(rank);
    blocks_of(here_, group, rank).erase(allocation.begins[r] + size);
    blocks_of(there_, group, rank).erase(allocation.owners[r] + size);
  }
  change();
  lock.unlock();
  allocation.memory.destroy();
  lock.lock();
  allocations_.erase(number);
}

const Allocations::Block* Allocations::find_in(const Blocks& blocks, std::uintptr_t address) {
  // Blocks do not overlap, so the first that ends behind the address is the one that may have it.
  // Only where none has may the address be the end of one, as that of nothing is.
  const auto behind = blocks.upper_bound(address);
  if (behind != blocks.end() && behind->second.begin <= address) return &behind->second;
  const auto ending = blocks.find(address);
  return ending != blocks.end() ? &ending->second : nullptr;
}

void Allocations::change() noexcept {
  static std::atomic<std::uint64_t> states{0};
  state_.store(states.fetch_add(1, std::memory_order_relaxed) + 1, std::memory_order_release);
}

Place Allocations::find(const void* address, int process) const {
  const std::uintptr_t value = value_of(address);
  constinit thread_local struct {
    std::uint64_t state = 0;
    int process = -1;
    Block block;
  } last;
  const std::uint64_t state = state_.load(std::memory_order_acquire);
  const Block& known = last.block;
  if (state == last.state && process == last.process && value >= known.begin && value < known.end)
    return {known.memory, known.rank, static_cast<std::int64_t>(value - known.begin)};
  const std::shared_lock lock(mutex_);
  const auto p = static_cast<std::size_t>(process);
  const Block* block = find_in(here_[p], value);
  if (block == nullptr) block = find_in(there_[p], value);
  if (block == nullptr) return {};
  last = {state, process, *block};
  return {block->memory, block->rank, static_cast<std::int64_t>(value - block->begin)};
}

Place Allocations::at(const void* address, int process) const {
  const Place place = find(address, process);
  if (place.memory == nullptr)
    throw Error(ErrorKind::value, "address " + text_of(address) +
                                      " lies in no memory that ARMCI_Malloc gave of process " +
                                      std::to_string(process));
  return place;
}

std::int64_t Allocations::number_of(const Memory& memory) const {
  const std::shared_lock lock(mutex_);
  return std::find_if(allocations_.begin(), allocations_.end(),
                      [&](const auto& entry) { return &entry.second.memory == &memory; })
      ->first;
}

void* Allocations::address_of(std::int64_t number, int process, std::int64_t offset) const {
  const std::shared_lock lock(mutex_);
  const auto found = allocations_.find(number);
  if (found == allocations_.end()) return nullptr;
  const int rank = found->second.memory.group().rank_of_world(world_.world_rank(process));
  return rank < 0 ? nullptr
                  : pointer_to(found->second.begins[static_cast<std::size_t>(rank)] +
                               static_cast<std::uintptr_t>(offset));
}

}  // namespace lagoon::atoll::armci
