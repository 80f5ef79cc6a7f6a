// ArrayState: checks, and moving patches piece by piece. Creation: array_creation.cpp.
#include "array/array_state.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "array/calls.hpp"
#include "array/copy_element.hpp"
#include "array/distribution/piece.hpp"
#include "array/race_notes.hpp"
#include "atoll/error.hpp"
#include "world/collective.hpp"
#include "world/copy_bytes.hpp"

namespace lagoon::atoll::detail {

namespace {

Index in_bytes(const Index& strides, std::size_t element_bytes) {
  Index bytes = strides;
  for (std::int64_t& stride : bytes) stride *= static_cast<std::int64_t>(element_bytes);
  return bytes;
}

}  // namespace

void ArrayState::refuse_write() const {
  fail(ErrorKind::state, "the array is read-only (set_read_only)");
}

void ArrayState::check_patch(const Patch& patch) const {
  const int n = shape.size();
  if (patch.lo.size() != n || patch.hi.size() != n ||
      (!patch.step.empty() && patch.step.size() != n))
    fail(ErrorKind::index,
         "patch " +
             (patch.lo.size() == patch.hi.size() && patch.step.empty()
                  ? patch.to_string()
                  : "lo " + patch.lo.to_string() + ", hi " + patch.hi.to_string() + ", step " +
                        patch.step.to_string()) +
             " does not have the " + std::to_string(n) + " dimensions of the shape " +
             shape.to_string());
  for (int d = 0; d < n; ++d) {
    if (patch.lo[d] < 0 || patch.hi[d] > shape[d] || patch.lo[d] > patch.hi[d])
      fail(ErrorKind::index, "patch " + patch.to_string() + " lies outside the shape " +
                                 shape.to_string() + " in dimension " + std::to_string(d));
    if (!patch.step.empty() && patch.step[d] < 1)
      fail(ErrorKind::value,
           "patch " + patch.to_string() + " has a step below 1 in dimension " + std::to_string(d));
  }
}

bool ArrayState::check_transfer(const Patch& patch, const void* data, const Index& strides) const {
  check_patch(patch);
  if (!strides.empty() && strides.size() != shape.size())
    fail(ErrorKind::value, "buffer strides " + strides.to_string() + " do not have the " +
                               std::to_string(shape.size()) + " dimensions of the array");
  if (patch.empty()) return false;
  if (data == nullptr) fail(ErrorKind::value, "the buffer is a null pointer");
  return true;
}

int ArrayState::owner(const Index& position) const {
  return named("", [&] { return distribution->owner(position); }, name);
}

void ArrayState::mark_own_written() const {
  if (mirror == nullptr || !mirror->has_marks()) return;
  for (const Patch& patch : distribution->patches(group.rank())) mirror->written(patch);
}

void ArrayState::mark_filled(const Patch& patch, bool zeros) const noexcept {
  if (mirror == nullptr || group.rank() != 0) return;
  if (zeros)
    mirror->zeroed(patch);
  else
    mirror->written(patch);
}

namespace {

/// What this thread used last, of a few arrays. Of one that is gone it is never asked for.
struct Hint {
  std::uint64_t number;
  const void* block;
};
constexpr std::size_t hints = 8;
constinit thread_local std::array<Hint, hints> hints_of_thread{};

}  // namespace

ArrayState::NodeBlocks::~NodeBlocks() {
  for (std::size_t i = 0; i < count_; ++i) delete blocks_[i].load(std::memory_order_acquire);
}

void ArrayState::NodeBlocks::make_room(std::size_t locals) {
  static std::atomic<std::uint64_t> numbers{0};
  blocks_ = std::make_unique<std::atomic<const NodeBlock*>[]>(locals);
  count_ = locals;
  number_ = numbers.fetch_add(1, std::memory_order_relaxed) + 1;
}

const ArrayState::NodeBlock* ArrayState::NodeBlocks::last() const noexcept {
  const Hint& hint = hints_of_thread[number_ % hints];
  return hint.number == number_ ? static_cast<const NodeBlock*>(hint.block)
                                : latest_.load(std::memory_order_acquire);
}

void ArrayState::NodeBlocks::remember(const NodeBlock* block) noexcept {
  hints_of_thread[number_ % hints] = {number_, block};
  if (latest_.load(std::memory_order_relaxed) != block)
    latest_.store(block, std::memory_order_release);
}

const ArrayState::NodeBlock* ArrayState::NodeBlocks::add(std::uint32_t local,
                                                         const NodeBlock& block) {
  auto made = std::make_unique<const NodeBlock>(block);
  const NodeBlock* there = nullptr;
  return blocks_[local].compare_exchange_strong(there, made.get(), std::memory_order_acq_rel)
             ? made.release()
             : there;
}

bool ArrayState::transfer_in_last_block(Action action, const Patch& patch, std::byte* data,
                                        const Index& strides, const void* alpha) {
  const int n = shape.size();
  const NodeBlock* const last = blocks_.last();
  if (data == nullptr || last == nullptr || patch.lo.size() != n || patch.hi.size() != n ||
      !patch.step.empty() || (!strides.empty() && strides.size() != n))
    return false;
  std::byte* memory = last->origin;
  bool single = true;
  for (int d = 0; d < n; ++d) {
    if (patch.lo[d] < last->lo[d] || patch.hi[d] > last->hi[d] || patch.lo[d] >= patch.hi[d])
      return false;
    memory += patch.lo[d] * last->strides[d];
    single = single && patch.hi[d] - patch.lo[d] == 1;
  }
  if (mirror != nullptr && action != Action::get) mirror->written(patch);
  if (single && action != Action::accumulate) {
    if (action == Action::get)
      copy_element(data, memory, element_bytes);
    else
      copy_element(memory, data, element_bytes);
    return true;
  }
  Index extents = patch.lo;
  std::int64_t elements = 1;
  bool contiguous = strides.empty();
  for (int d = n - 1; d >= 0; --d) {
    extents[d] = patch.hi[d] - patch.lo[d];
    contiguous =
        contiguous && (extents[d] == 1 ||
                       last->strides[d] == elements * static_cast<std::int64_t>(element_bytes));
    elements *= extents[d];
  }
  if (contiguous) {
    const std::size_t bytes = static_cast<std::size_t>(elements) * element_bytes;
    if (action == Action::get)
      copy_bytes(data, memory, bytes);
    else if (action == Action::put)
      copy_bytes(memory, data, bytes);
    else
      accumulate_contiguous(stripes_, {type, alpha, segment->record().atomics_in_use}, memory, data,
                            elements);
    return true;
  }
  const Index user = in_bytes(strides.empty() ? packed_strides(extents) : strides, element_bytes);
  move(action, type, memory, last->strides, {data, user}, extents, alpha);
  return true;
}

void ArrayState::count(int rank, std::int64_t elements) const {
  WorldState::get().profile->touched(group.world_rank(rank),
                                     static_cast<std::uint64_t>(elements) * element_bytes);
}

// Behind an operation that is done: it must not fail any more, and does without where there is no
// memory.
void ArrayState::remember(int rank) noexcept try {
  if (!distribution->one_block_a_rank() || serves_inside_calls()) return;
  const auto local = static_cast<std::uint32_t>(group.state()->local_of(rank));
  const NodeBlock* known = blocks_.find(local);
  if (known == nullptr) {
    const Patch mine = distribution->patches(rank).front();
    NodeBlock made{mine.lo, mine.hi,
                   in_bytes(packed_strides(distribution->memory_shape(rank)), element_bytes),
                   block(rank)};
    for (int d = 0; d < shape.size(); ++d)
      made.origin -= (mine.lo[d] - distribution->halo()[d]) * made.strides[d];
    known = blocks_.add(local, made);
  }
  blocks_.remember(known);
} catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): found the long way next time
}

void ArrayState::transfer(Action action, const Patch& patch, std::byte* data, const Index& strides,
                          const void* alpha, Operation& operation) {
  if (!check_transfer(patch, data, strides)) return;
  const Index user =
      in_bytes(strides.empty() ? packed_strides(patch.shape()) : strides, element_bytes);
  const auto size = static_cast<std::int64_t>(element_bytes);
  if (mirror != nullptr && action != Action::get) mirror->written(patch);
  distribution->for_each_piece(patch, [&](const Piece& piece) {
    std::byte* side = data;
    for (int d = 0; d < shape.size(); ++d) side += piece.position[d] * user[d];
    const Index target = in_bytes(piece.strides, element_bytes);
    if (profile != nullptr) count(piece.rank, piece.shape.product());
    const bool all = piece.shape == patch.shape();
    operation.together = operation.together || !all;
    if (transfer_at(action, type, piece.rank, piece.offset * size, target, {side, user},
                    piece.shape, alpha, operation) &&
        all)
      remember(piece.rank);
  });
}

void ArrayState::transfer_field(Action action, const Patch& patch, const Field& field,
                                std::byte* data, const Index& strides, Operation& operation) {
  const auto size = static_cast<std::int64_t>(element_bytes);
  if (field.offset < 0 || field.bytes < 0 || field.bytes > size - field.offset)
    fail(ErrorKind::value, "a field of " + std::to_string(field.bytes) + " bytes at " +
                               std::to_string(field.offset) + " is not inside an element of " +
                               std::to_string(size));
  if (shape.size() == max_dimensions)
    fail(ErrorKind::unsupported,
         "fields are of arrays of fewer than " + std::to_string(max_dimensions) + " dimensions");
  if (!check_transfer(patch, data, strides) || field.bytes == 0) return;
  const auto with_bytes = [](Index values, std::int64_t last) {
    values.push_back(last);
    return values;
  };
  const Index user = with_bytes(in_bytes(strides.empty() ? packed_strides(patch.shape()) : strides,
                                         static_cast<std::size_t>(field.bytes)),
                                1);
  if (mirror != nullptr && action != Action::get) mirror->written(patch);
  distribution->for_each_piece(patch, [&](const Piece& piece) {
    std::byte* side = data;
    for (int d = 0; d < shape.size(); ++d) side += piece.position[d] * user[d];
    const Index target = with_bytes(in_bytes(piece.strides, element_bytes), 1);
    if (profile != nullptr) count(piece.rank, piece.shape.product());
    operation.together = operation.together || piece.shape != patch.shape();
    (void)transfer_at(action, ElementType::uint8, piece.rank, piece.offset * size + field.offset,
                      target, {side, user}, with_bytes(piece.shape, field.bytes), nullptr,
                      operation);
  });
}

std::int64_t ArrayState::fetch(Action action, const Index& position, std::int64_t operand) {
  if (counting_.load(std::memory_order_acquire)) {
    if (std::byte* const memory = in_last_block(position))
      return fetch_element(action, reinterpret_cast<std::int64_t*>(memory), operand);
  }
  return fetch_checked(action, position, operand);
}

std::int64_t ArrayState::fetch_checked(Action action, const Index& position, std::int64_t operand) {
  if (!can_count(type))
    fail(ErrorKind::type, "needs an array of " + element_names(can_count) + ", this one holds " +
                              std::string(name_of(type)));
  check_operand(type, operand);
  if (mirror != nullptr)
    fail(ErrorKind::unsupported,
         "a mirrored array has a copy on every node, each of which would count for itself");
  if (std::byte* memory = profile == nullptr ? in_last_block(position) : nullptr) {
    begin_atomics(segment->record(), stripes_);
    counting_.store(type == ElementType::int64, std::memory_order_release);
    return fetch_in_memory(action, type, memory, operand);
  }
  (void)owner(position);  // checks it
  const auto [rank, offset] = distribution->place_of(position);
  if (profile != nullptr) count(rank, 1);
  const std::int64_t bytes = offset * static_cast<std::int64_t>(element_bytes);
  std::int64_t result = 0;
  if (!follows_races()) {
    result = fetch_at(action, type, rank, bytes, operand);
  } else {
    fetch_in_order(*this, rank, bytes, [&, to = rank](std::int64_t at) {
      if (at == bytes) return result = fetch_at(action, type, to, bytes, operand);
      return fetch_at(Action::fetch_add, ElementType::int64, to, at, 1);
    });
    Patch element{position, position};
    for (std::int64_t& end : element.hi) ++end;
    note_transfer(*this, action, element, nullptr, {});
  }
  if (block(rank) != nullptr) remember(rank);
  return result;
}

}  // namespace lagoon::atoll::detail
