// matvec: every rank multiplies its blocks of the matrix with the part of x that goes with them.
#include <complex>
#include <string_view>
#include <vector>

#include "algebra/core/vectors.hpp"
#include "algebra/matrices/blas.hpp"
#include "algebra/matrices/cores.hpp"
#include "algebra/matrices/matmul_call.hpp"
#include "algebra/matrices/matmul_plan.hpp"
#include "array/frame.hpp"
#include "atoll/error.hpp"
#include "atoll/matmul.hpp"

namespace lagoon::atoll {

namespace {

constexpr std::string_view operation = "matvec";

using detail::BlasElement, detail::BlasForm, detail::Extent, detail::FactorView;

void check(const Scalar& alpha, const View& a, const AnyArray& x, const Scalar& beta,
           const AnyArray& y) {
  detail::check_factor(a, y);
  detail::check_same_type(x, y);
  detail::check_scalar(alpha, y, "alpha");
  detail::check_scalar(beta, y, "beta");
  if (a.array.mirrored() || y.mirrored())
    throw Error(ErrorKind::unsupported, "the matrix or the result is mirrored");
  if (x.state() == y.state())
    throw Error(ErrorKind::value, detail::description(y) + " is the result and a factor, too");
  const FactorView view(a, true);
  detail::check_vector(x, view.inner(), " elements, as op(a) has columns");
  detail::check_vector(y, view.outer(), " elements, as op(a) has rows");
}

template <class T>
void conjugate(std::vector<T>& values) {
  if constexpr (is_complex(element_type_of<T>()))
    for (T& value : values) value = std::conj(value);
}

/// Adds alpha op(block) x to y, for a block of my memory.
template <BlasElement T>
void add_block(const FactorView& a, const Patch& area, const T* block, std::int64_t distance,
               const AnyArray& x, T alpha, AnyArray& y) {
  const Extent outer = a.outer_of(area), inner = a.inner_of(area);
  std::vector<T> part = detail::fetch_elements<T>(x, inner.first, inner.last);
  std::vector<T> sum(static_cast<std::size_t>(outer.size()));
  // conj(a) x = conj(a conj(x)); the BLAS knows the transpose and the adjoint.
  const bool conjugated = a.conjugates && a.outer_first;
  if (conjugated) conjugate(part);
  const BlasForm form = a.outer_first  ? BlasForm::plain
                        : a.conjugates ? BlasForm::adjoint
                                       : BlasForm::transposed;
  detail::gemm<T>(form, BlasForm::plain, outer.size(), 1, inner.size(), T(1), block, distance,
                  part.data(), 1, T(0), sum.data(), 1);
  if (conjugated) conjugate(sum);
  y.accumulate(Patch{{outer.first}, {outer.last}, {}}, sum.data(), &alpha);
}

}  // namespace

void matvec(const Scalar& alpha, const View& a, const AnyArray& x, const Scalar& beta,
            AnyArray& y) {
  detail::require_operands(a, x, y, operation);
  const std::uint64_t hash = detail::hash_of(a, x, y, alpha, beta);
  detail::collectively(y.group(), operation, hash, [&] { check(alpha, a, x, beta, y); }, [] {});
  if (beta.as<std::complex<double>>() == 0.0)
    zero(y);
  else
    scale(y, beta);
  detail::share_cores();
  with_element_type(y.type(), [&]<class T>(T) {
    if constexpr (BlasElement<T>) {
      const FactorView view(a, true);
      for (const ReadableBlock& block : a.array.readable_blocks(a.array.group().rank())) {
        const Patch area = intersection(block.patch, view.area);
        if (area.empty()) continue;
        const std::int64_t offset = (area.lo[0] - block.patch.lo[0]) * block.strides[0] +
                                    (area.lo[1] - block.patch.lo[1]) * block.strides[1];
        add_block<T>(view, area, static_cast<const T*>(block.data) + offset, block.strides[0], x,
                     alpha.as<T>(), y);
      }
    }
  });
  detail::leave_collective(y.group());
}

}  // namespace lagoon::atoll
