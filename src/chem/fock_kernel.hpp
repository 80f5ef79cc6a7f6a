// FockKernel: the Coulomb and exchange contributions of one quartet of shell blocks, whose
// integrals are computed, or computed and recorded, or read from a record.
//
// A task (IJ|KL) covers every canonical shell quartet with i in I, j in J, k in K, l in L; tasks
// with I >= J, K >= L and pair IJ >= pair KL together cover each symmetry-distinct integral once.
// Screening is Schwarz's inequality times the largest density element that an integral meets:
//     Q_ij Q_kl max(4|D_ij|, 4|D_kl|, |D_ik|, |D_il|, |D_jk|, |D_jl|) > tolerance,  Q_ij = sqrt
//     (ij|ij),
// the first two of the density of the Coulomb matrix (left out where there is none), the others of
// the densities of the exchange matrices.
// One thread at a time uses a kernel (it owns the work buffers).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "fock_digester.hpp"
#include "integrals.hpp"
#include "shell_pairs.hpp"
#include "stored_record.hpp"
#include "tile.hpp"

namespace lagoon::atoll::chem {

/// Of a task's quartets: all, those that records hold, the others.
enum class Quartets { all, recorded, others };

class FockKernel {
 public:
  FockKernel(Integrals integrals, std::span<const int> block_starts);

  const ShellBlocks& blocks() const noexcept { return blocks_; }
  int shells() const noexcept { return integrals_.shells(); }

  /// Schwarz's bound for every shell i of block P and j of block Q, row-major.
  std::vector<double> schwarz_bounds(int block_p, int block_q);
  /// Takes the bounds of all shell pairs (row-major, shells x shells; the lower triangle is used)
  /// and the screening tolerance. Required before what follows.
  void set_bounds(std::span<const double> bounds, double tolerance);
  /// Which quartets are recorded, and how. The quantum of packed records is the screening tolerance
  /// at most. Throws std::invalid_argument for panels of costly integrals alone.
  void set_storage(const StoragePolicy& policy);
  /// The rows of tasks whose bra blocks are P >= Q.
  int rows(int block_p, int block_q) const;

  /// What the functions below have in common: they add the contributions of the task's rows to the
  /// tiles, and throw std::out_of_range for a block or row that does not exist,
  /// std::invalid_argument when the blocks are not canonical or a tile is of other blocks.

  /// Computes. Returns the number of shell quartets computed.
  std::int64_t contract(const BlockQuartet& task, const TaskTiles& tiles, Rows rows,
                        Quartets which);

  struct Recorded {
    int end;  // the row after the last one
    std::int64_t quartets;
    double largest_bound;  // Q_ij Q_kl of what is in the record
  };
  /// Computes rows from `begin` on and writes what the policy wants to `record` until this has
  /// `limit` bytes or the rows end.
  Recorded record(const BlockQuartet& task, const TaskTiles& tiles, int begin, std::size_t limit,
                  std::vector<std::byte>& record);
  /// Adds what a record holds. Nothing (no number) if its bytes are not what was written under the
  /// present policy; else the number of shell quartets that screening has left. `verify`: look at
  /// the checksum.
  std::optional<std::int64_t> replay(const BlockQuartet& task, const TaskTiles& tiles, Rows rows,
                                     std::span<const std::byte> record, bool verify);

 private:
  FockDigester digester(const BlockQuartet& task, const TaskTiles& tiles, Rows rows);
  Recorded record_packed(const BlockQuartet& task, const FockDigester& digester, int begin,
                         std::size_t limit, std::vector<std::byte>& record);
  Recorded record_panels(const BlockQuartet& task, const TaskTiles& tiles,
                         const FockDigester& digester, int begin, std::size_t limit,
                         std::vector<std::byte>& record);
  std::int64_t replay_packed(const BlockQuartet& task, const FockDigester& digester, Rows rows,
                             std::span<const std::byte> contents);
  std::int64_t replay_panels(const BlockQuartet& task, const TaskTiles& tiles,
                             const FockDigester& digester, Rows rows,
                             std::span<const std::byte> contents);

  Integrals integrals_;
  ShellBlocks blocks_;
  double tolerance_ = 0, quantum_ = 0;
  StoragePolicy storage_;
  std::unique_ptr<ShellPairs> pairs_;
  std::vector<double> buffer_, scratch_, sums_, panel_room_;
};

}  // namespace lagoon::atoll::chem
