// MPI's objects in a process: communicators, groups, datatypes, operations, requests. Handles of
// the face are their addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "mpi/calls.hpp"
#include "mpi/handles.hpp"
#include "simulation/mpi/network.hpp"

namespace lagoon::atoll::simulation {

struct Communicator {
  std::uint64_t context = 0;
  std::vector<int> members;       // ranks of the run
  int rank = 0;                   // this process's
  std::uint64_t collectives = 0;  // calls so far

  int size() const noexcept { return static_cast<int>(members.size()); }
  int world(int member) const noexcept { return members[static_cast<std::size_t>(member)]; }
};

struct Members {  // a group
  std::vector<int> ranks;
};

struct Layout {  // a derived datatype
  struct Piece {
    std::ptrdiff_t place;
    std::uint64_t bytes;
  };
  std::vector<Piece> pieces;
  std::uint64_t size = 0, extent = 0, basic = 1;
};

struct Operation {
  mpi::Reduce* function;
};

struct Window {
  std::uint64_t context;
  Communicator* communicator;
  std::byte* base;
  std::int64_t unit;
  std::vector<std::vector<Access*>> under_way;  // by target
};

struct Request {
  enum class Of : std::uint8_t { send, receive, collective, access };
  explicit Request(Of what) : of(what) {}

  Of of;
  bool done = false, freed = false;
  int source = mpi::any_source, tag = mpi::any_tag;  // asked for, then what has come
  std::uint64_t context = 0, bytes = 0;
  Message* message = nullptr;
  const void* sent = nullptr;
  void* buffer = nullptr;
  int count = 0;
  mpi::Datatype type{};
  Collective* call = nullptr;
  Communicator* communicator = nullptr;
  std::function<void(Collective&)> finish;
  Access* access = nullptr;
  int to = -1;
};

Communicator& of(mpi::Comm handle);
template <class Object, class Handle>
Object& object(Handle handle) noexcept {
  return *reinterpret_cast<Object*>(handle.bits);
}
template <class Handle, class Object>
Handle handle(Object* object) noexcept {
  return {{reinterpret_cast<std::uintptr_t>(object)}};
}

/// Bytes of an element.
std::uint64_t size_of(mpi::Datatype type) noexcept;
std::uint64_t basic_size_of(mpi::Datatype type) noexcept;
std::uint64_t extent_of(mpi::Datatype type) noexcept;
bool is_dense(mpi::Datatype type) noexcept;
/// Between a buffer and bytes one after the other.
void pack(const void* buffer, int count, mpi::Datatype type, std::byte* bytes) noexcept;
void unpack(const std::byte* bytes, std::uint64_t size, void* buffer, mpi::Datatype type) noexcept;
/// `in_out` becomes `in` with `in_out`.
void reduce(const void* in, void* in_out, int count, mpi::Datatype type, mpi::Op op);

/// Receives that have been posted, in their order, and sends that are under way.
struct Process {
  std::vector<Request*> posted, sends;
  std::vector<Window*> windows;
};
Process& process() noexcept;

// The steps that all functions have in common.

/// A call of MPI: a step, and a look at what has come.
void enter(const char* name) noexcept;
/// Reads what has arrived for this rank.
void progress();
/// When something will arrive that is known now.
Time next_arrival() noexcept;
/// Waits inside MPI until `when()` is not later than now; it says when it will be, as far as known.
template <class When>
void wait_inside(const char* doing, When&& when) {
  for (;;) {
    progress();
    const Time time = when();
    if (time <= now()) return;
    wait(key_of_rank(my_rank()), std::min(time, next_arrival()), doing);
  }
}
/// When the request is done, as far as known.
Time time_of(const Request& request) noexcept;
/// Gives the results, and frees it. REQUIRES: it is done.
void complete(Request* request, mpi::Status* status);
std::string in_words(const Request& request);

/// This rank comes to a collective call. `compared` must be alike on all, and `root`.
Request* come_to_call(Communicator& communicator, const char* what, std::uint64_t root,
                      std::uint64_t compared, const void* data, std::uint64_t bytes,
                      std::function<void(Collective&)> finish);

}  // namespace lagoon::atoll::simulation
