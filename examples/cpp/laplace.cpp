// Laplace's equation in two and three dimensions, by Jacobi's method on arrays with halos.
//
// Every point becomes the mean of its neighbours, over and over, until nothing changes any more.
// The arrays hold the inner points. The halo of a block holds the points next to it: a neighbour's,
// which each sweep fetches anew, or those on the boundary, which are set once and which no update
// touches.
//
//   mpiexec -n 4 laplace
#include <algorithm>
#include <atoll/atoll.hpp>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <limits>
#include <numbers>
#include <utility>

namespace {

using Block = atoll::TypedBlock<double>;

/// A solution in the unit square or cube; zero on all sides but one.
double exact(const atoll::Index& position, std::int64_t points) {
  const auto at = [&](int d) {
    return static_cast<double>(position[d] + 1) / static_cast<double>(points + 1);
  };
  const double steep = std::numbers::pi * std::sqrt(position.size() - 1);
  double value = std::sinh(steep * at(0)) / std::sinh(steep);
  for (int d = 1; d < position.size(); ++d) value *= std::sin(std::numbers::pi * at(d));
  return value;
}

/// Calls `f(position, offset)` for all positions of `patch`, a part of the block.
template <class F>
void for_each_point(const Block& block, const atoll::Patch& patch, F&& f) {
  if (patch.empty()) return;
  atoll::Index position = patch.lo;
  for (;;) {
    std::int64_t offset = 0;
    for (int d = 0; d < position.size(); ++d)
      offset += (position[d] - block.patch.lo[d]) * block.strides[d];
    f(position, offset);
    int d = position.size() - 1;
    for (; d >= 0 && ++position[d] == patch.hi[d]; --d) position[d] = patch.lo[d];
    if (d < 0) return;
  }
}

/// Zeros inside, the solution on the boundary, which lies in the halo.
void set_up(atoll::Array<double>& array) {
  const Block block = atoll::local_with_halo(array);
  const atoll::Index& shape = array.shape();
  for_each_point(block, block.patch, [&](const atoll::Index& position, std::int64_t offset) {
    bool inside = true;
    for (int d = 0; d < shape.size(); ++d)
      inside = inside && position[d] >= 0 && position[d] < shape[d];
    block.data[offset] = inside ? 0 : exact(position, shape[0]);
  });
}

/// Returns the largest change of a point.
double sweep(const atoll::Array<double>& now, atoll::Array<double>& then) {
  const Block from = atoll::local_with_halo(now);
  const Block to = atoll::local_with_halo(then);  // cut alike: the same offsets
  double change = 0;
  for_each_point(from, now.local().patch, [&](const atoll::Index& position, std::int64_t offset) {
    double sum = 0;
    for (int d = 0; d < position.size(); ++d)
      sum += from.data[offset - from.strides[d]] + from.data[offset + from.strides[d]];
    to.data[offset] = sum / (2 * position.size());
    change = std::max(change, std::abs(to.data[offset] - from.data[offset]));
  });
  return change;
}

void solve(const atoll::World& world, int dimensions, std::int64_t points) {
  const atoll::Index shape = atoll::Index::filled(dimensions, points);
  const atoll::ArrayOptions options{.layout = atoll::Layout::blocked().with_halo({1})};
  atoll::Array<double> now(world, shape, options);
  atoll::Array<double> then(world, shape, options);
  set_up(now);
  set_up(then);

  int sweeps = 0;
  for (double change = std::numeric_limits<double>::max(); change > 1e-10;) {
    atoll::update_halo(now, {.corners = false});
    change = sweep(now, then);
    std::swap(now, then);
    // All ranks stop together; asking every time would cost as much as the sweep.
    change = ++sweeps % 20 == 0 ? world.reduce(change, atoll::Reduction::maximum) : 1;
  }

  double error = 0;
  const Block block = atoll::local_with_halo(now);
  for_each_point(block, now.local().patch, [&](const atoll::Index& position, std::int64_t offset) {
    error = std::max(error, std::abs(block.data[offset] - exact(position, points)));
  });
  error = world.reduce(error, atoll::Reduction::maximum);
  if (world.rank() == 0)
    std::cout << dimensions << "-D, " << points << " points a side: " << sweeps
              << " sweeps, largest error " << error << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  const atoll::World world(argc, argv);
  solve(world, 2, 24);
  solve(world, 3, 12);
  return 0;
}
