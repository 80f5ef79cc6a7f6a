// Sparse matrices in Matrix Market's coordinate format: a header, the extents and the number of
// elements, then a line for each element: row, column, value.
#include <cerrno>
#include <fstream>
#include <limits>

#include "compat/ga/sparse/conversion.hpp"
#include "compat/ga/sparse/dense.hpp"
#include "compat/ga/sparse/matrices.hpp"

namespace lagoon::atoll::ga::sparse {

namespace {

template <Element T>
void write_value(std::ostream& out, T value) {
  if constexpr (is_complex(element_type_of<T>()))
    out << value.real() << ' ' << value.imag();
  else
    out << value;
}

template <Element T>
const char* field_name() {
  constexpr ElementType type = element_type_of<T>();
  return is_complex(type) ? "complex" : is_integer(type) ? "integer" : "real";
}

template <Element T>
void write_block(std::ostream& out, const FetchedBlock<T>& block, std::int64_t first_row) {
  for (std::size_t r = 0; r + 1 < block.starts.size(); ++r)
    for (auto k = static_cast<std::size_t>(block.starts[r]);
         k < static_cast<std::size_t>(block.starts[r + 1]); ++k) {
      out << first_row + static_cast<std::int64_t>(r) + 1 << ' ' << block.columns[k] + 1 << ' ';
      write_value(out, block.values[k]);
      out << '\n';
    }
}

template <Element T>
void write_all(const Matrix<T>& s, std::int64_t elements, const std::string& path) {
  const Frame& frame = s.frame();
  std::ofstream out(path);
  if (!out) throw Error::of_file(errno, "create '" + path + "'");
  out.precision(std::numeric_limits<double>::max_digits10);
  out << "%%MatrixMarket matrix coordinate " << field_name<T>() << " general\n"
      << frame.rows.extent() << ' ' << frame.columns.extent() << ' ' << elements << '\n';
  for (int r = 0; r < frame.rows.count(); ++r)
    for (int c = 0; c < frame.columns.count(); ++c)
      write_block(out, s.fetch(r, c), frame.rows.range(r).lo);
  if (!out.flush()) throw Error::of_file(errno, "write '" + path + "'");
}

}  // namespace

void write_text(std::int64_t s_a, const std::string& path) {
  together(s_a, [&]<class T>(Matrix<T>& s) {
    const std::int64_t elements = s.frame().group.reduce(s.my_elements(), Reduction::sum);
    if (s.frame().group.rank() == 0) write_all(s, elements, path);
    return 0;
  });
}

}  // namespace lagoon::atoll::ga::sparse
