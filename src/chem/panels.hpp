// Panels: integrals that are kept as they are, and what they add to Coulomb and exchange matrices.
//
// A panel has the integrals of one bra pair of shells with all kets of a task: for every function j
// and i of the bra a matrix over functions k and l, l fastest. Functions k that have no integrals
// are left out; among the others, what is not there is zero. So an integral is multiplied where it
// lies, by vectors over l. Panels are factored: the integrals of quartets with coinciding shells
// are divided as digest.hpp wants it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fock_digester.hpp"
#include "shell_pairs.hpp"
#include "tile.hpp"

namespace lagoon::atoll::chem {

/// Bytes of zeros that must follow the last panel: rows are read eight numbers at a time.
inline constexpr std::size_t panel_slack = 7 * sizeof(double);

/// What a panel begins with; a multiple of eight bytes, then the numbers.
struct PanelView {
  std::uint32_t quartets;             // that are there
  std::span<const std::uint32_t> ks;  // functions of block K, from 0 on
  const double* values;               // bra functions x ks x functions of L
};

/// Lays out the panel of a bra pair, whose quartets are then put one by one.
class PanelWriter {
 public:
  /// Appends a panel for such quartets to a record that ends with `panel_slack`, and will then.
  /// `kets`: in any order, one at least.
  PanelWriter(const ShellBlocks& blocks, const BlockQuartet& task, const ShellPair& bra,
              std::span<const ShellPair* const> kets, std::vector<std::byte>& record);
  /// Takes a quartet's integrals, functions of i fastest, of l slowest.
  void put(const double* integrals, const ShellPair& ket);
  /// Valid until the record grows.
  const PanelView& view() const noexcept { return view_; }

 private:
  const ShellBlocks& blocks_;
  BlockQuartet task_;
  ShellPair bra_;
  double* values_;
  PanelView view_;
  std::vector<int> place_;  // of the functions of a shell of K among `ks`
};

/// The panel that begins at `next`, which is moved behind it. Throws std::runtime_error where the
/// bytes end before it does.
PanelView read_panel(std::span<const std::byte>& next, int bra_functions, int functions_l);

/// Adds panels of one task: densities are copied when it is made, sums are in memory of its own
/// until `finish`.
class PanelDigester {
 public:
  /// `tiles` must be right for the task, as FockDigester makes sure; `room` is memory to be used
  /// again.
  PanelDigester(const ShellBlocks& blocks, const BlockQuartet& task, const TaskTiles& tiles,
                std::vector<double>& room);
  void add(const ShellPair& bra, const PanelView& panel);
  /// Adds the sums to the tiles.
  void finish();

 private:
  struct Exchange {
    double *d_ik, *d_jk, *d_il, *d_jl, *k_ik, *k_jk, *k_il, *k_jl;
  };
  void take_room(std::vector<double>& room);
  void copy_densities();

  const ShellBlocks& blocks_;
  BlockQuartet task_;
  TaskTiles tiles_;
  int i_, j_, k_, l_;   // functions of the blocks
  std::ptrdiff_t row_;  // of l, in whole vectors
  double *d_ij_ = nullptr, *d_kl_ = nullptr, *j_ij_ = nullptr, *j_kl_ = nullptr;
  std::vector<Exchange> exchange_;
};

}  // namespace lagoon::atoll::chem
