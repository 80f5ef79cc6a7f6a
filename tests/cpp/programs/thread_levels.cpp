// thread_levels LEVEL: MPI started as "funneled" or "serialized", and a second thread that makes
// local operations on every rank while the first one is in collective calls. Whatever calls MPI
// comes by here: rank 0 prints "ok" when no thread has called that might not.
#include <pthread.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "atoll/atoll.hpp"

namespace {

pthread_t first;
std::atomic<int> inside{0}, by_others{0}, at_once{0}, seen{0};

class Seen {
 public:
  Seen() {
    seen.fetch_add(1);
    if (pthread_equal(pthread_self(), first) == 0) by_others.fetch_add(1);
    if (inside.fetch_add(1) > 0) at_once.fetch_add(1);
  }
  Seen(const Seen&) = delete;
  Seen& operator=(const Seen&) = delete;
  ~Seen() { inside.fetch_sub(1); }
};

}  // namespace

// What is called again and again while a rank waits. The rest is called where somebody asks for it.
#define SEEN_CALL(name, parameters, arguments) \
  extern "C" int MPI_##name parameters {       \
    const Seen call;                           \
    return PMPI_##name arguments;              \
  }

SEEN_CALL(Iprobe, (int source, int tag, MPI_Comm group, int* found, MPI_Status* status),
          (source, tag, group, found, status))
SEEN_CALL(Improbe,
          (int source, int tag, MPI_Comm group, int* found, MPI_Message* message,
           MPI_Status* status),
          (source, tag, group, found, message, status))
SEEN_CALL(Test, (MPI_Request * request, int* done, MPI_Status* status), (request, done, status))
SEEN_CALL(Testany, (int count, MPI_Request requests[], int* which, int* done, MPI_Status* status),
          (count, requests, which, done, status))
SEEN_CALL(Testsome,
          (int count, MPI_Request requests[], int* done, int which[], MPI_Status statuses[]),
          (count, requests, done, which, statuses))
SEEN_CALL(Isend,
          (const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm group,
           MPI_Request* request),
          (data, count, type, to, tag, group, request))
SEEN_CALL(Issend,
          (const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm group,
           MPI_Request* request),
          (data, count, type, to, tag, group, request))
SEEN_CALL(Irecv,
          (void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm group,
           MPI_Request* request),
          (data, count, type, from, tag, group, request))

namespace {

/// Operations in the node: they may look whether there is something to serve.
void work_in_the_node(atoll::Array<double>& array, atoll::Mutexes* mutexes,
                      atoll::PrivateFile& file, const std::atomic<bool>& over) {
  const int rank = atoll::World::current().rank();
  const std::vector<atoll::Patch> mine = array.patches(rank);
  std::array<double, 64> data{};
  while (!over.load()) {
    for (int i = 0; i < 100; ++i) array.put(mine.front(), data.data());
    if (mutexes != nullptr) {
      mutexes->lock(0, 0);
      mutexes->unlock(0, 0);
    }
    for (int i = 0; i < 200; ++i) file.write(0, std::as_bytes(std::span(data)));
  }
}

int run(const std::string& level) {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr,
                  level == "funneled" ? MPI_THREAD_FUNNELED : MPI_THREAD_SERIALIZED, &provided);
  const bool funneled = provided <= MPI_THREAD_FUNNELED;  // it may be more than was asked for
  first = pthread_self();
  {
    const atoll::World world(MPI_COMM_WORLD);
    atoll::Array<double> array(world, {64 * world.size()}, {.layout = atoll::Layout::blocked()});
    atoll::Mutexes mutexes(world.split(world.node()),
                           1);  // each unlock is a fence, which is a call of MPI
    atoll::PrivateFile file;
    std::atomic<bool> over{false};
    std::thread other([&] { work_in_the_node(array, funneled ? &mutexes : nullptr, file, over); });
    const double one = 1;
    for (int round = 0; round < 20; ++round) {
      if (round % world.size() == world.rank())  // the others wait in the barrier
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      world.barrier();
      const std::int64_t far = (world.rank() + 1) % world.size() * 64;
      array.accumulate({{far}, {far + 1}}, &one);
      world.sync();
    }
    over.store(true);
    other.join();
    world.sync();
  }
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int wrong = funneled                            ? by_others.load()
                    : provided == MPI_THREAD_SERIALIZED ? at_once.load()
                                                        : 0;
  if (wrong > 0 || seen.load() == 0)
    std::printf("rank %d: %d of %d calls by a thread that might not\n", rank, wrong, seen.load());
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) std::puts("ok");
  MPI_Finalize();
  return wrong > 0 || seen.load() == 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc > 1 ? argv[1] : "");
  } catch (const std::exception& error) {
    std::printf("error: %s\n", error.what());
    std::fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
}
