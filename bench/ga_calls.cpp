// ga: what Global Arrays' names cost beside the calls of C++ that they make, on a neighbour's
// block.
#include <vector>

#include "atoll/atoll.hpp"
#include "ga/ga.h"
#include "pair.hpp"
#include "plain.hpp"
#include "workloads.hpp"

namespace bench {

namespace {

constexpr int extent = 2048;
constexpr int edge = 512;
constexpr std::int64_t span = 512;

/// The neighbour's block of an array under its handle, and of one like it in C++.
struct Neighbour {
  explicit Neighbour(const atoll::Group& group) : array(group, {extent, extent}) {
    int dims[] = {extent, extent};
    handle = NGA_Create(C_DBL, 2, dims, "bench", nullptr);
    NGA_Distribution(handle, 1, lo, hi);
  }
  atoll::Patch one(std::int64_t i) const {
    const std::int64_t column = lo[1] + (i & (span - 1));
    return {{lo[0], column}, {lo[0] + 1, column + 1}};
  }
  /// Where GA's calls find the same element.
  int* at(std::int64_t i) {
    subscript[0] = lo[0];
    subscript[1] = lo[1] + static_cast<int>(i & (span - 1));
    return subscript;
  }

  atoll::Array<double> array;
  int handle = 0;
  int lo[2] = {}, hi[2] = {}, subscript[2] = {};
};

void race_elements(Context& context, Neighbour& there) {
  double value = 1.0, factor = 1.0;
  int ld[] = {1};
  const Settings& settings = context.settings;
  auto s = race(
      settings,
      {loop([&](std::int64_t i) { NGA_Get(there.handle, there.at(i), there.at(i), &value, ld); }),
       loop([&](std::int64_t i) { there.array.get(there.one(i), &value); })});
  context.report.latency("NGA_Get 8 B, 2-D", s[0], {{"Array::get", s[1]}});
  s = race(
      settings,
      {loop([&](std::int64_t i) { NGA_Put(there.handle, there.at(i), there.at(i), &value, ld); }),
       loop([&](std::int64_t i) { there.array.put(there.one(i), &value); })});
  context.report.latency("NGA_Put 8 B, 2-D", s[0], {{"Array::put", s[1]}});
  s = race(settings,
           {loop([&](std::int64_t i) {
              NGA_Acc(there.handle, there.at(i), there.at(i), &value, ld, &factor);
            }),
            loop([&](std::int64_t i) { there.array.accumulate(there.one(i), &value, factor); })});
  context.report.latency("NGA_Acc 8 B, 2-D", s[0], {{"Array::accumulate", s[1]}});
}

void race_patches(Context& context, Neighbour& there) {
  std::vector<double> buffer(std::size_t{edge} * edge, 1.0);
  int lo[] = {there.lo[0], there.lo[1]}, hi[] = {lo[0] + edge - 1, lo[1] + edge - 1}, ld[] = {edge};
  const atoll::Patch patch{{lo[0], lo[1]}, {lo[0] + edge, lo[1] + edge}};
  const atoll::TypedBlock<double> block = there.array.block(1);
  const auto s = race(
      context.settings,
      {loop([&](std::int64_t) { NGA_Get(there.handle, lo, hi, buffer.data(), ld); }),
       loop([&](std::int64_t) { there.array.get(patch, buffer.data()); }), loop([&](std::int64_t) {
         plain::copy_rows(buffer.data(), edge, block.data, block.strides[0], edge, edge);
       })});
  context.report.bandwidth("NGA_Get 512x512 patch", std::int64_t{edge} * edge * 8, s[0],
                           {{"Array::get", s[1]}, {"row loop of memcpy", s[2]}});
}

}  // namespace

void ga_calls(Context& context) {
  GA_Initialize();
  {
    Neighbour there(context.world);
    context.world.sync();
    Pair pair(context.world.communicator(), {[](std::int64_t times) {
                                               for (; times > 0; --times) GA_Sync();
                                             },
                                             [&](std::int64_t times) {
                                               for (; times > 0; --times) context.world.sync();
                                             },
                                             [&](std::int64_t) { context.world.barrier(); }});
    pair.run([&] {
      pair.ask(2, 0);
      race_elements(context, there);
      race_patches(context, there);
      context.world.barrier();
      auto contenders = pair.contenders();
      contenders.pop_back();
      const auto s = race(context.settings, contenders, paired_batch);
      context.report.latency("GA_Sync", s[0], {{"World::sync", s[1]}});
    });
    context.world.sync();
    GA_Destroy(there.handle);
  }
  GA_Terminate();
}

}  // namespace bench
