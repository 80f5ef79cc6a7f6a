// A distributed matrix as ScaLAPACK wants it: block-cyclic, columns contiguous. It is an array of
// the transposed shape in Atoll's block-cyclic layout, whose rows are contiguous; so both ways
// between it and any other distribution are Atoll's own transposing copy.
#pragma once

#include <array>
#include <cstdint>

#include "atoll/array.hpp"
#include "solvers/kernels.hpp"

namespace lagoon::atoll::detail {

/// The ranks that compute: `rows` x `columns` of the group's first ones, numbered column by column.
struct SolverGrid {
  Group group;
  int rows = 1, columns = 1;
  std::int64_t block = 64;
  int context = -1;  ///< of the BLACS; -1 without ScaLAPACK and on ranks beyond the grid
  bool computes() const { return group.rank() < rows * columns; }
};

class ColumnMatrix {
 public:
  /// Collective; contents are undefined.
  ColumnMatrix(const SolverGrid& grid, std::int64_t rows, std::int64_t columns, ElementType type);

  Index shape() const { return {rows_, columns_}; }
  /// Collective. From and to matrices of this shape, or vectors where there is one column.
  void load(const AnyArray& from);
  void store(AnyArray& to);
  void store(AnyArray& to, const Patch& patch);
  /// Collective: the matrix becomes the rows of a two-dimensional array.
  void store_as_rows(AnyArray& to);
  /// Collective: my first columns become the columns of another matrix, or its rows.
  void load_columns(const ColumnMatrix& from);
  void load_rows_as_columns(const ColumnMatrix& from);
  /// Collective: the unit matrix.
  void make_unit();
  /// Sets the half that is not `triangle` (without the diagonal) to zero. Not collective.
  void clear_other_half(char triangle);
  /// Whether my elements are: of a triangle ('L', 'U') or of all of it ('A'). Not collective.
  bool is_finite(char triangle);
  /// The last row, counted from 1, with a zero on the diagonal in my part; 0: none. Not collective.
  int zero_on_diagonal();
  /// Fills that half with the conjugates of the other, and makes the diagonal real. Collective.
  void complete(char triangle);

  /// This rank's part; no memory on ranks that do not compute.
  template <BlasElement T>
  Columns<T> part() {
    return {static_cast<T*>(transposed_.storage(rank_)),
            static_cast<int>(rows_),
            static_cast<int>(columns_),
            distance_,
            local_columns_,
            descriptor_};
  }

 private:
  AnyArray transposed_;
  int rank_;
  std::int64_t rows_, columns_;
  int distance_, local_columns_;
  std::array<int, 9> descriptor_;
};

/// Runs `f.template operator()<T>()` for an element type that the BLAS has.
template <class F>
void with_blas_type(ElementType type, F&& f) {
  with_chosen_type<has_blas>(type, [&]<class T>(T) { f.template operator()<T>(); });
}

}  // namespace lagoon::atoll::detail
