#include "panels.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "pair_tiles.hpp"
#include "panel_loops.hpp"

namespace lagoon::atoll::chem {

namespace {

struct Header {
  std::uint32_t functions, quartets;
};

std::size_t padded_ks(std::size_t count) { return (count + 1) / 2 * 2; }

/// Calls visit(element of a tile, its place in a matrix whose rows are so far apart) for all of
/// blocks (P, Q).
template <class T, class Visit>
void for_each_element(const ShellBlocks& blocks, int block_p, int block_q, T* values,
                      std::ptrdiff_t row, Visit visit) {
  const PairPlaces places(blocks, block_p, block_q);
  const int row0 = blocks.first(blocks.begin(block_p));
  const int column0 = blocks.first(blocks.begin(block_q));
  for (int p = blocks.begin(block_p); p < blocks.end(block_p); ++p) {
    const int rows = blocks.width(p);
    for (int q = blocks.begin(block_q); q < blocks.end(block_q); ++q) {
      const PairView<T> view = places.view(values, p, q);
      const int columns = blocks.width(q);
      std::ptrdiff_t place = (blocks.first(p) - row0) * row + blocks.first(q) - column0;
      for (int a = 0; a < rows; ++a, place += row) {
        T* value = view.data + static_cast<std::ptrdiff_t>(a) * view.first;
        for (int b = 0; b < columns; ++b, value += view.second) visit(*value, place + b);
      }
    }
  }
}

void copy_density(const ShellBlocks& blocks, int block_p, int block_q, const double* tile,
                  double factor, double* matrix, std::ptrdiff_t row) {
  for_each_element(blocks, block_p, block_q, tile, row,
                   [=](double value, std::ptrdiff_t place) { matrix[place] = factor * value; });
}

void add_matrix(const ShellBlocks& blocks, int block_p, int block_q, double* tile,
                const double* matrix, std::ptrdiff_t row) {
  for_each_element(blocks, block_p, block_q, tile, row,
                   [=](double& value, std::ptrdiff_t place) { value += matrix[place]; });
}

/// Sums of eight parts each.
void add_lanes(const ShellBlocks& blocks, int block_p, int block_q, double* tile,
               const double* lanes, std::ptrdiff_t row) {
  for_each_element(blocks, block_p, block_q, tile, row, [=](double& value, std::ptrdiff_t place) {
    const double* l = lanes + place * panel_lanes;
    value += ((l[0] + l[4]) + (l[1] + l[5])) + ((l[2] + l[6]) + (l[3] + l[7]));
  });
}

}  // namespace

PanelWriter::PanelWriter(const ShellBlocks& blocks, const BlockQuartet& task, const ShellPair& bra,
                         std::span<const ShellPair* const> kets, std::vector<std::byte>& record)
    : blocks_(blocks), task_(task), bra_(bra) {
  const int first_shell = blocks.begin(task.k);
  place_.assign(static_cast<std::size_t>(blocks.shells(task.k)), -1);
  for (const ShellPair* ket : kets) place_[static_cast<std::size_t>(ket->p - first_shell)] = 0;
  std::vector<std::uint32_t> ks;
  for (int shell = first_shell; shell < blocks.end(task.k); ++shell) {
    int& place = place_[static_cast<std::size_t>(shell - first_shell)];
    if (place < 0) continue;
    place = static_cast<int>(ks.size());
    for (int k = 0; k < blocks.width(shell); ++k)
      ks.push_back(static_cast<std::uint32_t>(blocks.first(shell) - blocks.first(first_shell) + k));
  }
  const Header header{static_cast<std::uint32_t>(ks.size()),
                      static_cast<std::uint32_t>(kets.size())};
  const std::size_t begin = record.size() - panel_slack;
  const std::size_t words = sizeof header + padded_ks(ks.size()) * sizeof(std::uint32_t);
  const auto pairs = static_cast<std::size_t>(blocks.width(bra.p) * blocks.width(bra.q));
  const auto columns = static_cast<std::size_t>(blocks.functions(task.l));
  record.resize(begin + words + pairs * ks.size() * columns * sizeof(double) + panel_slack);
  std::memcpy(record.data() + begin, &header, sizeof header);
  std::memcpy(record.data() + begin + sizeof header, ks.data(), ks.size() * sizeof(std::uint32_t));
  values_ = reinterpret_cast<double*>(record.data() + begin + words);
  view_ = {
      header.quartets,
      {reinterpret_cast<const std::uint32_t*>(record.data() + begin + sizeof header), ks.size()},
      values_};
}

void PanelWriter::put(const double* integrals, const ShellPair& ket) {
  const int i_end = blocks_.width(bra_.p), j_end = blocks_.width(bra_.q);
  const int k_end = blocks_.width(ket.p), l_end = blocks_.width(ket.q);
  double factor = 1.0;
  if (bra_.p == bra_.q) factor *= 0.5;
  if (ket.p == ket.q) factor *= 0.5;
  if (bra_.p == ket.p && bra_.q == ket.q) factor *= 0.5;
  const std::ptrdiff_t columns = blocks_.functions(task_.l);
  const auto matrix = static_cast<std::ptrdiff_t>(view_.ks.size()) * columns;
  const int place = place_[static_cast<std::size_t>(ket.p - blocks_.begin(task_.k))];
  double* const corner =
      values_ + place * columns + blocks_.first(ket.q) - blocks_.first(blocks_.begin(task_.l));
  const std::ptrdiff_t pairs = static_cast<std::ptrdiff_t>(i_end) * j_end;
  for (std::ptrdiff_t ij = 0; ij < pairs; ++ij)
    for (int k = 0; k < k_end; ++k) {
      double* const row = corner + ij * matrix + k * columns;
      for (int l = 0; l < l_end; ++l) row[l] = factor * integrals[ij + pairs * (k + k_end * l)];
    }
}

PanelView read_panel(std::span<const std::byte>& next, int bra_functions, int functions_l) {
  Header header{};
  const auto too_short = [&](std::size_t bytes) {
    if (next.size() < bytes)
      throw std::runtime_error("a record of integrals is not of the bounds that it was made for");
  };
  too_short(sizeof header);
  std::memcpy(&header, next.data(), sizeof header);
  const std::size_t words = sizeof header + padded_ks(header.functions) * sizeof(std::uint32_t);
  const std::size_t bytes = words + sizeof(double) * header.functions *
                                        static_cast<std::size_t>(bra_functions) *
                                        static_cast<std::size_t>(functions_l);
  too_short(bytes + panel_slack);
  const auto* ks = reinterpret_cast<const std::uint32_t*>(next.data() + sizeof header);
  const auto* values = reinterpret_cast<const double*>(next.data() + words);
  next = next.subspan(bytes);
  return {header.quartets, {ks, header.functions}, values};
}

PanelDigester::PanelDigester(const ShellBlocks& blocks, const BlockQuartet& task,
                             const TaskTiles& tiles, std::vector<double>& room)
    : blocks_(blocks),
      task_(task),
      tiles_(tiles),
      i_(blocks.functions(task.i)),
      j_(blocks.functions(task.j)),
      k_(blocks.functions(task.k)),
      l_(blocks.functions(task.l)),
      row_((l_ + panel_lanes - 1) / panel_lanes * panel_lanes) {
  if (tiles.exchange)
    exchange_.resize(static_cast<std::size_t>(tiles.exchange->density_ik->densities()));
  take_room(room);
  copy_densities();
}

void PanelDigester::take_room(std::vector<double>& room) {
  const std::ptrdiff_t i = i_, j = j_, k = k_;
  std::ptrdiff_t wanted = 0;
  // Places first, as numbers from the beginning; all of whole vectors.
  const auto take = [&](std::ptrdiff_t count) {
    const std::ptrdiff_t place = wanted;
    wanted += (count + panel_lanes - 1) / panel_lanes * panel_lanes;
    return place;
  };
  std::ptrdiff_t of_coulomb[4] = {};
  if (tiles_.coulomb)
    for (std::size_t n = 0;
         const std::ptrdiff_t size : {i * j, k * row_, i * j * panel_lanes, k * row_})
      of_coulomb[n++] = take(size);
  std::vector<std::ptrdiff_t> of_exchange;
  for (std::size_t set = 0; set < exchange_.size(); ++set)
    for (const std::ptrdiff_t size : {i * k, j * k, i * row_, j * row_, i * k * panel_lanes,
                                      j * k * panel_lanes, i * row_, j * row_})
      of_exchange.push_back(take(size));
  room.assign(static_cast<std::size_t>(wanted + panel_lanes), 0.0);
  // Vectors are faster where they do not lie across two lines of the cache.
  const auto address = reinterpret_cast<std::uintptr_t>(room.data()) / sizeof(double);
  double* const begin = room.data() + (panel_lanes - address % panel_lanes) % panel_lanes;
  if (tiles_.coulomb) {
    d_ij_ = begin + of_coulomb[0];
    d_kl_ = begin + of_coulomb[1];
    j_ij_ = begin + of_coulomb[2];
    j_kl_ = begin + of_coulomb[3];
  }
  for (std::size_t set = 0; set < exchange_.size(); ++set) {
    const std::ptrdiff_t* at = of_exchange.data() + 8 * set;
    exchange_[set] = {begin + at[0], begin + at[1], begin + at[2], begin + at[3],
                      begin + at[4], begin + at[5], begin + at[6], begin + at[7]};
  }
}

void PanelDigester::copy_densities() {
  if (tiles_.coulomb) {
    copy_density(blocks_, task_.i, task_.j, tiles_.coulomb->density_ij->values(), 2.0, d_ij_, j_);
    copy_density(blocks_, task_.k, task_.l, tiles_.coulomb->density_kl->values(), 2.0, d_kl_, row_);
  }
  if (!tiles_.exchange) return;
  for (std::size_t set = 0; set < exchange_.size(); ++set) {
    const auto values = [&](const DensityTile* tile) {
      return tile->values() + set * tile->stride();
    };
    const ExchangeTiles& tiles = *tiles_.exchange;
    const Exchange& to = exchange_[set];
    copy_density(blocks_, task_.i, task_.k, values(tiles.density_ik), 1.0, to.d_ik, k_);
    copy_density(blocks_, task_.j, task_.k, values(tiles.density_jk), 1.0, to.d_jk, k_);
    copy_density(blocks_, task_.i, task_.l, values(tiles.density_il), 1.0, to.d_il, row_);
    copy_density(blocks_, task_.j, task_.l, values(tiles.density_jl), 1.0, to.d_jl, row_);
  }
}

void PanelDigester::add(const ShellPair& bra, const PanelView& panel) {
  const int first_i = blocks_.first(bra.p) - blocks_.first(blocks_.begin(task_.i));
  const int first_j = blocks_.first(bra.q) - blocks_.first(blocks_.begin(task_.j));
  const std::ptrdiff_t matrix = static_cast<std::ptrdiff_t>(panel.ks.size()) * l_;
  const double* integrals = panel.values;
  PanelRows rows{};
  rows.ks = panel.ks;
  rows.columns = l_;
  rows.row = row_;
  rows.d_kl = d_kl_;
  rows.j_kl = j_kl_;
  for (std::ptrdiff_t j = first_j; j < first_j + blocks_.width(bra.q); ++j)
    for (std::ptrdiff_t i = first_i; i < first_i + blocks_.width(bra.p); ++i, integrals += matrix) {
      if (tiles_.coulomb) {
        rows.d_ij = d_ij_[i * j_ + j];
        rows.j_ij = j_ij_ + (i * j_ + j) * panel_lanes;
      }
      if (exchange_.empty()) add_panel_coulomb(integrals, rows);
      for (std::size_t set = 0; set < exchange_.size(); ++set) {
        const Exchange& from = exchange_[set];
        rows.d_ik = from.d_ik + i * k_;
        rows.d_jk = from.d_jk + j * k_;
        rows.d_il = from.d_il + i * row_;
        rows.d_jl = from.d_jl + j * row_;
        rows.k_ik = from.k_ik + i * k_ * panel_lanes;
        rows.k_jk = from.k_jk + j * k_ * panel_lanes;
        rows.k_il = from.k_il + i * row_;
        rows.k_jl = from.k_jl + j * row_;
        if (tiles_.coulomb && set == 0)
          add_panel_both(integrals, rows);
        else
          add_panel_exchange(integrals, rows);
      }
    }
}

void PanelDigester::finish() {
  if (tiles_.coulomb) {
    add_lanes(blocks_, task_.i, task_.j, tiles_.coulomb->fock_ij->values(), j_ij_, j_);
    add_matrix(blocks_, task_.k, task_.l, tiles_.coulomb->fock_kl->values(), j_kl_, row_);
  }
  if (!tiles_.exchange) return;
  for (std::size_t set = 0; set < exchange_.size(); ++set) {
    const auto values = [&](FockTile* tile) { return tile->values() + set * tile->stride(); };
    const ExchangeTiles& tiles = *tiles_.exchange;
    const Exchange& from = exchange_[set];
    add_lanes(blocks_, task_.i, task_.k, values(tiles.fock_ik), from.k_ik, k_);
    add_lanes(blocks_, task_.j, task_.k, values(tiles.fock_jk), from.k_jk, k_);
    add_matrix(blocks_, task_.i, task_.l, values(tiles.fock_il), from.k_il, row_);
    add_matrix(blocks_, task_.j, task_.l, values(tiles.fock_jl), from.k_jl, row_);
  }
}

}  // namespace lagoon::atoll::chem
