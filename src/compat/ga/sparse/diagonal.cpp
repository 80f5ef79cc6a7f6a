#include "compat/ga/sparse/diagonal.hpp"

#include <algorithm>
#include <cstring>

#include "compat/ga/sparse/dense.hpp"
#include "compat/ga/sparse/matrices.hpp"

namespace lagoon::atoll::ga::sparse {

namespace {

/// Rows of mine that the diagonal crosses.
template <Element T>
Range my_diagonal(const Matrix<T>& s) {
  const Range rows = s.my_rows();
  const std::int64_t end = s.frame().columns.extent();
  return {std::min(rows.lo, end), std::min(rows.hi, end)};
}

template <Element T>
T number_at(const void* value) {
  T number;
  std::memcpy(&number, value, sizeof number);
  return number;
}

}  // namespace

int diagonal(std::int64_t s_a) {
  return together(s_a, []<class T>(Matrix<T>& s) {
    const Range mine = my_diagonal(s);
    std::vector<T> values(static_cast<std::size_t>(mine.size()));
    s.each([&](std::int64_t row, std::int64_t column, T value) {
      if (row == column) values[static_cast<std::size_t>(row - mine.lo)] = value;
    });
    const Frame& frame = s.frame();
    const int made = new_dense(frame, {std::min(frame.rows.extent(), frame.columns.extent())});
    if (!values.empty()) array_of(made).array().put({{mine.lo}, {mine.hi}}, values.data());
    return made;
  });
}

void shift_diagonal(std::int64_t s_a, const void* shift) {
  AnyMatrix& changed = matrices().at(s_a);
  together(s_a, [&]<class T>(Matrix<T>& s) {
    const T by = number_at<T>(shift);
    const Range mine = my_diagonal(s);
    std::int64_t found = 0;
    s.each([&](std::int64_t row, std::int64_t column, T&) { found += row == column; });
    const std::int32_t complete = found == mine.size();
    if (s.frame().group.reduce(complete, Reduction::minimum) == 1) {
      s.each([&](std::int64_t row, std::int64_t column, T& value) {
        if (row == column) value += by;
      });
      return 0;
    }
    std::vector<Entry<T>> entries = s.entries();
    for (std::int64_t i = mine.lo; i < mine.hi; ++i) entries.push_back({i, i, by});
    changed.for_c.clear();
    changed.for_fortran.clear();
    s.fill(std::move(entries));
    return 0;
  });
}

void scale(std::int64_t s_a, const void* factor) {
  together(s_a, [&]<class T>(Matrix<T>& s) {
    const T by = number_at<T>(factor);
    s.each([&](std::int64_t, std::int64_t, T& value) { value *= by; });
    return 0;
  });
}

void scale_rows(std::int64_t s_a, std::int64_t g_d) {
  together(s_a, [&]<class T>(Matrix<T>& s) {
    const Range rows = s.my_rows();
    const AnyArray& vector = dense_array<T>("g_d", g_d, {s.frame().rows.extent()});
    const std::vector<T> d = part_of<T>(vector, rows);
    s.each([&](std::int64_t row, std::int64_t, T& value) {
      value *= d[static_cast<std::size_t>(row - rows.lo)];
    });
    return 0;
  });
}

void scale_columns(std::int64_t s_a, std::int64_t g_d) {
  together(s_a, [&]<class T>(Matrix<T>& s) {
    const Strips& strips = s.frame().columns;
    const AnyArray& vector = dense_array<T>("g_d", g_d, {strips.extent()});
    for (const int strip : s.filled_strips()) {
      const Range columns = strips.range(strip);
      const std::vector<T> d = part_of<T>(vector, columns);
      const Block<T> part = s.block(strip);
      for (std::size_t k = 0; k < part.values.size(); ++k)
        part.values[k] *= d[static_cast<std::size_t>(part.columns[k] - columns.lo)];
    }
    return 0;
  });
}

}  // namespace lagoon::atoll::ga::sparse
