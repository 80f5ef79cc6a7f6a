// Block-sparse products for Python.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "array_object.hpp"
#include "atoll/block_matmul.hpp"
#include "bindings.hpp"
#include "numpy.hpp"
#include "operand.hpp"

namespace lagoon::atoll::python {

namespace {

using Cuts = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Mask = nb::ndarray<const bool, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

std::vector<std::int64_t> vector_of(const Cuts& cuts) {
  return {cuts.data(), cuts.data() + cuts.size()};
}

/// The screen of a mask over row, column and inner blocks, which lives as long.
BlockScreen screen_of(const Mask& mask, const BlockCuts& cuts) {
  const std::array<std::size_t, 3> wanted{cuts.rows.size(), cuts.columns.size(), cuts.inner.size()};
  const auto text = [](std::size_t i, std::size_t j, std::size_t l) {
    return "(" + std::to_string(i) + ", " + std::to_string(j) + ", " + std::to_string(l) + ")";
  };
  if (mask.shape(0) != wanted[0] || mask.shape(1) != wanted[1] || mask.shape(2) != wanted[2])
    throw nb::value_error(("keep has shape " + text(mask.shape(0), mask.shape(1), mask.shape(2)) +
                           ", expected " + text(wanted[0], wanted[1], wanted[2]) +
                           ": blocks of rows, columns and inner")
                              .c_str());
  return [data = mask.data(), wanted](std::int64_t i, std::int64_t j, std::int64_t l) {
    const auto row = static_cast<std::size_t>(i), column = static_cast<std::size_t>(j),
               inner = static_cast<std::size_t>(l);
    return data[(row * wanted[1] + column) * wanted[2] + inner];
  };
}

nb::tuple multiply_blocks(const Operand& a, const Operand& b, const ArrayObject& c,
                          nb::handle alpha, nb::handle beta, const Cuts& rows, const Cuts& columns,
                          const Cuts& inner, double threshold, const std::optional<Mask>& keep) {
  AnyArray& result = c.get();
  const View left = a.read(Operand::Steps::one), right = b.read(Operand::Steps::one);
  const Scalar factor = scalar_from(alpha, result.type(), "alpha"),
               old = scalar_from(beta, result.type(), "beta");
  const BlockCuts cuts{vector_of(rows), vector_of(columns), vector_of(inner)};
  const BlockScreen screen = keep ? screen_of(*keep, cuts) : BlockScreen();
  const BlockMatmulCount count = waiting([&] {
    return keep ? block_matmul(factor, left, right, old, result, cuts, screen)
                : block_matmul(factor, left, right, old, result, cuts, threshold);
  });
  return nb::make_tuple(count.pairs, count.multiplied, count.fetched_bytes);
}

nb::object norms_of_blocks(const Operand& a, const Cuts& rows, const Cuts& columns) {
  const View factor = a.read(Operand::Steps::one);
  const std::vector<double> norms = waiting([&] {
    return block_norms(factor, {rows.data(), rows.size()}, {columns.data(), columns.size()});
  });
  const std::array<std::int64_t, 2> shape{static_cast<std::int64_t>(rows.size()),
                                          static_cast<std::int64_t>(columns.size())};
  NewArray result = empty_array(shape, ElementType::float64);
  std::ranges::copy(std::as_bytes(std::span(norms)), result.data);
  return std::move(result.array);
}

}  // namespace

void bind_block_matmul(nb::module_& m) {
  m.def("block_matmul", &multiply_blocks, nb::arg("a"), nb::arg("b"), nb::arg("c"),
        nb::arg("alpha"), nb::arg("beta"), nb::arg("rows"), nb::arg("columns"), nb::arg("inner"),
        nb::arg("threshold"), nb::arg("keep").none(),
        nb::sig("def block_matmul(a: ArrayBase | ViewBase, b: ArrayBase | ViewBase, c: ArrayBase, "
                "alpha: object, beta: object, "
                "rows: numpy.typing.NDArray[numpy.int64], "
                "columns: numpy.typing.NDArray[numpy.int64], "
                "inner: numpy.typing.NDArray[numpy.int64], threshold: float, "
                "keep: numpy.typing.NDArray[numpy.bool_] | None) -> tuple[int, int, int]"));
  m.def("block_norms", &norms_of_blocks, nb::arg("a"), nb::arg("rows"), nb::arg("columns"),
        nb::sig("def block_norms(a: ArrayBase | ViewBase, "
                "rows: numpy.typing.NDArray[numpy.int64], "
                "columns: numpy.typing.NDArray[numpy.int64]) -> "
                "numpy.typing.NDArray[numpy.float64]"));
}

}  // namespace lagoon::atoll::python
