// block_matmul: the frame of the call, and the walk of a rank over the inner blocks.
#include "atoll/block_matmul.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "algebra/matrices/block_axis.hpp"
#include "algebra/matrices/block_norms.hpp"
#include "algebra/matrices/block_pipeline.hpp"
#include "algebra/matrices/cores.hpp"
#include "algebra/matrices/matmul_call.hpp"
#include "algebra/matrices/matmul_plan.hpp"
#include "algebra/matrices/matmul_targets.hpp"
#include "array/frame.hpp"
#include "atoll/error.hpp"

namespace lagoon::atoll {

namespace {

using detail::BlasElement, detail::BlockAxis, detail::BlockPipeline, detail::BlockTask;
using detail::Extent, detail::KeptPairs, detail::KeptPart, detail::KeptRectangle,
    detail::FactorView;
using detail::Target;

/// A rank's share of a block-sparse product.
template <BlasElement T>
class BlockMultiplication {
 public:
  /// Of a part of the result, which lies in `targets`.
  BlockMultiplication(const FactorView& a, const FactorView& b, T alpha, detail::MatmulPart part,
                      std::vector<Target<T>> targets, const BlockCuts& cuts,
                      const BlockScreen& screen, const MatmulOptions& options)
      : a_(a),
        b_(b),
        cuts_(cuts),
        screen_(screen),
        part_(std::move(part)),
        targets_(std::move(targets)),
        rows_(part_.rows, targets_.size() == 1, cuts.rows),
        columns_(part_.columns, targets_.size() == 1, cuts.columns),
        elements_(static_cast<std::int64_t>(options.memory / sizeof(T))),
        pipeline_(alpha, options.prefetch) {}

  /// `turn` in [0, 1): where among the inner blocks this rank begins.
  BlockMatmulCount run(double turn) {
    const std::size_t blocks = cuts_.inner.size();
    const auto begin = static_cast<std::size_t>(turn * static_cast<double>(blocks));
    walk(begin, blocks);
    walk(0, begin);
    pipeline_.finish();
    count_.fetched_bytes = pipeline_.fetched_bytes();
    return count_;
  }

 private:
  /// Multiplies inner blocks [first, last). Neighbours of which the same pairs count are one.
  void walk(std::size_t first, std::size_t last) {
    std::optional<KeptPairs> kept;  // of `k`
    Extent k;
    const auto multiply_kept = [&] {
      if (kept && !kept->none()) multiply(*kept, k);
    };
    for (std::size_t l = first; l < last; ++l) {
      const Extent extent = detail::block_extent(cuts_.inner, a_.inner(), l);
      if (extent.size() == 0) continue;
      KeptPairs here = screened(static_cast<std::int64_t>(l));
      if (kept && *kept == here) {
        k.last = extent.last;
        continue;
      }
      multiply_kept();
      kept = std::move(here);
      k = extent;
    }
    multiply_kept();
  }

  KeptPairs screened(std::int64_t inner) {
    KeptPairs kept(rows_.blocks.size(), columns_.blocks.size());
    for (std::size_t i = 0; i < rows_.blocks.size(); ++i)
      for (std::size_t j = 0; j < columns_.blocks.size(); ++j) {
        const BlockAxis::Block &row = rows_.blocks[i], &column = columns_.blocks[j];
        const bool counts = screen_(row.number, column.number, inner);
        kept(i, j) = counts ? 1 : 0;
        // Several ranks may share a block of c: one of them has its first element.
        if (!row.begins_here || !column.begins_here) continue;
        ++count_.pairs;
        count_.multiplied += counts ? 1 : 0;
      }
    return kept;
  }

  void multiply(const KeptPairs& kept, const Extent& k) {
    const KeptPart part(rows_, columns_, kept);
    const std::vector<Target<T>> targets = targets_of(part);
    const std::int64_t m = size_of(part.rows), n = size_of(part.columns);
    const std::int64_t edge = detail::largest_edge(elements_);
    for (std::int64_t i = 0; i < m; i += edge)
      for (std::int64_t j = 0; j < n; j += edge) {
        const Extent row{i, std::min(i + edge, m)}, column{j, std::min(j + edge, n)};
        push({{a_, packed_part(part.rows, row.first, row.last), k, detail::InPlace::all},
              {b_, packed_part(part.columns, column.first, column.last), k, detail::InPlace::all}},
             k, clipped(targets, row, column));
      }
  }

  void push(detail::PanelSources sources, const Extent& k, std::vector<Target<T>> targets) {
    if (targets.empty()) return;
    const auto task =
        std::make_shared<const BlockTask<T>>(BlockTask<T>{std::move(sources), std::move(targets)});
    for (detail::Step& step : detail::steps_of(task->sources, k, elements_))
      pipeline_.push(task, std::move(step));
  }

  /// Where the rectangles lie in my memory of the result.
  std::vector<Target<T>> targets_of(const KeptPart& part) const {
    std::vector<Target<T>> targets;
    targets.reserve(part.rectangles.size());
    for (const KeptRectangle& r : part.rectangles) {
      const Target<T>& band = targets_[r.row_band * columns_.bands + r.column_band];
      targets.push_back({{r.row, r.row + r.rows.size()},
                         {r.column, r.column + r.columns.size()},
                         band.data + (r.rows.first - band.rows.first) * band.distance +
                             (r.columns.first - band.columns.first),
                         band.distance});
    }
    return targets;
  }

  const FactorView &a_, &b_;
  const BlockCuts& cuts_;
  const BlockScreen& screen_;
  detail::MatmulPart part_;
  std::vector<Target<T>> targets_;  // one, or one for each pair of bands
  BlockAxis rows_, columns_;
  std::int64_t elements_;
  BlockPipeline<T> pipeline_;
  BlockMatmulCount count_;
};

/// Adds my part of the product to c: all that I own at once, or, as dealt blocks are not all
/// combinations of some rows and some columns, each of these for itself.
template <BlasElement T>
BlockMatmulCount multiply_owned(const FactorView& a, const FactorView& b, T alpha, AnyArray& c,
                                const BlockCuts& cuts, const BlockScreen& screen,
                                const MatmulOptions& options) {
  const int me = c.group().rank();
  const double turn = options.shift ? static_cast<double>(me) / c.group().size() : 0;
  const auto run = [&](const detail::MatmulPart& part, std::vector<Target<T>> targets) {
    return BlockMultiplication<T>(a, b, alpha, part, std::move(targets), cuts, screen, options)
        .run(turn);
  };
  if (!c.distribution().by_number()) {
    const detail::MatmulPart part = detail::owned_part(c, whole(c.shape()), me, a.inner());
    if (part.empty()) return {};
    std::vector<Target<T>> targets = detail::own_targets<T>(c, whole(c.shape()), part);
    detail::join(targets, part);
    return run(part, std::move(targets));
  }
  BlockMatmulCount sum;
  c.state()->mark_own_written();
  T* const memory = reinterpret_cast<T*>(c.state()->block(me));
  detail::for_each_owned_block(c.distribution(), me, [&](const detail::OwnedBlock& block) {
    const Extent rows{block.patch.lo[0], block.patch.hi[0]},
        columns{block.patch.lo[1], block.patch.hi[1]};
    const BlockMatmulCount count =
        run({{rows}, {columns}, {0, a.inner()}},
            {{{0, rows.size()}, {0, columns.size()}, memory + block.offset, block.strides[0]}});
    sum.pairs += count.pairs;
    sum.multiplied += count.multiplied;
    sum.fetched_bytes += count.fetched_bytes;
  });
  return sum;
}

/// What one rank throws, its screen say, all ranks must.
void throw_alike(const Group& group, const std::exception_ptr& mine, BlockMatmulCount& count) {
  std::array<std::int64_t, 4> sums{count.pairs, count.multiplied, count.fetched_bytes,
                                   mine ? 1 : 0};
  group.reduce(std::span<std::int64_t>(sums));
  if (mine) std::rethrow_exception(mine);
  if (sums[3] > 0)
    throw Error(ErrorKind::state, "it failed on " + std::to_string(sums[3]) + " of " +
                                      std::to_string(group.size()) + " ranks")
        .during("block_matmul");
  count = {sums[0], sums[1], sums[2]};
}

void check_block_cuts(const BlockCuts& cuts, const View& a, const View& b) {
  const FactorView left(a, true), right(b, false);
  detail::check_cuts(cuts.rows, left.outer(), "cuts.rows");
  detail::check_cuts(cuts.columns, right.outer(), "cuts.columns");
  detail::check_cuts(cuts.inner, left.inner(), "cuts.inner");
}

/// The product with a screen that is made once the arguments have been checked.
BlockMatmulCount multiply(const Scalar& alpha, const View& a, const View& b, const Scalar& beta,
                          AnyArray& c, const BlockCuts& cuts, const MatmulOptions& options,
                          std::uint64_t hash, const std::function<void()>& check_screen,
                          const std::function<BlockScreen()>& make_screen) {
  hash = detail::hash_of(hash, a, b, c, alpha, beta, static_cast<std::uint64_t>(options.memory),
                         detail::hash_of_cuts(cuts.rows), detail::hash_of_cuts(cuts.columns),
                         detail::hash_of_cuts(cuts.inner));
  const auto validate = [&] {
    detail::check_product(alpha, a, b, beta, c, options);
    check_block_cuts(cuts, a, b);
    check_screen();
  };
  BlockMatmulCount count;
  std::exception_ptr failure;
  detail::collectively(c.group(), "block_matmul", hash, validate, [&] {
    detail::share_cores();
    const BlockScreen screen = make_screen();
    const FactorView left(a, true), right(b, false);
    with_computed_type(c.type(), [&]<class T>(T) {
      if constexpr (BlasElement<T>) {
        detail::scale_own(beta.as<T>(), c, whole(c.shape()));
        try {
          count = multiply_owned(left, right, alpha.as<T>(), c, cuts, screen, options);
        } catch (...) {
          failure = std::current_exception();
        }
      }
    });
  });
  throw_alike(c.group(), failure, count);
  return count;
}

/// Norms that are the same on all ranks of the group, also where nodes have their own copies.
std::vector<double> agreed_norms(const Group& group, const View& factor,
                                 std::span<const std::int64_t> row_cuts,
                                 std::span<const std::int64_t> column_cuts) {
  std::vector<double> norms = detail::norms_of_blocks(factor, row_cuts, column_cuts);
  if (factor.array.mirrored()) group.broadcast(std::span<double>(norms), 0);
  return norms;
}

}  // namespace

BlockMatmulCount block_matmul(const Scalar& alpha, const View& a, const View& b, const Scalar& beta,
                              AnyArray& c, const BlockCuts& cuts, const BlockScreen& screen,
                              const MatmulOptions& options) {
  detail::require_operands(a, b, c, "block_matmul");
  const auto check = [&] {
    if (!screen) throw Error(ErrorKind::value, "the screen is an empty function");
  };
  return multiply(alpha, a, b, beta, c, cuts, options, 0, check, [&] { return screen; });
}

BlockMatmulCount block_matmul(const Scalar& alpha, const View& a, const View& b, const Scalar& beta,
                              AnyArray& c, const BlockCuts& cuts, double threshold,
                              const MatmulOptions& options) {
  detail::require_operands(a, b, c, "block_matmul");
  const auto check = [&] {
    if (!(threshold >= 0))
      throw Error(ErrorKind::value,
                  "threshold is " + std::to_string(threshold) + ", expected zero or more");
  };
  const auto make_screen = [&]() -> BlockScreen {
    return [left = agreed_norms(c.group(), a, cuts.rows, cuts.inner),
            right = agreed_norms(c.group(), b, cuts.inner, cuts.columns), threshold,
            inner_blocks = cuts.inner.size(),
            columns = cuts.columns.size()](std::int64_t i, std::int64_t j, std::int64_t l) {
      const auto row = static_cast<std::size_t>(i), column = static_cast<std::size_t>(j),
                 inner = static_cast<std::size_t>(l);
      // So that NaN counts.
      return !(left[row * inner_blocks + inner] * right[inner * columns + column] <= threshold);
    };
  };
  return multiply(alpha, a, b, beta, c, cuts, options, detail::hash_of(Scalar(threshold)), check,
                  make_screen);
}

}  // namespace lagoon::atoll
