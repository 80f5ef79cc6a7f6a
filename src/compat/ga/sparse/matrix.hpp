// A sparse matrix: each process owns a strip of rows, cut into blocks by strips of columns.
// Elements are collected first, anywhere; assembling brings them to their owners and compresses
// each block by rows. The blocks then lie in Atoll's arrays, so that any process can fetch any of
// them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "atoll/array.hpp"
#include "compat/ga/sparse/delivery.hpp"
#include "compat/ga/sparse/strips.hpp"

namespace lagoon::atoll::ga::sparse {

/// What is known of a matrix before it has elements.
struct Frame {
  int type;          ///< GA's number
  int group_handle;  ///< GA's number
  Group group;
  Strips rows, columns;
};

/// Elements of a strip of rows in a strip of columns. Those of the strip's row r are numbers
/// starts[r] to starts[r + 1], in the order of their columns, which count from the matrix's first.
/// All empty where there are none.
template <Element T>
struct Block {
  std::span<std::int64_t> starts, columns;
  std::span<T> values;
  bool empty() const noexcept { return values.empty(); }
};

/// The same as a copy.
template <Element T>
struct FetchedBlock {
  std::vector<std::int64_t> starts, columns;
  std::vector<T> values;
  Block<T> view() { return {starts, columns, values}; }
};

template <Element T>
class Matrix {
 public:
  using Value = T;
  explicit Matrix(Frame frame) : frame_(std::move(frame)) {}

  const Frame& frame() const noexcept { return frame_; }
  /// My strip of rows.
  Range my_rows() const { return frame_.rows.range(frame_.group.rank()); }

  /// Before assembling; of elements added at the same place the sum counts. Error(index) for a
  /// place outside, Error(state) after assembling.
  void add(std::int64_t row, std::int64_t column, T value);
  /// Collective. Error(state) for a second time.
  void assemble();
  /// Collective: replaces the contents by elements of my rows, in any order.
  void fill(std::vector<Entry<T>> mine);

  /// Of all that follows Error(state) before assembling. Mine in a strip of columns:
  Block<T> block(int strip) const;
  /// Strips of columns in which my rows have elements, ascending.
  const std::vector<int>& filled_strips() const;
  /// Of anybody's rows; one-sided.
  FetchedBlock<T> fetch(int row_strip, int column_strip) const;
  /// Calls f(row, column, value) for elements of my rows, strip of columns by strip, row by row.
  template <class F>
  void each(F&& f) const;
  /// Copies of the elements of my rows, as `fill` takes them.
  std::vector<Entry<T>> entries() const;
  std::int64_t my_elements() const;

 private:
  /// Where a block begins in `starts`, and in `columns` and `values`, and how many it has.
  struct Place {
    std::int64_t first_start, first_element, elements;
  };
  struct Storage {
    Array<std::int64_t> directory;  // a Place for each strip of columns, on each process
    Array<std::int64_t> starts, columns;
    Array<T> values;
    std::vector<Place> mine{};
    std::vector<int> filled{};
  };
  const Storage& storage() const;
  /// `counts`: of elements in each strip of columns.
  void compress(Storage& to, const std::vector<Entry<T>>& sorted,
                const std::vector<std::int64_t>& counts) const;

  Frame frame_;
  std::vector<Entry<T>> added_;
  std::optional<Storage> storage_;
};

template <Element T>
template <class F>
void Matrix<T>::each(F&& f) const {
  const Range rows = my_rows();
  for (const int strip : filled_strips()) {
    const Block<T> part = block(strip);
    for (std::size_t r = 0; r + 1 < part.starts.size(); ++r)
      for (std::int64_t k = part.starts[r]; k < part.starts[r + 1]; ++k)
        f(rows.lo + static_cast<std::int64_t>(r), part.columns[static_cast<std::size_t>(k)],
          part.values[static_cast<std::size_t>(k)]);
  }
}

extern template class Matrix<std::int32_t>;
extern template class Matrix<std::int64_t>;
extern template class Matrix<float>;
extern template class Matrix<double>;
extern template class Matrix<std::complex<float>>;
extern template class Matrix<std::complex<double>>;

}  // namespace lagoon::atoll::ga::sparse
