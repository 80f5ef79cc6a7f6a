// The one face of MPI: what Atoll calls, by MPI's names and with MPI's meanings, for whichever MPI
// is in the process. Everything but what this folder adapts calls MPI through here; statuses are
// MPI's error codes, of which 0 is success in every MPI.
//
// Where a function of MPI takes what Atoll always says alike, that is left out: no hints, windows
// locked without a check, a communicator split by shared memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mpi/calls.hpp"
#include "mpi/handles.hpp"

namespace lagoon::atoll::mpi {

inline int init_thread(int* argc, char*** argv, ThreadLevel required, ThreadLevel* provided) {
  return calls.init_thread(argc, argv, required, provided);
}
inline int initialized(int* flag) { return calls.initialized(flag); }
inline int finalized(int* flag) { return calls.finalized(flag); }
inline int finalize() { return calls.finalize(); }
inline int query_thread(ThreadLevel* level) { return calls.query_thread(level); }
inline int is_thread_main(int* flag) { return calls.is_thread_main(flag); }
/// Room for max_library_version_string characters; MPI need not run.
inline int get_library_version(char* text, int* length) {
  return calls.get_library_version(text, length);
}
inline int get_processor_name(char* name, int* length) {
  return calls.get_processor_name(name, length);
}
inline int abort(Comm comm, int code) { return calls.abort(comm, code); }
inline double wtime() { return calls.wtime(); }
/// Room for max_error_string characters.
inline int error_string(int code, char* text, int* length) {
  return calls.error_string(code, text, length);
}
/// Lets `function` be called when finalize begins, as an attribute of comm_self is let go.
inline int call_before_finalize(void (*function)()) { return calls.call_before_finalize(function); }

inline int comm_size(Comm comm, int* size) { return calls.comm_size(comm, size); }
inline int comm_rank(Comm comm, int* rank) { return calls.comm_rank(comm, rank); }
inline int comm_dup(Comm comm, Comm* made) { return calls.comm_dup(comm, made); }
inline int comm_split(Comm comm, int colour, int key, Comm* made) {
  return calls.comm_split(comm, colour, key, made);
}
/// By who shares memory.
inline int comm_split_shared(Comm comm, int key, Comm* made) {
  return calls.comm_split_type(comm, {}, key, {}, made);
}
inline int comm_create_group(Comm comm, Group group, int tag, Comm* made) {
  return calls.comm_create_group(comm, group, tag, made);
}
inline int comm_group(Comm comm, Group* group) { return calls.comm_group(comm, group); }
inline int comm_free(Comm* comm) { return calls.comm_free(comm); }
inline int comm_compare(Comm one, Comm other, Likeness* likeness) {
  return calls.comm_compare(one, other, likeness);
}
/// The attribute MPI_TAG_UB; what every MPI allows where it is not set.
inline int comm_largest_tag(Comm comm, int* tag) { return calls.comm_largest_tag(comm, tag); }
inline int comm_set_errhandler(Comm comm, Errhandler handler) {
  return calls.comm_set_errhandler(comm, handler);
}
inline int comm_c2f(Comm comm) { return calls.comm_c2f(comm); }
inline Comm comm_f2c(int fortran) { return calls.comm_f2c(fortran); }
inline int group_incl(Group group, int count, const int* ranks, Group* made) {
  return calls.group_incl(group, count, ranks, made);
}
inline int group_translate_ranks(Group group, int count, const int* ranks, Group other,
                                 int* there) {
  return calls.group_translate_ranks(group, count, ranks, other, there);
}
inline int group_free(Group* group) { return calls.group_free(group); }

inline int isend(const void* data, int count, Datatype type, int to, int tag, Comm comm,
                 Request* request) {
  return calls.isend(data, count, type, to, tag, comm, request);
}
inline int issend(const void* data, int count, Datatype type, int to, int tag, Comm comm,
                  Request* request) {
  return calls.issend(data, count, type, to, tag, comm, request);
}
inline int irecv(void* data, int count, Datatype type, int from, int tag, Comm comm,
                 Request* request) {
  return calls.irecv(data, count, type, {from}, tag, comm, request);
}
inline int recv(void* data, int count, Datatype type, int from, int tag, Comm comm,
                Status* status) {
  return calls.recv(data, count, type, {from}, tag, comm, status);
}
inline int sendrecv(const void* sent, int sent_count, Datatype sent_type, int to, int sent_tag,
                    void* received, int received_count, Datatype received_type, int from,
                    int received_tag, Comm comm, Status* status) {
  return calls.sendrecv(sent, sent_count, sent_type, to, sent_tag, received, received_count,
                        received_type, {from}, received_tag, comm, status);
}
inline int iprobe(int from, int tag, Comm comm, int* found, Status* status) {
  return calls.iprobe({from}, tag, comm, found, status);
}
/// Of any_tag, too.
inline int improbe(int from, int tag, Comm comm, int* found, Message* message, Status* status) {
  return calls.improbe({from}, {tag}, comm, found, message, status);
}
inline int imrecv(void* data, int count, Datatype type, Message* message, Request* request) {
  return calls.imrecv(data, count, type, message, request);
}
inline int test(Request* request, int* done, Status* status) {
  return calls.test(request, done, status);
}
/// Without statuses.
inline int testsome(int count, Request* requests, int* done, int* indices) {
  return calls.testsome(count, requests, done, indices);
}
inline int wait(Request* request, Status* status) { return calls.wait(request, status); }
inline int cancel(Request* request) { return calls.cancel(request); }
inline int request_free(Request* request) { return calls.request_free(request); }
inline int Status::source() const noexcept { return calls.source_of(this); }
inline int get_count(const Status* status, Datatype type, int* count) {
  return calls.get_count(status, type, count);
}
inline int get_elements_x(const Status* status, Datatype type, std::int64_t* count) {
  return calls.get_elements_x(status, type, count);
}

inline int barrier(Comm comm) { return calls.barrier(comm); }
inline int bcast(void* data, int count, Datatype type, int root, Comm comm) {
  return calls.bcast(data, count, type, root, comm);
}
inline int allreduce(const void* mine, void* result, int count, Datatype type, Op op, Comm comm) {
  return calls.allreduce(mine, result, count, type, op, comm);
}
inline int allgather(const void* mine, int count, Datatype type, void* all, int count_each,
                     Datatype type_each, Comm comm) {
  return calls.allgather(mine, count, type, all, count_each, type_each, comm);
}
inline int alltoall(const void* mine, int count, Datatype type, void* all, int count_each,
                    Datatype type_each, Comm comm) {
  return calls.alltoall(mine, count, type, all, count_each, type_each, comm);
}
inline int alltoallv(const void* mine, const int* counts, const int* places, Datatype type,
                     void* all, const int* counts_of_all, const int* places_of_all,
                     Datatype type_of_all, Comm comm) {
  return calls.alltoallv(mine, counts, places, type, all, counts_of_all, places_of_all, type_of_all,
                         comm);
}
inline int ibcast(void* data, int count, Datatype type, int root, Comm comm, Request* request) {
  return calls.ibcast(data, count, type, root, comm, request);
}
inline int iallreduce(const void* mine, void* result, int count, Datatype type, Op op, Comm comm,
                      Request* request) {
  return calls.iallreduce(mine, result, count, type, op, comm, request);
}
inline int iallgather(const void* mine, int count, Datatype type, void* all, int count_each,
                      Datatype type_each, Comm comm, Request* request) {
  return calls.iallgather(mine, count, type, all, count_each, type_each, comm, request);
}
inline int iallgatherv(const void* mine, int count, Datatype type, void* all, const int* counts,
                       const int* places, Datatype type_each, Comm comm, Request* request) {
  return calls.iallgatherv(mine, count, type, all, counts, places, type_each, comm, request);
}
inline int reduce_local(const void* in, void* in_out, int count, Datatype type, Op op) {
  return calls.reduce_local(in, in_out, count, type, op);
}
/// `function` is one of few in the program's life: operations of one function may be made again and
/// again, and at the same time.
inline int op_create(Reduce* function, int commutes, Op* made) {
  return calls.op_create(function, commutes, made);
}
inline int op_free(Op* op) { return calls.op_free(op); }

inline int type_contiguous(int count, Datatype of, Datatype* made) {
  return calls.type_contiguous(count, of, made);
}
inline int type_create_struct(int count, const int* lengths, const std::ptrdiff_t* places,
                              const Datatype* types, Datatype* made) {
  return calls.type_create_struct(count, lengths, places, types, made);
}
inline int type_commit(Datatype* type) { return calls.type_commit(type); }
inline int type_size(Datatype type, int* bytes) { return calls.type_size(type, bytes); }
inline int type_free(Datatype* type) { return calls.type_free(type); }

inline int win_create(void* base, std::ptrdiff_t bytes, int unit, Comm comm, Win* made) {
  return calls.win_create(base, bytes, unit, {}, comm, made);
}
inline int win_free(Win* win) { return calls.win_free(win); }
inline int win_set_errhandler(Win win, Errhandler handler) {
  return calls.win_set_errhandler(win, handler);
}
/// Nobody locks otherwise.
inline int win_lock_all(Win win) { return calls.win_lock_all({}, win); }
inline int win_unlock_all(Win win) { return calls.win_unlock_all(win); }
inline int win_flush(int rank, Win win) { return calls.win_flush(rank, win); }
inline int rget(void* data, int count, Datatype type, int rank, std::ptrdiff_t place,
                int count_there, Datatype type_there, Win win, Request* request) {
  return calls.rget(data, count, type, rank, place, count_there, type_there, win, request);
}
inline int rput(const void* data, int count, Datatype type, int rank, std::ptrdiff_t place,
                int count_there, Datatype type_there, Win win, Request* request) {
  return calls.rput(data, count, type, rank, place, count_there, type_there, win, request);
}

}  // namespace lagoon::atoll::mpi
