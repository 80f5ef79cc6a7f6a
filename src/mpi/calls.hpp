// The table of MPI's functions: filled once for the MPI of the process, by the first call at the
// latest (library.hpp), which comes before there are threads that call: a World's start makes it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mpi/handles.hpp"

namespace lagoon::atoll::mpi {

// Arguments that each MPI has numbers of its own for.
struct Source {
  int rank;
};
inline constexpr int any_tag = -1;
struct Tag {
  int number;
};
struct NoInfo {};
struct OnSharedMemory {};
struct WithoutCheck {};

struct Calls {
  // The run.
  int (*init_thread)(int*, char***, ThreadLevel, ThreadLevel*);
  int (*initialized)(int*);
  int (*finalized)(int*);
  int (*finalize)();
  int (*query_thread)(ThreadLevel*);
  int (*is_thread_main)(int*);
  int (*get_library_version)(char*, int*);
  int (*get_processor_name)(char*, int*);
  int (*abort)(Comm, int);
  double (*wtime)();
  int (*error_string)(int, char*, int*);
  int (*call_before_finalize)(void (*)());

  // Communicators and groups.
  int (*comm_size)(Comm, int*);
  int (*comm_rank)(Comm, int*);
  int (*comm_dup)(Comm, Comm*);
  int (*comm_split)(Comm, int, int, Comm*);
  int (*comm_split_type)(Comm, OnSharedMemory, int, NoInfo, Comm*);
  int (*comm_create_group)(Comm, Group, int, Comm*);
  int (*comm_group)(Comm, Group*);
  int (*comm_free)(Comm*);
  int (*comm_compare)(Comm, Comm, Likeness*);
  int (*comm_largest_tag)(Comm, int*);
  int (*comm_set_errhandler)(Comm, Errhandler);
  int (*comm_c2f)(Comm);
  Comm (*comm_f2c)(int);
  int (*group_incl)(Group, int, const int*, Group*);
  int (*group_translate_ranks)(Group, int, const int*, Group, int*);
  int (*group_free)(Group*);

  // Messages.
  int (*isend)(const void*, int, Datatype, int, int, Comm, Request*);
  int (*issend)(const void*, int, Datatype, int, int, Comm, Request*);
  int (*irecv)(void*, int, Datatype, Source, int, Comm, Request*);
  int (*recv)(void*, int, Datatype, Source, int, Comm, Status*);
  int (*sendrecv)(const void*, int, Datatype, int, int, void*, int, Datatype, Source, int, Comm,
                  Status*);
  int (*iprobe)(Source, int, Comm, int*, Status*);
  int (*improbe)(Source, Tag, Comm, int*, Message*, Status*);
  int (*imrecv)(void*, int, Datatype, Message*, Request*);
  int (*test)(Request*, int*, Status*);
  int (*testsome)(int, Request*, int*, int*);
  int (*wait)(Request*, Status*);
  int (*cancel)(Request*);
  int (*request_free)(Request*);
  int (*source_of)(const Status*);
  int (*get_count)(const Status*, Datatype, int*);
  int (*get_elements_x)(const Status*, Datatype, std::int64_t*);

  // Collectives.
  int (*barrier)(Comm);
  int (*bcast)(void*, int, Datatype, int, Comm);
  int (*allreduce)(const void*, void*, int, Datatype, Op, Comm);
  int (*allgather)(const void*, int, Datatype, void*, int, Datatype, Comm);
  int (*alltoall)(const void*, int, Datatype, void*, int, Datatype, Comm);
  int (*alltoallv)(const void*, const int*, const int*, Datatype, void*, const int*, const int*,
                   Datatype, Comm);
  int (*ibcast)(void*, int, Datatype, int, Comm, Request*);
  int (*iallreduce)(const void*, void*, int, Datatype, Op, Comm, Request*);
  int (*iallgather)(const void*, int, Datatype, void*, int, Datatype, Comm, Request*);
  int (*iallgatherv)(const void*, int, Datatype, void*, const int*, const int*, Datatype, Comm,
                     Request*);
  int (*reduce_local)(const void*, void*, int, Datatype, Op);
  int (*op_create)(Reduce*, int, Op*);
  int (*op_free)(Op*);

  // Datatypes.
  int (*type_contiguous)(int, Datatype, Datatype*);
  int (*type_create_struct)(int, const int*, const std::ptrdiff_t*, const Datatype*, Datatype*);
  int (*type_commit)(Datatype*);
  int (*type_size)(Datatype, int*);
  int (*type_free)(Datatype*);

  // Windows.
  int (*win_create)(void*, std::ptrdiff_t, int, NoInfo, Comm, Win*);
  int (*win_free)(Win*);
  int (*win_set_errhandler)(Win, Errhandler);
  int (*win_lock_all)(WithoutCheck, Win);
  int (*win_unlock_all)(Win);
  int (*win_flush)(int, Win);
  int (*rget)(void*, int, Datatype, int, std::ptrdiff_t, int, Datatype, Win, Request*);
  int (*rput)(const void*, int, Datatype, int, std::ptrdiff_t, int, Datatype, Win, Request*);

  // Handles of the MPI itself, by their bits.
  Comm (*comm_of_native)(std::uintptr_t);
  std::uintptr_t (*native_of_comm)(Comm);
  std::uintptr_t (*native_of_datatype)(Datatype);
};

extern Calls calls;

}  // namespace lagoon::atoll::mpi
