// Between handles of the face and those of a program's own mpi.h, which must be of the MPI that is
// in the process (World checks). Takes types from mpi.h, and includes it nowhere.
#pragma once

#include <cstdint>
#include <type_traits>

#include "mpi/calls.hpp"

namespace lagoon::atoll::mpi {

template <class Native>
std::uintptr_t bits_of_native(Native handle) noexcept {
  if constexpr (std::is_pointer_v<Native>)
    return reinterpret_cast<std::uintptr_t>(handle);
  else
    return static_cast<std::uintptr_t>(static_cast<std::make_unsigned_t<Native>>(handle));
}

template <class Native>
Native native_of_bits(std::uintptr_t bits) noexcept {
  if constexpr (std::is_pointer_v<Native>)
    return reinterpret_cast<Native>(bits);
  else
    return static_cast<Native>(bits);
}

template <class Native>
Comm of_native(Native communicator) {
  return calls.comm_of_native(bits_of_native(communicator));
}

/// MPI_Comm or MPI_Datatype: `native<MPI_Comm>(handle)`.
template <class Native>
Native native(Comm communicator) {
  return native_of_bits<Native>(calls.native_of_comm(communicator));
}
template <class Native>
Native native(Datatype type) {
  return native_of_bits<Native>(calls.native_of_datatype(type));
}

}  // namespace lagoon::atoll::mpi
