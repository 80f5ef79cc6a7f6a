// matvec: every rank multiplies its blocks of the matrix with the part of x that goes with them.
#include <algorithm>
#include <complex>
#include <cstdint>
#include <string_view>
#include <utility>
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

/// A block of my memory, as far as it belongs to the matrix.
template <BlasElement T>
struct Factor {
  const T* data;
  std::int64_t distance;  // of its rows
  Extent outer, inner;
};

template <BlasElement T>
std::vector<Factor<T>> factors_here(const View& a, const FactorView& view) {
  std::vector<Factor<T>> factors;
  for (const ReadableBlock& block : a.array.readable_blocks(a.array.group().rank())) {
    const Patch area = intersection(block.patch, view.area);
    if (area.empty()) continue;
    const std::int64_t offset = (area.lo[0] - block.patch.lo[0]) * block.strides[0] +
                                (area.lo[1] - block.patch.lo[1]) * block.strides[1];
    factors.push_back({static_cast<const T*>(block.data) + offset, block.strides[0],
                       view.outer_of(area), view.inner_of(area)});
  }
  return factors;
}

/// The runs that parts of [0, n) make together, in order.
std::vector<Extent> union_of(std::vector<Extent> parts) {
  std::sort(parts.begin(), parts.end(),
            [](const Extent& a, const Extent& b) { return a.first < b.first; });
  std::vector<Extent> runs;
  for (const Extent& part : parts)
    if (runs.empty() || part.first > runs.back().last)
      runs.push_back(part);
    else
      runs.back().last = std::max(runs.back().last, part.last);
  return runs;
}

/// A part of a vector, in runs.
template <class T>
struct Runs {
  std::vector<Extent> extents;
  std::vector<std::vector<T>> values;

  explicit Runs(std::vector<Extent> parts) : extents(union_of(std::move(parts))) {
    for (const Extent& extent : extents)
      values.emplace_back(static_cast<std::size_t>(extent.size()));
  }
  /// Where the elements of a part are.
  T* at(const Extent& part) {
    const auto run = std::upper_bound(
        extents.begin(), extents.end(), part.first,
        [](std::int64_t first, const Extent& extent) { return first < extent.first; });
    const auto i = static_cast<std::size_t>(run - extents.begin()) - 1;
    return values[i].data() + (part.first - extents[i].first);
  }
};

/// Adds alpha op(a) x to y for my blocks of a: what of x they need comes once, and what they make
/// of y goes once, however many they are.
template <BlasElement T>
void add_blocks(const View& a, const AnyArray& x, T alpha, AnyArray& y) {
  const FactorView view(a, true);
  const std::vector<Factor<T>> factors = factors_here<T>(a, view);
  std::vector<Extent> inner, outer;
  for (const Factor<T>& factor : factors) {
    inner.push_back(factor.inner);
    outer.push_back(factor.outer);
  }
  Runs<T> part(std::move(inner)), sum(std::move(outer));
  {
    std::vector<Handle> handles;
    for (std::size_t i = 0; i < part.extents.size(); ++i)
      handles.push_back(x.get_async(Patch{{part.extents[i].first}, {part.extents[i].last}, {}},
                                    part.values[i].data()));
    wait_all(handles);
  }
  // conj(a) x = conj(a conj(x)); the BLAS knows the transpose and the adjoint.
  const bool conjugated = view.conjugates && view.outer_first;
  if (conjugated)
    for (std::vector<T>& values : part.values) conjugate(values);
  const BlasForm form = view.outer_first  ? BlasForm::plain
                        : view.conjugates ? BlasForm::adjoint
                                          : BlasForm::transposed;
  for (const Factor<T>& factor : factors)
    detail::gemm<T>(form, BlasForm::plain, factor.outer.size(), 1, factor.inner.size(), T(1),
                    factor.data, factor.distance, part.at(factor.inner), 1, T(1),
                    sum.at(factor.outer), 1);
  if (conjugated)
    for (std::vector<T>& values : sum.values) conjugate(values);
  for (std::size_t i = 0; i < sum.extents.size(); ++i)
    y.accumulate(Patch{{sum.extents[i].first}, {sum.extents[i].last}, {}}, sum.values[i].data(),
                 &alpha);
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
  detail::leave_collective(y.group(), detail::attempt([&] {
                             with_chosen_type<has_blas>(y.type(), [&]<class T>(T) {
                               add_blocks<T>(a, x, alpha.as<T>(), y);
                             });
                           }));
}

}  // namespace lagoon::atoll
