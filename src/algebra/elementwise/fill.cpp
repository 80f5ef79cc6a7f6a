// zero and fill, of arrays and of patches: every rank writes what it owns.
#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "algebra/core/operands.hpp"
#include "algebra/core/sections.hpp"
#include "array/frame.hpp"
#include "atoll/algebra.hpp"
#include "world/widening.hpp"

namespace lagoon::atoll {

namespace {

/// Whether all bits are zero, as those of an array that nobody has written.
template <class Bytes>
bool is_zero(const Bytes& element) {
  const Bytes zero{};
  return std::memcmp(&element, &zero, sizeof element) == 0;
}

/// Calls `f` with the bytes of an array's element of this value.
template <class F>
void with_bytes_of(const Scalar& value, ElementType type, const F& f) {
  alignas(16) std::array<std::byte, 16> element{};
  with_element_type(type, [&]<class T>(T) {
    const T number = value.as<T>();
    std::memcpy(element.data(), &number, sizeof number);
  });
  detail::with_element_size(size_of(type), [&]<class Bytes>(Bytes bytes) {
    std::memcpy(&bytes, element.data(), sizeof bytes);
    f(bytes);
  });
}

/// My memory; who writes there tells what was filled.
template <class Bytes>
Bytes* unmarked_memory(const AnyArray& a) {
  return reinterpret_cast<Bytes*>(a.state()->block(a.group().rank()));
}

template <class T>
void fill_run(T* to, std::int64_t count, T value) {
  if constexpr (sizeof(T) == 1)
    std::memset(to, value.bits[0], static_cast<std::size_t>(count));
  else
    for (std::int64_t i = 0; i < count; ++i) to[i] = value;
}

/// Sets the elements of a strided section of memory.
template <class T>
void fill_strided(T* to, const Index& strides, const Index& shape, T value) {
  const int last = shape.size() - 1;
  const std::int64_t length = shape[last], stride = strides[last];
  detail::for_each_row(shape, [&](const Index& at) {
    T* row = to + detail::dot_product(at, strides);
    if (stride == 1)
      fill_run(row, length, value);
    else
      for (std::int64_t i = 0; i < length; ++i) row[i * stride] = value;
  });
}

void fill_whole(AnyArray& a, const Scalar& value, std::string_view operation) {
  detail::require_writable(a, operation);
  detail::collectively(
      a.group(), operation, detail::hash_of(a, value),
      [&] { detail::check_scalar(value, a, "the value"); },
      [&] {
        with_bytes_of(value, a.type(), [&]<class T>(const T& element) {
          a.state()->mark_filled(whole(a.shape()), is_zero(element));
          detail::for_each_own_stretch({a}, [&](std::int64_t offset, std::int64_t count) {
            fill_run(unmarked_memory<T>(a) + offset, count, element);
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
    with_bytes_of(value, a.type(), [&]<class T>(const T& element) {
      T* const memory = unmarked_memory<T>(a);
      a.state()->mark_filled(patch, is_zero(element));
      const auto fill_block = [&](const detail::OwnedBlock& block) {
        detail::Range range;
        if (!detail::section_in_block(patch, block.patch, range)) return;
        const Patch part = detail::subsection(patch, range);
        Index strides = block.strides;
        for (int d = 0; d < strides.size(); ++d) strides[d] *= detail::step_of(patch, d);
        fill_strided(memory + detail::offset_in_block(block, part.lo), strides, part.shape(),
                     element);
      };
      detail::for_each_owned_block(a.distribution(), a.group().rank(), fill_block);
    });
  });
}

void fill_view(const MutableView& a, const Scalar& value, std::string_view operation) {
  if (a.patch)
    fill_section(a.array, *a.patch, value, operation);
  else
    fill_whole(a.array, value, operation);
}

}  // namespace

void zero(const MutableView& a) { fill_view(a, 0, "zero"); }
void fill(const MutableView& a, const Scalar& value) { fill_view(a, value, "fill"); }

}  // namespace lagoon::atoll
