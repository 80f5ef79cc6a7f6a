// ScaLAPACK called as its users call it: on block-cyclic matrices in memory of its own.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "atoll/group.hpp"
#include "solvers/kernels.hpp"
#include "solvers/scalapack.hpp"

namespace bench {

inline bool has_scalapack() { return atoll::detail::Scalapack::get().available(); }

/// A grid of all ranks, as near to a square as their number allows.
class ScalapackGrid {
 public:
  explicit ScalapackGrid(const atoll::Group& group);
  int context() const { return grid_->context(); }
  int rows() const { return rows_; }
  int columns() const { return columns_; }
  int row() const { return rank_ % rows_; }
  int column() const { return rank_ / rows_; }

 private:
  int rank_, rows_ = 1, columns_;
  std::unique_ptr<atoll::detail::BlacsGrid> grid_;
};

/// This rank's part of a matrix of doubles.
class ScalapackMatrix {
 public:
  ScalapackMatrix(const ScalapackGrid& grid, std::int64_t rows, std::int64_t columns, int block);
  double* data() { return values_.data(); }
  const int* descriptor() const { return descriptor_.data(); }
  /// For Atoll's own calls of such libraries.
  atoll::detail::Columns<double> columns() {
    return {data(), descriptor_[2], descriptor_[3], descriptor_[8], local_columns_, descriptor_};
  }
  /// Sets every element to `f(row, column)`.
  template <class F>
  void fill(F&& f);

 private:
  int block_, grid_rows_, grid_columns_, row_, column_, local_rows_, local_columns_;
  std::vector<double> values_;
  std::array<int, 9> descriptor_;
};

template <class F>
void ScalapackMatrix::fill(F&& f) {
  const auto whole = [this](int local, int coordinate, int grid) {
    return (std::int64_t{local / block_} * grid + coordinate) * block_ + local % block_;
  };
  for (int j = 0; j < local_columns_; ++j)
    for (int i = 0; i < local_rows_; ++i)
      values_[static_cast<std::size_t>(j) * static_cast<std::size_t>(local_rows_) +
              static_cast<std::size_t>(i)] =
          f(whole(i, row_, grid_rows_), whole(j, column_, grid_columns_));
}

/// c = a b by pdgemm.
void pdgemm(ScalapackMatrix& a, ScalapackMatrix& b, ScalapackMatrix& c, int m, int n, int k);
/// All eigenvalues and vectors of a, which is lost, by pdsyevd.
void pdsyevd(ScalapackMatrix& a, std::vector<double>& values, ScalapackMatrix& vectors);

}  // namespace bench
