#include "block_integrals.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace lagoon::atoll::chem {

namespace {

using Four = std::array<std::ptrdiff_t, 4>;

/// Copies a quartet's integrals, the first extent fastest, to where the strides say.
void scatter(const double* values, const Four& extents, const Four& strides, double* out) {
  for (std::ptrdiff_t l = 0; l < extents[3]; ++l)
    for (std::ptrdiff_t k = 0; k < extents[2]; ++k)
      for (std::ptrdiff_t j = 0; j < extents[1]; ++j) {
        double* row = out + j * strides[1] + k * strides[2] + l * strides[3];
        for (std::ptrdiff_t i = 0; i < extents[0]; ++i) row[i * strides[0]] = *values++;
      }
}

/// The array of a task, and the places of a quartet's integrals in it.
class BlockArray {
 public:
  BlockArray(const ShellBlocks& blocks, const BlockQuartet& task, double* out)
      : blocks_(blocks), task_(task), out_(out) {
    first_ = {blocks.first(blocks.begin(task.i)), blocks.first(blocks.begin(task.j)),
              blocks.first(blocks.begin(task.k)), blocks.first(blocks.begin(task.l))};
    strides_[3] = 1;
    strides_[2] = blocks.functions(task.l);
    strides_[1] = strides_[2] * blocks.functions(task.k);
    strides_[0] = strides_[1] * blocks.functions(task.j);
  }

  /// Writes (ij|kl) and all that are equal to it.
  void put(const double* values, const ShellPair& bra, const ShellPair& ket) const {
    put_pairs(values, bra, ket, {0, 1, 2, 3});
    if (task_.same_pairs() && (bra.p != ket.p || bra.q != ket.q))
      put_pairs(values, bra, ket, {2, 3, 0, 1});
  }

 private:
  using Places = std::array<std::size_t, 4>;

  void put_pairs(const double* values, const ShellPair& bra, const ShellPair& ket,
                 const Places& to) const {
    const bool swap_bra = task_.i == task_.j && bra.p != bra.q;
    const bool swap_ket = task_.k == task_.l && ket.p != ket.q;
    put_one(values, bra, ket, to);
    if (swap_bra) put_one(values, bra, ket, {to[1], to[0], to[2], to[3]});
    if (swap_ket) put_one(values, bra, ket, {to[0], to[1], to[3], to[2]});
    if (swap_bra && swap_ket) put_one(values, bra, ket, {to[1], to[0], to[3], to[2]});
  }

  void put_one(const double* values, const ShellPair& bra, const ShellPair& ket,
               const Places& to) const {
    const std::array<int, 4> shells = {bra.p, bra.q, ket.p, ket.q};
    Four extents{}, strides{};
    std::ptrdiff_t offset = 0;
    for (std::size_t n = 0; n < 4; ++n) {
      extents[n] = blocks_.width(shells[n]);
      strides[n] = strides_[to[n]];
      offset += strides[n] * (blocks_.first(shells[n]) - first_[to[n]]);
    }
    scatter(values, extents, strides, out_ + offset);
  }

  const ShellBlocks& blocks_;
  const BlockQuartet& task_;
  double* const out_;
  Four first_{}, strides_{};
};

}  // namespace

BlockIntegrals::BlockIntegrals(Integrals integrals, std::span<const int> block_starts)
    : integrals_(std::move(integrals)),
      blocks_(integrals_, block_starts),
      buffer_(integrals_.buffer_size()),
      scratch_(integrals_.scratch_size()) {}

std::size_t BlockIntegrals::size(const BlockQuartet& task) const {
  check_canonical(blocks_, task);
  return blocks_.tile_size(task.i, task.j) * blocks_.tile_size(task.k, task.l);
}

void BlockIntegrals::set_bounds(std::span<const double> bounds, double tolerance) {
  if (!(tolerance > 0)) throw std::invalid_argument("the screening tolerance must be positive");
  pairs_ = std::make_unique<ShellPairs>(integrals_, blocks_, bounds, tolerance);
  tolerance_ = tolerance;
}

double BlockIntegrals::maximum(std::span<const double> maxima, int block_p, int block_q) const {
  double largest = 0;
  for (int p = blocks_.begin(block_p); p < blocks_.end(block_p); ++p) {
    const double* row = maxima.data() + static_cast<std::ptrdiff_t>(p) * shells();
    for (int q = blocks_.begin(block_q); q < blocks_.end(block_q); ++q)
      largest = std::max(largest, row[q]);
  }
  return largest;
}

std::int64_t BlockIntegrals::compute(const BlockQuartet& task, std::span<const double> maxima,
                                     std::span<double> out) {
  if (out.size() != size(task))
    throw std::invalid_argument("the array must hold the integrals of the four blocks");
  const auto n = static_cast<std::size_t>(shells());
  if (maxima.size() != n * n)
    throw std::invalid_argument("the maxima must be a matrix of shells by shells");
  if (!pairs_) throw std::invalid_argument("the Schwarz bounds have not been set");
  std::fill(out.begin(), out.end(), 0.0);

  const double largest =
      std::max({maximum(maxima, task.i, task.k), maximum(maxima, task.i, task.l),
                maximum(maxima, task.j, task.k), maximum(maxima, task.j, task.l)});
  if (!(largest > 0)) return 0;
  const BlockArray array(blocks_, task, out.data());
  const auto met = [&](int p, int q) {
    return maxima[static_cast<std::size_t>(p) * n + static_cast<std::size_t>(q)];
  };
  std::int64_t computed = 0;
  const auto visit = [&](const ShellPair& bra, const ShellPair& ket, double bound) {
    const double x =
        std::max({met(bra.p, ket.p), met(bra.p, ket.q), met(bra.q, ket.p), met(bra.q, ket.q)});
    if (bound * x <= tolerance_) return;
    if (!integrals_.compute(bra.p, bra.q, ket.p, ket.q, buffer_.data(), scratch_.data())) return;
    array.put(buffer_.data(), bra, ket);
    ++computed;
  };
  const auto rows = static_cast<int>(pairs_->of(task.i, task.j).size());
  for_each_quartet(*pairs_, task, {0, rows}, tolerance_ / largest, visit);
  return computed;
}

}  // namespace lagoon::atoll::chem
