// copy: between arrays that lie alike or differently, between patches, transposed, and between
// element types.
//
// The work is shared out by the blocks of one of the arrays (the "driver"): the target, whose
// owners get what they need, or the source, whose owners put what they have, when only they know
// both arrays.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "algebra/frame.hpp"
#include "algebra/operands.hpp"
#include "algebra/sections.hpp"
#include "algebra/strided.hpp"
#include "array/merge_job.hpp"
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

/// The general case: chunks are fetched packed, changed in order and type, and put packed.
template <Element To, Element From>
void move_chunks(const Transfer& transfer) {
  constexpr auto most =
      static_cast<std::int64_t>(detail::batch_bytes / std::max(sizeof(To), sizeof(From)));
  const AnyArray& driver = transfer.driver();
  const std::int64_t largest = std::min(most, detail::own_elements(driver));
  const auto fetched = std::make_unique_for_overwrite<From[]>(static_cast<std::size_t>(largest));
  const auto changed = std::make_unique_for_overwrite<To[]>(static_cast<std::size_t>(largest));
  const auto move_chunk = [&](const detail::Range& range) {
    const detail::Range other = partner(transfer, range);
    const Patch source = detail::subsection(transfer.source_patch, transfer.pull ? other : range);
    const Patch target = detail::subsection(transfer.target_patch, transfer.pull ? range : other);
    transfer.source.get(source, fetched.get());
    if (transfer.transposed) {
      const Index shape = target.shape();
      detail::move_strided(changed.get(), packed_strides(shape), fetched.get(),
                           detail::reversed(packed_strides(source.shape())), shape);
    } else {
      detail::move_packed(changed.get(), fetched.get(), source.elements());
    }
    transfer.target.put(target, changed.get());
  };
  const auto move_block = [&](const detail::OwnedBlock& block) {
    detail::Range range;
    if (!detail::section_in_block(transfer.driver_patch(), block.patch, range)) return;
    const Index shape = range.shape();
    detail::for_each_chunk(
        range,
        transfer.transposed ? detail::square_chunk(shape, most) : detail::row_chunk(shape, most),
        move_chunk);
  };
  detail::for_each_owned_block(driver.distribution(), driver.group().rank(), move_block);
}

void move(const Transfer& transfer) {
  if (detail::own_elements(transfer.driver()) == 0) return;
  if (transfer.source.type() == transfer.target.type() && !transfer.transposed) {
    move_blocks(transfer);
    return;
  }
  with_element_type(transfer.source.type(), [&]<class From>(From) {
    with_element_type(transfer.target.type(), [&]<class To>(To) {
      if constexpr (detail::can_cast(element_type_of<From>(), element_type_of<To>()))
        move_chunks<To, From>(transfer);
    });
  });
}

/// Arrays that lie alike: memory to memory.
void copy_aligned(const AnyArray& source, AnyArray& target) {
  if (source.state() == target.state()) return;
  with_element_type(source.type(), [&]<class From>(From) {
    with_element_type(target.type(), [&]<class To>(To) {
      if constexpr (detail::can_cast(element_type_of<From>(), element_type_of<To>())) {
        detail::for_each_own_stretch({target}, [&](std::int64_t offset, std::int64_t count) {
          detail::move_packed(detail::own_memory<To>(target) + offset,
                              detail::own_memory<From>(source) + offset, count);
        });
      }
    });
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

void copy(const AnyArray& source, AnyArray& target) {
  const bool pull = target_pulls(source, target);
  const Group& group = callers(source, target, pull);
  const auto validate = [&] {
    check_types(source, target);
    detail::check_same_shape(source, target);
  };
  const Patch all = whole(target.shape());
  const auto body = [&] {
    if (detail::aligned(source, target))
      copy_aligned(source, target);
    else
      move({source, all, target, all, false, pull});
  };
  detail::collectively(group, operation, detail::hash_of(source, target), validate, [&] {
    if (target.mirrored() && !source.mirrored())
      fill_all_copies(target, all, body);
    else
      body();
  });
}

void copy(const AnyArray& source, const Patch& source_patch, AnyArray& target,
          const Patch& target_patch, Transpose transpose) {
  const bool pull = target_pulls(source, target);
  const Group& group = callers(source, target, pull);
  const bool transposed = transpose == Transpose::yes;
  const detail::Operand from{source, &source_patch, transposed}, to{target, &target_patch};
  const auto validate = [&] {
    check_types(source, target);
    detail::check_patch(source, source_patch);
    detail::check_patch(target, target_patch);
    detail::check_sections_match(from, to);
    detail::check_sections_apart(from, to);
  };
  detail::ArgumentHash hash;
  hash.add(source)
      .add(source_patch)
      .add(target)
      .add(target_patch)
      .add(static_cast<std::uint64_t>(transposed));
  detail::collectively(group, operation, hash.value(), validate, [&] {
    const auto body = [&] {
      move({source, source_patch, target, target_patch, transposed && target.dimensions() > 1,
            pull});
    };
    if (target_patch.empty()) return;
    if (target.mirrored() && !source.mirrored())
      fill_all_copies(target, target_patch, body);
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
