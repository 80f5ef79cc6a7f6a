// The get-compute-update matrix multiply, algorithm 1 of Si et al., "Scaling NWChem with efficient
// and portable asynchronous communication in MPI RMA": for each tile of C, get tiles of A and B,
// multiply, and at the end add the sum to C. Also with the next tiles, and the last sum, on their
// way while the present ones are multiplied.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "measure.hpp"
#include "report.hpp"

namespace bench {

/// The matrices A, B and C in the memories of two ranks, by tiles. A and B are all ones, C is zero.
class TileStore {
 public:
  enum class Matrix { a, b };
  TileStore() = default;
  TileStore(const TileStore&) = delete;
  TileStore& operator=(const TileStore&) = delete;
  virtual ~TileStore() = default;
  /// Starts to get a tile; `slot` 0 to 3 names it for `wait`.
  virtual void start_get(Matrix matrix, std::int64_t i, std::int64_t j, double* out, int slot) = 0;
  virtual void wait(int slot) = 0;
  /// Starts to add to a tile of C; `wait_update` before `tile` is used again or the next update.
  virtual void start_update(std::int64_t i, std::int64_t j, const double* tile) = 0;
  virtual void wait_update() = 0;
  virtual void get_result(std::int64_t i, std::int64_t j, double* out) = 0;
  /// Everything is complete, everybody is here.
  virtual void sync() = 0;
};

struct MultiplySize {
  std::int64_t tiles = 0;  ///< along each edge of the matrices
  std::int64_t edge = 0;   ///< of a tile
  std::int64_t elements() const { return edge * edge; }
};
MultiplySize multiply_size(const Settings& settings);

/// Runs and reports, beside the computation alone. `cores` is N of the paper's equation 1. Throws
/// std::runtime_error when the product is wrong. Collective over a communicator of two ranks.
void run_multiply(const Settings& settings, Report& report, TileStore& store, MPI_Comm communicator,
                  int cores);

}  // namespace bench
