// scenario NAME: starts and ends Atoll in one particular way. Rank 0 prints "ok" when all went as
// it should; errors are printed as "error KIND: TEXT". See `scenarios` at the end for the names.
#include <pthread.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "atoll/atoll.hpp"

namespace {

using Arguments = std::vector<std::string>;

void require(bool condition, const std::string& what) {
  if (!condition) atoll::World::abort("scenario: wrong: " + what);
}

void say_ok(int rank) {
  if (rank == 0) std::puts("ok");
}

/// Some of everything on a world, with a known result.
void work(const atoll::Group& group) {
  const int size = group.size();
  atoll::Array<double> array(group, {size * 3, 5});
  const std::vector<double> ones(static_cast<std::size_t>(size) * 15, 1.0);
  array.accumulate(atoll::whole(array.shape()), ones.data());
  group.sync();
  std::vector<double> got(ones.size());
  array.get(atoll::whole(array.shape()), got.data());
  for (const double value : got) require(value == size, "the sum over ranks");
  require(group.reduce<std::int32_t>(1) == size, "a reduction");
  group.barrier();
}

int mpi_sum(MPI_Comm communicator) {
  int one = 1;
  int sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, communicator);
  return sum;
}

/// `default_constructor`: World() instead of World(MPI_COMM_WORLD).
void beside_own_mpi(int level, bool default_constructor) {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, level, &provided);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  require(mpi_sum(MPI_COMM_WORLD) == size, "MPI before Atoll");
  // A message that is under way while Atoll comes and goes.
  int token = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(&token, 1, MPI_INT, (rank + size - 1) % size, 7, MPI_COMM_WORLD, &request);
  for (int round = 0; round < 2; ++round) {
    const auto world = default_constructor ? std::make_unique<atoll::World>()
                                           : std::make_unique<atoll::World>(MPI_COMM_WORLD);
    work(*world);
    require(mpi_sum(MPI_COMM_WORLD) == size, "MPI beside Atoll");
  }
  require(!atoll::World::running(), "the world has ended");
  MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  require(token == (rank + size - 1) % size, "a message across Atoll's life");
  require(mpi_sum(MPI_COMM_WORLD) == size, "MPI after Atoll");
  say_ok(rank);
  MPI_Finalize();
}

/// Even and odd ranks have worlds of their own at the same time; rank 0 of three has none.
void on_subsets() {
  MPI_Init(nullptr, nullptr);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm part = MPI_COMM_NULL;
  const bool left_out = size == 3 && rank == 0;
  MPI_Comm_split(MPI_COMM_WORLD, left_out ? MPI_UNDEFINED : rank % 2, -rank, &part);
  if (part != MPI_COMM_NULL) {
    int part_rank = 0;
    MPI_Comm_rank(part, &part_rank);
    {
      const atoll::World world(part);
      require(world.rank() == part_rank, "the rank is the communicator's");
      for (int i = 0; i < 20; ++i) work(world);
    }
    mpi_sum(part);  // it was duplicated, and is still ours
    MPI_Comm_free(&part);
  }
  require(mpi_sum(MPI_COMM_WORLD) == size, "MPI after Atoll");
  say_ok(rank);
  MPI_Finalize();
}

void describe() {
  const atoll::World world;
  if (world.rank() == 0) std::cout << atoll::describe_world();
  say_ok(world.rank());
}

void arrays_outlive_the_world() {
  atoll::World world;
  const int rank = world.rank();
  atoll::Array<std::int64_t> array(world, {10}, {.name = "survivor"});
  const std::vector<std::int64_t> values(10);
  atoll::Handle handle = array.put_async(atoll::whole({10}), values.data());
  handle.wait();
  const atoll::Group group = world;
  world.finalize();
  world.finalize();  // harmless
  require(!array.alive(), "the array is not alive");
  const std::vector<std::function<void()>> uses{[&] { array.fetch_add({0}, 1); },
                                                [&] { (void)array.local(); },
                                                [&] { group.barrier(); },
                                                [&] { (void)group.size(); },
                                                [&] { world.sync(); },
                                                [] { (void)atoll::World::current(); }};
  for (const auto& use : uses) {
    try {
      use();
      require(false, "a use after the end of the world was accepted");
    } catch (const atoll::Error& error) {
      require(error.kind() == atoll::ErrorKind::state, error.what());
    }
  }
  say_ok(rank);
}

void started_twice() {
  int rank = 0;
  {
    const atoll::World first;
    rank = first.rank();
    work(first);
  }
  try {
    const atoll::World second;
    require(false, "MPI cannot start twice");
  } catch (const atoll::Error& error) {
    require(error.kind() == atoll::ErrorKind::state, error.what());
  }
  say_ok(rank);
}

void throw_on_the_last_rank() {
  const atoll::World world;
  if (world.rank() == world.size() - 1) throw std::runtime_error("the last rank is unhappy");
  for (;;) world.barrier();  // would wait for ever
}

void abort_on_the_last_rank() {
  const atoll::World world;
  if (world.rank() == world.size() - 1) atoll::World::abort("enough is enough", 7);
  for (;;) world.barrier();
}

void print_error(const atoll::Error& error) {
  // In one write: newer C libraries cut what printf formats into pieces of 128 bytes where nothing
  // is buffered.
  std::fputs(("error " + std::string(name_of(error.kind())) + ": " + error.what() + "\n").c_str(),
             stdout);
}

/// An error nobody catches before it leaves the world's scope.
void error_leaves_the_world() {
  atoll::World world;
  atoll::Array<double> array(world, {4}, {.name = "lonely"});
  const double value = 0;
  array.put({{7}, {8}}, &value);
}

/// With ATOLL_CHECK=1: the last rank makes another collective call than the others.
void disagree(const atoll::World& world, const std::string& kind) {
  const bool odd = world.rank() == world.size() - 1;
  std::vector<double> data(odd && kind == "lengths" ? 3 : 2);
  atoll::Array<double> array(world, {4, 4});
  if (kind == "calls" && odd)
    world.barrier();
  else if (kind == "calls" || kind == "lengths")
    world.reduce(std::span(data));
  else if (kind == "roots")
    world.broadcast(std::span(data), odd ? 1 : 0);
  else if (kind == "algebra")
    fill(array, odd ? 2.0 : 1.0);
  else if (kind == "patches")
    atoll::fill({array, {{0, 0}, {odd ? 2 : 1, 1}}}, 1.0);
  atoll::World::abort("scenario: nobody noticed");
}

void odd_rank_out(const std::string& kind) {
  const atoll::World world;
  try {
    disagree(world, kind);
  } catch (const atoll::Error& error) {
    print_error(error);
  }
  // All ranks were told alike, so they are still in step.
  require(world.reduce<std::int32_t>(1) == world.size(), "the world works on");
}

/// The world does not start while `hinder` is in force on the last rank, on no rank, and does start
/// afterwards.
void start_after(const std::function<void()>& hinder, const std::function<void()>& relent) {
  int provided = 0, rank = 0, size = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == size - 1) hinder();
  try {
    const atoll::World world(MPI_COMM_WORLD);
    atoll::World::abort("scenario: the world started");
  } catch (const atoll::Error& error) {
    print_error(error);
  }
  if (rank == size - 1) relent();
  {
    const atoll::World world(MPI_COMM_WORLD);
    work(world);
    say_ok(world.rank());
  }
  MPI_Finalize();
}

/// No room for the node's region.
void start_without_memory() {
  rlimit before{};
  getrlimit(RLIMIT_AS, &before);
  start_after(
      [&] {
        std::uint64_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        const rlimit tight{(pages << 12) + (std::uint64_t{256} << 20), before.rlim_max};
        setrlimit(RLIMIT_AS, &tight);
      },
      [&] { setrlimit(RLIMIT_AS, &before); });
}

/// No thread can be started: each would want more stack than there are addresses.
void start_without_threads() {
  pthread_attr_t usual, impossible;
  pthread_getattr_default_np(&usual);
  pthread_attr_init(&impossible);
  pthread_attr_setstacksize(&impossible, std::size_t{1} << 47);
  start_after([&] { pthread_setattr_default_np(&impossible); },
              [&] { pthread_setattr_default_np(&usual); });
}

/// One rank has another value of a setting than the others.
void start_with_odd(const std::string& name, const std::string& value) {
  const char* const usual = std::getenv(name.c_str());
  start_after([&] { setenv(name.c_str(), value.c_str(), 1); },
              [&] {
                if (usual != nullptr)
                  setenv(name.c_str(), usual, 1);
                else
                  unsetenv(name.c_str());
              });
}

/// A broadcast that is too long for its receivers is an error of MPI's.
void mpi_error() {
  const atoll::World world;
  const atoll::Group group = world.split(0);
  std::vector<double> data(group.rank() == 0 ? 4 : 2);
  try {
    group.broadcast(std::span(data), 0);
  } catch (const atoll::Error& error) {
    print_error(error);
  }
  world.barrier();
  say_ok(world.rank());
}

void refuse_no_communicator() {
  MPI_Init(nullptr, nullptr);
  try {
    const atoll::World world(MPI_COMM_NULL);
    require(false, "a world without a communicator");
  } catch (const atoll::Error& error) {
    require(error.kind() == atoll::ErrorKind::value, error.what());
  }
  {
    const atoll::World world;  // and a proper one works after that
    work(world);
    say_ok(world.rank());
  }
  MPI_Finalize();
}

/// Sleeps with the world up, to see what an idle agent costs.
void idle(const std::string& seconds) {
  const atoll::World world;
  world.barrier();
  if (world.rank() == 0) {
    std::puts("started");
    std::fflush(stdout);
  }
  std::this_thread::sleep_for(std::chrono::duration<double>(std::stod(seconds)));
}

int run(const Arguments& arguments) {
  const std::string name = arguments.at(0);
  const std::string option = arguments.size() > 1 ? arguments[1] : "";
  const std::map<std::string, int> levels{{"single", MPI_THREAD_SINGLE},
                                          {"funneled", MPI_THREAD_FUNNELED},
                                          {"serialized", MPI_THREAD_SERIALIZED},
                                          {"multiple", MPI_THREAD_MULTIPLE}};
  const std::map<std::string, std::function<void()>> scenarios{
      {"describe", describe},
      {"own_mpi", [&] { beside_own_mpi(levels.at(option), false); }},
      {"own_mpi_default", [&] { beside_own_mpi(levels.at(option), true); }},
      {"subsets", on_subsets},
      {"outlive", arrays_outlive_the_world},
      {"twice", started_twice},
      {"throw", throw_on_the_last_rank},
      {"abort", abort_on_the_last_rank},
      {"error_leaves", error_leaves_the_world},
      {"odd", [&] { odd_rank_out(option); }},
      {"no_communicator", refuse_no_communicator},
      {"no_memory", start_without_memory},
      {"no_threads", start_without_threads},
      {"odd_setting", [&] { start_with_odd(option, arguments.at(2)); }},
      {"mpi_error", mpi_error},
      {"idle", [&] { idle(option); }},
  };
  try {
    scenarios.at(name)();
  } catch (const atoll::Error& error) {
    print_error(error);
    return 2;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return run(Arguments(argv + 1, argv + argc)); }
