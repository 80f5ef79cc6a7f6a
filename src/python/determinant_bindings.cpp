// Python's view of strings of orbitals and of the Hamiltonian over determinants (src/chem). Used by
// atoll.chem only.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "chem/fixed_point.hpp"
#include "chem/sigma.hpp"
#include "chem/strings.hpp"

using namespace nb::literals;

namespace {

namespace chem = lagoon::atoll::chem;

template <class T, int Dimensions>
using Given = nb::ndarray<const T, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;
template <class T>
using Made = nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::c_contig>;
using Vector = Given<double, 2>;
using Sigma = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class Array>
auto span_of(const Array& array) {
  return std::span(array.data(), array.size());
}

template <class T>
Made<T> made(std::vector<T>&& values) {
  auto* owned = new std::vector<T>(std::move(values));
  const nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  const std::size_t shape[] = {owned->size()};
  return Made<T>(owned->data(), 1, shape, owner);
}

void require(bool right, const char* expected) {
  if (!right) throw std::invalid_argument(std::string("expected ") + expected);
}

chem::MolecularIntegrals integrals_of(const Vector& one, const Vector& two) {
  const std::size_t n = one.shape(0);
  require(n <= 64 && one.shape(1) == n && two.shape(0) == n * n && two.shape(1) == n * n,
          "h_kl of up to 64 orbitals and (kl|ij) of pairs x pairs");
  return {static_cast<int>(n), span_of(one), span_of(two)};
}

template <class T>
void require_below(std::span<const T> numbers, std::size_t end, const char* expected) {
  require(std::all_of(numbers.begin(), numbers.end(),
                      [end](T n) { return n >= 0 && static_cast<std::size_t>(n) < end; }),
          expected);
}

/// Starts of groups of so many entries.
void require_starts(std::span<const std::int64_t> starts, std::size_t count) {
  require(!starts.empty() && starts.front() == 0 && std::is_sorted(starts.begin(), starts.end()) &&
              static_cast<std::size_t>(starts.back()) == count,
          "starts that ascend from 0 to the number of entries");
}

chem::SparseRows rows_of(const Given<std::int64_t, 1>& starts,
                         const Given<std::int32_t, 1>& columns, std::size_t count) {
  require_starts(span_of(starts), columns.size());
  require_below(span_of(columns), count, "columns that the vector has");
  return {span_of(starts), span_of(columns)};
}

chem::VectorBlocks blocks_of(const Vector& vector, const Sigma& sigma) {
  return {vector.data(), vector.shape(1), sigma.data(), sigma.shape(1)};
}

auto singles(const Given<std::uint64_t, 1>& to, const Given<std::uint64_t, 1>& from, int orbitals) {
  chem::Singles table;
  {
    const nb::gil_scoped_release release;
    table = chem::singles(span_of(to), span_of(from), orbitals);
  }
  return std::tuple(made(std::move(table.to)), made(std::move(table.from)),
                    made(std::move(table.pair)), made(std::move(table.sign)));
}

auto same_spin(const Given<std::uint64_t, 1>& to, const Given<std::uint64_t, 1>& from,
               const Vector& one, const Vector& two) {
  const chem::MolecularIntegrals integrals = integrals_of(one, two);
  chem::SparseMatrix matrix;
  {
    const nb::gil_scoped_release release;
    matrix = chem::same_spin(span_of(to), span_of(from), integrals);
  }
  return std::tuple(made(std::move(matrix.starts)), made(std::move(matrix.columns)),
                    made(std::move(matrix.values)));
}

auto determinant_matrix(const Given<std::uint64_t, 1>& alpha, const Given<std::uint64_t, 1>& beta,
                        const Vector& one, const Vector& two) {
  require(alpha.size() == beta.size(), "an alpha and a beta string of each determinant");
  const chem::MolecularIntegrals integrals = integrals_of(one, two);
  std::vector<double> matrix;
  {
    const nb::gil_scoped_release release;
    matrix = chem::determinant_matrix(span_of(alpha), span_of(beta), integrals);
  }
  return made(std::move(matrix));
}

void add_rows(const Given<std::int64_t, 1>& starts, const Given<std::int32_t, 1>& columns,
              const Given<double, 1>& values, const Vector& vector, const Sigma& sigma) {
  const chem::SparseRows pattern = rows_of(starts, columns, vector.shape(0));
  require(values.size() == columns.size() && pattern.rows() == sigma.shape(0) &&
              vector.shape(1) == sigma.shape(1),
          "a matrix of rows of sigma x rows of the vector, and as many columns of both");
  const nb::gil_scoped_release release;
  chem::add_rows(pattern, span_of(values), blocks_of(vector, sigma));
}

void add_columns(const Given<std::int64_t, 1>& starts, const Given<std::int32_t, 1>& columns,
                 const Given<double, 1>& values, const Vector& vector, const Sigma& sigma) {
  const chem::SparseRows pattern = rows_of(starts, columns, vector.shape(1));
  require(values.size() == columns.size() && pattern.rows() == sigma.shape(1) &&
              vector.shape(0) == sigma.shape(0),
          "a matrix of columns of sigma x columns of the vector, and as many rows of both");
  const nb::gil_scoped_release release;
  chem::add_columns(pattern, span_of(values), vector.shape(0), blocks_of(vector, sigma));
}

using Rows = std::tuple<Given<std::int64_t, 1>, Given<std::int32_t, 1>, Given<std::int32_t, 1>,
                        Given<std::int32_t, 1>, Given<std::int8_t, 1>>;
using Columns = std::tuple<Given<std::int64_t, 1>, Given<std::int32_t, 1>, Given<std::int32_t, 1>,
                           Given<std::int8_t, 1>>;

void add_opposite_spins(const Rows& rows, const Columns& columns, const Vector& two,
                        const Vector& vector, const Sigma& sigma) {
  const auto& [group_starts, group_pairs, to, from, row_sign] = rows;
  const auto& [starts, numbers, pairs, sign] = columns;
  const std::size_t all_pairs = two.shape(0);
  const chem::SparseRows pattern = rows_of(starts, numbers, vector.shape(1));
  require_starts(span_of(group_starts), to.size());
  require_below(span_of(group_pairs), all_pairs, "pairs of orbitals");
  require_below(span_of(pairs), all_pairs, "pairs of orbitals");
  require_below(span_of(to), sigma.shape(0), "rows that sigma has");
  require_below(span_of(from), vector.shape(0), "rows that the vector has");
  require(two.shape(1) == all_pairs && group_starts.size() == group_pairs.size() + 1 &&
              from.size() == to.size() && row_sign.size() == to.size() &&
              pairs.size() == numbers.size() && sign.size() == numbers.size() &&
              pattern.rows() == sigma.shape(1),
          "tables of equal lengths, and a column of the table for each of sigma");
  const chem::GroupedSingles grouped{span_of(group_starts), span_of(group_pairs), span_of(to),
                                     span_of(from), span_of(row_sign)};
  const nb::gil_scoped_release release;
  chem::add_opposite_spins(grouped, pattern, span_of(pairs), span_of(sign), span_of(two), all_pairs,
                           blocks_of(vector, sigma));
}

auto to_fixed_point(const Given<double, 1>& numbers, double step) {
  std::vector<std::uint8_t> record;
  {
    const nb::gil_scoped_release release;
    record = chem::to_fixed_point(span_of(numbers), step);
  }
  return made(std::move(record));
}

auto from_fixed_point(const Given<std::uint8_t, 1>& record, double step, std::size_t count) {
  std::vector<double> numbers(count);
  bool right = false;
  {
    const nb::gil_scoped_release release;
    right = chem::from_fixed_point(span_of(record), step, numbers);
  }
  require(right, "a record of so many numbers");
  return made(std::move(numbers));
}

}  // namespace

void bind_determinants(nb::module_& m) {
  m.def(
      "string_singles", &singles, "to"_a, "from_"_a, "orbitals"_a,
      "All <to| a+_k a_l |from> = sign between two lists of strings, which have a bit for each\n"
      "occupied orbital: numbers of `to`, ascending, and of `from`, k times orbitals plus l, and\n"
      "the signs.");
  m.def("same_spin_matrix", &same_spin, "to"_a, "from_"_a, "one"_a, "two"_a,
        "<to|H|from> of electrons of one spin, a sparse matrix: starts of rows, columns, values\n"
        "(hartree). `one`: h_kl; `two`: (kl|ij), pairs x pairs with all pairs kl. ValueError for\n"
        "matrices of other sizes or more than 64 orbitals.");
  m.def("determinant_matrix", &determinant_matrix, "alpha"_a, "beta"_a, "one"_a, "two"_a,
        "The Hamiltonian over determinants, each of an alpha and a beta string: the numbers of a\n"
        "square matrix, row by row. Integrals as for `same_spin_matrix`.");
  m.def("to_fixed_point", &to_fixed_point, "numbers"_a, "step"_a,
        "Numbers, none above 2^61 steps, as a record of few bytes; empty if all round to zero.");
  m.def("from_fixed_point", &from_fixed_point, "record"_a, "step"_a, "count"_a,
        "The numbers of such a record. ValueError if it has not so many.");
  m.def("add_sigma_rows", &add_rows, "starts"_a, "columns"_a, "values"_a, "vector"_a, "sigma"_a,
        "sigma += matrix vector, with a sparse matrix. ValueError for sizes that do not fit.");
  m.def("add_sigma_columns", &add_columns, "starts"_a, "columns"_a, "values"_a, "vector"_a,
        "sigma"_a,
        "sigma += vector matrix^T, with a sparse matrix. ValueError for sizes that do not fit.");
  m.def("add_sigma_opposite", &add_opposite_spins, "rows"_a, "columns"_a, "two"_a, "vector"_a,
        "sigma"_a,
        "sigma += sum over kl and ij of (kl|ij) E_kl vector E_ij^T. `rows`: the single\n"
        "excitations of alpha strings in groups of one pair: starts of groups, their pairs, rows\n"
        "of sigma, rows of the vector, signs. `columns`: those of beta strings: starts of the\n"
        "columns of sigma, columns of the vector, pairs, signs. ValueError for sizes that do not\n"
        "fit.");
}
