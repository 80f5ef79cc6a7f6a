// The checks and comparisons of operands.
#include "algebra/core/operand.hpp"

#include <algorithm>
#include <string>

#include "algebra/core/sections.hpp"
#include "array/array_state.hpp"
#include "array/mirror/mirror.hpp"
#include "atoll/error.hpp"

namespace lagoon::atoll::detail {

Index reversed(Index index) {
  std::reverse(index.begin(), index.end());
  return index;
}

void require_operands(std::string_view operation, std::span<const View> operands) {
  for (const View& operand : operands) require_alive(operand.array, operation);
  for (const View& operand : operands)
    require_same_members(operand.array, operands.back().array, operation);
}

void require_operands(std::string_view operation, std::span<const View> inputs,
                      const MutableView& output) {
  for (const View& input : inputs) require_alive(input.array, operation);
  require_writable(output.array, operation);
  for (const View& input : inputs) require_same_members(input.array, output.array, operation);
}

namespace {

/// Whether it is a whole array, given as such or as a patch: then messages speak of no patch.
bool names_no_part(const View& operand) {
  return !operand.patch || same_section(*operand.patch, whole(operand.array.shape()));
}

}  // namespace

std::string text_of(const View& operand) {
  return (names_no_part(operand) ? "" : "patch " + operand.section().to_string() + " of ") +
         description(operand.array) + (operand.transposed() ? " transposed" : "") +
         (operand.conjugated() ? " conjugated" : "");
}

void check_sections_match(const View& a, const View& b) {
  if (names_no_part(a) && names_no_part(b) && a.transposed() == b.transposed())
    check_same_shape(a.array, b.array);
  else if (a.shape() != b.shape())
    throw Error(ErrorKind::value, text_of(a) + " has the shape " + a.shape().to_string() + ", " +
                                      text_of(b) + " has " + b.shape().to_string());
}

void check_sections_apart(const View& a, const View& b) {
  if (a.array.state() == b.array.state() && sections_overlap(a.section(), b.section()))
    throw Error(ErrorKind::value, "patches " + a.section().to_string() + " and " +
                                      b.section().to_string() + " of " + description(a.array) +
                                      " overlap");
}

void check_not_conjugated(const View& view) {
  if (view.conjugated())
    throw Error(ErrorKind::unsupported,
                text_of(view) + ": only products of matrices take conjugated views");
}

namespace {

void check_beside(const View& operand, const View& other) {
  check_not_conjugated(operand);
  check_same_type(operand.array, other.array);
  if (operand.patch) check_patch(operand.array, *operand.patch);
}

}  // namespace

void check_alike(std::span<const View> operands) {
  for (const View& operand : operands) check_beside(operand, operands.back());
  for (const View& operand : operands) check_sections_match(operand, operands.back());
}

void check_alike(std::span<const View> inputs, const View& output) {
  for (const View& input : inputs) {
    check_beside(input, output);
    check_beside(output, output);
    check_sections_match(input, output);
    if (input.transposed() || !same_section(input.section(), output.section()))
      check_sections_apart(input, output);
  }
}

bool same_section(const Patch& a, const Patch& b) {
  const Index shape = a.shape();
  if (a.lo != b.lo || shape != b.shape()) return false;
  for (int d = 0; d < shape.size(); ++d)
    if (shape[d] > 1 && step_of(a, d) != step_of(b, d)) return false;
  return true;
}

bool aligned(const View& a, const View& b) {
  return aligned(a.array, b.array) && a.transposed() == b.transposed() &&
         ((!a.patch && !b.patch) || same_section(a.section(), b.section()));
}

void mark_written(const MutableView& output) {
  const AnyArray& array = output.array;
  if (!output.patch) {
    array.state()->mark_own_written();
  } else if (array.mirrored()) {
    for_each_owned_block(array.distribution(), array.group().rank(), [&](const OwnedBlock& block) {
      Range range;
      if (section_in_block(*output.patch, block.patch, range))
        array.state()->mirror->written(subsection(*output.patch, range));
    });
  }
}

void reading(std::string_view operation, std::span<const View> operands, std::uint64_t more,
             const std::function<void()>& check, const std::function<void()>& body) {
  require_operands(operation, operands);
  ArgumentHash hash;
  hash.add(more);
  for (const View& operand : operands) hash.add(operand);
  const auto validate = [&] {
    check_alike(operands);
    check();
  };
  // What ranks read they reduce, and meet there.
  collectively(operands[0].array.group(), operation, hash.value(), validate,
               [&] { must_go_on(operation, body); });
}

void writing(std::string_view operation, std::span<const View> inputs, const MutableView& output,
             std::uint64_t more, const std::function<void()>& check,
             const std::function<void()>& body) {
  require_operands(operation, inputs, output);
  const View target = output;
  ArgumentHash hash;
  hash.add(more);
  for (const View& input : inputs) hash.add(input);
  hash.add(target);
  const auto validate = [&] {
    check_alike(inputs, target);
    check();
  };
  collectively(output.array.group(), operation, hash.value(), validate, body);
}

}  // namespace lagoon::atoll::detail
