// Memory: the public calls, thin over MemoryState.
#include "atoll/memory.hpp"

#include "array/calls.hpp"
#include "array/memory_state.hpp"
#include "atoll/error.hpp"
#include "world/collective.hpp"

namespace lagoon::atoll {

namespace {

using detail::Action;
using detail::bytes_of;
using detail::carry_out;
using detail::known;
using detail::MemoryState;
using detail::name_of;
using detail::named;
using detail::Operation;
using detail::require;
using detail::set_off;

void transfer(MemoryState& state, Action action, const MemorySection& section, std::byte* data,
              const Index& strides, const void* alpha) {
  carry_out(name_of(action), [&](Operation& operation) {
    state.transfer(action, section, data, strides, alpha, operation);
  });
}

Handle transfer_async(MemoryState& state, Action action, const MemorySection& section,
                      std::byte* data, const Index& strides, const void* alpha) {
  // What lies on my node is done at once.
  if (section.rank >= 0 && section.rank < state.group.size() &&
      state.block(section.rank) != nullptr) {
    transfer(state, action, section, data, strides, alpha);
    return {};
  }
  return set_off(action, [&](Operation& operation) {
    state.transfer(action, section, data, strides, alpha, operation);
  });
}

}  // namespace

Memory::Memory(const Group& group, std::int64_t bytes, const std::string& name)
    : state_(std::make_shared<MemoryState>(group, bytes, name)) {}
Memory::Memory(Memory&&) noexcept = default;
Memory& Memory::operator=(Memory&&) noexcept = default;
Memory::~Memory() = default;

void Memory::destroy() {
  MemoryState& state = require(state_);
  detail::enter_collective(state.group, "destroy memory", state.segment->number().sequence,
                           nullptr);
  detail::Segment::leave(state.segment);
}

bool Memory::alive() const noexcept { return state_ != nullptr && state_->alive(); }
const std::string& Memory::name() const { return known(state_).name; }
const Group& Memory::group() const { return known(state_).group; }

std::int64_t Memory::bytes(int rank) const {
  const MemoryState& state = known(state_);
  (void)state.group.world_rank(rank);
  return state.bytes[static_cast<std::size_t>(rank)];
}

std::byte* Memory::address(int rank) const {
  const MemoryState& state = require(state_);
  (void)state.group.world_rank(rank);
  return state.block(rank);
}

void Memory::get(const MemorySection& section, void* out, const Index& strides) const {
  transfer(require(state_), Action::get, section, static_cast<std::byte*>(out), strides, nullptr);
}
void Memory::put(const MemorySection& section, const void* data, const Index& strides) {
  transfer(require(state_), Action::put, section, bytes_of(data), strides, nullptr);
}
void Memory::accumulate(const MemorySection& section, const void* data, const void* alpha,
                        const Index& strides) {
  transfer(require(state_), Action::accumulate, section, bytes_of(data), strides, alpha);
}
Handle Memory::get_async(const MemorySection& section, void* out, const Index& strides) const {
  return transfer_async(require(state_), Action::get, section, static_cast<std::byte*>(out),
                        strides, nullptr);
}
Handle Memory::put_async(const MemorySection& section, const void* data, const Index& strides) {
  return transfer_async(require(state_), Action::put, section, bytes_of(data), strides, nullptr);
}
Handle Memory::accumulate_async(const MemorySection& section, const void* data, const void* alpha,
                                const Index& strides) {
  return transfer_async(require(state_), Action::accumulate, section, bytes_of(data), strides,
                        alpha);
}

std::int64_t Memory::fetch_add(ElementType type, int rank, std::int64_t offset,
                               std::int64_t increment) {
  MemoryState& state = require(state_);
  return named("fetch_add",
               [&] { return state.fetch(Action::fetch_add, type, rank, offset, increment); });
}
std::int64_t Memory::swap(ElementType type, int rank, std::int64_t offset, std::int64_t value) {
  MemoryState& state = require(state_);
  return named("swap", [&] { return state.fetch(Action::swap, type, rank, offset, value); });
}

}  // namespace lagoon::atoll
