#include "algebra/core/operands.hpp"

#include <algorithm>
#include <utility>
#include <vector>

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
                  const std::function<void(std::int64_t count, Elements)>& work) {
  if (inputs[0].transposed()) {  // the same partners meet when all are turned
    std::vector<View> turned(inputs.begin(), inputs.end());
    for (View& input : turned) input.form = input.transposed() ? Form::plain : Form::transposed;
    visit_memory(turned, work);
    return;
  }
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

void transform_memory(std::span<const View> inputs, const MutableView& out,
                      const std::function<void(std::int64_t count, Elements, std::byte*)>& work) {
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
