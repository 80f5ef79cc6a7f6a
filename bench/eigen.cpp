// eigen: eigenvalues and vectors of a symmetric matrix, redistribution both ways included, beside
// ScaLAPACK's own routine on a matrix that lies as it wants, and beside LAPACK on one rank. Any
// number of ranks.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "atoll/atoll.hpp"
#include "atoll/solvers.hpp"
#include "pair.hpp"
#include "scalapack_local.hpp"
#include "solvers/column_matrix.hpp"
#include "solvers/elpa.hpp"
#include "workloads.hpp"

namespace bench {

namespace {

/// Symmetric, without structure.
double element(std::int64_t row, std::int64_t column) {
  return std::sin(static_cast<double>((row + 1) * (column + 1)) +
                  static_cast<double>(row + column));
}

/// The largest elements of a v - v w and of v^T v - 1.
std::pair<double, double> errors(const atoll::Array<double>& a, const atoll::Array<double>& v,
                                 const std::vector<double>& values) {
  atoll::Array<double> product = a.duplicate(), scaled = v.duplicate();
  atoll::Array<double> w(a.group(), {a.shape()[0]});
  if (a.group().rank() == 0) w.put(atoll::whole(w.shape()), values.data());
  atoll::matmul(1, a, v, 0, product);
  atoll::copy(v, scaled);
  atoll::scale_columns(scaled, w);
  atoll::add(1, product, -1, scaled, product);
  const double residual = atoll::norm(product, atoll::Norm::infinity);
  atoll::matmul(1, {v, atoll::Form::transposed}, v, 0, product);
  atoll::shift_diagonal(product, -1);
  return {residual, atoll::norm(product, atoll::Norm::infinity)};
}

/// ELPA called on a matrix that lies as it wants.
class ElpaRival {
 public:
  ElpaRival(const atoll::Group& group, const ScalapackGrid& grid)
      : grid_({group, grid.rows(), grid.columns(), 64, grid.context()}) {}
  void solve(ScalapackMatrix& a, std::vector<double>& values, ScalapackMatrix& vectors) {
    atoll::detail::elpa_heevd<double>(grid_, a.columns(), values.data(), vectors.columns());
  }

 private:
  atoll::detail::ElpaGrid grid_;
};

void measure(Context& context, std::int64_t n) {
  atoll::Array<double> a(context.world, {n, n}), v(context.world, {n, n});
  const auto block = a.local();
  for (std::int64_t i = block.patch.lo[0]; i < block.patch.hi[0]; ++i)
    for (std::int64_t j = block.patch.lo[1]; j < block.patch.hi[1]; ++j)
      block.data[(i - block.patch.lo[0]) * block.strides[0] + (j - block.patch.lo[1])] =
          element(i, j);
  context.world.sync();
  const auto [residual, orthogonality] = errors(a, v, atoll::eigh(a, v));

  const auto repeat = [](auto&& f) {
    return [=](std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) f();
    };
  };
  const ScalapackGrid grid(context.world);
  ScalapackMatrix own(grid, n, n, 64), vectors(grid, n, n, 64);
  std::vector<double> values(static_cast<std::size_t>(n));
  std::vector<Pair::Task> tasks = {
      repeat([&] { atoll::eigh(a, v); }),
      repeat([&] {
        own.fill(element);
        context.world.barrier();
        pdsyevd(own, values, vectors);
        context.world.barrier();
      }),
      repeat([&] {
        own.fill(element);
        context.world.barrier();
      }),
      repeat([&] { atoll::eigh(a, v, {.library = atoll::SolverLibrary::lapack}); }),
  };
  std::optional<ElpaRival> elpa;
  if (atoll::detail::elpa_has(atoll::ElementType::float64)) {
    elpa.emplace(context.world, grid);
    tasks.push_back(repeat([&] {
      own.fill(element);
      context.world.barrier();
      elpa->solve(own, values, vectors);
      context.world.barrier();
    }));
    tasks.push_back(
        repeat([&] { atoll::eigh(a, v, {.library = atoll::SolverLibrary::scalapack}); }));
  }
  Pair pair(context.world.communicator(), tasks);
  pair.run([&] {
    const auto s = race(context.settings, pair.contenders(), paired_batch);
    std::vector<Rival> peers = {
        {"pdsyevd, filled", s[1]}, {"filling", s[2]}, {"LAPACK on one rank", s[3]}};
    if (elpa) {
      peers.push_back({"ELPA, filled", s[4]});
      peers.push_back({"eigh by ScaLAPACK", s[5]});
    }
    context.report.latency("eigh " + std::to_string(n), s[0], peers);
    std::printf("  residual %.1e, orthogonality %.1e, bound %.1e\n", residual, orthogonality,
                1e-12 * static_cast<double>(n));
  });
}

}  // namespace

void eigen(Context& context) {
  if (!has_scalapack()) {
    if (context.world.rank() == 0)
      std::printf("eigen: %s\n", atoll::detail::Scalapack::get().why_not().c_str());
    return;
  }
  measure(context, 500);
  if (!context.settings.quick) measure(context, 2000);
}

}  // namespace bench
