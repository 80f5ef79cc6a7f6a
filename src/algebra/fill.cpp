// zero and fill, of whole arrays and of patches: every rank writes what it owns.
#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "algebra/operands.hpp"
#include "algebra/sections.hpp"
#include "algebra/strided.hpp"
#include "array/frame.hpp"
#include "atoll/algebra.hpp"

namespace lagoon::atoll {

namespace {

/// Whether all bits are zero, as those of an array that nobody has written.
template <Element T>
bool is_zero(const T& element) {
  const T zero{};
  return std::memcmp(&element, &zero, sizeof element) == 0;
}

void fill_whole(AnyArray& a, const Scalar& value, std::string_view operation) {
  detail::require_writable(a, operation);
  detail::collectively(
      a.group(), operation, detail::hash_of(a, value),
      [&] { detail::check_scalar(value, a, "the value"); },
      [&] {
        with_element_type(a.type(), [&]<class T>(T) {
          const T element = value.as<T>();
          a.state()->mark_filled(whole(a.shape()), is_zero(element));
          detail::for_each_own_stretch({a}, [&](std::int64_t offset, std::int64_t count) {
            std::fill_n(detail::own_memory<T>(std::as_const(a)) + offset, count, element);
          });
        });
      });
}

void fill_section(AnyArray& a, const Patch& patch, const Scalar& value,
                  std::string_view operation) {
  detail::require_writable(a, operation);
  const auto validate = [&] {
    detail::check_patch(a, patch);
    detail::check_scalar(value, a, "the value");
  };
  detail::collectively(a.group(), operation, detail::hash_of(a, patch, value), validate, [&] {
    with_element_type(a.type(), [&]<class T>(T) {
      const T element = value.as<T>();
      T* const memory = detail::own_memory<T>(std::as_const(a));
      a.state()->mark_filled(patch, is_zero(element));
      const auto fill_block = [&](const detail::OwnedBlock& block) {
        detail::Range range;
        if (!detail::section_in_block(patch, block.patch, range)) return;
        const Patch part = detail::subsection(patch, range);
        Index strides = block.strides;
        for (int d = 0; d < strides.size(); ++d) strides[d] *= detail::step_of(patch, d);
        detail::fill_strided(memory + detail::offset_in_block(block, part.lo), strides,
                             part.shape(), element);
      };
      detail::for_each_owned_block(a.distribution(), a.group().rank(), fill_block);
    });
  });
}

}  // namespace

void zero(AnyArray& a) { fill_whole(a, 0, "zero"); }
void zero(AnyArray& a, const Patch& patch) { fill_section(a, patch, 0, "zero"); }
void fill(AnyArray& a, const Scalar& value) { fill_whole(a, value, "fill"); }
void fill(AnyArray& a, const Patch& patch, const Scalar& value) {
  fill_section(a, patch, value, "fill");
}

}  // namespace lagoon::atoll
