// Telling beforehand that MPI will find too little shared memory: it ends by a signal then.
#pragma once

#include <cstdint>
#include <string>

namespace lagoon::atoll::detail {

/// What there is to say where `free` bytes of /dev/shm are left for so many ranks of a node; empty
/// if they will do. `library`: what MPI says of itself.
std::string lack_of_room_for_mpi(const std::string& library, std::uint64_t free, int ranks);

/// Says so on stderr, the first rank of a node; the others wait for it to be read. Call before
/// MPI_Init.
void tell_lack_of_room_for_mpi() noexcept;

}  // namespace lagoon::atoll::detail
