#include "world/element_types.hpp"

#include <bit>
#include <vector>

namespace lagoon::atoll {

std::string element_names(bool (*chosen)(ElementType) noexcept) {
  std::vector<std::string_view> names;
  for (const ElementTraits& traits : element_traits)
    if (chosen(traits.type)) names.push_back(traits.name);
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text.append(i == 0 ? "" : i + 1 < names.size() ? ", " : " or ").append(names[i]);
  return text;
}

namespace detail {

mpi::Datatype mpi_type(ElementType type) {
  const auto bytes = static_cast<unsigned>(size_of(type));
  if (is_complex(type)) return bytes == 8 ? mpi::type_complex_float : mpi::type_complex_double;
  if (type == ElementType::float16) return mpi::type_uint16;  // MPI has none; see group.cpp
  if (!is_integer(type)) return bytes == 4 ? mpi::type_float : mpi::type_double;
  const mpi::Datatype with_sign[] = {mpi::type_int8, mpi::type_int16, mpi::type_int32,
                                     mpi::type_int64};
  const mpi::Datatype without[] = {mpi::type_uint8, mpi::type_uint16, mpi::type_uint32,
                                   mpi::type_uint64};
  return (traits_of(type).has_sign ? with_sign : without)[std::countr_zero(bytes)];
}

}  // namespace detail

}  // namespace lagoon::atoll
