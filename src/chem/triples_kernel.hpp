// What one rank does for the (T) correction of closed shells with three tiles of virtual orbitals:
// the operands of the orbitals of the first are laid side by side in lanes, and for each b and c
// come products of matrices (triples_products.hpp) and then the energy, while W is in the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lagoon::atoll::chem {

/// Some virtual orbitals x; o and v count the occupied and all virtual ones. Memory of the
/// caller's.
struct TriplesTile {
  std::span<const double> left;      // x, o, o, v + o: t_kj^xd, -(xk|jl)
  std::span<const double> singles;   // x, o: t_ix
  std::span<const double> energies;  // x, in hartree
};

/// Tiles a, b and c; patches of pairs x, y of them: x, y, o, v + 2 o: (yd|xi), t_il^xy, (ix|jy).
struct TriplesTask {
  TriplesTile a, b, c;
  std::span<const double> ab, ba, ac, ca, bc, cb;
  // Of one tile with itself, only a >= b and b >= c count.
  bool same_ab, same_bc;
};

/// Hartree: [T], and what singles add to it for (T).
struct TriplesEnergies {
  double connected, disconnected;
};

/// Not for several threads at once. Its memory is used again from task to task.
class TriplesKernel {
 public:
  TriplesKernel(std::span<const double> occupied_energies, int virtuals);

  /// Throws std::invalid_argument if a part of the task has another size than the tiles say.
  TriplesEnergies energies(const TriplesTask& task);

  /// Memory that tasks with tiles of so many orbitals take here, in bytes.
  static std::size_t bytes(int occupied, int virtuals, int tile);

  /// What all tasks so far have taken.
  struct Spent {
    double packing, products, energies;  // seconds
    std::int64_t triples;                // a >= b >= c, other than a = b = c
  };
  const Spent& spent() const { return spent_; }

 private:
  /// A line of the cache, so that vectors of them begin at one.
  struct alignas(64) Line {
    double values[8];
  };
  struct Group;

  void check(const TriplesTask& task) const;
  void pack_tile_c(const TriplesTask& task);
  void pack_group(const TriplesTask& task, const Group& group);
  void pack_b(const TriplesTask& task, const Group& group, int b);
  void pack_pair(const TriplesTask& task, int b, int c);
  TriplesEnergies pair_energies(const TriplesTask& task, const Group& group, int b, int c);
  double* right_of(int number);

  std::vector<double> occupied_energies_;
  int occupied_;
  std::ptrdiff_t depth_, row_;
  std::vector<Line> left_a_, right_, singles_a_, w_;
  std::vector<double> left_b_, left_b_first_, left_c_, right_bc_, right_cb_;
  Spent spent_{};
};

}  // namespace lagoon::atoll::chem
