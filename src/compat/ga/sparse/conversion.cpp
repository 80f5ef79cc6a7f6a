#include "compat/ga/sparse/conversion.hpp"

#include "compat/ga/sparse/dense.hpp"
#include "compat/ga/sparse/matrices.hpp"

namespace lagoon::atoll::ga::sparse {

int duplicate(std::int64_t s_a) {
  return together(s_a, []<class T>(Matrix<T>& s) {
    const int made = matrices().create(s.frame());
    of_type<T>(made).fill(s.entries());
    return made;
  });
}

int sparse_of_dense(Language language, std::int64_t g_a) {
  const MatrixExtents extents("g_a", language, g_a);
  GlobalArray& dense = array_of(g_a);
  const int made = matrices().create(extents.rows, extents.columns, dense.plan.type);
  together(made, [&]<class T>(Matrix<T>& s) {
    const DenseMatrix<T> a(language, dense.array());
    const Range rows = s.my_rows();
    std::vector<Entry<T>> entries;
    for (int strip = 0; strip < s.frame().columns.count(); ++strip) {
      const Range columns = s.frame().columns.range(strip);
      const std::vector<T> values = a.get(rows, columns);
      for (std::size_t k = 0; k < values.size(); ++k) {
        const auto at = static_cast<std::int64_t>(k);
        if (values[k] != T(0))
          entries.push_back(
              {rows.lo + at / columns.size(), columns.lo + at % columns.size(), values[k]});
      }
    }
    s.fill(std::move(entries));
    return 0;
  });
  return made;
}

int dense_of_sparse(Language language, std::int64_t s_a) {
  return together(s_a, [&]<class T>(Matrix<T>& s) {
    const Frame& frame = s.frame();
    const int made =
        new_dense(frame, matrix_shape(language, frame.rows.extent(), frame.columns.extent()));
    DenseMatrix<T> a(language, array_of(made).array());
    const Range rows = s.my_rows();
    for (const int strip : s.filled_strips()) {
      const Range columns = frame.columns.range(strip);
      std::vector<T> values(static_cast<std::size_t>(rows.size() * columns.size()));
      const Block<T> part = s.block(strip);
      for (std::int64_t r = 0; r < rows.size(); ++r)
        for (auto k = static_cast<std::size_t>(part.starts[static_cast<std::size_t>(r)]);
             k < static_cast<std::size_t>(part.starts[static_cast<std::size_t>(r) + 1]); ++k)
          values[static_cast<std::size_t>(r * columns.size() + part.columns[k] - columns.lo)] =
              part.values[k];
      a.put(rows, columns, values);
    }
    return made;
  });
}

}  // namespace lagoon::atoll::ga::sparse
