// ga: patches and scattered elements of a neighbour's block.
#include <random>

#include "ga_calls.hpp"
#include "plain.hpp"

namespace bench {

namespace {

constexpr int extent = 2048;
constexpr int edge = 512;
constexpr std::int64_t patch_bytes = std::int64_t{edge} * edge * 8;
constexpr int scattered = 1000;

/// A patch of the neighbour's block and a buffer for it, as GA's calls and as Atoll's take them.
struct Square : GaArray {
  Square() : GaArray({extent, extent}) {
    int block_hi[2] = {};
    NGA_Distribution(handle, 1, lo, block_hi);
    for (int d = 0; d < 2; ++d) hi[d] = lo[d] + edge - 1;
    patch = {{lo[0], lo[1]}, {lo[0] + edge, lo[1] + edge}};
  }
  double* data() { return buffer.data(); }

  int lo[2] = {}, hi[2] = {}, ld[1] = {edge};
  atoll::Patch patch;
  std::vector<double> buffer = std::vector<double>(std::size_t{edge} * edge, 1.0);
  double factor = 1.0;
};

void time_patches(Calls& calls, Square& s) {
  const atoll::LocalBlock block = s.array.block(1);
  auto* const memory = static_cast<double*>(block.data);
  const std::int64_t stride = block.strides[0];
  calls.alone("NGA_Get 512x512 patch", patch_bytes,
              {way("NGA_Get", [&] { NGA_Get(s.handle, s.lo, s.hi, s.data(), s.ld); }),
               way("Array::get", [&] { s.array.get(s.patch, s.data()); }),
               way("row loop of memcpy",
                   [&] { plain::copy_rows(s.data(), edge, memory, stride, edge, edge); })});
  calls.alone("NGA_Put 512x512 patch", patch_bytes,
              {way("NGA_Put", [&] { NGA_Put(s.handle, s.lo, s.hi, s.data(), s.ld); }),
               way("Array::put", [&] { s.array.put(s.patch, s.data()); }),
               way("row loop of memcpy",
                   [&] { plain::copy_rows(memory, stride, s.data(), edge, edge, edge); })});
  calls.alone(
      "NGA_Acc 512x512 patch", patch_bytes,
      {way("NGA_Acc", [&] { NGA_Acc(s.handle, s.lo, s.hi, s.data(), s.ld, &s.factor); }),
       way("Array::accumulate", [&] { s.array.accumulate(s.patch, s.data(), &s.factor); })});
}

/// Every second element of every second row, and a patch across the edge of a periodic array.
void time_other_shapes(Calls& calls, Square& s) {
  int skip[] = {2, 2}, half[] = {edge / 2};
  const atoll::Patch every_second{s.patch.lo, s.patch.hi, {2, 2}};
  calls.alone(
      "NGA_Strided_get 512x512, every 2nd", patch_bytes / 4,
      {way("NGA_Strided_get", [&] { NGA_Strided_get(s.handle, s.lo, s.hi, skip, s.data(), half); }),
       way("Array::get", [&] { s.array.get(every_second, s.data()); })});
  int lo[] = {extent - 8, extent - 8}, hi[] = {extent + 7, extent + 7}, ld[] = {16};
  const atoll::Patch across{{lo[0], lo[1]}, {hi[0] + 1, hi[1] + 1}};
  calls.alone("NGA_Periodic_get 16x16",
              {way("NGA_Periodic_get", [&] { NGA_Periodic_get(s.handle, lo, hi, s.data(), ld); }),
               way("get_periodic", [&] { atoll::get_periodic(s.array, across, s.data()); })});
}

/// Elements of the patch by chance, in both ways of naming them.
struct Scattered {
  explicit Scattered(const Square& square) {
    std::mt19937 random(7);  // NOLINT(bugprone-random-generator-seed): the same in all runs
    std::uniform_int_distribution<int> inside(0, edge - 1);
    for (int i = 0; i < 2 * scattered; ++i) {
      subscripts.push_back(square.lo[i % 2] + inside(random));
      positions.push_back(subscripts.back());
    }
    for (std::size_t i = 0; i < scattered; ++i) pointers.push_back(&subscripts[2 * i]);
  }
  std::vector<int> subscripts;
  std::vector<int*> pointers;
  std::vector<std::int64_t> positions;
};

void time_scattered(Calls& calls, Square& s) {
  Scattered list(s);
  int** const at = list.pointers.data();
  calls.alone("NGA_Gather 1000 elements",
              {way("NGA_Gather", [&] { NGA_Gather(s.handle, s.data(), at, scattered); }),
               way("Array::gather", [&] { s.array.gather(list.positions, s.data()); })});
  calls.alone("NGA_Scatter 1000 elements",
              {way("NGA_Scatter", [&] { NGA_Scatter(s.handle, s.data(), at, scattered); }),
               way("Array::scatter", [&] { s.array.scatter(list.positions, s.data()); })});
  calls.alone(
      "NGA_Scatter_acc 1000 elements",
      {way("NGA_Scatter_acc",
           [&] { NGA_Scatter_acc(s.handle, s.data(), at, scattered, &s.factor); }),
       way("scatter_accumulate", [&] { s.array.scatter_accumulate(list.positions, s.data()); })});
}

}  // namespace

void ga_patches(Calls& calls) {
  Square square;
  time_patches(calls, square);
  time_other_shapes(calls, square);
  time_scattered(calls, square);
}

}  // namespace bench
