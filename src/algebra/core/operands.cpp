#include "algebra/core/operands.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "world/widening.hpp"

namespace lagoon::atoll::detail {

namespace {

/// Calls `f(offset, count)` for every stretch of elements that lie one behind the other in a
/// section of memory.
void for_each_stretch(std::int64_t offset, const Index& strides, const Index& shape,
                      const std::function<void(std::int64_t, std::int64_t)>& f) {
  Index turns = shape;
  std::int64_t count = 1;  // trailing dimensions without a gap join the stretch
  for (int d = shape.size() - 1; d >= 0; --d) {
    if (shape[d] != 1 && strides[d] != count) break;
    count *= shape[d];
    turns[d] = 1;
  }
  Index at = Index::filled(turns.size(), 0);
  do f(offset + dot_product(at, strides), count);
  while (next_position(at, turns));
}

/// Whether stretches of my memory are worth while: else packing costs less than going to each.
bool has_stretches(const View& operand) {
  return !operand.patch || step_of(*operand.patch, operand.patch->lo.size() - 1) == 1;
}

bool all_aligned(std::span<const View> inputs, const View& with) {
  return std::all_of(inputs.begin(), inputs.end(),
                     [&](const View& input) { return aligned(input, with); });
}

using Visit = std::function<void(std::int64_t count, Elements)>;
using Transform = std::function<void(std::int64_t count, Elements, std::byte*)>;

/// Inputs of a narrow type, widened a batch at a time.
class WidenedInputs {
 public:
  WidenedInputs(ElementType type, std::size_t inputs)
      : type_(type),
        size_(static_cast<std::int64_t>(size_of(type))),
        memory_(inputs + 1),
        pointers_(inputs) {
    for (std::size_t i = 0; i < inputs; ++i) pointers_[i] = memory_[i].data();
  }
  Elements of(Elements narrow_ones, std::int64_t first, std::int64_t count) {
    for (std::size_t i = 0; i < pointers_.size(); ++i)
      widen(type_, narrow_ones[i] + first * size_, memory_[i].data(), count);
    return pointers_;
  }
  /// Room for a result.
  std::byte* result() { return memory_.back().data(); }
  std::int64_t size() const noexcept { return size_; }

 private:
  ElementType type_;
  std::int64_t size_;
  std::vector<BatchMemory> memory_;
  std::vector<const std::byte*> pointers_;
};

/// `work`, which computes, for what is stored.
Visit on_stored(ElementType type, std::size_t inputs, const Visit& work) {
  if (!is_narrow(type)) return Visit(std::cref(work));
  return [&work, wide = std::make_shared<WidenedInputs>(type, inputs)](std::int64_t elements,
                                                                       Elements stored) {
    for_each_batch_of(elements, [&](std::int64_t first, std::int64_t count) {
      work(count, wide->of(stored, first, count));
    });
  };
}
Transform on_stored(ElementType type, std::size_t inputs, const Transform& work) {
  if (!is_narrow(type)) return Transform(std::cref(work));
  return [type, &work, wide = std::make_shared<WidenedInputs>(type, inputs)](
             std::int64_t elements, Elements stored, std::byte* out) {
    for_each_batch_of(elements, [&](std::int64_t first, std::int64_t count) {
      work(count, wide->of(stored, first, count), wide->result());
      narrow(type, wide->result(), out + first * wide->size(), count);
    });
  };
}

}  // namespace

const std::byte* own_bytes(const AnyArray& array) {
  return array.state()->block(array.group().rank());
}
std::byte* own_bytes(AnyArray& array) {
  array.state()->mark_own_written();
  return array.state()->block(array.group().rank());
}

void for_each_own_stretch(const View& operand,
                          const std::function<void(std::int64_t, std::int64_t)>& f) {
  const Distribution& distribution = operand.array.distribution();
  if (operand.all() && !distribution.has_halo()) {
    if (const std::int64_t count = own_elements(operand.array); count > 0) f(0, count);
    return;
  }
  const Patch section = operand.section();
  for_each_owned_block(distribution, operand.array.group().rank(), [&](const OwnedBlock& block) {
    Range range;
    if (!section_in_block(section, block.patch, range)) return;
    const Patch part = subsection(section, range);
    Index strides = block.strides;
    for (int d = 0; d < strides.size(); ++d) strides[d] *= step_of(section, d);
    for_each_stretch(offset_in_block(block, part.lo), strides, range.shape(), f);
  });
}

void visit_memory(std::span<const View> inputs,
                  const std::function<void(std::int64_t count, Elements)>& compute) {
  if (inputs[0].transposed()) {  // the same partners meet when all are turned
    std::vector<View> turned(inputs.begin(), inputs.end());
    for (View& input : turned) input.form = input.transposed() ? Form::plain : Form::transposed;
    visit_memory(turned, compute);
    return;
  }
  const Visit work = on_stored(inputs[0].array.type(), inputs.size(), compute);
  const std::int64_t count = own_elements(inputs[0].array);
  if (count == 0) return;
  std::vector<const std::byte*> pointers(inputs.size());
  if (inputs[0].all() && !inputs[0].array.distribution().has_halo() &&
      all_aligned(inputs, inputs[0])) {
    for (std::size_t i = 0; i < inputs.size(); ++i) pointers[i] = own_bytes(inputs[i].array);
    work(count, pointers);
    return;
  }
  for_each_batch(inputs[0], inputs, [&](Batch& batch) {
    for (std::size_t i = 0; i < inputs.size(); ++i)
      pointers[i] = static_cast<const std::byte*>(batch.input(i));
    work(batch.elements(), pointers);
  });
}

void transform_memory(
    std::span<const View> inputs, const MutableView& out,
    const std::function<void(std::int64_t count, Elements, std::byte*)>& compute) {
  const Transform work = on_stored(out.array.type(), inputs.size(), compute);
  const View target = out;
  if (own_elements(out.array) == 0 || target.section().empty()) return;
  std::vector<const std::byte*> pointers(inputs.size());
  if (has_stretches(target) && all_aligned(inputs, target)) {
    mark_written(out);
    std::byte* const memory = out.array.state()->block(out.array.group().rank());
    const auto element = static_cast<std::int64_t>(size_of(out.array.type()));
    for_each_own_stretch(target, [&](std::int64_t offset, std::int64_t count) {
      for (std::size_t i = 0; i < inputs.size(); ++i)
        pointers[i] = own_bytes(inputs[i].array) + offset * element;
      work(count, pointers, memory + offset * element);
    });
    return;
  }
  // Each rank reads only the positions that it writes, or such as nobody writes, so reading an
  // input that is the output meets no other rank's writes.
  for_each_batch(target, inputs, [&, section = target.section()](Batch& batch) {
    for (std::size_t i = 0; i < inputs.size(); ++i)
      pointers[i] = static_cast<const std::byte*>(batch.input(i));
    auto* const result = static_cast<std::byte*>(batch.input(0));
    work(batch.elements(), pointers, result);
    batch.store(out.array, section, result);
  });
}

}  // namespace lagoon::atoll::detail
