// ga: ARMCI, which works by address on memory of any process, beside Atoll's Memory.
#include "ga/armci.h"
#include "ga/message.h"
#include "ga_calls.hpp"

namespace bench {

namespace {

constexpr std::int64_t block_bytes = std::int64_t{8} << 20;
constexpr int rows = 64, row_bytes = 512;
constexpr std::int64_t step = 4096;  // between the rows of a section

/// Memory of both ranks, and the neighbour's part of it.
struct Blocks {
  explicit Blocks(const atoll::Group& group) : memory(group, block_bytes) {
    ARMCI_Malloc(addresses, block_bytes);
    there = static_cast<char*>(addresses[1]);
  }
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;
  ~Blocks() { ARMCI_Free(addresses[GA_Nodeid()]); }
  double* data() { return buffer.data(); }

  atoll::Memory memory;
  void* addresses[2] = {};
  char* there = nullptr;
  std::vector<double> buffer = std::vector<double>(std::size_t{1} << 17, 1.0);
};

atoll::MemorySection bytes_of_neighbour(std::int64_t bytes) {
  return {.rank = 1, .offset = 0, .shape = {bytes}};
}

void time_contiguous(Calls& calls, Blocks& b) {
  for (const int bytes : {8, 64 << 10}) {
    const std::string text = " " + bytes_text(bytes);
    const auto section = bytes_of_neighbour(bytes);
    calls.alone("ARMCI_Get" + text,
                {way("ARMCI_Get", [&, bytes] { ARMCI_Get(b.there, b.data(), bytes, 1); }),
                 way("Memory::get", [&] { b.memory.get(section, b.data()); })});
    calls.alone("ARMCI_Put" + text,
                {way("ARMCI_Put", [&, bytes] { ARMCI_Put(b.data(), b.there, bytes, 1); }),
                 way("Memory::put", [&] { b.memory.put(section, b.data()); })});
    double scale = 1.0;
    const atoll::MemorySection numbers{
        .rank = 1, .offset = 0, .shape = {bytes / 8}, .type = atoll::ElementType::float64};
    calls.alone(
        "ARMCI_Acc" + text,
        {way("ARMCI_Acc",
             [&, bytes] { ARMCI_Acc(ARMCI_ACC_DBL, &scale, b.data(), b.there, bytes, 1); }),
         way("Memory::accumulate", [&] { b.memory.accumulate(numbers, b.data(), &scale); })});
  }
}

void time_strided(Calls& calls, Blocks& b) {
  int from[] = {step}, to[] = {row_bytes}, count[] = {row_bytes, rows};
  const atoll::MemorySection section{
      .rank = 1, .offset = 0, .shape = {rows, row_bytes}, .strides = {step, 1}};
  calls.alone("ARMCI_GetS 64 rows of 512 B",
              {way("ARMCI_GetS", [&] { ARMCI_GetS(b.there, from, b.data(), to, count, 1, 1); }),
               way("Memory::get", [&] { b.memory.get(section, b.data()); })});
  std::vector<void*> sources, targets;
  for (int i = 0; i < rows; ++i) {
    sources.push_back(b.there + i * step);
    targets.push_back(reinterpret_cast<char*>(b.data()) + i * row_bytes);
  }
  armci_giov_t vectors{sources.data(), targets.data(), rows, row_bytes};
  calls.alone(
      "ARMCI_GetV 64 rows of 512 B",
      {way("ARMCI_GetV", [&] { ARMCI_GetV(&vectors, 1, 1); }), way("Memory::get of each", [&] {
         for (int i = 0; i < rows; ++i)
           b.memory.get({.rank = 1, .offset = i * step, .shape = {row_bytes}},
                        targets[static_cast<std::size_t>(i)]);
       })});
}

void time_others(Calls& calls, Blocks& b) {
  long old = 0;
  const auto section = bytes_of_neighbour(8);
  calls.alone(
      "ARMCI_Rmw fetch-and-add",
      {way("ARMCI_Rmw", [&] { ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, b.there + 4096, 1, 1); }),
       way("Memory::fetch_add",
           [&] { b.memory.fetch_add(atoll::ElementType::int64, 1, 4096, 1); })});
  armci_hdl_t request;
  ARMCI_INIT_HANDLE(&request);
  calls.alone("ARMCI_NbGet, ARMCI_Wait 8 B",
              {way("ARMCI_NbGet",
                   [&] {
                     ARMCI_NbGet(b.there, b.data(), 8, 1, &request);
                     ARMCI_Wait(&request);
                   }),
               way("get_async, wait", [&] { b.memory.get_async(section, b.data()).wait(); })});
  calls.alone("ARMCI_PutValueDouble",
              {way("ARMCI_PutValueDouble", [&] { ARMCI_PutValueDouble(1.0, b.there, 1); }),
               way("Memory::put", [&] { b.memory.put(section, b.data()); })});
}

void time_collective(Calls& calls) {
  const atoll::World& world = calls.world();
  calls.together("ARMCI_Malloc, ARMCI_Free 1 MiB", {way("ARMCI_Malloc",
                                                        [&] {
                                                          void* made[2];
                                                          ARMCI_Malloc(made, 1 << 20);
                                                          ARMCI_Free(made[calls.rank()]);
                                                        }),
                                                    way("Memory, destroy", [&] {
                                                      atoll::Memory made(world, 1 << 20);
                                                      made.destroy();
                                                    })});
  calls.together("ARMCI_Barrier", {way("ARMCI_Barrier", [] { ARMCI_Barrier(); }),
                                   way("World::sync", [&] { world.sync(); })});
  double number = 0.0;
  char sum[] = "+";
  calls.together("armci_msg_dgop 8 B",
                 {way("armci_msg_dgop", [&] { armci_msg_dgop(&number, 1, sum); }),
                  way("Group::reduce", [&] { number = world.reduce(number); })});
}

}  // namespace

void ga_armci(Calls& calls) {
  Blocks blocks(calls.world());
  calls.world().sync();
  time_contiguous(calls, blocks);
  time_strided(calls, blocks);
  time_others(calls, blocks);
  time_collective(calls);
}

}  // namespace bench
