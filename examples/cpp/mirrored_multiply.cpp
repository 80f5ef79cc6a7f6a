// Multiplies matrices with mirrored arrays, as Palmer, Nieplocha and Apra do (Shared Memory
// Mirroring for Reducing Communication Overhead on Commodity Networks, 2003, section 4).
//
// Both factors are mirrored, so that reading blocks of them costs no network traffic. Each rank
// takes tasks, pairs of a block of rows and a block of the inner dimension, multiplies, and adds to
// its own node's copy of the product; one merge at the end adds up the copies.
//
//   mpiexec -n 4 mirrored_multiply [n]
#include <algorithm>
#include <atoll/atoll.hpp>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <vector>

namespace {

constexpr std::int64_t block = 64;

/// c += a b for packed matrices.
void multiply_block(const double* a, const double* b, double* c, std::int64_t rows,
                    std::int64_t inner, std::int64_t columns) {
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t k = 0; k < inner; ++k)
      for (std::int64_t j = 0; j < columns; ++j)
        c[i * columns + j] += a[i * inner + k] * b[k * columns + j];
}

}  // namespace

int main(int argc, char** argv) {
  atoll::World world(argc, argv);
  const std::int64_t n = argc > 1 ? std::atoll(argv[1]) : 200;

  // Distributed over all ranks; then on every node, which fetches what it lacks.
  atoll::Array<double> a(world, {n, n}), b(world, {n, n}), c(world, {n, n});
  atoll::random_fill(a, 1);
  atoll::random_fill(b, 2);
  atoll::Array<double> left = atoll::mirror(a), right = atoll::mirror(b);
  atoll::Array<double> product(world, {n, n}, {.name = "product", .mirrored = true});

  const std::int64_t blocks = (n + block - 1) / block;
  std::vector<double> x, y, z;
  atoll::Counter tasks(world);
  for (std::int64_t task = tasks.next(); task < blocks * blocks; task = tasks.next()) {
    const std::int64_t i = task / blocks * block, k = task % blocks * block;
    const std::int64_t i_end = std::min(i + block, n), k_end = std::min(k + block, n);
    x.resize(static_cast<std::size_t>((i_end - i) * (k_end - k)));
    y.resize(static_cast<std::size_t>((k_end - k) * n));
    z.assign(static_cast<std::size_t>((i_end - i) * n), 0.0);
    left.get({{i, k}, {i_end, k_end}}, x.data());
    right.get({{k, 0}, {k_end, n}}, y.data());
    multiply_block(x.data(), y.data(), z.data(), i_end - i, k_end - k, n);
    product.accumulate({{i, 0}, {i_end, n}}, z.data());
  }
  atoll::merge(product);    // only rows that a node has added to travel
  atoll::copy(product, c);  // each rank from its own node's copy: no network traffic

  // One rank checks it the plain way.
  double error = 0;
  if (world.rank() == 0) {
    const auto size = static_cast<std::size_t>(n * n);
    std::vector<double> all_a(size), all_b(size), all_c(size), expected(size);
    a.get(atoll::whole(a.shape()), all_a.data());
    b.get(atoll::whole(b.shape()), all_b.data());
    c.get(atoll::whole(c.shape()), all_c.data());
    multiply_block(all_a.data(), all_b.data(), expected.data(), n, n, n);
    for (std::size_t i = 0; i < size; ++i)
      error = std::max(error, std::abs(expected[i] - all_c[i]));
    std::cout << n << " x " << n << (error < 1e-10 ? ": correct\n" : ": WRONG\n");
  }
  return world.reduce(error, atoll::Reduction::maximum) < 1e-10 ? 0 : 1;
}
