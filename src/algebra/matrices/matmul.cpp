// matmul: the frame of the call, and where a rank's part of the product goes.
#include "atoll/matmul.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "algebra/matrices/cores.hpp"
#include "algebra/matrices/matmul_call.hpp"
#include "algebra/matrices/matmul_plan.hpp"
#include "algebra/matrices/matmul_run.hpp"
#include "algebra/matrices/matmul_targets.hpp"
#include "array/frame.hpp"

namespace lagoon::atoll {

namespace {

using detail::BlasElement, detail::Extent, detail::FactorView;
using detail::Multiplication, detail::Target;

template <BlasElement T>
void multiply_owned(Multiplication<T>& multiplication, const detail::MatmulPart& part, T beta,
                    AnyArray& c, const Patch& c_patch) {
  if (part.empty()) return;
  std::vector<Target<T>> targets = detail::own_targets<T>(c, c_patch, part);
  detail::join(targets, part);
  multiplication.run(part.rows, part.columns, part.k, beta, targets);
}

/// Computes my share of the grid in pieces that fit the memory, and adds them to the result.
template <BlasElement T>
void multiply_shared(Multiplication<T>& multiplication, const detail::MatmulPart& part, T beta,
                     AnyArray& c, const Patch& c_patch, const MatmulOptions& options) {
  detail::scale_own(beta, c, c_patch);
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

}  // namespace

void matmul(const Scalar& alpha, const View& a, const View& b, const Scalar& beta,
            const MutableView& result, const MatmulOptions& options) {
  AnyArray& c = result.array;
  detail::require_operands(a, b, c, "matmul");
  const std::uint64_t hash =
      detail::hash_of(a, b, result, alpha, beta, static_cast<std::uint64_t>(options.memory));
  const auto validate = [&] { detail::check_product(alpha, a, b, beta, result, options); };
  detail::collectively(c.group(), "matmul", hash, validate, [&] {
    const Patch c_patch = result.section();
    detail::share_cores();
    const FactorView left(a, true), right(b, false);
    const detail::MatmulPlan plan(left, right, c, c_patch);
    const int me = c.group().rank();
    const detail::MatmulPart part = plan.part(me);
    with_computed_type(c.type(), [&]<class T>(T) {
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
