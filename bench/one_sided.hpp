// The one-sided operations on rank 1's memory that several workloads time: those of Atoll and those
// of MPI, under the same names. A write counts as done when it is complete at the target.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "atoll/atoll.hpp"
#include "window.hpp"

namespace bench {

struct Operation {
  std::string name;  ///< like "get 8 B", "accumulate+fence 64x64"
  std::function<void()> run;
};

/// Edge of the larger patch.
inline constexpr std::int64_t patch_edge = 64;

/// Rank 1's memory as arrays of Atoll. Collective over a world of two ranks.
class ArrayTarget {
 public:
  explicit ArrayTarget(atoll::World& world);
  /// They refer to this object.
  std::vector<Operation> operations();

 private:
  atoll::World& world_;
  atoll::Array<double> array_;
  atoll::Array<std::int64_t> integers_;
  std::vector<double> buffer_;
};

/// The same as a window of MPI. Collective over a communicator of two ranks.
class WindowTarget {
 public:
  explicit WindowTarget(MPI_Comm communicator);
  std::vector<Operation> operations();

 private:
  Window window_;
  std::vector<double> buffer_;
};

}  // namespace bench
