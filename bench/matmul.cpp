// matmul: products of square and of oblong matrices of doubles, beside the peak: every rank's own
// DGEMM of as many operations, all at the same time (figures 8 and 10 of Krishnan and Nieplocha's
// paper on SRUMMA), and beside ScaLAPACK's pdgemm with several sizes of blocks, where there is one.
// Also without prefetching, and with all ranks beginning at the same panel. Any number of ranks.
#include <algorithm>
#include <cmath>
#include <list>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "algebra/matrices/blas.hpp"
#include "atoll/atoll.hpp"
#include "pair.hpp"
#include "scalapack_local.hpp"
#include "workloads.hpp"

namespace bench {

namespace {

struct Extents {
  std::int64_t m, n, k;
};

std::vector<Extents> cases(const Settings& settings) {
  std::vector<Extents> result = {{256, 256, 256}, {1025, 1025, 1025}, {2048, 2048, 2048}};
  // Matrices of up to eight times the largest transfer.
  for (const std::int64_t n : {4096, 8192})
    if (!settings.quick && n * n <= settings.largest) result.push_back({n, n, n});
  result.insert(result.end(), {{512, 512, 65536}, {32768, 512, 512}, {65536, 32, 32}});
  return result;
}

class Product {
 public:
  Product(const atoll::World& world, const Extents& extents)
      : e_(extents),
        a_(world, {extents.m, extents.k}),
        b_(world, {extents.k, extents.n}),
        c_(world, {extents.m, extents.n}),
        rows_((extents.m + world.size() - 1) / world.size()),
        own_a_(static_cast<std::size_t>(rows_ * extents.k), 0.5),
        own_b_(static_cast<std::size_t>(extents.k * extents.n), 0.25),
        own_c_(static_cast<std::size_t>(rows_ * extents.n)) {
    atoll::fill(a_, 0.5);
    atoll::fill(b_, 0.25);
    multiply({});
    const double expected = 0.125 * static_cast<double>(extents.k);
    if (atoll::minimum_element(c_).value.as<double>() != expected ||
        atoll::maximum_element(c_).value.as<double>() != expected)
      throw std::runtime_error("matmul: the product is wrong");
  }
  double operations() const {
    return 2.0 * static_cast<double>(e_.m) * static_cast<double>(e_.n) * static_cast<double>(e_.k);
  }
  void multiply(const atoll::MatmulOptions& options) { atoll::matmul(1, a_, b_, 0, c_, options); }
  void multiply_own() {
    using atoll::detail::BlasForm;
    atoll::detail::gemm<double>(BlasForm::plain, BlasForm::plain, rows_, e_.n, e_.k, 1,
                                own_a_.data(), e_.k, own_b_.data(), e_.n, 0, own_c_.data(), e_.n);
  }

 private:
  Extents e_;
  atoll::Array<double> a_, b_, c_;
  std::int64_t rows_;
  std::vector<double> own_a_, own_b_, own_c_;
};

constexpr int pdgemm_blocks[] = {32, 64, 128, 256};

/// The operands of pdgemm in blocks of one size.
struct Rivals {
  Rivals(const ScalapackGrid& grid, const Extents& e, int block)
      : extents(e), a(grid, e.m, e.k, block), b(grid, e.k, e.n, block), c(grid, e.m, e.n, block) {
    a.fill([](std::int64_t, std::int64_t) { return 0.5; });
    b.fill([](std::int64_t, std::int64_t) { return 0.25; });
  }
  void multiply() {
    pdgemm(a, b, c, static_cast<int>(extents.m), static_cast<int>(extents.n),
           static_cast<int>(extents.k));
  }
  Extents extents;
  ScalapackMatrix a, b, c;
};

void measure(Context& context, const Extents& e) {
  Product product(context.world, e);
  const auto repeat = [](auto&& f) {
    return [=](std::int64_t n) {
      for (std::int64_t i = 0; i < n; ++i) f();
    };
  };
  std::vector<Pair::Task> tasks = {
      repeat([&] { product.multiply({}); }),
      repeat([&] {
        product.multiply_own();
        context.world.barrier();
      }),
      repeat([&] { product.multiply({.prefetch = false}); }),
      repeat([&] { product.multiply({.shift = false}); }),
  };
  std::optional<ScalapackGrid> grid;
  std::list<Rivals> rivals;
  if (has_scalapack()) {
    grid.emplace(context.world);
    for (const int block : pdgemm_blocks)
      tasks.push_back(repeat([&context, &mine = rivals.emplace_back(*grid, e, block)] {
        mine.multiply();
        context.world.barrier();
      }));
  }
  const std::size_t own = tasks.size() - rivals.size();
  Pair pair(context.world.communicator(), tasks);
  pair.run([&] {
    const auto s = race(context.settings, pair.contenders(), paired_batch);
    std::vector<Rival> peers = {{"own DGEMMs", s[1]}, {"no prefetch", s[2]}, {"no shift", s[3]}};
    for (std::size_t i = own; i < s.size(); ++i)
      peers.push_back({"pdgemm " + std::to_string(pdgemm_blocks[i - own]), s[i]});
    context.report.rate(
        "matmul " + std::to_string(e.m) + " x " + std::to_string(e.n) + " x " + std::to_string(e.k),
        product.operations(), s[0], peers);
  });
}

}  // namespace

void matmul(Context& context) {
  for (const Extents& extents : cases(context.settings)) measure(context, extents);
}

}  // namespace bench
