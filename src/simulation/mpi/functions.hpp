// The functions of the table, and what their files need of each other.
#pragma once

#include "mpi/calls.hpp"
#include "simulation/mpi/objects.hpp"

namespace lagoon::atoll::simulation {

/// What a status of the face holds.
struct StatusWords {
  int source, tag;
  std::uint64_t bytes;
};
static_assert(sizeof(StatusWords) <= sizeof(mpi::Status));

void tell_status(mpi::Status* status, const Request& request) noexcept;
Time time_of_send(const Request& request) noexcept;
void complete_send(Request* request);
/// Whether the memory of sends under way is as it was: it is MPI's.
void check_sends();
Time time_of_call(const Request& request) noexcept;
void complete_call(Request* request);
/// Does what others have asked of this rank's windows.
void serve_windows();
Time next_access() noexcept;

void fill_communicators(mpi::Calls& into);
void fill_collectives(mpi::Calls& into);
void fill_windows(mpi::Calls& into);

namespace face {

using mpi::Comm, mpi::Datatype, mpi::Source, mpi::Status, mpi::Tag;

int isend(const void*, int, Datatype, int, int, Comm, mpi::Request*);
int issend(const void*, int, Datatype, int, int, Comm, mpi::Request*);
int irecv(void*, int, Datatype, Source, int, Comm, mpi::Request*);
int recv(void*, int, Datatype, Source, int, Comm, Status*);
int sendrecv(const void*, int, Datatype, int, int, void*, int, Datatype, Source, int, Comm,
             Status*);
int iprobe(Source, int, Comm, int*, Status*);
int improbe(Source, Tag, Comm, int*, mpi::Message*, Status*);
int imrecv(void*, int, Datatype, mpi::Message*, mpi::Request*);
int source_of(const Status*);
int get_count(const Status*, Datatype, int*);
int get_elements_x(const Status*, Datatype, std::int64_t*);

}  // namespace face

}  // namespace lagoon::atoll::simulation
