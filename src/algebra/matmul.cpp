// matmul: the frame of the call, and where a rank's part of the product goes.
#include "atoll/matmul.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "algebra/blas.hpp"
#include "algebra/cores.hpp"
#include "algebra/frame.hpp"
#include "algebra/matmul_plan.hpp"
#include "algebra/matmul_run.hpp"
#include "algebra/sections.hpp"
#include "array/array_state.hpp"
#include "atoll/error.hpp"

namespace lagoon::atoll {

namespace {

using detail::BlasElement, detail::BlasForm, detail::Extent, detail::Extents, detail::Operand;
using detail::Multiplication, detail::Target;

/// My memory of the result, by packed rows and columns of my part.
template <class T>
std::vector<Target<T>> own_targets(AnyArray& c, const Patch& c_patch,
                                   const detail::MatmulPart& part) {
  c.state()->mark_own_written();
  const int me = c.group().rank();
  auto* const memory = reinterpret_cast<T*>(c.state()->block(me));
  const auto packed = [](const Extents& extents, std::int64_t position) {
    std::int64_t before = 0;
    for (const Extent& extent : extents) {
      if (position < extent.last) return before + position - extent.first;
      before += extent.size();
    }
    return before;
  };
  std::vector<Target<T>> targets;
  detail::for_each_owned_block(c.distribution(), me, [&](const detail::OwnedBlock& block) {
    const Patch mine = intersection(block.patch, c_patch);
    if (mine.empty()) return;
    const std::int64_t row = packed(part.rows, mine.lo[0] - c_patch.lo[0]);
    const std::int64_t column = packed(part.columns, mine.lo[1] - c_patch.lo[1]);
    T* const data = memory + detail::offset_in_block(block, mine.lo);
    const Extent rows{row, row + mine.hi[0] - mine.lo[0]};
    const Extent columns{column, column + mine.hi[1] - mine.lo[1]};
    targets.push_back({rows, columns, data, block.strides[0]});
  });
  return targets;
}

/// The blocks of a block-cyclic array's rank are one matrix: BLAS takes them at once.
template <class T>
void join(std::vector<Target<T>>& targets, const detail::MatmulPart& part) {
  if (targets.size() < 2) return;
  const Target<T>& first = targets.front();
  for (const Target<T>& t : targets)
    if (t.distance != first.distance ||
        t.data != first.data + (t.rows.first - first.rows.first) * first.distance +
                      (t.columns.first - first.columns.first))
      return;
  targets = {{{0, detail::size_of(part.rows)},
              {0, detail::size_of(part.columns)},
              first.data,
              first.distance}};
}

template <BlasElement T>
void multiply_owned(Multiplication<T>& multiplication, const detail::MatmulPart& part, T beta,
                    AnyArray& c, const Patch& c_patch) {
  if (part.empty()) return;
  std::vector<Target<T>> targets = own_targets<T>(c, c_patch, part);
  join(targets, part);
  multiplication.run(part.rows, part.columns, part.k, beta, targets);
}

/// c_patch = beta c_patch, by the owners.
template <BlasElement T>
void scale_own(T beta, AnyArray& c, const Patch& c_patch) {
  if (beta == T(1)) return;
  detail::for_each_owned_block(
      c.distribution(), c.group().rank(), [&](const detail::OwnedBlock& block) {
        const Patch mine = intersection(block.patch, c_patch);
        if (mine.empty()) return;
        c.state()->mark_own_written();
        T* const data = reinterpret_cast<T*>(c.state()->block(c.group().rank())) +
                        detail::offset_in_block(block, mine.lo);
        detail::gemm<T>(BlasForm::plain, BlasForm::plain, mine.hi[0] - mine.lo[0],
                        mine.hi[1] - mine.lo[1], 0, T(1), nullptr, 1, nullptr, 1, beta, data,
                        block.strides[0]);
      });
}

/// Computes my share of the grid in pieces that fit the memory, and adds them to the result.
template <BlasElement T>
void multiply_shared(Multiplication<T>& multiplication, const detail::MatmulPart& part, T beta,
                     AnyArray& c, const Patch& c_patch, const MatmulOptions& options) {
  scale_own(beta, c, c_patch);
  c.group().sync();
  if (part.empty()) return;
  const Extent rows = part.rows.front(), columns = part.columns.front();
  const auto most = static_cast<std::int64_t>(options.memory / sizeof(T));
  const std::int64_t width = std::min(columns.size(), std::max<std::int64_t>(most, 1));
  const std::int64_t height = std::clamp<std::int64_t>(most / width, 1, rows.size());
  const auto result = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(width * height));
  for (std::int64_t i = rows.first; i < rows.last; i += height)
    for (std::int64_t j = columns.first; j < columns.last; j += width) {
      const Extent r{i, std::min(i + height, rows.last)}, s{j, std::min(j + width, columns.last)};
      multiplication.run({r}, {s}, part.k, T(0),
                         {{{0, r.size()}, {0, s.size()}, result.get(), s.size()}});
      const Index lo = c_patch.lo;
      c.accumulate({{lo[0] + r.first, lo[1] + s.first}, {lo[0] + r.last, lo[1] + s.last}, {}},
                   result.get());
    }
}

void check_matrix(const AnyArray& array, const std::optional<Patch>& patch) {
  if (array.dimensions() != 2)
    throw Error(ErrorKind::value, detail::description(array) + " has " +
                                      std::to_string(array.dimensions()) +
                                      " dimensions; a matrix has two");
  if (!patch) return;
  detail::check_patch(array, *patch);
  for (const std::int64_t step : patch->step)
    if (step != 1)
      throw Error(ErrorKind::value,
                  "patch " + patch->to_string() + " has steps; a product takes whole ranges");
}

std::string extents_text(std::int64_t rows, std::int64_t columns) {
  return std::to_string(rows) + " x " + std::to_string(columns);
}

void check(const Scalar& alpha, const Factor& a, const Factor& b, const Scalar& beta,
           const AnyArray& c, const Patch& c_patch, const MatmulOptions& options) {
  check_matrix(c, c_patch);
  check_matrix(a.array, a.patch);
  check_matrix(b.array, b.patch);
  detail::check_same_type(a.array, c);
  detail::check_same_type(b.array, c);
  if (is_integer(c.type()))
    throw Error(ErrorKind::type, detail::description(c) + " holds " +
                                     std::string(name_of(c.type())) +
                                     "; products are of float32, float64, complex64, complex128");
  detail::check_scalar(alpha, c, "alpha");
  detail::check_scalar(beta, c, "beta");
  for (const Factor* factor : {&a, &b})
    if (factor->array.state() == c.state())
      throw Error(ErrorKind::value, detail::description(c) + " is the result and a factor, too");
  const Operand left(a, true), right(b, false);
  const std::int64_t rows = c_patch.hi[0] - c_patch.lo[0], columns = c_patch.hi[1] - c_patch.lo[1];
  if (left.outer() != rows || right.outer() != columns || left.inner() != right.inner())
    throw Error(ErrorKind::value, "op(a) is " + extents_text(left.outer(), left.inner()) +
                                      ", op(b) is " + extents_text(right.inner(), right.outer()) +
                                      ", c is " + extents_text(rows, columns));
  if (options.memory == 0) throw Error(ErrorKind::value, "options.memory is 0, expected bytes");
}

void require_ranks_of(const AnyArray& c, const AnyArray& factor) {
  const Group& theirs = factor.mirrored() && !c.mirrored() ? factor.whole_group() : factor.group();
  if (!detail::same_members(c.group(), theirs))
    throw Error(ErrorKind::value, detail::description(factor) + " and " + detail::description(c) +
                                      " live on different groups")
        .during("matmul");
}

std::uint64_t hash_of(const Factor& factor) {
  const std::uint64_t hash = detail::hash_of(factor.array, static_cast<std::uint64_t>(factor.form));
  return factor.patch ? detail::mix(hash, detail::hash_of(*factor.patch)) : hash;
}

}  // namespace

void matmul(const Scalar& alpha, const Factor& a, const Factor& b, const Scalar& beta, AnyArray& c,
            const MatmulOptions& options) {
  detail::require_writable(c, "matmul");
  matmul(alpha, a, b, beta, c, whole(c.shape()), options);
}

void matmul(const Scalar& alpha, const Factor& a, const Factor& b, const Scalar& beta, AnyArray& c,
            const Patch& c_patch, const MatmulOptions& options) {
  detail::require_writable(c, "matmul");
  for (const Factor* factor : {&a, &b}) {
    detail::require_alive(factor->array, "matmul");
    require_ranks_of(c, factor->array);
  }
  const std::uint64_t hash = detail::hash_of(hash_of(a), hash_of(b), c, c_patch, alpha, beta,
                                             static_cast<std::uint64_t>(options.memory));
  const auto validate = [&] { check(alpha, a, b, beta, c, c_patch, options); };
  detail::collectively(c.group(), "matmul", hash, validate, [&] {
    detail::share_cores(c.group());
    const Operand left(a, true), right(b, false);
    const detail::MatmulPlan plan(left, right, c, c_patch);
    const int me = c.group().rank();
    const detail::MatmulPart part = plan.part(me);
    with_element_type(c.type(), [&]<class T>(T) {
      if constexpr (BlasElement<T>) {
        Multiplication<T> multiplication(left, right, alpha.as<T>(), options,
                                         static_cast<double>(me) / c.group().size());
        if (plan.by_owners())
          multiply_owned<T>(multiplication, part, beta.as<T>(), c, c_patch);
        else
          multiply_shared<T>(multiplication, part, beta.as<T>(), c, c_patch, options);
      }
    });
  });
}

}  // namespace lagoon::atoll
