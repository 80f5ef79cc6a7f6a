// What the adaptors know of an MPI's binary interface, against the mpi.h that is read here. Needs
// nothing of Atoll's but headers, so that it is compiled with the mpi.h of other MPIs, too.
#pragma once

#include <dlfcn.h>
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "mpi/adaptor/mpich.hpp"
#include "mpi/adaptor/open_mpi.hpp"
#include "mpi/adaptor/standard.hpp"
#include "mpi/native.hpp"

namespace lagoon::atoll::mpi {

#if defined(OMPI_MAJOR_VERSION)
using Here = OpenMpi;
#elif defined(MPICH_NAME) || defined(I_MPI_VERSION)
using Here = Mpich;
#else
using Here = Standard;
#endif

template <class Theirs, class Ours>
constexpr bool alike =
    sizeof(Theirs) == sizeof(Ours) && std::is_pointer_v<Theirs> == std::is_pointer_v<Ours>;
static_assert(alike<MPI_Comm, Here::Comm> && alike<MPI_Datatype, Here::Datatype> &&
              alike<MPI_Errhandler, Here::Errhandler> && alike<MPI_Group, Here::Group> &&
              alike<MPI_Info, Here::Info> && alike<MPI_Message, Here::Message> &&
              alike<MPI_Op, Here::Op> && alike<MPI_Request, Here::Request> &&
              alike<MPI_Win, Here::Win>);

static_assert(sizeof(MPI_Status) == sizeof(Here::Status) &&
              sizeof(MPI_Status) <= sizeof(Status::room) && alignof(MPI_Status) <= 8 &&
              offsetof(MPI_Status, MPI_SOURCE) == offsetof(Here::Status, source));
static_assert(sizeof(MPI_Aint) == sizeof(std::ptrdiff_t) &&
              sizeof(MPI_Count) == sizeof(std::int64_t));

static_assert(MPI_SUCCESS == success && MPI_UNDEFINED == undefined &&
              MPI_ANY_SOURCE == Here::any_source && MPI_ANY_TAG == Here::any_tag &&
              MPI_TAG_UB == Here::tag_ub && MPI_COMM_TYPE_SHARED == Here::comm_type_shared &&
              MPI_MODE_NOCHECK == Here::mode_nocheck);
static_assert(MPI_MAX_ERROR_STRING <= max_error_string &&
              MPI_MAX_LIBRARY_VERSION_STRING <= max_library_version_string &&
              MPI_MAX_PROCESSOR_NAME <= max_processor_name);
static_assert(MPI_THREAD_SINGLE == Here::thread_levels[0] &&
              MPI_THREAD_FUNNELED == Here::thread_levels[1] &&
              MPI_THREAD_SERIALIZED == Here::thread_levels[2] &&
              MPI_THREAD_MULTIPLE == Here::thread_levels[3]);
static_assert(MPI_IDENT == Here::likenesses[0] && MPI_CONGRUENT == Here::likenesses[1] &&
              MPI_SIMILAR == Here::likenesses[2] && MPI_UNEQUAL == Here::likenesses[3]);

inline std::uintptr_t constant(std::uintptr_t bits) { return bits; }
inline std::uintptr_t constant(const char* symbol) {
  return reinterpret_cast<std::uintptr_t>(dlsym(RTLD_DEFAULT, symbol));
}

/// The predefined handles and addresses that the adaptor has otherwise, by their names here.
inline std::string differences() {
  std::string found;
  const auto compare = [&](const char* name, auto theirs, auto ours) {
    if (bits_of_native(theirs) != constant(ours)) found += std::string(name) + ' ';
  };
#define COMPARE(theirs, all, ours) compare(#theirs, theirs, Here::all[ours.bits])
  COMPARE(MPI_COMM_NULL, comms, comm_null);
  COMPARE(MPI_COMM_WORLD, comms, comm_world);
  COMPARE(MPI_COMM_SELF, comms, comm_self);
  COMPARE(MPI_DATATYPE_NULL, datatypes, type_null);
  COMPARE(MPI_BYTE, datatypes, type_byte);
  COMPARE(MPI_CHAR, datatypes, type_char);
  COMPARE(MPI_INT, datatypes, type_int);
  COMPARE(MPI_LONG, datatypes, type_long);
  COMPARE(MPI_LONG_LONG, datatypes, type_long_long);
  COMPARE(MPI_INT8_T, datatypes, type_int8);
  COMPARE(MPI_INT16_T, datatypes, type_int16);
  COMPARE(MPI_INT32_T, datatypes, type_int32);
  COMPARE(MPI_INT64_T, datatypes, type_int64);
  COMPARE(MPI_UINT8_T, datatypes, type_uint8);
  COMPARE(MPI_UINT16_T, datatypes, type_uint16);
  COMPARE(MPI_UINT32_T, datatypes, type_uint32);
  COMPARE(MPI_UINT64_T, datatypes, type_uint64);
  COMPARE(MPI_FLOAT, datatypes, type_float);
  COMPARE(MPI_DOUBLE, datatypes, type_double);
  COMPARE(MPI_C_FLOAT_COMPLEX, datatypes, type_complex_float);
  COMPARE(MPI_C_DOUBLE_COMPLEX, datatypes, type_complex_double);
  COMPARE(MPI_LONG_INT, datatypes, type_long_int);
  COMPARE(MPI_ERRHANDLER_NULL, errhandlers, Errhandler{});
  COMPARE(MPI_ERRORS_ARE_FATAL, errhandlers, errors_are_fatal);
  COMPARE(MPI_ERRORS_RETURN, errhandlers, errors_return);
  COMPARE(MPI_GROUP_NULL, groups, group_null);
  COMPARE(MPI_MESSAGE_NULL, messages, message_null);
  COMPARE(MPI_REQUEST_NULL, requests, request_null);
  COMPARE(MPI_WIN_NULL, wins, win_null);
  COMPARE(MPI_OP_NULL, ops, op_null);
  COMPARE(MPI_SUM, ops, op_sum);
  COMPARE(MPI_PROD, ops, op_prod);
  COMPARE(MPI_MIN, ops, op_min);
  COMPARE(MPI_MAX, ops, op_max);
  COMPARE(MPI_BAND, ops, op_band);
  COMPARE(MPI_BOR, ops, op_bor);
  COMPARE(MPI_MINLOC, ops, op_minloc);
#undef COMPARE
  compare("MPI_INFO_NULL", MPI_INFO_NULL, Here::infos[0]);
  compare("MPI_IN_PLACE", MPI_IN_PLACE, Here::in_place);
  compare("MPI_STATUS_IGNORE", MPI_STATUS_IGNORE, Here::status_ignore);
  compare("MPI_STATUSES_IGNORE", MPI_STATUSES_IGNORE, Here::status_ignore);
  return found;
}

}  // namespace lagoon::atoll::mpi
