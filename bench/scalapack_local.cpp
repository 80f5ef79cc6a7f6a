// Grids, descriptors and two routines of ScaLAPACK.
#include "scalapack_local.hpp"

#include <algorithm>
#include <stdexcept>

namespace bench {

namespace {

constexpr int one = 1;

/// Rows or columns of a part, as ScaLAPACK's numroc says.
int local_extent(std::int64_t extent, int block, int coordinate, int grid) {
  const std::int64_t blocks = extent / block;
  std::int64_t mine = blocks / grid * block;
  const std::int64_t extra = blocks % grid;
  if (coordinate < extra) mine += block;
  if (coordinate == extra) mine += extent % block;
  return static_cast<int>(mine);
}

}  // namespace

ScalapackGrid::ScalapackGrid(const atoll::Group& group) : rank_(group.rank()) {
  for (int rows = 1; rows * rows <= group.size(); ++rows)
    if (group.size() % rows == 0) rows_ = rows;
  columns_ = group.size() / rows_;
  grid_ = std::make_unique<atoll::detail::BlacsGrid>(group.mpi_communicator(), rows_, columns_);
}

ScalapackMatrix::ScalapackMatrix(const ScalapackGrid& grid, std::int64_t rows, std::int64_t columns,
                                 int block)
    : block_(block),
      grid_rows_(grid.rows()),
      grid_columns_(grid.columns()),
      row_(grid.row()),
      column_(grid.column()),
      local_rows_(local_extent(rows, block, row_, grid_rows_)),
      local_columns_(local_extent(columns, block, column_, grid_columns_)),
      values_(static_cast<std::size_t>(local_rows_) * static_cast<std::size_t>(local_columns_)),
      descriptor_{1,
                  grid.context(),
                  static_cast<int>(rows),
                  static_cast<int>(columns),
                  block,
                  block,
                  0,
                  0,
                  std::max(1, local_rows_)} {}

void pdgemm(ScalapackMatrix& a, ScalapackMatrix& b, ScalapackMatrix& c, int m, int n, int k) {
  using Routine =
      void(const char*, const char*, const int*, const int*, const int*, const double*,
           const double*, const int*, const int*, const int*, const double*, const int*, const int*,
           const int*, const double*, double*, const int*, const int*, const int*);
  static Routine* const routine = atoll::detail::Scalapack::get().routine<Routine>("pdgemm");
  const double alpha = 1, beta = 0;
  routine("N", "N", &m, &n, &k, &alpha, a.data(), &one, &one, a.descriptor(), b.data(), &one, &one,
          b.descriptor(), &beta, c.data(), &one, &one, c.descriptor());
}

void pdsyevd(ScalapackMatrix& a, std::vector<double>& values, ScalapackMatrix& vectors) {
  using Routine = void(const char*, const char*, const int*, double*, const int*, const int*,
                       const int*, double*, double*, const int*, const int*, const int*, double*,
                       const int*, int*, const int*, int*);
  static Routine* const routine = atoll::detail::Scalapack::get().routine<Routine>("pdsyevd");
  const int n = static_cast<int>(values.size());
  int info = 0;
  const auto call = [&](double* work, int length, int* integers, int integers_length) {
    routine("V", "L", &n, a.data(), &one, &one, a.descriptor(), values.data(), vectors.data(), &one,
            &one, vectors.descriptor(), work, &length, integers, &integers_length, &info);
  };
  double wanted[2] = {};
  int wanted_integers[2] = {};
  call(wanted, -1, wanted_integers, -1);
  std::vector<double> work(static_cast<std::size_t>(wanted[0]));
  std::vector<int> integers(static_cast<std::size_t>(wanted_integers[0]));
  call(work.data(), static_cast<int>(work.size()), integers.data(),
       static_cast<int>(integers.size()));
  if (info != 0) throw std::runtime_error("pdsyevd: info " + std::to_string(info));
}

}  // namespace bench
