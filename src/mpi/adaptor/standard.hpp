// The standard binary interface, of MPI 5.0: libmpi_abi.so.1.
#pragma once

#include "mpi/adaptor/interface.hpp"

namespace lagoon::atoll::mpi {

struct Standard : HandlesOf<void*> {
  struct Status {
    int source, tag, error, internal[5];
  };

  static constexpr Bits comms{0x100, 0x101, 0x102};
  static constexpr Bits datatypes{0x200, 0x247, 0x243, 0x209, 0x20a, 0x20b, 0x240,
                                  0x248, 0x250, 0x258, 0x241, 0x249, 0x251, 0x259,
                                  0x210, 0x214, 0x212, 0x216, 0x22a};
  static constexpr Bits errhandlers{0x140, 0x141, 0x143};
  static constexpr Bits groups{0x108};
  static constexpr Bits infos{0x130};
  static constexpr Bits messages{0x128};
  static constexpr Bits ops{0x20, 0x21, 0x24, 0x22, 0x23, 0x28, 0x29, 0x38};
  static constexpr Bits requests{0x180};
  static constexpr Bits wins{0x110};

  static constexpr std::uintptr_t in_place = 1, status_ignore = 0;
  static constexpr int any_source = -1, any_tag = -2;
  static constexpr int tag_ub = 501;
  static constexpr int comm_type_shared = 221;
  static constexpr int mode_nocheck = 1024;
  static constexpr std::array<int, 4> thread_levels{0, 1024, 2048, 4096};
  static constexpr std::array<int, 4> likenesses{201, 202, 203, 204};

  static constexpr const char* to_fortran = "MPI_Comm_toint";
  static constexpr const char* of_fortran = "MPI_Comm_fromint";
};

}  // namespace lagoon::atoll::mpi
