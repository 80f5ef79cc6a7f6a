// Extents of the segment: a left guard, the elements, a right guard.
#include "compat/ma/allocator.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace lagoon::atoll::ma {

namespace {

constexpr std::size_t guard_bytes = Segment::granularity;
using Guard = std::array<std::byte, guard_bytes>;
constexpr Guard guard_of(unsigned char value) {
  Guard guard{};
  guard.fill(std::byte{value});
  return guard;
}
constexpr Guard left_guard = guard_of(0xAA), right_guard = guard_of(0x55);
constexpr std::size_t default_bytes = std::size_t{64} << 20;
// A handle is used again as late as that: what frees twice, or too early, is told so.
constexpr std::size_t handles_before_reuse = 4096;
constexpr Integer most_alignment_exponent = 30;

std::size_t round_up(std::size_t bytes, std::size_t unit) noexcept {
  return (bytes + unit - 1) / unit * unit;
}

std::string described(Integer handle, const Block& block) {
  return "memhandle " + std::to_string(handle) + " ('" + block.name + "')";
}

std::size_t bytes_of(const Block& block) { return block.elements * datatype(block.datatype).size; }

const char* name_of(Side side) { return side == Side::heap ? "heap" : "stack"; }

}  // namespace

void Usage::add(std::size_t more) noexcept {
  most_blocks = std::max(most_blocks, ++blocks);
  most_bytes = std::max(most_bytes, bytes += more);
}

void Usage::remove(std::size_t less) noexcept {
  --blocks;
  bytes -= less;
}

void Allocator::begin(Integer type, Integer stack_elements, Integer heap_elements) {
  if (begun()) throw std::logic_error("MA is initialized already");
  (void)datatype(type);
  const auto nominal = [&](Integer elements) {
    return extent_of(type, elements < 0 ? default_bytes : bytes_of(type, elements));
  };
  const std::size_t heap = nominal(heap_elements), stack = nominal(stack_elements);
  try {
    segment_ = std::make_unique<Segment>(heap, stack);
  } catch (const std::system_error& error) {
    throw std::runtime_error("cannot get " + std::to_string(heap) + " bytes of heap and " +
                             std::to_string(stack) + " of stack: " + error.code().message());
  }
}

const Segment& Allocator::segment() const {
  if (!begun()) throw std::logic_error("MA is not initialized yet");
  return *segment_;
}

Segment& Allocator::segment() { return const_cast<Segment&>(std::as_const(*this).segment()); }

std::size_t Allocator::alignment(Integer type) const {
  return std::max(
      {std::size_t{1} << alignment_exponent_, Segment::granularity, datatype(type).size});
}

// Two guards, and what goes before the first until the elements are aligned.
std::size_t Allocator::extent_of(Integer type, std::size_t bytes) const {
  return round_up(bytes, Segment::granularity) + 2 * guard_bytes + alignment(type) -
         Segment::granularity;
}

std::size_t Allocator::overhead(Integer type) const {
  return extent_of(type, 0) + Segment::granularity - 1;  // where the elements end short of a unit
}

void Allocator::set_alignment_exponent(Integer exponent) {
  if (exponent < 0 || exponent > most_alignment_exponent)
    throw std::invalid_argument("the alignment is 2^" + std::to_string(exponent) +
                                ", not 2^0 to 2^" + std::to_string(most_alignment_exponent));
  alignment_exponent_ = exponent;
}

Integer Allocator::new_handle() {
  const bool reuse = table_.size() >= handles_before_reuse && !free_handles_.empty();
  if (!reuse) {
    table_.emplace_back();
    return static_cast<Integer>(table_.size() - 1);
  }
  const Integer handle = free_handles_.front();
  free_handles_.pop_front();
  return handle;
}

Integer Allocator::allocate(Side side, Integer type, Integer elements, std::string_view name) {
  Segment& memory = segment();
  const std::size_t bytes = bytes_of(type, elements);
  const std::size_t extent = extent_of(type, bytes);
  const auto offset = side == Side::heap ? memory.take_heap(extent) : memory.take_stack(extent);
  if (!offset)
    throw std::runtime_error("block '" + std::string(name) + "' of " + std::to_string(elements) +
                             " x " + datatype(type).name + ": no room for " +
                             std::to_string(extent) + " bytes on the " + name_of(side) +
                             ", the gap to the " +
                             name_of(side == Side::heap ? Side::stack : Side::heap) + " is " +
                             std::to_string(memory.gap()) + " bytes");
  // From the base of their type on, so that an index reaches them.
  const auto address = reinterpret_cast<std::uintptr_t>(memory.at(*offset)) + guard_bytes;
  const std::size_t client = *offset + guard_bytes + (round_up(address, alignment(type)) - address);
  const Integer handle = new_handle();
  Block& block = table_[static_cast<std::size_t>(handle)];
  block = {true, side, type, static_cast<std::size_t>(elements), "", *offset, extent, client};
  name.copy(block.name, sizeof block.name - 1);
  write_guards(block);
  (side == Side::heap ? heap_ : stack_).add(extent);
  if (side == Side::stack)
    stack_order_.push_back(handle);
  else
    heap_order_.insert(place_on_heap(*offset), handle);
  return handle;
}

/// Where a block at this offset is, or goes, among those of the heap.
std::vector<Integer>::iterator Allocator::place_on_heap(std::size_t offset) {
  return std::ranges::lower_bound(heap_order_, offset, {}, [this](Integer handle) {
    return table_[static_cast<std::size_t>(handle)].offset;
  });
}

const Block& Allocator::block(Integer handle) const {
  (void)segment();
  if (handle < 0 || static_cast<std::size_t>(handle) >= table_.size())
    throw std::invalid_argument("memhandle is " + std::to_string(handle) +
                                ", which was never given out");
  const Block& block = table_[static_cast<std::size_t>(handle)];
  if (!block.live)
    throw std::invalid_argument("memhandle is " + std::to_string(handle) +
                                ", which was freed already");
  return block;
}

void Allocator::check_guards(Integer handle, const Block& block) const {
  if (!left_guard_holds(block) || !right_guard_holds(block))
    throw std::runtime_error("somebody wrote beside the elements of " + described(handle, block));
}

Block& Allocator::checked(Integer handle, Side side) {
  const Block& found = block(handle);
  if (found.side != side)
    throw std::invalid_argument(described(handle, found) + " is not on the " + name_of(side));
  check_guards(handle, found);
  return table_[static_cast<std::size_t>(handle)];
}

void Allocator::release(Integer handle) {
  table_[static_cast<std::size_t>(handle)].live = false;
  free_handles_.push_back(handle);
}

void Allocator::free_heap(Integer handle) {
  const Block& gone = checked(handle, Side::heap);
  heap_order_.erase(place_on_heap(gone.offset));
  segment().give_heap(gone.offset, gone.extent);
  heap_.remove(gone.extent);
  release(handle);
}

void Allocator::free_heap_piece(Integer handle, Integer elements) {
  Block& shrinking = checked(handle, Side::heap);
  if (bytes_of(shrinking.datatype, elements) >= bytes_of(shrinking)) return free_heap(handle);
  shrinking.elements -= static_cast<std::size_t>(elements);
  const std::size_t extent = shrinking.client - shrinking.offset +
                             round_up(bytes_of(shrinking), Segment::granularity) + guard_bytes;
  if (extent < shrinking.extent) {
    segment().give_heap(shrinking.offset + extent, shrinking.extent - extent);
    heap_.bytes -= shrinking.extent - extent;
    shrinking.extent = extent;
  }
  write_guards(shrinking);
}

void Allocator::pop_stack(Integer handle) {
  const Block& last = checked(handle, Side::stack);
  if (stack_order_.back() != handle)
    throw std::invalid_argument(described(handle, last) + " is not on top of the stack; there is " +
                                described(stack_order_.back(), block(stack_order_.back())));
  chop(handle, last);
}

void Allocator::chop_stack(Integer handle) { chop(handle, checked(handle, Side::stack)); }

void Allocator::chop(Integer handle, const Block& block) {
  segment().drop_stack_to(block.offset + block.extent);
  for (bool more = true; more; stack_order_.pop_back()) {
    const Integer top = stack_order_.back();
    more = top != handle;
    stack_.remove(table_[static_cast<std::size_t>(top)].extent);
    release(top);
  }
}

std::byte* Allocator::pointer(Integer handle) const {
  const Block& found = block(handle);
  check_guards(handle, found);
  return segment_->at(found.client);
}

MA_AccessIndex Allocator::index(Integer handle) const {
  const Block& found = block(handle);
  check_guards(handle, found);
  const Datatype& type = datatype(found.datatype);
  const auto distance = reinterpret_cast<std::intptr_t>(segment_->at(found.client)) -
                        reinterpret_cast<std::intptr_t>(type.base);
  const auto size = static_cast<std::intptr_t>(type.size);
  // The linker places Fortran's common blocks.
  if (distance % size != 0)
    throw std::runtime_error(std::string("the base array of ") + type.name +
                             " is not aligned to its elements: no index reaches " +
                             described(handle, found));
  return distance / size;
}

std::vector<Integer> Allocator::handles() const {
  std::vector<Integer> result = heap_order_;
  result.insert(result.end(), stack_order_.rbegin(), stack_order_.rend());
  return result;
}

Integer Allocator::room(Side side, Room room, Integer type) const {
  const Segment& memory = segment();
  const std::size_t own = side == Side::heap ? memory.heap_side() : memory.stack_side();
  std::size_t bytes = memory.gap();
  if (room == Room::side) bytes = own;
  if (room == Room::side_or_gap && own > 0) bytes = std::min(own, memory.gap());
  if (side == Side::heap && room != Room::gap) bytes = std::max(bytes, memory.largest_fragment());
  const std::size_t least = extent_of(type, 0);
  if (bytes < least) return 0;
  const std::size_t elements = (bytes - least) / datatype(type).size;
  return static_cast<Integer>(std::min<std::size_t>(elements, std::numeric_limits<Integer>::max()));
}

void Allocator::write_guards(const Block& block) {
  std::byte* const client = segment_->at(block.client);
  std::memcpy(client - guard_bytes, left_guard.data(), guard_bytes);
  std::memcpy(client + bytes_of(block), right_guard.data(), guard_bytes);
}

bool Allocator::left_guard_holds(const Block& block) const {
  return std::memcmp(segment_->at(block.client) - guard_bytes, left_guard.data(), guard_bytes) == 0;
}

bool Allocator::right_guard_holds(const Block& block) const {
  const std::byte* const guard = segment_->at(block.client) + bytes_of(block);
  return std::memcmp(guard, right_guard.data(), guard_bytes) == 0;
}

}  // namespace lagoon::atoll::ma
