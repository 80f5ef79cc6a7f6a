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

MPI_Datatype mpi_type(ElementType type) {
  const auto bytes = static_cast<unsigned>(size_of(type));
  if (is_complex(type)) return bytes == 8 ? MPI_C_FLOAT_COMPLEX : MPI_C_DOUBLE_COMPLEX;
  if (!is_integer(type)) return bytes == 4 ? MPI_FLOAT : MPI_DOUBLE;
  const MPI_Datatype with_sign[] = {MPI_INT8_T, MPI_INT16_T, MPI_INT32_T, MPI_INT64_T};
  const MPI_Datatype without[] = {MPI_UINT8_T, MPI_UINT16_T, MPI_UINT32_T, MPI_UINT64_T};
  return (traits_of(type).has_sign ? with_sign : without)[std::countr_zero(bytes)];
}

}  // namespace detail

}  // namespace lagoon::atoll
