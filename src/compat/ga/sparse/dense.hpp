// Dense operands: vectors, and matrices whose rows are those of the language that calls.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "atoll/error.hpp"
#include "compat/ga/creation.hpp"
#include "compat/ga/runtime.hpp"
#include "compat/ga/sparse/matrix.hpp"

namespace lagoon::atoll::ga::sparse {

/// Error(type) or Error(value) where the array is not of this element type and shape, as the
/// argument `name` is to be.
template <Element T>
AnyArray& dense_array(const char* name, std::int64_t handle, const Index& shape) {
  GlobalArray& a = array_of(handle);
  if (a.type().element != element_type_of<T>())
    throw Error(ErrorKind::type, std::string(name) + " is of type " + std::to_string(a.plan.type) +
                                     ", not of the sparse array's");
  if (!(a.shape() == shape))
    throw Error(ErrorKind::value, std::string(name) + " has the shape " + a.shape().to_string() +
                                      "; expected " + shape.to_string());
  return a.array();
}

/// Elements `range` of a vector.
template <Element T>
std::vector<T> part_of(const AnyArray& vector, Range range) {
  std::vector<T> values(static_cast<std::size_t>(range.size()));
  if (!values.empty()) vector.get({{range.lo}, {range.hi}}, values.data());
  return values;
}

/// Collective over the matrix's group: a new array of its type.
inline int new_dense(const Frame& frame, const Index& shape) {
  Plan plan;
  set_shape(plan, frame.type, shape);
  plan.name = "from sparse";
  plan.group = frame.group_handle;
  if (const std::optional<int> made = create(std::move(plan))) return *made;
  throw Error(ErrorKind::memory, "no memory for an array of shape " + shape.to_string());
}

/// The shape of Atoll's array for a matrix of the language's: Fortran's are its transpose.
inline Index matrix_shape(Language language, std::int64_t rows, std::int64_t columns) {
  return language == Language::c ? Index{rows, columns} : Index{columns, rows};
}

/// A dense matrix as `language` sees it. Buffers are packed, row by row.
template <Element T>
class DenseMatrix {
 public:
  DenseMatrix(Language language, AnyArray& array) : view_(language), array_(array) {}

  std::vector<T> get(Range rows, Range columns) const {
    std::vector<T> values(static_cast<std::size_t>(rows.size() * columns.size()));
    if (!values.empty()) array_.get(patch(rows, columns), values.data(), strides(columns));
    return values;
  }
  void put(Range rows, Range columns, const std::vector<T>& values) {
    if (!values.empty()) array_.put(patch(rows, columns), values.data(), strides(columns));
  }

 private:
  Patch patch(Range rows, Range columns) const {
    return {matrix_shape(view_, rows.lo, columns.lo), matrix_shape(view_, rows.hi, columns.hi)};
  }
  Index strides(Range columns) const { return matrix_shape(view_, columns.size(), 1); }
  Language view_;
  AnyArray& array_;
};

/// Error(value) for an array that is no matrix.
struct MatrixExtents {
  MatrixExtents(const char* name, Language language, std::int64_t handle) {
    const Index& shape = array_of(handle).shape();
    if (shape.size() != 2)
      throw Error(ErrorKind::value, std::string(name) + " has " + std::to_string(shape.size()) +
                                        " dimensions; expected 2");
    rows = language == Language::c ? shape[0] : shape[1];
    columns = language == Language::c ? shape[1] : shape[0];
  }
  std::int64_t rows, columns;
};

}  // namespace lagoon::atoll::ga::sparse
