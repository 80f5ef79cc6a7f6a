// Collective calls: each rank leaves what it gives in the segment, and takes the others' when all
// that it needs are there. Ranks that do not agree are told.
#include <cstring>
#include <numeric>
#include <vector>

#include "simulation/mpi/functions.hpp"
#include "simulation/mpi/requests.hpp"
#include "simulation/trace.hpp"

namespace lagoon::atoll::simulation {

namespace {

using mpi::Comm, mpi::Datatype, mpi::Op;

constexpr std::uint64_t no_root = ~std::uint64_t{0};

std::uint64_t bytes_of(int count, Datatype type) noexcept {
  return static_cast<std::uint64_t>(count) * size_of(type);
}

std::vector<std::byte> packed(const void* data, int count, Datatype type) {
  std::vector<std::byte> bytes(bytes_of(count, type));
  pack(data, count, type, bytes.data());
  return bytes;
}

bool is_in_place(const void* data) noexcept { return data == mpi::in_place(); }

std::byte* at(void* data, std::int64_t elements, Datatype type) noexcept {
  return static_cast<std::byte*>(data) + elements * static_cast<std::int64_t>(extent_of(type));
}
const std::byte* at(const void* data, std::int64_t elements, Datatype type) noexcept {
  return static_cast<const std::byte*>(data) +
         elements * static_cast<std::int64_t>(extent_of(type));
}

int run(Request* request) {
  const std::string doing = in_words(*request);
  wait_inside(doing.c_str(), [&] { return time_of(*request); });
  complete(request, mpi::status_ignore);
  return mpi::success;
}

// Each begins a call.

Request* barrier(Communicator& c) {
  return come_to_call(c, "MPI_Barrier", no_root, 0, nullptr, 0, [](Collective&) {});
}

Request* bcast(Communicator& c, void* data, int count, Datatype type, int root) {
  const bool mine = root == c.rank;
  const std::vector<std::byte> bytes = mine ? packed(data, count, type) : std::vector<std::byte>();
  return come_to_call(c, "MPI_Bcast", static_cast<std::uint64_t>(root), bytes_of(count, type),
                      bytes.data(), bytes.size(), [=](Collective& call) {
                        const Part& part = call.parts[static_cast<std::size_t>(root)];
                        if (!mine) unpack(part.data, part.bytes, data, type);
                      });
}

Request* allreduce(Communicator& c, const void* mine, void* result, int count, Datatype type,
                   Op op) {
  const std::vector<std::byte> bytes = packed(is_in_place(mine) ? result : mine, count, type);
  const std::uint64_t compared = bytes.size() * 64 + (op.bits < mpi::most_constants ? op.bits : 0);
  return come_to_call(
      c, "MPI_Allreduce", no_root, compared, bytes.data(), bytes.size(), [=](Collective& call) {
        // In the order of the ranks: to the last bit the same on all.
        std::vector<std::byte> sum(call.parts.back().data,
                                   call.parts.back().data + call.parts.back().bytes);
        for (std::size_t i = call.parts.size() - 1; i-- > 0;) {
          const Part& part = call.parts[i];
          const std::vector<std::byte> in(part.data, part.data + part.bytes);
          reduce(in.data(), sum.data(), count, type, op);
        }
        unpack(sum.data(), sum.size(), result, type);
      });
}

Request* allgather(Communicator& c, const void* mine, int count, Datatype type, void* all,
                   int count_each, Datatype type_each) {
  const bool there = is_in_place(mine);
  const std::vector<std::byte> bytes =
      there ? packed(at(all, std::int64_t{c.rank} * count_each, type_each), count_each, type_each)
            : packed(mine, count, type);
  return come_to_call(c, "MPI_Allgather", no_root, bytes_of(count_each, type_each), bytes.data(),
                      bytes.size(), [=](Collective& call) {
                        for (std::size_t i = 0; i < call.parts.size(); ++i)
                          unpack(call.parts[i].data, call.parts[i].bytes,
                                 at(all, static_cast<std::int64_t>(i) * count_each, type_each),
                                 type_each);
                      });
}

Request* allgatherv(Communicator& c, const void* mine, int count, Datatype type, void* all,
                    const int* counts, const int* places, Datatype type_each) {
  const auto size = static_cast<std::size_t>(c.size());
  const std::vector<int> many(counts, counts + size), where(places, places + size);
  const auto me = static_cast<std::size_t>(c.rank);
  const std::vector<std::byte> bytes =
      is_in_place(mine) ? packed(at(all, where[me], type_each), many[me], type_each)
                        : packed(mine, count, type);
  const auto sum = std::accumulate(many.begin(), many.end(), std::uint64_t{0});
  return come_to_call(c, "MPI_Allgatherv", no_root, sum, bytes.data(), bytes.size(),
                      [=](Collective& call) {
                        for (std::size_t i = 0; i < size; ++i) {
                          const Part& part = call.parts[i];
                          if (part.bytes != bytes_of(many[i], type_each))
                            misuse("MPI_Allgatherv: member %zu gives %llu bytes, not %llu", i,
                                   static_cast<unsigned long long>(part.bytes),
                                   static_cast<unsigned long long>(bytes_of(many[i], type_each)));
                          unpack(part.data, part.bytes, at(all, where[i], type_each), type_each);
                        }
                      });
}

/// Each part: as many bytes for each member, by their lengths, then the bytes.
Request* alltoallv(Communicator& c, const char* what, std::uint64_t compared, const void* mine,
                   const int* counts, const int* places, Datatype type, void* all,
                   const int* counts_of_all, const int* places_of_all, Datatype type_of_all) {
  const auto size = static_cast<std::size_t>(c.size());
  const std::vector<int> many(counts_of_all, counts_of_all + size),
      where(places_of_all, places_of_all + size);
  std::vector<std::uint64_t> lengths(size);
  std::vector<std::byte> bytes(size * sizeof(std::uint64_t));
  for (std::size_t i = 0; i < size; ++i) {
    const std::vector<std::byte> one =
        is_in_place(mine) ? packed(at(all, where[i], type_of_all), many[i], type_of_all)
                          : packed(at(mine, places[i], type), counts[i], type);
    lengths[i] = one.size();
    bytes.insert(bytes.end(), one.begin(), one.end());
  }
  std::memcpy(bytes.data(), lengths.data(), size * sizeof(std::uint64_t));
  const auto me = static_cast<std::size_t>(c.rank);
  return come_to_call(
      c, what, no_root, compared, bytes.data(), bytes.size(), [=](Collective& call) {
        std::vector<std::uint64_t> theirs(size);
        for (std::size_t i = 0; i < size; ++i) {
          const Part& part = call.parts[i];
          std::memcpy(theirs.data(), part.data, size * sizeof(std::uint64_t));
          const std::uint64_t begin =
              std::accumulate(theirs.begin(), theirs.begin() + static_cast<std::ptrdiff_t>(me),
                              size * sizeof(std::uint64_t));
          if (theirs[me] != bytes_of(many[i], type_of_all))
            misuse("%s: member %zu sends %llu bytes where %llu are expected", what, i,
                   static_cast<unsigned long long>(theirs[me]),
                   static_cast<unsigned long long>(bytes_of(many[i], type_of_all)));
          unpack(part.data + begin, theirs[me], at(all, where[i], type_of_all), type_of_all);
        }
      });
}

void free_call(Collective* call) {
  for (const Part& part : call->parts) Shared<std::byte>().deallocate(part.data, part.bytes);
  free_shared_object(call);
}

void disagree(const Collective& call, const char* what, std::uint64_t root,
              std::uint64_t compared) {
  const auto number = [](std::uint64_t x) { return static_cast<long long>(x); };
  misuse("ranks disagree: %s with root %lld and %lld, others %s with root %lld and %lld", what,
         number(root), number(compared), call.what, number(call.root), number(call.compared));
}

/// The names are the library's own, at one place in the file but not in memory.
std::uint64_t code_of(const char* name) noexcept {
  std::uint64_t code = 0;
  for (; *name != 0; ++name) code = mixed(code + static_cast<unsigned char>(*name));
  return code;
}

/// What stays where all processes read it.
const char* shared_name(const char* name) {
  return reinterpret_cast<const char*>(keep(name, std::strlen(name) + 1));
}

}  // namespace

Request* come_to_call(Communicator& c, const char* what, std::uint64_t root, std::uint64_t compared,
                      const void* data, std::uint64_t bytes,
                      std::function<void(Collective&)> finish) {
  Collective*& call = network().collectives[{c.context, c.collectives++}];
  if (call == nullptr) {
    call = make_shared_object<Collective>();
    call->what = shared_name(what);
    call->code = code_of(what);
    call->root = root;
    call->compared = compared;
    call->parts.resize(c.members.size());
  }
  if (call->code != code_of(what) || call->root != root || call->compared != compared)
    disagree(*call, what, root, compared);
  Part& part = call->parts[static_cast<std::size_t>(c.rank)];
  part = {true, bytes, keep(data, bytes), now() + latency()};
  call->last = now() + latency();
  moved();
  if (++call->here == c.size()) {
    call->contexts = network().next_context;
    network().next_context += static_cast<std::uint64_t>(c.size());
  }
  const bool all = call->here == c.size(), is_root = root == static_cast<std::uint64_t>(c.rank);
  if (all || is_root)
    for (const int member : c.members) wake_at(key_of_rank(member), now());
  trace_line("comes to %s\t%llu", what, static_cast<unsigned long long>(c.context));
  auto* const request = new Request(Request::Of::collective);
  request->call = call;
  request->communicator = &c;
  request->context = c.collectives - 1;
  request->finish = std::move(finish);
  return request;
}

Time time_of_call(const Request& request) noexcept {
  const Collective& call = *request.call;
  const Part& mine = call.parts[static_cast<std::size_t>(request.communicator->rank)];
  if (call.root == static_cast<std::uint64_t>(request.communicator->rank)) return now();
  if (call.root != no_root) {
    const Part& part = call.parts[call.root];
    return part.here ? std::max(part.ready, mine.ready) : never;
  }
  return call.here == static_cast<int>(call.parts.size()) ? std::max(call.last, mine.ready) : never;
}

void complete_call(Request* request) {
  Collective& call = *request->call;
  request->finish(call);
  trace(Kind::met, request->context);
  moved();
  if (++call.over < static_cast<int>(call.parts.size())) return;
  network().collectives.erase({request->communicator->context, request->context});
  Shared<char>().deallocate(const_cast<char*>(call.what), std::strlen(call.what) + 1);
  free_call(&call);
}

void fill_collectives(mpi::Calls& into) {
  into.barrier = [](Comm comm) {
    enter("MPI_Barrier");
    return run(barrier(of(comm)));
  };
  into.bcast = [](void* data, int count, Datatype type, int root, Comm comm) {
    enter("MPI_Bcast");
    return run(bcast(of(comm), data, count, type, root));
  };
  into.allreduce = [](const void* mine, void* result, int count, Datatype type, Op op, Comm comm) {
    enter("MPI_Allreduce");
    return run(allreduce(of(comm), mine, result, count, type, op));
  };
  into.allgather = [](const void* mine, int count, Datatype type, void* all, int count_each,
                      Datatype type_each, Comm comm) {
    enter("MPI_Allgather");
    return run(allgather(of(comm), mine, count, type, all, count_each, type_each));
  };
  into.alltoall = [](const void* mine, int count, Datatype type, void* all, int count_each,
                     Datatype type_each, Comm comm) {
    enter("MPI_Alltoall");
    const auto size = static_cast<std::size_t>(of(comm).size());
    std::vector<int> counts(size, count), places(size), each(size, count_each), where(size);
    for (std::size_t i = 0; i < size; ++i) {
      places[i] = static_cast<int>(i) * count;
      where[i] = static_cast<int>(i) * count_each;
    }
    return run(alltoallv(of(comm), "MPI_Alltoall", bytes_of(count_each, type_each), mine,
                         counts.data(), places.data(), type, all, each.data(), where.data(),
                         type_each));
  };
  into.alltoallv = [](const void* mine, const int* counts, const int* places, Datatype type,
                      void* all, const int* counts_of_all, const int* places_of_all,
                      Datatype type_of_all, Comm comm) {
    enter("MPI_Alltoallv");
    return run(alltoallv(of(comm), "MPI_Alltoallv", 0, mine, counts, places, type, all,
                         counts_of_all, places_of_all, type_of_all));
  };
  into.ibcast = [](void* data, int count, Datatype type, int root, Comm comm,
                   mpi::Request* request) {
    enter("MPI_Ibcast");
    *request = handle<mpi::Request>(bcast(of(comm), data, count, type, root));
    return mpi::success;
  };
  into.iallreduce = [](const void* mine, void* result, int count, Datatype type, Op op, Comm comm,
                       mpi::Request* request) {
    enter("MPI_Iallreduce");
    *request = handle<mpi::Request>(allreduce(of(comm), mine, result, count, type, op));
    return mpi::success;
  };
  into.iallgather = [](const void* mine, int count, Datatype type, void* all, int count_each,
                       Datatype type_each, Comm comm, mpi::Request* request) {
    enter("MPI_Iallgather");
    *request =
        handle<mpi::Request>(allgather(of(comm), mine, count, type, all, count_each, type_each));
    return mpi::success;
  };
  into.iallgatherv = [](const void* mine, int count, Datatype type, void* all, const int* counts,
                        const int* places, Datatype type_each, Comm comm, mpi::Request* request) {
    enter("MPI_Iallgatherv");
    *request = handle<mpi::Request>(
        allgatherv(of(comm), mine, count, type, all, counts, places, type_each));
    return mpi::success;
  };
  into.reduce_local = [](const void* in, void* in_out, int count, Datatype type, Op op) {
    reduce(in, in_out, count, type, op);
    return mpi::success;
  };
  into.op_create = [](mpi::Reduce* function, int, Op* made) {
    *made = handle<Op>(new Operation{function});
    return mpi::success;
  };
  into.op_free = [](Op* op) {
    delete &object<Operation>(*op);
    *op = mpi::op_null;
    return mpi::success;
  };
}

}  // namespace lagoon::atoll::simulation
