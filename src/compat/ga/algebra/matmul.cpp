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

Form form_of(char letter) {
  switch (letter) {
    case 'n':
    case 'N': return Form::plain;
    case 't':
    case 'T': return Form::transposed;
    case 'c':
    case 'C': return Form::adjoint;
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

Index matrix_shape(const View& operand) {
  const Patch section = operand.section();
  const Index shape = section.shape();
  const std::vector<int> dimensions = matrix_dimensions(shape);
  if (dimensions.size() != 2)
    throw Error(ErrorKind::value, "patch " + section.to_string() + " of '" + operand.array.name() +
                                      "' is no matrix: of its " + std::to_string(shape.size()) +
                                      " dimensions not two are longer than one");
  return {shape[dimensions[0]], shape[dimensions[1]]};
}

bool is_matrix(const View& operand) { return operand.array.dimensions() == 2; }

View in_form(View operand, Form form) {
  operand.form = form;
  return operand;
}

/// A factor with two dimensions: itself or a copy. One that is of the result's array is copied,
/// too: Atoll's product refuses it, but GA's programs multiply patches of an array into others of
/// it.
class MatrixFactor {
 public:
  MatrixFactor(const View& operand, const AnyArray& result)
      : form_(operand.form),
        shaped_(apart(in_form(operand, Form::plain), result), shape(operand)) {}

  View view() const { return in_form(shaped_.view(), form_); }

 private:
  static Index shape(const View& operand) {
    return is_matrix(operand) ? operand.section().shape() : matrix_shape(operand);
  }
  View apart(const View& operand, const AnyArray& result) {
    if (&operand.array != &result) return operand;
    copy_ = operand.array.duplicate({}, false);
    const MutableView same = operand.patch ? MutableView(*copy_, *operand.patch) : *copy_;
    copy(operand, same);
    return same;
  }

  Form form_;
  std::optional<AnyArray> copy_;
  Shaped shaped_;
};

template <Language language>
MutableView leading_part(std::int64_t handle, std::int64_t rows, std::int64_t columns) {
  const MutableView all = numbers(handle);
  if (all.array.dimensions() != 2)
    throw Error(ErrorKind::value, "'" + all.array.name() + "' has " +
                                      std::to_string(all.array.dimensions()) +
                                      " dimensions; expected a matrix");
  if (language == Language::fortran) std::swap(rows, columns);
  return numbers(handle, {{0, 0}, {rows, columns}});
}

bool is_plain(char form) { return form_of(form) == Form::plain; }

}  // namespace

View factor(std::int64_t handle, Patch bounds, char form) {
  const std::vector<int> dimensions = matrix_dimensions(bounds.shape());
  if (!is_plain(form) && dimensions.size() == 2) {
    std::swap(bounds.lo[dimensions[0]], bounds.lo[dimensions[1]]);
    std::swap(bounds.hi[dimensions[0]], bounds.hi[dimensions[1]]);
  }
  return in_form(numbers(handle, bounds), form_of(form));
}

void multiply_matrices(const Scalar& alpha, const View& a, const View& b, const Scalar& beta,
                       const MutableView& c) {
  const MatrixFactor left(a, c.array), right(b, c.array);
  if (is_matrix(c)) return matmul(alpha, left.view(), right.view(), beta, c);
  AnyArray product(c.array.group(), matrix_shape(c), c.array.type());
  copy_in_order(c, product);
  matmul(alpha, left.view(), right.view(), beta, product);
  copy_in_order(product, c);
}

template <Language language>
void general_multiply(char form_a, char form_b, const ProductExtents& extents, const Scalar& alpha,
                      std::int64_t g_a, std::int64_t g_b, const Scalar& beta, std::int64_t g_c,
                      ElementType type) {
  const auto [m, n, k] = extents;
  const bool plain_a = is_plain(form_a), plain_b = is_plain(form_b);
  const MutableView a = leading_part<language>(g_a, plain_a ? m : k, plain_a ? k : m);
  const MutableView b = leading_part<language>(g_b, plain_b ? k : n, plain_b ? n : k);
  const MutableView c = leading_part<language>(g_c, m, n);
  if (c.array.type() != type)
    throw Error(ErrorKind::type, "'" + c.array.name() + "' holds " +
                                     std::string(name_of(c.array.type())) + "; expected " +
                                     std::string(name_of(type)));
  multiply_as<language>(alpha, in_form(a, form_of(form_a)), in_form(b, form_of(form_b)), beta, c);
}

template void general_multiply<Language::c>(char, char, const ProductExtents&, const Scalar&,
                                            std::int64_t, std::int64_t, const Scalar&, std::int64_t,
                                            ElementType);
template void general_multiply<Language::fortran>(char, char, const ProductExtents&, const Scalar&,
                                                  std::int64_t, std::int64_t, const Scalar&,
                                                  std::int64_t, ElementType);

}  // namespace lagoon::atoll::ga
