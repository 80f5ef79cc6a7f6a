// Screening, and contributions of integrals that are computed.
#include "fock_kernel.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "packing.hpp"

namespace lagoon::atoll::chem {

FockKernel::FockKernel(Integrals integrals, std::span<const int> block_starts)
    : integrals_(std::move(integrals)),
      blocks_(integrals_, block_starts),
      buffer_(integrals_.buffer_size()),
      scratch_(integrals_.scratch_size()) {
  int widest = 0;
  for (int shell = 0; shell < shells(); ++shell) widest = std::max(widest, blocks_.width(shell));
  sums_.resize(6 * static_cast<std::size_t>(widest * widest));
}

std::vector<double> FockKernel::schwarz_bounds(int block_p, int block_q) {
  blocks_.check(block_p);
  blocks_.check(block_q);
  std::vector<double> bounds;
  for (int p = blocks_.begin(block_p); p < blocks_.end(block_p); ++p)
    for (int q = blocks_.begin(block_q); q < blocks_.end(block_q); ++q)
      bounds.push_back(integrals_.schwarz_bound(p, q, buffer_.data(), scratch_.data()));
  return bounds;
}

void FockKernel::set_bounds(std::span<const double> bounds, double tolerance) {
  if (!(tolerance > 0)) throw std::invalid_argument("the screening tolerance must be positive");
  pairs_ = std::make_unique<ShellPairs>(integrals_, blocks_, bounds, tolerance);
  tolerance_ = tolerance;
  quantum_ = quantum_below(tolerance);
}

void FockKernel::set_storage(const StoragePolicy& policy) {
  if (policy.form == RecordForm::panels && policy.least_cost > 0)
    throw std::invalid_argument("panels hold integrals of any cost: least_cost must be 0");
  storage_ = policy;
}

int FockKernel::rows(int block_p, int block_q) const {
  blocks_.check(block_p);
  blocks_.check(block_q);
  if (block_p < block_q) throw std::invalid_argument("the blocks of a task must be canonical");
  if (!pairs_) throw std::invalid_argument("the Schwarz bounds have not been set");
  return static_cast<int>(pairs_->of(block_p, block_q).size());
}

FockDigester FockKernel::digester(const BlockQuartet& task, const TaskTiles& tiles, Rows rows) {
  check_canonical(blocks_, task);
  const int end = this->rows(task.i, task.j);
  if (rows.begin < 0 || rows.begin > rows.end || rows.end > end)
    throw std::out_of_range("a task has no such rows");
  return FockDigester(blocks_, task, tiles.coulomb, tiles.exchange, sums_.data());
}

std::int64_t FockKernel::contract(const BlockQuartet& task, const TaskTiles& tiles, Rows rows,
                                  Quartets which) {
  const FockDigester digester = this->digester(task, tiles, rows);
  std::int64_t computed = 0;
  const auto compute = [&](const ShellPair& bra, const ShellPair& ket, double bound) {
    const int i = bra.p, j = bra.q, k = ket.p, l = ket.q;
    if (bound * digester.largest_density(i, j, k, l) <= tolerance_) return;
    if (!integrals_.compute(i, j, k, l, buffer_.data(), scratch_.data())) return;
    digester.add(buffer_.data(), i, j, k, l);
    ++computed;
  };
  // What Q_ij Q_kl must exceed; infinite for a density of zeros.
  const double least = tolerance_ / digester.largest_density();
  if (which == Quartets::all) {
    for_each_quartet(*pairs_, task, rows, least, compute);
  } else {
    const bool recorded = which == Quartets::recorded;
    for_each_quartet(*pairs_, task, rows, least,
                     [&](const ShellPair& bra, const ShellPair& ket, double bound) {
                       if (storage_.stores(bra, ket, bound) == recorded) compute(bra, ket, bound);
                     });
  }
  return computed;
}

}  // namespace lagoon::atoll::chem
