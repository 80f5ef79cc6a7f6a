#include "compat/ga/algebra/views.hpp"

#include <array>
#include <complex>
#include <cstring>
#include <span>
#include <string>

#include "atoll/error.hpp"

namespace lagoon::atoll::ga {

namespace {

GlobalArray& numeric(std::int64_t handle) {
  GlobalArray& array = array_of(handle);
  element_of(array.type());
  return array;
}

MutableView part_of(GlobalArray& array, const Patch& patch) {
  if (patch.dimensions() != array.dimensions())
    throw Error(ErrorKind::value,
                "array " + std::to_string(array.handle()) + " '" + array.plan.name + "' has " +
                    std::to_string(array.dimensions()) + " dimensions, patch " + patch.to_string() +
                    " has " + std::to_string(patch.dimensions()));
  if (patch == whole(array.shape())) return array.array();  // which is faster
  return {array.array(), array.stored(patch)};
}

}  // namespace

MutableView elements(std::int64_t handle) { return array_of(handle).array(); }
MutableView numbers(std::int64_t handle) { return numeric(handle).array(); }

MutableView elements(std::int64_t handle, const Patch& patch) {
  return part_of(array_of(handle), patch);
}
MutableView numbers(std::int64_t handle, const Patch& patch) {
  return part_of(numeric(handle), patch);
}

View in_form(const MutableView& a, char letter) {
  View view = a;
  switch (letter) {
    case 'n':
    case 'N': return view;
    case 't':
    case 'T': view.form = Form::transposed; return view;
    default:
      throw Error(ErrorKind::value,
                  "the transposition is '" + std::string(1, letter) + "'; expected n or t");
  }
}

std::optional<Scalar> common_number(const View& view, const void* value) {
  const ElementType type = view.array.type();
  std::array<std::int64_t, 2> number{};
  static_assert(sizeof number == sizeof(std::complex<double>));
  std::memcpy(number.data(), value, size_of(type));
  // Where the largest is the smallest there is no other; ~x orders as -x does, without overflow.
  std::array<std::int64_t, 4> most = {number[0], number[1], ~number[0], ~number[1]};
  view.array.group().reduce(std::span<std::int64_t>(most), Reduction::maximum);
  if (most[0] != ~most[2] || most[1] != ~most[3]) return std::nullopt;
  return scalar_at(number.data(), type);
}

Scalar number_for(const View& view, const void* value) {
  // Numbers that each process computed for itself may differ in the last bit: the first one's hold.
  const ElementType type = view.array.type();
  std::array<std::byte, sizeof(std::complex<double>)> number{};
  std::memcpy(number.data(), value, size_of(type));
  view.array.group().broadcast_bytes(std::span(number).first(size_of(type)), 0);
  return scalar_at(number.data(), type);
}

}  // namespace lagoon::atoll::ga
