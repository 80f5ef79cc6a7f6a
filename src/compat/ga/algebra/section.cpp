#include "compat/ga/algebra/section.hpp"

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

Section part_of(GlobalArray& array, const Patch& patch) {
  if (patch.dimensions() != array.dimensions())
    throw Error(ErrorKind::value,
                "array " + std::to_string(array.handle()) + " '" + array.plan.name + "' has " +
                    std::to_string(array.dimensions()) + " dimensions, patch " + patch.to_string() +
                    " has " + std::to_string(patch.dimensions()));
  const bool all = patch == whole(array.shape());
  return {array.array(), array.stored(patch), all};
}

}  // namespace

Section elements(std::int64_t handle) { return all_of(array_of(handle).array()); }
Section numbers(std::int64_t handle) { return all_of(numeric(handle).array()); }

Section elements(std::int64_t handle, const Patch& patch) {
  return part_of(array_of(handle), patch);
}
Section numbers(std::int64_t handle, const Patch& patch) { return part_of(numeric(handle), patch); }

Scalar number_for(const Section& section, const void* value) {
  // Numbers that each process computed for itself may differ in the last bit: the first one's hold.
  const ElementType type = section.array.type();
  std::array<std::byte, sizeof(std::complex<double>)> number{};
  std::memcpy(number.data(), value, size_of(type));
  section.array.group().broadcast_bytes(std::span(number).first(size_of(type)), 0);
  return scalar_at(number.data(), type);
}

}  // namespace lagoon::atoll::ga
