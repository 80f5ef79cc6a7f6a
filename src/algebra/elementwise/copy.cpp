// copy: between arrays that lie alike or differently, between patches, transposed, and between
// element types.
//
// The work is shared out by the blocks of one of the arrays (the "driver"): the target, whose
// owners get what they need, or the source, whose owners put what they have, when only they know
// both arrays.
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algebra/core/operands.hpp"
#include "algebra/core/sections.hpp"
#include "algebra/elementwise/conversion.hpp"
#include "array/frame.hpp"
#include "array/mirror/merge_job.hpp"
#include "atoll/algebra.hpp"
#include "atoll/error.hpp"
#include "atoll/mirror.hpp"

namespace lagoon::atoll {

namespace {

constexpr std::string_view operation = "copy";
constexpr std::size_t most_in_flight = 256;

struct Transfer {
  const AnyArray& source;
  const Patch& source_patch;
  AnyArray& target;
  const Patch& target_patch;
  bool transposed;
  bool pull;  ///< the owners of the target get; else the owners of the source put

  const AnyArray& driver() const { return pull ? target : source; }
  const Patch& driver_patch() const { return pull ? target_patch : source_patch; }
};

/// The range of the other section that corresponds to `range` of the driver's.
detail::Range partner(const Transfer& transfer, const detail::Range& range) {
  if (!transfer.transposed) return range;
  return {detail::reversed(range.first), detail::reversed(range.last)};
}

/// Equal types, no transposition: straight between the arrays' memories, a block at a time.
void move_blocks(const Transfer& transfer) {
  const AnyArray& driver = transfer.driver();
  const std::size_t element = size_of(driver.type());
  std::byte* const memory = driver.state()->block(driver.group().rank());
  std::vector<Handle> handles;
  const auto move_block = [&](const detail::OwnedBlock& block) {
    detail::Range range;
    if (!detail::section_in_block(transfer.driver_patch(), block.patch, range)) return;
    const Patch source = detail::subsection(transfer.source_patch, range);
    const Patch target = detail::subsection(transfer.target_patch, range);
    const Patch& mine = transfer.pull ? target : source;
    if (transfer.pull && transfer.target.mirrored()) transfer.target.state()->mirror->written(mine);
    Index strides = block.strides;
    for (int d = 0; d < strides.size(); ++d) strides[d] *= detail::step_of(mine, d);
    std::byte* here =
        memory + static_cast<std::size_t>(detail::offset_in_block(block, mine.lo)) * element;
    handles.push_back(transfer.pull ? transfer.source.get_async(source, here, strides)
                                    : transfer.target.put_async(target, here, strides));
    if (handles.size() == most_in_flight) {
      wait_all(handles);
      handles.clear();
    }
  };
  detail::for_each_owned_block(driver.distribution(), driver.group().rank(), move_block);
  wait_all(handles);
}

/// A packed piece of the other array, and the part of my block that it goes to or comes from.
struct Chunk {
  std::unique_ptr<std::byte[]> packed;
  Handle under_way;           // destroyed, and so waited for, before the memory
  std::byte* mine = nullptr;  // null: nothing to move when it has arrived
  Index shape, mine_strides, packed_strides;
};

/// The general case: chunks travel packed, several at once, and change their order and type on the
/// way into my memory or out of it.
class ChunkMover {
 public:
  explicit ChunkMover(const Transfer& transfer) : transfer_(transfer) {
    const std::int64_t largest = std::min(most_, detail::own_elements(transfer.driver()));
    for (Chunk& chunk : chunks_)
      chunk.packed = std::make_unique_for_overwrite<std::byte[]>(
          static_cast<std::size_t>(largest) * (transfer.pull ? from_bytes_ : to_bytes_));
  }

  void run() {
    const AnyArray& driver = transfer_.driver();
    detail::for_each_owned_block(driver.distribution(), driver.group().rank(),
                                 [this](const detail::OwnedBlock& block) { move_block(block); });
    for (std::size_t i = 0; i < chunks_.size(); ++i) finish(next_chunk());
  }

 private:
  Chunk& next_chunk() noexcept { return chunks_[turn_++ % chunks_.size()]; }

  void move_block(const detail::OwnedBlock& block) {
    detail::Range range;
    if (!detail::section_in_block(transfer_.driver_patch(), block.patch, range)) return;
    const Index shape = range.shape();
    detail::for_each_chunk(
        range,
        transfer_.transposed ? detail::square_chunk(shape, most_) : detail::row_chunk(shape, most_),
        [&](const detail::Range& chunk) { move_chunk(block, chunk); });
  }

  void move_chunk(const detail::OwnedBlock& block, const detail::Range& range) {
    const detail::Range other_range = partner(transfer_, range);
    const Patch mine = detail::subsection(transfer_.driver_patch(), range);
    const Patch other = detail::subsection(
        transfer_.pull ? transfer_.source_patch : transfer_.target_patch, other_range);
    Chunk& chunk = next_chunk();
    finish(chunk);
    const AnyArray& driver = transfer_.driver();
    chunk.mine = driver.state()->block(driver.group().rank()) +
                 static_cast<std::size_t>(detail::offset_in_block(block, mine.lo)) *
                     (transfer_.pull ? to_bytes_ : from_bytes_);
    chunk.shape = mine.shape();
    chunk.mine_strides = block.strides;
    for (int d = 0; d < mine.lo.size(); ++d) chunk.mine_strides[d] *= detail::step_of(mine, d);
    chunk.packed_strides = packed_strides(other.shape());
    if (transfer_.transposed) chunk.packed_strides = detail::reversed(chunk.packed_strides);
    if (transfer_.pull) {
      if (transfer_.target.mirrored()) transfer_.target.state()->mirror->written(mine);
      chunk.under_way = transfer_.source.get_async(other, chunk.packed.get());
    } else {
      detail::move_strided({to_, chunk.packed.get()}, chunk.packed_strides, {from_, chunk.mine},
                           chunk.mine_strides, chunk.shape);
      chunk.under_way = transfer_.target.put_async(other, chunk.packed.get());
    }
  }

  void finish(Chunk& chunk) {
    if (chunk.mine == nullptr) return;
    chunk.under_way.wait();
    if (transfer_.pull)
      detail::move_strided({to_, chunk.mine}, chunk.mine_strides, {from_, chunk.packed.get()},
                           chunk.packed_strides, chunk.shape);
    chunk.mine = nullptr;
  }

  const Transfer& transfer_;
  const ElementType to_ = transfer_.target.type(), from_ = transfer_.source.type();
  const std::size_t to_bytes_ = size_of(to_), from_bytes_ = size_of(from_);
  const std::int64_t most_ =
      static_cast<std::int64_t>(detail::batch_bytes / std::max(to_bytes_, from_bytes_));
  std::array<Chunk, 8> chunks_;  // under way at once
  std::size_t turn_ = 0;
};

void move(const Transfer& transfer) {
  if (detail::own_elements(transfer.driver()) == 0) return;
  if (transfer.source.type() == transfer.target.type() && !transfer.transposed) {
    move_blocks(transfer);
    return;
  }
  ChunkMover(transfer).run();
}

/// Arrays that lie alike: memory to memory.
void copy_aligned(const AnyArray& source, AnyArray& target) {
  if (source.state() == target.state()) return;
  std::byte* const to = detail::own_bytes(target);
  const std::byte* const from = detail::own_bytes(std::as_const(source));
  detail::for_each_own_stretch({target}, [&](std::int64_t offset, std::int64_t count) {
    const auto first = static_cast<std::size_t>(offset);
    detail::move_packed({target.type(), to + first * size_of(target.type())},
                        {source.type(), from + first * size_of(source.type())}, count);
  });
}

/// Whether the owners of the target get (else those of the source put). Error(value) when neither
/// group contains the other; callers are members of both and throw alike.
bool target_pulls(const AnyArray& source, const AnyArray& target) {
  detail::require_alive(source, operation);
  detail::require_writable(target, operation);
  // Every owner reads its own node's copy; every node reads what it lacks.
  if (detail::contains(source.mirrored() ? source.whole_group() : source.group(),
                       target.mirrored() ? target.whole_group() : target.group()))
    return true;
  if (!source.mirrored() && !target.mirrored() && detail::contains(target.group(), source.group()))
    return false;
  throw Error(ErrorKind::value, "the groups of " + detail::description(source) + " and " +
                                    detail::description(target) + " overlap, neither contains " +
                                    "the other")
      .during(operation);
}

/// Whose members make the call: between mirrored arrays those of a node, else all that are
/// concerned.
const Group& callers(const AnyArray& source, const AnyArray& target, bool pull) {
  if (target.mirrored()) return source.mirrored() ? target.group() : target.whole_group();
  return (pull ? target : source).group();
}

/// Runs `body`, which gives all nodes' copies of `target` the same contents in the patch: not a
/// change that a node has to tell the others. By all ranks; they meet after that.
template <class Body>
void fill_all_copies(AnyArray& target, const Patch& patch, Body&& body) {
  detail::ArrayState& state = *target.state();
  detail::Mirror& mirror = *state.mirror;
  detail::settle(mirror);
  if (mirror.exposed()) {
    mirror.detect(state);
    target.group().barrier();
  }
  {
    const struct Quiet {
      bool& quiet;
      explicit Quiet(bool& flag) : quiet(flag) { quiet = true; }
      Quiet(const Quiet&) = delete;
      Quiet& operator=(const Quiet&) = delete;
      ~Quiet() { quiet = false; }
    } marked_at_the_end(mirror.quiet);
    body();
  }
  target.group().barrier();
  if (target.group().rank() == 0) mirror.alike(state, patch);
}

void check_types(const AnyArray& source, const AnyArray& target) {
  if (detail::can_cast(source.type(), target.type())) return;
  throw Error(ErrorKind::type, std::string(name_of(source.type())) + " does not become " +
                                   std::string(name_of(target.type())) + ": " +
                                   detail::description(source) + ", " +
                                   detail::description(target));
}

}  // namespace

void copy(const View& source, const MutableView& target) {
  AnyArray& to = target.array;
  const bool pull = target_pulls(source.array, to);
  const bool whole_to_whole = !source.patch && !target.patch && source.form == Form::plain;
  const auto validate = [&] {
    detail::check_not_conjugated(source);
    check_types(source.array, to);
    if (source.patch) detail::check_patch(source.array, *source.patch);
    if (target.patch) detail::check_patch(to, *target.patch);
    detail::check_sections_match(source, target);
    if (!whole_to_whole) detail::check_sections_apart(source, target);
  };
  const std::uint64_t hash = detail::hash_of(source, target);
  detail::collectively(callers(source.array, to, pull), operation, hash, validate, [&] {
    const auto body = [&] {
      if (whole_to_whole && detail::aligned(source.array, to))
        return copy_aligned(source.array, to);
      const Patch from = source.section(), patch = target.section();
      move({source.array, from, to, patch, source.transposed(), pull});
    };
    if (target.patch && target.patch->empty()) return;
    if (to.mirrored() && !source.array.mirrored())
      fill_all_copies(to, target.section(), body);
    else
      body();
  });
}

AnyArray mirror(const AnyArray& array, const std::string& name) {
  detail::require_alive(array, "mirror");
  const ArrayOptions options{{}, name.empty() ? array.name() : name, false, true};
  AnyArray result(array.whole_group(), array.shape(), array.type(), options);
  copy(array, result);
  return result;
}

}  // namespace lagoon::atoll
