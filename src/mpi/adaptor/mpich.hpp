// The binary interface of MPICH and all that follow it: libmpi.so.12.
#pragma once

#include "mpi/adaptor/interface.hpp"

namespace lagoon::atoll::mpi {

struct Mpich : HandlesOf<int> {
  struct Status {
    int count_low, count_high_and_cancelled, source, tag, error;
  };

  static constexpr Bits comms{0x04000000, 0x44000000, 0x44000001};
  static constexpr Bits datatypes{0x0c000000, 0x4c00010d, 0x4c000101, 0x4c000405, 0x4c000807,
                                  0x4c000809, 0x4c000137, 0x4c000238, 0x4c000439, 0x4c00083a,
                                  0x4c00013b, 0x4c00023c, 0x4c00043d, 0x4c00083e, 0x4c00040a,
                                  0x4c00080b, 0x4c000840, 0x4c001041, 0x8c000002};
  static constexpr Bits errhandlers{0x14000000, 0x54000000, 0x54000001};
  static constexpr Bits groups{0x08000000};
  static constexpr Bits infos{0x1c000000};
  static constexpr Bits messages{0x2c000000};
  static constexpr Bits ops{0x18000000, 0x58000003, 0x58000004, 0x58000002,
                            0x58000001, 0x58000006, 0x58000008, 0x5800000b};
  static constexpr Bits requests{0x2c000000};
  static constexpr Bits wins{0x20000000};

  static constexpr std::uintptr_t in_place = UINTPTR_MAX, status_ignore = 1;
  static constexpr int any_source = -2, any_tag = -1;
  static constexpr int tag_ub = 0x64400001;
  static constexpr int comm_type_shared = 1;
  static constexpr int mode_nocheck = 1024;
  static constexpr std::array<int, 4> thread_levels{0, 1, 2, 3};
  static constexpr std::array<int, 4> likenesses{0, 1, 2, 3};

  // Fortran's handles are the same numbers.
  static constexpr const char* to_fortran = nullptr;
  static constexpr const char* of_fortran = nullptr;
};

}  // namespace lagoon::atoll::mpi
