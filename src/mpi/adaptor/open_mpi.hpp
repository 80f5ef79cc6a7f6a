// The binary interface of Open MPI 4 and 5: libmpi.so.40. Predefined handles are the addresses of
// objects in the library.
#pragma once

#include "mpi/adaptor/interface.hpp"

namespace lagoon::atoll::mpi {

struct OpenMpi : HandlesOf<void*> {
  struct Status {
    int source, tag, error, cancelled;
    std::size_t count;
  };

  static constexpr Symbols comms{"ompi_mpi_comm_null", "ompi_mpi_comm_world", "ompi_mpi_comm_self"};
  static constexpr Symbols datatypes{"ompi_mpi_datatype_null",
                                     "ompi_mpi_byte",
                                     "ompi_mpi_char",
                                     "ompi_mpi_int",
                                     "ompi_mpi_long",
                                     "ompi_mpi_long_long_int",
                                     "ompi_mpi_int8_t",
                                     "ompi_mpi_int16_t",
                                     "ompi_mpi_int32_t",
                                     "ompi_mpi_int64_t",
                                     "ompi_mpi_uint8_t",
                                     "ompi_mpi_uint16_t",
                                     "ompi_mpi_uint32_t",
                                     "ompi_mpi_uint64_t",
                                     "ompi_mpi_float",
                                     "ompi_mpi_double",
                                     "ompi_mpi_c_float_complex",
                                     "ompi_mpi_c_double_complex",
                                     "ompi_mpi_long_int"};
  static constexpr Symbols errhandlers{"ompi_mpi_errhandler_null", "ompi_mpi_errors_are_fatal",
                                       "ompi_mpi_errors_return"};
  static constexpr Symbols groups{"ompi_mpi_group_null"};
  static constexpr Symbols infos{"ompi_mpi_info_null"};
  static constexpr Symbols messages{"ompi_message_null"};
  static constexpr Symbols ops{"ompi_mpi_op_null", "ompi_mpi_op_sum",   "ompi_mpi_op_prod",
                               "ompi_mpi_op_min",  "ompi_mpi_op_max",   "ompi_mpi_op_band",
                               "ompi_mpi_op_bor",  "ompi_mpi_op_minloc"};
  static constexpr Symbols requests{"ompi_request_null"};
  static constexpr Symbols wins{"ompi_mpi_win_null"};

  static constexpr std::uintptr_t in_place = 1, status_ignore = 0;
  static constexpr int any_source = -1, any_tag = -1;
  static constexpr int tag_ub = 0;
  static constexpr int comm_type_shared = 0;
  static constexpr int mode_nocheck = 1;
  static constexpr std::array<int, 4> thread_levels{0, 1, 2, 3};
  static constexpr std::array<int, 4> likenesses{0, 1, 2, 3};

  static constexpr const char* to_fortran = "MPI_Comm_c2f";
  static constexpr const char* of_fortran = "MPI_Comm_f2c";
};

}  // namespace lagoon::atoll::mpi
