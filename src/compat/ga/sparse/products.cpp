#include "compat/ga/sparse/products.hpp"

#include <string>
#include <utility>
#include <vector>

#include "compat/ga/sparse/dense.hpp"
#include "compat/ga/sparse/matrices.hpp"

namespace lagoon::atoll::ga::sparse {

namespace {

void check_inner(std::int64_t columns, std::int64_t rows) {
  if (columns != rows)
    throw Error(ErrorKind::value, "the first factor has " + std::to_string(columns) +
                                      " columns and the second " + std::to_string(rows) + " rows");
}

/// Calls f(row of the block, column, value).
template <Element T, class F>
void each_of(const Block<T>& block, F&& f) {
  for (std::size_t r = 0; r + 1 < block.starts.size(); ++r)
    for (auto k = static_cast<std::size_t>(block.starts[r]);
         k < static_cast<std::size_t>(block.starts[r + 1]); ++k)
      f(r, block.columns[k], block.values[k]);
}

/// to += factor * from, of `count` elements.
template <Element T>
void add_multiple(T* to, T factor, const T* from, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] += factor * from[i];
}

/// A row of a product, of the columns of one strip, as it is summed up.
template <Element T>
class RowSum {
 public:
  explicit RowSum(Range columns)
      : columns_(columns),
        sums_(static_cast<std::size_t>(columns.size())),
        present_(static_cast<std::size_t>(columns.size())) {}
  void add(std::int64_t column, T value) {
    const auto at = static_cast<std::size_t>(column - columns_.lo);
    if (!present_[at]) touched_.push_back(column);
    present_[at] = true;
    sums_[at] += value;
  }
  void move_to(std::int64_t row, std::vector<Entry<T>>& entries) {
    for (const std::int64_t column : touched_) {
      const auto at = static_cast<std::size_t>(column - columns_.lo);
      entries.push_back({row, column, std::exchange(sums_[at], T(0))});
      present_[at] = false;
    }
    touched_.clear();
  }

 private:
  Range columns_;
  std::vector<T> sums_;
  std::vector<bool> present_;
  std::vector<std::int64_t> touched_;
};

/// A block of mine of A, and the block of B whose rows are its columns.
template <Element T>
struct Factors {
  Block<T> a;
  FetchedBlock<T> b;
  std::int64_t first_row;  // of b's
};

/// Row r of the product of two blocks.
template <Element T>
void multiply_row(const Factors<T>& factors, std::size_t r, RowSum<T>& sum) {
  const auto& [a, b, first_row] = factors;
  for (auto e = static_cast<std::size_t>(a.starts[r]);
       e < static_cast<std::size_t>(a.starts[r + 1]); ++e) {
    const auto b_row = static_cast<std::size_t>(a.columns[e] - first_row);
    for (auto f = static_cast<std::size_t>(b.starts[b_row]);
         f < static_cast<std::size_t>(b.starts[b_row + 1]); ++f)
      sum.add(b.columns[f], a.values[e] * b.values[f]);
  }
}

/// My rows of A B in one strip of columns. Of B, only what meets my elements is fetched.
template <Element T>
void multiply_strip(const Matrix<T>& a, const Matrix<T>& b, int strip,
                    std::vector<Entry<T>>& product) {
  std::vector<Factors<T>> pairs;
  for (const int k : a.filled_strips()) {
    FetchedBlock<T> fetched = b.fetch(k, strip);
    if (!fetched.values.empty())
      pairs.push_back({a.block(k), std::move(fetched), a.frame().columns.range(k).lo});
  }
  RowSum<T> sum(b.frame().columns.range(strip));
  const Range rows = a.my_rows();
  for (std::int64_t row = rows.lo; row < rows.hi; ++row) {
    for (const Factors<T>& pair : pairs)
      multiply_row(pair, static_cast<std::size_t>(row - rows.lo), sum);
    sum.move_to(row, product);
  }
}

/// A's columns are to be cut as B's rows are.
void check_groups(const Frame& a, const Frame& b) {
  if (!(a.group == b.group))
    throw Error(ErrorKind::value, "s_a and s_b were created on different groups");
}

}  // namespace

void matrix_times_vector(std::int64_t s_a, std::int64_t g_a, std::int64_t g_v) {
  together(s_a, [&]<class T>(Matrix<T>& s) {
    const Frame& frame = s.frame();
    const AnyArray& a = dense_array<T>("g_a", g_a, {frame.columns.extent()});
    AnyArray& v = dense_array<T>("g_v", g_v, {frame.rows.extent()});
    const Range rows = s.my_rows();
    std::vector<T> sums(static_cast<std::size_t>(rows.size()));
    for (const int strip : s.filled_strips()) {
      const Range columns = frame.columns.range(strip);
      const std::vector<T> factors = part_of<T>(a, columns);
      each_of(s.block(strip), [&](std::size_t r, std::int64_t column, T value) {
        sums[r] += value * factors[static_cast<std::size_t>(column - columns.lo)];
      });
    }
    frame.group.barrier();  // a may be v
    if (!sums.empty()) v.put({{rows.lo}, {rows.hi}}, sums.data());
    return 0;
  });
}

int sparse_times_sparse(std::int64_t s_a, std::int64_t s_b) {
  return together(s_a, [&]<class T>(Matrix<T>& a) {
    const Matrix<T>& b = of_type<T>(s_b);
    check_groups(a.frame(), b.frame());
    check_inner(a.frame().columns.extent(), b.frame().rows.extent());
    Frame frame = a.frame();
    frame.columns = b.frame().columns;
    std::vector<Entry<T>> product;
    for (int strip = 0; strip < frame.columns.count(); ++strip)
      multiply_strip(a, b, strip, product);
    const int made = matrices().create(std::move(frame));
    of_type<T>(made).fill(std::move(product));
    return made;
  });
}

int sparse_times_dense(Language language, std::int64_t s_a, std::int64_t g_b) {
  return together(s_a, [&]<class T>(Matrix<T>& s) {
    const Frame& frame = s.frame();
    const MatrixExtents extents("g_b", language, g_b);
    check_inner(frame.columns.extent(), extents.rows);
    const DenseMatrix<T> b(language, dense_array<T>("g_b", g_b, array_of(g_b).shape()));
    const std::int64_t width = extents.columns;
    const Range all{0, width}, rows = s.my_rows();
    std::vector<T> sums(static_cast<std::size_t>(rows.size() * width));
    for (const int strip : s.filled_strips()) {
      const Range inner = frame.columns.range(strip);
      const std::vector<T> part = b.get(inner, all);
      each_of(s.block(strip), [&](std::size_t r, std::int64_t column, T value) {
        add_multiple(sums.data() + static_cast<std::int64_t>(r) * width, value,
                     part.data() + (column - inner.lo) * width, width);
      });
    }
    const int made = new_dense(frame, matrix_shape(language, frame.rows.extent(), width));
    DenseMatrix<T>(language, array_of(made).array()).put(rows, all, sums);
    return made;
  });
}

/// Each process computes the columns of its strip.
int dense_times_sparse(Language language, std::int64_t g_a, std::int64_t s_b) {
  return together(s_b, [&]<class T>(Matrix<T>& s) {
    const Frame& frame = s.frame();
    const MatrixExtents extents("g_a", language, g_a);
    check_inner(extents.columns, frame.rows.extent());
    const DenseMatrix<T> a(language, dense_array<T>("g_a", g_a, array_of(g_a).shape()));
    const int strip = frame.group.rank();
    const Range all{0, extents.rows}, columns = frame.columns.range(strip);
    std::vector<T> sums(static_cast<std::size_t>(extents.rows * columns.size()));
    for (int k = 0; k < frame.rows.count(); ++k) {
      FetchedBlock<T> factor = s.fetch(k, strip);
      if (factor.values.empty()) continue;
      const Range inner = frame.rows.range(k);
      const std::vector<T> part = a.get(all, inner);
      each_of(factor.view(), [&](std::size_t r, std::int64_t column, T value) {
        for (std::int64_t i = 0; i < extents.rows; ++i)
          sums[static_cast<std::size_t>(i * columns.size() + column - columns.lo)] +=
              part[static_cast<std::size_t>(i * inner.size()) + r] * value;
      });
    }
    const int made = new_dense(frame, matrix_shape(language, extents.rows, frame.columns.extent()));
    DenseMatrix<T>(language, array_of(made).array()).put(all, columns, sums);
    return made;
  });
}

}  // namespace lagoon::atoll::ga::sparse
