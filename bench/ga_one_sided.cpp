// ga: single elements of a neighbour's block, blocking and not, counters and fences, and access to
// one's own block.
#include "ga_calls.hpp"

namespace bench {

namespace {

constexpr int extent = 2048;
constexpr std::int64_t span = 512;

/// The neighbour's block, and where in it a call works: as GA's calls and as Atoll's say it.
struct Neighbour : GaArray {
  Neighbour() : GaArray({extent, extent}) { NGA_Distribution(handle, 1, lo, hi); }
  atoll::Patch one(std::int64_t i) const {
    const std::int64_t column = lo[1] + (i & (span - 1));
    return {{lo[0], column}, {lo[0] + 1, column + 1}};
  }
  int* at(std::int64_t i) {
    subscript[0] = lo[0];
    subscript[1] = lo[1] + static_cast<int>(i & (span - 1));
    return subscript;
  }

  int lo[2] = {}, hi[2] = {}, subscript[2] = {};
  int ld[1] = {1};
  double value = 1.0, factor = 1.0;
};

void time_blocking(Calls& calls, Neighbour& n) {
  calls.alone(
      "NGA_Get 8 B, 2-D",
      {way("NGA_Get", [&](std::int64_t i) { NGA_Get(n.handle, n.at(i), n.at(i), &n.value, n.ld); }),
       way("Array::get", [&](std::int64_t i) { n.array.get(n.one(i), &n.value); })});
  calls.alone(
      "NGA_Put 8 B, 2-D",
      {way("NGA_Put", [&](std::int64_t i) { NGA_Put(n.handle, n.at(i), n.at(i), &n.value, n.ld); }),
       way("Array::put", [&](std::int64_t i) { n.array.put(n.one(i), &n.value); })});
  calls.alone(
      "NGA_Acc 8 B, 2-D",
      {way("NGA_Acc",
           [&](std::int64_t i) { NGA_Acc(n.handle, n.at(i), n.at(i), &n.value, n.ld, &n.factor); }),
       way("Array::accumulate",
           [&](std::int64_t i) { n.array.accumulate(n.one(i), &n.value, &n.factor); })});
}

void time_nonblocking(Calls& calls, Neighbour& n) {
  ga_nbhdl_t request = 0;
  calls.alone("NGA_NbGet, NGA_NbWait 8 B",
              {way("NGA_NbGet",
                   [&](std::int64_t i) {
                     NGA_NbGet(n.handle, n.at(i), n.at(i), &n.value, n.ld, &request);
                     NGA_NbWait(&request);
                   }),
               way("get_async, wait",
                   [&](std::int64_t i) { n.array.get_async(n.one(i), &n.value).wait(); })});
  calls.alone("NGA_NbPut, NGA_NbWait 8 B",
              {way("NGA_NbPut",
                   [&](std::int64_t i) {
                     NGA_NbPut(n.handle, n.at(i), n.at(i), &n.value, n.ld, &request);
                     NGA_NbWait(&request);
                   }),
               way("put_async, wait",
                   [&](std::int64_t i) { n.array.put_async(n.one(i), &n.value).wait(); })});
}

void time_fence(Calls& calls, Neighbour& n) {
  const atoll::World& world = calls.world();
  calls.alone("NGA_Put 8 B, GA_Fence", {way("GA_Fence",
                                            [&](std::int64_t i) {
                                              GA_Init_fence();
                                              NGA_Put(n.handle, n.at(i), n.at(i), &n.value, n.ld);
                                              GA_Fence();
                                            }),
                                        way("Array::put, fence", [&](std::int64_t i) {
                                          n.array.put(n.one(i), &n.value);
                                          world.fence();
                                        })});
}

void time_access(Calls& calls, Neighbour& n) {
  int lo[2] = {}, hi[2] = {}, ld[1] = {};
  NGA_Distribution(n.handle, calls.rank(), lo, hi);
  double* mine = nullptr;
  calls.alone("NGA_Access, NGA_Release",
              {way("NGA_Access",
                   [&] {
                     NGA_Access(n.handle, lo, hi, static_cast<void*>(&mine), ld);
                     touch(mine);
                     NGA_Release(n.handle, lo, hi);
                   }),
               way("Array::local", [&] { touch(n.array.local().data); })});
}

void time_counter(Calls& calls) {
  GaArray counter({128}, C_LONG);
  int lo[1] = {}, hi[1] = {};
  NGA_Distribution(counter.handle, 1, lo, hi);
  const atoll::Index position{lo[0]};
  calls.alone("NGA_Read_inc",
              {way("NGA_Read_inc", [&] { NGA_Read_inc(counter.handle, lo, 1); }),
               way("Array::fetch_add", [&] { counter.array.fetch_add(position, 1); })});
}

}  // namespace

void ga_one_sided(Calls& calls) {
  Neighbour neighbour;
  time_blocking(calls, neighbour);
  time_nonblocking(calls, neighbour);
  time_fence(calls, neighbour);
  time_access(calls, neighbour);
  time_counter(calls);
}

}  // namespace bench
