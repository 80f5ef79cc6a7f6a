#include "compat/ga/algebra/matmul.hpp"

#include <optional>
#include <string>
#include <utility>

#include "atoll/algebra.hpp"
#include "atoll/error.hpp"
#include "atoll/matmul.hpp"
#include "compat/ga/algebra/matrix_bounds.hpp"
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
  MatrixFactor(const View& operand, const Index& matrix_shape, const AnyArray& result)
      : form_(operand.form), shaped_(apart(in_form(operand, Form::plain), result), matrix_shape) {}

  View view() const { return in_form(shaped_.view(), form_); }

 private:
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

/// An operand as it is stored, and the shape of the matrix that it is.
struct Matrix {
  View view;
  Index shape;
};

/// Rows of the bounds of a factor that is transposed are columns of the array.
Matrix stored_matrix(const PatchFactor& factor, const MatrixDimensions& dimensions) {
  const auto [slow, fast] = dimensions;
  Patch stored = factor.bounds;
  if (!is_plain(factor.form)) {
    std::swap(stored.lo[slow], stored.lo[fast]);
    std::swap(stored.hi[slow], stored.hi[fast]);
  }
  const Index shape = stored.shape();
  return {in_form(numbers(factor.handle, stored), form_of(factor.form)),
          {shape[slow], shape[fast]}};
}

void multiply_matrices(const Scalar& alpha, const Matrix& a, const Matrix& b, const Scalar& beta,
                       const MutableView& c, const Index& shape) {
  const MatrixFactor left(a.view, a.shape, c.array), right(b.view, b.shape, c.array);
  if (is_matrix(c)) return matmul(alpha, left.view(), right.view(), beta, c);
  AnyArray product(c.array.group(), shape, c.array.type());
  copy_in_order(c, product);
  matmul(alpha, left.view(), right.view(), beta, product);
  copy_in_order(product, c);
}

Matrix whole_matrix(const View& view) { return {view, view.section().shape()}; }

}  // namespace

template <Language language>
void multiply_patches(const void* alpha, const PatchFactor& a, const PatchFactor& b,
                      const void* beta, std::int64_t g_c, const Patch& bounds) {
  const MutableView c = numbers(g_c, bounds);
  const Scalar of_product = number_for(c, alpha), of_result = number_for(c, beta);
  const bool in_order = language == Language::c;
  const PatchFactor &left = in_order ? a : b, &right = in_order ? b : a;
  const auto [of_left, of_right, of_c] =
      matrix_dimensions({OperandBounds{left.bounds, !is_plain(left.form)},
                         {right.bounds, !is_plain(right.form)},
                         {bounds, false}});
  const Index shape = bounds.shape();
  multiply_matrices(of_product, stored_matrix(left, of_left), stored_matrix(right, of_right),
                    of_result, c, {shape[of_c.slow], shape[of_c.fast]});
}

template void multiply_patches<Language::c>(const void*, const PatchFactor&, const PatchFactor&,
                                            const void*, std::int64_t, const Patch&);
template void multiply_patches<Language::fortran>(const void*, const PatchFactor&,
                                                  const PatchFactor&, const void*, std::int64_t,
                                                  const Patch&);

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
  const Matrix left = whole_matrix(in_form(a, form_of(form_a))),
               right = whole_matrix(in_form(b, form_of(form_b)));
  const bool in_order = language == Language::c;
  multiply_matrices(alpha, in_order ? left : right, in_order ? right : left, beta, c,
                    c.section().shape());
}

template void general_multiply<Language::c>(char, char, const ProductExtents&, const Scalar&,
                                            std::int64_t, std::int64_t, const Scalar&, std::int64_t,
                                            ElementType);
template void general_multiply<Language::fortran>(char, char, const ProductExtents&, const Scalar&,
                                                  std::int64_t, std::int64_t, const Scalar&,
                                                  std::int64_t, ElementType);

}  // namespace lagoon::atoll::ga
