#include "compat/ga/algebra/matmul.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "atoll/algebra.hpp"
#include "atoll/error.hpp"
#include "atoll/matmul.hpp"
#include "compat/ga/algebra/reshape.hpp"

namespace lagoon::atoll::ga {

namespace {

MatrixForm form_of(char letter) {
  switch (letter) {
    case 'n':
    case 'N': return MatrixForm::plain;
    case 't':
    case 'T': return MatrixForm::transposed;
    case 'c':
    case 'C': return MatrixForm::adjoint;
    default:
      throw Error(ErrorKind::value,
                  "the form of a factor is '" + std::string(1, letter) + "'; expected n, t or c");
  }
}

/// The dimensions of a patch that are rows and columns: unit ones are dropped, the slowest first,
/// until two are left.
std::vector<int> matrix_dimensions(const Index& shape) {
  int to_drop = shape.size() - 2;
  std::vector<int> result;
  for (int d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1 && to_drop > 0)
      --to_drop;
    else
      result.push_back(d);
  }
  return result;
}

Index matrix_shape(const Section& section) {
  const Index shape = section.shape();
  const std::vector<int> dimensions = matrix_dimensions(shape);
  if (dimensions.size() != 2)
    throw Error(ErrorKind::value, "patch " + section.patch.to_string() + " of '" +
                                      section.array.name() + "' is no matrix: of its " +
                                      std::to_string(shape.size()) +
                                      " dimensions not two are longer than one");
  return {shape[dimensions[0]], shape[dimensions[1]]};
}

bool is_matrix(const Section& section) { return section.array.dimensions() == 2; }

/// A factor's array with two dimensions: itself or a copy.
class MatrixFactor {
 public:
  explicit MatrixFactor(const MatrixOperand& operand)
      : form_(form_of(operand.form)),
        shaped_(operand.section, is_matrix(operand.section) ? operand.section.shape()
                                                            : matrix_shape(operand.section)) {}

  Factor factor() {
    const Section section = shaped_.section();
    return section.all ? Factor(section.array, form_) : Factor(section.array, section.patch, form_);
  }

 private:
  MatrixForm form_;
  Shaped shaped_;
};

/// A factor that is not of the result's array: Atoll's product refuses those that are, but GA's
/// programs multiply patches of an array into other patches of it. `copy` keeps the other array.
MatrixOperand apart_from(const Section& result, const MatrixOperand& operand,
                         std::optional<AnyArray>& copy) {
  const Section& section = operand.section;
  if (&section.array != &result.array) return operand;
  copy = section.array.duplicate({}, false);
  atoll::copy(section.array, section.patch, *copy, section.patch);
  return {{*copy, section.patch, section.all}, operand.form};
}

template <Language language>
Section leading_part(std::int64_t handle, std::int64_t rows, std::int64_t columns) {
  const Section all = numbers(handle);
  if (all.array.dimensions() != 2)
    throw Error(ErrorKind::value, "'" + all.array.name() + "' has " +
                                      std::to_string(all.array.dimensions()) +
                                      " dimensions; expected a matrix");
  if (language == Language::fortran) std::swap(rows, columns);
  return numbers(handle, {{0, 0}, {rows, columns}});
}

bool is_plain(char form) { return form_of(form) == MatrixForm::plain; }

}  // namespace

MatrixOperand factor(std::int64_t handle, Patch bounds, char form) {
  const std::vector<int> dimensions = matrix_dimensions(bounds.shape());
  if (!is_plain(form) && dimensions.size() == 2) {
    std::swap(bounds.lo[dimensions[0]], bounds.lo[dimensions[1]]);
    std::swap(bounds.hi[dimensions[0]], bounds.hi[dimensions[1]]);
  }
  return {numbers(handle, bounds), form};
}

void multiply_matrices(const Scalar& alpha, const MatrixOperand& a, const MatrixOperand& b,
                       const Scalar& beta, const Section& c) {
  std::optional<AnyArray> copy_of_a, copy_of_b;
  MatrixFactor left(apart_from(c, a, copy_of_a)), right(apart_from(c, b, copy_of_b));
  if (is_matrix(c)) {
    if (c.all)
      matmul(alpha, left.factor(), right.factor(), beta, c.array);
    else
      matmul(alpha, left.factor(), right.factor(), beta, c.array, c.patch);
    return;
  }
  const Index shape = matrix_shape(c);
  AnyArray product(c.array.group(), shape, c.array.type());
  copy_in_order(c, all_of(product));
  matmul(alpha, left.factor(), right.factor(), beta, product);
  copy_in_order(all_of(product), c);
}

template <Language language>
void general_multiply(char form_a, char form_b, const ProductExtents& extents, const Scalar& alpha,
                      std::int64_t g_a, std::int64_t g_b, const Scalar& beta, std::int64_t g_c,
                      ElementType type) {
  const auto [m, n, k] = extents;
  const bool plain_a = is_plain(form_a), plain_b = is_plain(form_b);
  const Section a = leading_part<language>(g_a, plain_a ? m : k, plain_a ? k : m);
  const Section b = leading_part<language>(g_b, plain_b ? k : n, plain_b ? n : k);
  const Section c = leading_part<language>(g_c, m, n);
  if (c.array.type() != type)
    throw Error(ErrorKind::type, "'" + c.array.name() + "' holds " +
                                     std::string(name_of(c.array.type())) + "; expected " +
                                     std::string(name_of(type)));
  multiply_as<language>(alpha, {a, form_a}, {b, form_b}, beta, c);
}

template void general_multiply<Language::c>(char, char, const ProductExtents&, const Scalar&,
                                            std::int64_t, std::int64_t, const Scalar&, std::int64_t,
                                            ElementType);
template void general_multiply<Language::fortran>(char, char, const ProductExtents&, const Scalar&,
                                                  std::int64_t, std::int64_t, const Scalar&,
                                                  std::int64_t, ElementType);

}  // namespace lagoon::atoll::ga
