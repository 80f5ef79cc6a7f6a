// Packing matrix patches into shell-pair order and back.
#include "tile.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>

namespace lagoon::atoll::chem {

ShellBlocks::ShellBlocks(const Integrals& integrals, std::span<const int> starts)
    : starts_(starts.begin(), starts.end()) {
  const bool ends_right =
      starts.size() >= 2 && starts.front() == 0 && starts.back() == integrals.shells();
  if (!ends_right ||
      std::adjacent_find(starts_.begin(), starts_.end(), std::greater_equal<>()) != starts_.end())
    throw std::invalid_argument("the shell blocks must ascend from 0 to the number of shells");
  for (int shell = 0; shell <= integrals.shells(); ++shell)
    first_.push_back(integrals.first(shell));
}

void ShellBlocks::check(int block) const {
  if (block < 0 || block >= blocks()) throw std::out_of_range("no such shell block");
}

namespace {
/// Calls visit(shell pair number, place in the tile, row, column) for every element.
template <class Visit>
void for_each_element(const ShellBlocks& blocks, int block_p, int block_q, Visit visit) {
  const int row0 = blocks.first(blocks.begin(block_p));
  const int column0 = blocks.first(blocks.begin(block_q));
  std::size_t pair = 0, place = 0;
  for (int p = blocks.begin(block_p); p < blocks.end(block_p); ++p)
    for (int q = blocks.begin(block_q); q < blocks.end(block_q); ++q, ++pair)
      for (int column = blocks.first(q); column < blocks.first(q + 1); ++column)
        for (int row = blocks.first(p); row < blocks.first(p + 1); ++row)
          visit(pair, place++, row - row0, column - column0);
}
}  // namespace

DensityTile::DensityTile(const ShellBlocks& blocks, int block_p, int block_q,
                         std::span<const double> matrices)
    : p_(block_p), q_(block_q) {
  blocks.check(block_p);
  blocks.check(block_q);
  stride_ = blocks.tile_size(block_p, block_q);
  if (matrices.empty() || matrices.size() % stride_ != 0)
    throw std::invalid_argument("the patch does not have the size of its blocks");
  densities_ = static_cast<int>(matrices.size() / stride_);
  values_.resize(matrices.size());
  maxima_.resize(static_cast<std::size_t>(blocks.shells(block_p)) *
                 static_cast<std::size_t>(blocks.shells(block_q)));
  const int columns = blocks.functions(block_q);
  bool in_range = true;
  for (std::size_t start = 0; start < matrices.size(); start += stride_)
    for_each_element(
        blocks, block_p, block_q, [&](std::size_t pair, std::size_t place, int row, int column) {
          const double value = matrices[start + static_cast<std::size_t>(row * columns + column)];
          values_[start + place] = value;
          maxima_[pair] = std::max(maxima_[pair], std::abs(value));
          in_range = in_range && std::abs(value) <= largest_density_element;
        });
  if (!in_range) throw std::invalid_argument("a density element is larger than 1e8 or no number");
  maximum_ = *std::max_element(maxima_.begin(), maxima_.end());
}

FockTile::FockTile(const ShellBlocks& blocks, int block_p, int block_q, int matrices)
    : p_(block_p), q_(block_q), matrices_(matrices) {
  blocks.check(block_p);
  blocks.check(block_q);
  if (matrices < 1) throw std::invalid_argument("a tile must be of a matrix at least");
  stride_ = blocks.tile_size(block_p, block_q);
  values_.resize(stride_ * static_cast<std::size_t>(matrices));
}

void FockTile::unpack(const ShellBlocks& blocks, std::span<double> matrices) const {
  if (matrices.size() != values_.size())
    throw std::invalid_argument("the patch does not have the size of its blocks");
  const int columns = blocks.functions(q_);
  for (std::size_t start = 0; start < values_.size(); start += stride_)
    for_each_element(blocks, p_, q_, [&](std::size_t, std::size_t place, int row, int column) {
      matrices[start + static_cast<std::size_t>(row * columns + column)] = values_[start + place];
    });
}

}  // namespace lagoon::atoll::chem
