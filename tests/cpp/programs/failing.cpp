// failing KIND MODE VICTIM FROM STEP ROUNDS [PART]: lets the calls of one rank fail in turn, and
// sees what comes of it. KIND: memory or system (failing_calls.hpp); MODE: once or on (from then
// on); the FROM-th, the one STEP further and so on, ROUNDS of them at most. Each round has a World
// of its own, with some of everything and known results; with a PART that alone, and only the
// calls of its operations count. Rank 0 says "begin N" and then
//
//   right N CALL      all results on all ranks are right, and the world has ended in order
//   told N CALL TEXT  a collective call has thrown on all ranks alike; the rest is right
//   over N            the rank makes fewer calls: that was the last round
//
// or the run ends, by a line of Atoll's on stderr, and whoever has started it goes on behind N.
// Wrong results end it by "failing: wrong".
#include <array>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string_view>
#include <variant>
#include <vector>

#include "../failing_calls.hpp"
#include "atoll/atoll.hpp"

namespace {

using atoll::Patch;

constexpr std::int64_t rows = 64, columns = 1200;
constexpr int pieces = 40;

// All that the program itself needs: its own calls are not to fail.
struct Buffers {
  std::vector<double> ones = std::vector<double>(rows * columns, 1.0);
  std::vector<double> got = std::vector<double>(rows * columns);
  std::vector<std::int64_t> positions, values = std::vector<std::int64_t>(64);
  atoll::Index matrix{rows, columns}, line{256}, square{24, 24};
};

/// Around the operations of a part: lets calls fail there, where it alone is asked for.
struct {
  bool alone = false;
  bool victim = false;
  failing_calls::Kind kind = failing_calls::Kind::none;
  long n = 0;
  bool on = false;
  void arm() const {
    if (victim) failing_calls::arm(kind, n, on);
  }
  void begin() const {
    if (alone) arm();
  }
  void end() const {
    if (alone) failing_calls::disarm();
  }
} range;

struct Outcome {
  bool told = false;
  char text[200] = "";
};

[[noreturn]] void wrong(int rank, const char* what) {
  std::fprintf(stderr, "failing: wrong on rank %d: %s\n", rank, what);
  std::fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, 3);
  std::_Exit(3);
}

/// A call of one rank alone: what it throws has left nothing half done, so it can be done again.
template <class Call>
void again(Call&& call) {
  try {
    call();
  } catch (const std::exception&) {
    call();
  }
}

/// A call of all: it fails on all alike, or ends the run.
template <class Call>
bool all_alike(Outcome& outcome, Call&& call) {
  try {
    call();
    return true;
  } catch (const atoll::Error& error) {
    if (!error.everywhere()) throw;
    outcome.told = true;
    std::snprintf(outcome.text, sizeof outcome.text, "%s", error.what());
    return false;
  }
}

/// Operations of several parts, to this node and others.
void use_streams(const atoll::World& world, Buffers& buffers, Outcome& outcome) {
  const int rank = world.rank(), size = world.size();
  all_alike(outcome, [&] {
    atoll::Array<double> array(world, buffers.matrix, {.layout = atoll::Layout::blocked({0, 600})});
    const Patch all = atoll::whole(array.shape());
    const double* const ones = buffers.ones.data();
    range.begin();
    again([&] { array.accumulate(all, ones); });  // streams, and memory of the node
    world.sync();
    again([&] { array.get(all, buffers.got.data()); });
    for (const double value : buffers.got)
      if (value != size) wrong(rank, "a sum over ranks");
    world.sync();
    range.end();
    again([&] { array.destroy(); });
  });
}

/// The other half of a row, in pieces that share messages, and one that does not.
void use_pieces(const atoll::World& world, Buffers& buffers, Outcome& outcome) {
  const int rank = world.rank(), size = world.size();
  all_alike(outcome, [&] {
    atoll::Array<double> array(world, buffers.matrix, {.layout = atoll::Layout::blocked({0, 600})});
    const double* const ones = buffers.ones.data();
    atoll::fill(array, static_cast<double>(size));
    world.sync();
    range.begin();
    const std::int64_t other = rank == 0 ? 600 : 0;
    {
      std::vector<atoll::Handle> handles;
      again([&] { handles.reserve(2 * pieces + 2); });
      for (std::int64_t i = 0; i < pieces; ++i) {
        const Patch piece{{rank, other + 4 * i}, {rank + 1, other + 4 * i + 3}};
        again([&] { handles.push_back(array.put_async(piece, ones)); });
        again([&] { handles.push_back(array.get_async(piece, buffers.got.data() + 4 * i)); });
      }
      const Patch large{{rows / 2, other}, {rows, other + 599}};
      again([&] { handles.push_back(array.get_async(large, buffers.got.data() + columns)); });
      for (atoll::Handle& handle : handles) handle.wait();
    }
    for (int i = 0; i < pieces; ++i)
      for (int k = 0; k < 3; ++k)
        if (buffers.got[static_cast<std::size_t>(4 * i + k)] != 1.0) wrong(rank, "a small get");
    for (std::size_t i = 0; i < 599 * rows / 2; ++i)
      if (buffers.got[columns + i] != size) wrong(rank, "a large get");
    world.sync();
    range.end();
    again([&] { array.destroy(); });
  });
}

void use_counts(const atoll::World& world, Buffers& buffers, Outcome& outcome) {
  const int rank = world.rank(), size = world.size();
  all_alike(outcome, [&] {
    atoll::Array<std::int64_t> counts(world, buffers.line);
    range.begin();
    for (int i = 0; i < 8; ++i) again([&] { counts.fetch_add({255}, 1); });
    for (int i = 0; i < 8; ++i) again([&] { counts.fetch_add({0}, 1); });
    world.sync();
    again([&] { counts.get({{0}, {1}}, buffers.values.data()); });
    again([&] { counts.get({{255}, {256}}, buffers.values.data() + 1); });
    if (buffers.values[0] != 8 * size || buffers.values[1] != 8 * size) wrong(rank, "a count");
    world.sync();
    for (std::size_t i = 0; i < 64; ++i) buffers.values[i] = 1;
    again([&] { counts.scatter_accumulate(buffers.positions, buffers.values.data()); });
    world.sync();
    again([&] { counts.gather(buffers.positions, buffers.values.data()); });
    for (std::size_t i = 0; i < 64; ++i)
      if (buffers.values[i] != size) wrong(rank, "a scattered sum");
    world.sync();
    range.end();
  });
}

void use_groups(const atoll::World& world, Buffers&, Outcome& outcome) {
  all_alike(outcome, [&] {
    const atoll::Group group = world.split(0);
    if (group.reduce<std::int32_t>(1) != world.size()) wrong(world.rank(), "a group's reduction");
  });
}

void use_halos(const atoll::World& world, Buffers& buffers, Outcome& outcome) {
  const int rank = world.rank();
  all_alike(outcome, [&] {
    atoll::Array<double> array(world, buffers.square,
                               {.layout = atoll::Layout::blocked().with_halo({1, 1})});
    atoll::fill(array, 2.0);
    const atoll::HaloOptions options{.periodic = {true}};
    range.begin();
    atoll::update_halo(array, options);
    range.end();
    again([&] {
      const auto block = atoll::local_with_halo(array);
      if (block.data != nullptr && block.data[0] != 2.0) wrong(rank, "a corner of a halo");
    });
    if (std::get<double>(atoll::dot(array, array).value()) != 4.0 * 24 * 24)
      wrong(rank, "a product");
  });
}

void use_copies(const atoll::World& world, Buffers& buffers, Outcome& outcome) {
  const int rank = world.rank();
  all_alike(outcome, [&] {
    atoll::Array<double> copies(world, buffers.square, {.mirrored = true});
    if (rank < 2) again([&] { copies.put({{rank, 0}, {rank + 1, 24}}, buffers.ones.data()); });
    world.sync();
    atoll::merge(copies);
    again([&] { copies.get(atoll::whole(copies.shape()), buffers.got.data()); });
    for (std::size_t i = 0; i < 48; ++i)
      if (buffers.got[i] != 1.0) wrong(rank, "a merge");
  });
}

struct Part {
  std::string_view name;
  void (*use)(const atoll::World&, Buffers&, Outcome&);
};
constexpr std::array<Part, 6> parts = {{{"streams", use_streams},
                                        {"pieces", use_pieces},
                                        {"counts", use_counts},
                                        {"groups", use_groups},
                                        {"halos", use_halos},
                                        {"copies", use_copies}}};

void live(std::string_view part, Buffers& buffers, Outcome& outcome) {
  if (!range.alone) range.arm();
  all_alike(outcome, [&] {
    const atoll::World world(MPI_COMM_WORLD);
    for (const auto& [name, use] : parts)
      if (!range.alone || part == name) use(world, buffers, outcome);
    range.end();
    if (world.reduce<std::int32_t>(1) != world.size()) wrong(world.rank(), "the last reduction");
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7 && argc != 8) return 2;
  const auto kind = std::string_view(argv[1]) == "memory" ? failing_calls::Kind::memory
                                                          : failing_calls::Kind::system;
  const bool on = std::string_view(argv[2]) == "on";
  const int victim = std::atoi(argv[3]);
  const long from = std::atol(argv[4]), step = std::atol(argv[5]), rounds = std::atol(argv[6]);
  const std::string_view part = argc == 8 ? argv[7] : "";
  int provided = 0, rank = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Buffers buffers;
  for (std::int64_t i = 0; i < 64; ++i) buffers.positions.push_back(1 + (i * 37) % 254);
  for (long round = 0, n = from; round < rounds; ++round, n += step) {
    if (rank == 0) {
      std::printf("begin %ld\n", n);
      std::fflush(stdout);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    Outcome outcome;
    range = {!part.empty(), rank == victim, kind, n, on};
    try {
      live(part, buffers, outcome);
    } catch (const std::exception&) {  // so that it unwinds: the World ends the run on the way
      wrong(rank, "an exception that went past the World");
    }
    failing_calls::disarm();
    struct {
      long failed;
      char call[32];
    } said{failing_calls::failed, {}};
    std::snprintf(said.call, sizeof said.call, "%s", failing_calls::what.load());
    MPI_Bcast(&said, sizeof said, MPI_BYTE, victim, MPI_COMM_WORLD);
    if (rank == 0 && said.failed == 0) std::printf("over %ld\n", n);
    if (rank == 0 && said.failed != 0)
      std::printf("%s %ld %s %s\n", outcome.told ? "told" : "right", n, said.call, outcome.text);
    std::fflush(stdout);
    if (said.failed == 0) break;
  }
  MPI_Finalize();
  return 0;
}
