// Windows' operations: between the program's layouts and what Atoll's memory moves, sections of
// equal strides or updates of many runs.
#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "ghost/ghost.hpp"
#include "ghost/windows/predefined.hpp"
#include "ghost/windows/window.hpp"

namespace lagoon::atoll::ghost {

namespace {

using atoll::detail::Action;
using atoll::detail::UpdateRun;

// More strips than this go as one list of runs.
constexpr std::size_t sections_at_most = 4;
// Strips of this many bytes are sections of their own, however many there are.
constexpr std::int64_t large_strip = 65536;

bool as_sections(const Layout& layout) {
  return layout.strips.size() <= sections_at_most ||
         layout.bytes / static_cast<std::int64_t>(layout.strips.size()) >= large_strip;
}

std::vector<UpdateRun> runs_of(const Layout& layout, std::int64_t offset, std::int64_t size) {
  std::vector<UpdateRun> runs;
  for_each_run(layout, [&](std::int64_t at, std::int64_t bytes) {
    runs.push_back({offset + at, bytes / size});
  });
  return runs;
}

MemorySection section_of(const Strip& strip, int rank, std::int64_t offset, ElementType type) {
  const auto size = static_cast<std::int64_t>(size_of(type));
  MemorySection section;
  section.rank = rank;
  section.offset = offset + strip.offset;
  section.type = type;
  section.shape = {strip.count, strip.run / size};
  section.strides = {strip.count == 1 ? strip.run : strip.stride, size};
  return section;
}

/// Strides of the program's buffer for the section of a strip, where its layout is alike.
bool alike(const Layout& buffer, const Layout& target) {
  return buffer.strips.size() == 1 && target.strips.size() == 1 &&
         buffer.strips[0].run == target.strips[0].run &&
         buffer.strips[0].count == target.strips[0].count;
}

/// A section takes its shape from the target, or, where that is contiguous, from the buffer.
struct Match {
  Strip there, here;
};
bool match(const Layout& buffer, const Layout& target, Match& found) {
  if (buffer.strips.size() != 1 || target.strips.size() != 1) return false;
  found = {target.strips[0], buffer.strips[0]};
  if (alike(buffer, target)) return true;
  if (target.contiguous()) {
    found.there = {found.there.offset, found.here.run, found.here.run, found.here.count};
    return true;
  }
  if (!buffer.contiguous()) return false;
  found.here = {found.here.offset, found.there.run, found.there.run, found.there.count};
  return true;
}

Index strides_of(const Strip& strip, ElementType type) {
  return {strip.count == 1 ? strip.run : strip.stride, static_cast<std::int64_t>(size_of(type))};
}

std::unique_ptr<std::byte[]> packed_copy(const Buffer& buffer) {
  auto packed =
      std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(buffer.layout.bytes));
  pack(buffer.layout, buffer.data, packed.get());
  return packed;
}

constexpr ElementType byte_type = ElementType::uint8;

void require_equal(std::int64_t here, std::int64_t there) {
  if (here != there)
    throw Refused(MPI_ERR_TYPE, std::to_string(here) + " bytes here for " + std::to_string(there) +
                                    " of the target");
}

}  // namespace

/// Of the first byte of the target's place in the block; refused where it leaves the window.
std::int64_t Window::offset_of(int rank, MPI_Aint place, const Layout& target) const {
  std::int64_t offset = 0;
  if (__builtin_mul_overflow(std::int64_t{place}, std::int64_t{unit(rank)}, &offset))
    throw Refused(MPI_ERR_RMA_RANGE, "a displacement of " + std::to_string(place));
  if (target.bytes > 0 && (offset + target.lowest() < 0 || offset + target.end() > bytes(rank)))
    throw Refused(MPI_ERR_RMA_RANGE, "bytes " + std::to_string(offset + target.lowest()) + " to " +
                                         std::to_string(offset + target.end()) + " leave the " +
                                         std::to_string(bytes(rank)) + " of rank " +
                                         std::to_string(rank));
  return offset + control_bytes_;
}

/// Each strip is a section; all of them are one operation.
Handle Window::transfer_strips(Action action, int rank, std::int64_t offset, const Layout& target,
                               std::byte* packed) {
  (void)goes_alone(action, target.bytes);
  const auto operation = new_operation(true);
  Handle handle(operation);
  for (const Strip& strip : target.strips) {
    memory_->transfer(action, section_of(strip, rank, offset, byte_type), packed, {}, nullptr,
                      *operation);
    packed += strip.run * strip.count;
  }
  return handle;
}

void Window::put(const Buffer& origin, int rank, MPI_Aint place, const Layout& target) {
  const std::int64_t offset = offset_of(rank, place, target);
  begin(rank);
  require_equal(origin.layout.bytes, target.bytes);
  if (target.bytes == 0) return;
  if (std::byte* const block = memory_->block(rank)) {
    copy_layout(target, block + offset, origin.layout, origin.data);
    return;
  }
  if (Match found; match(origin.layout, target, found)) {
    remember(rank,
             transfer(Action::put, section_of(found.there, rank, offset, byte_type),
                      origin.data + found.here.offset, strides_of(found.here, byte_type)),
             nullptr, nullptr);
    return;
  }
  std::unique_ptr<std::byte[]> packed;
  std::byte* data = origin.data + origin.layout.first();
  if (!origin.layout.contiguous()) {
    packed = packed_copy(origin);
    data = packed.get();
  }
  if (!as_sections(target)) {
    Handle handle = update(rank, writing_kind(), runs_of(target, offset, 1), data, nullptr);
    remember(rank, std::move(handle), std::move(packed), nullptr);
    return;
  }
  Handle handle = transfer_strips(Action::put, rank, offset, target, data);
  remember(rank, std::move(handle), std::move(packed), nullptr);
}

void Window::get(const Buffer& result, int rank, MPI_Aint place, const Layout& target) {
  const std::int64_t offset = offset_of(rank, place, target);
  begin(rank);
  require_equal(result.layout.bytes, target.bytes);
  if (target.bytes == 0) return;
  if (const std::byte* const block = memory_->block(rank)) {
    copy_layout(result.layout, result.data, target, block + offset);
    return;
  }
  if (Match found; match(result.layout, target, found)) {
    remember(rank,
             transfer(Action::get, section_of(found.there, rank, offset, byte_type),
                      result.data + found.here.offset, strides_of(found.here, byte_type)),
             nullptr, nullptr);
    return;
  }
  std::unique_ptr<std::byte[]> packed;
  std::byte* data = result.data + result.layout.first();
  std::function<void()> unpack_it;
  if (!result.layout.contiguous()) {
    packed = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(target.bytes));
    data = packed.get();
    unpack_it = [to = result.layout, base = result.data, data] { unpack(to, base, data); };
  }
  if (!as_sections(target)) {
    Handle handle = update(rank, reading_kind(1), runs_of(target, offset, 1), nullptr, data);
    remember(rank, std::move(handle), std::move(packed), std::move(unpack_it));
    return;
  }
  Handle handle = transfer_strips(Action::get, rank, offset, target, data);
  remember(rank, std::move(handle), std::move(packed), std::move(unpack_it));
}

/// A sum of numbers that Atoll adds itself, in streams. False: it goes as an update.
bool Window::add_streamed(const Buffer& origin, int rank, std::int64_t offset,
                          const Layout& target) {
  const auto element = predefined(target.type).element;
  Match found;
  // A few of my own node's go by an update, which takes less to begin.
  constexpr std::int64_t few_bytes = 64;
  if (target.bytes <= few_bytes && memory_->block(rank) != nullptr) return false;
  if (!element || !match(origin.layout, target, found)) return false;
  const auto size = static_cast<std::int64_t>(size_of(*element));
  const Strip& there = found.there;
  const bool aligned = (offset + there.offset) % size == 0 && there.run % size == 0 &&
                       (there.count == 1 || there.stride % size == 0);
  if (!aligned || found.here.run % size != 0) return false;
  remember(rank,
           transfer(Action::accumulate, section_of(there, rank, offset, *element),
                    origin.data + found.here.offset, strides_of(found.here, *element)),
           nullptr, nullptr);
  return true;
}

void Window::accumulate(const Buffer& origin, const Buffer* result, int rank, MPI_Aint place,
                        const Layout& target, int operation) {
  const std::int64_t offset = offset_of(rank, place, target);
  begin(rank);
  if (target.bytes == 0) return;
  if (target.type < 0)
    throw Refused(MPI_ERR_TYPE, "the target's datatype has elements of several types");
  if (!fits(operation, target.type))
    throw Refused(MPI_ERR_OP, std::string(name_of_operation(operation)) + " is not for " +
                                  name_of_type(predefined(target.type).handle));
  const atoll::detail::UpdateKind kind = update_kind(operation, target.type);
  const bool reads_only = kind.operand_bytes == 0;
  if (!reads_only) require_equal(origin.layout.bytes, target.bytes);
  // Old values travel as whole elements, and arrive without their gaps.
  const PredefinedType& type = predefined(target.type);
  const std::int64_t elements = target.bytes / type.bytes;
  if (result != nullptr) require_equal(result->layout.bytes, elements * type.size);
  if (result == nullptr && reads_only) return;
  if (result == nullptr && operation == number_of_operation(MPI_SUM) &&
      add_streamed(origin, rank, offset, target))
    return;
  std::unique_ptr<std::byte[]> packed, packed_origin;
  const std::byte* operands = nullptr;
  if (!reads_only) {
    operands = origin.data + origin.layout.first();
    if (!origin.layout.contiguous()) {
      packed_origin = packed_copy(origin);
      operands = packed_origin.get();
    }
  }
  std::byte* old = nullptr;
  std::function<void()> unpack_it;
  if (result != nullptr) {
    old = result->data + result->layout.first();
    if (!result->layout.contiguous() || type.has_gaps()) {
      packed = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(target.bytes));
      old = packed.get();
      unpack_it = [to = result->layout, base = result->data, old,
                   from = layout_of_elements(target.type, elements, Gaps::left_out)] {
        copy_layout(to, base, from, old);
      };
    }
  }
  // The operands have gone into messages when this returns.
  Handle handle;
  if (target.contiguous()) {
    const UpdateRun run{offset + target.first(), elements};
    handle = update(rank, kind, {&run, 1}, operands, old);
  } else {
    handle = update(rank, kind, runs_of(target, offset, kind.element_bytes), operands, old);
  }
  remember(rank, std::move(handle), std::move(packed), std::move(unpack_it));
}

void Window::compare_and_swap(const void* origin, const void* compare, void* result, int type,
                              int rank, MPI_Aint place) {
  const atoll::detail::UpdateKind kind = comparing_kind(type);
  const auto bytes = static_cast<std::size_t>(kind.element_bytes);
  Layout target;
  target.bytes = kind.element_bytes;
  target.strips.push_back({0, target.bytes, 0, 1});
  const std::int64_t offset = offset_of(rank, place, target);
  begin(rank);
  alignas(16) std::byte operands[64];
  const UpdateRun run{offset, 1};
  std::memcpy(operands, compare, bytes);
  std::memcpy(operands + bytes, origin, bytes);
  Handle handle = update(rank, kind, {&run, 1}, operands, static_cast<std::byte*>(result));
  remember(rank, std::move(handle), nullptr, nullptr);
}

}  // namespace lagoon::atoll::ghost
