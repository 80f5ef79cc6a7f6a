// What differs between the binary interfaces of MPI, in the words of adaptor.hpp: each interface is
// a struct with these members. Their values are fixed for the life of an interface; a test compares
// them with the mpi.h in use (tests/cpp/mpi_interface_test.cpp).
//
//   Comm, Datatype, ...   the types of handles (HandlesOf)
//   comms, datatypes, ... predefined handles by their numbers in handles.hpp: bits or symbols
//   Status                its fields, the sender among them
//   ...                   numbers
#pragma once

#include <array>
#include <cstdint>

#include "mpi/handles.hpp"

namespace lagoon::atoll::mpi {

/// Finds a function or object of the MPI library by its name; null: it has none.
using Lookup = void* (*)(const char* name);

/// The types of an interface whose handles are all of one type.
template <class Handle>
struct HandlesOf {
  using Comm = Handle;
  using Datatype = Handle;
  using Errhandler = Handle;
  using Group = Handle;
  using Info = Handle;
  using Message = Handle;
  using Op = Handle;
  using Request = Handle;
  using Win = Handle;
};

/// The bits or the symbols of a kind's predefined handles, the null handle first.
using Bits = std::array<std::uintptr_t, most_constants>;
using Symbols = std::array<const char*, most_constants>;

}  // namespace lagoon::atoll::mpi
