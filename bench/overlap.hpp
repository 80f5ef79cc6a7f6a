// How much of a transfer's time computation can hide (figure 2b of Krishnan and Nieplocha's paper
// on SRUMMA, "Optimizing performance on Linux clusters using advanced communication protocols").
//
// Three times, taken in turn: the transfer alone, a fixed amount of computation that lasts somewhat
// longer, and the computation between the transfer's start and its completion. What the sum of the
// first two exceeds the third by was hidden. The paper increases the computation until the total
// grows; from that point on this difference stays the same, so one amount beyond it will do.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "measure.hpp"
#include "report.hpp"
#include "work.hpp"

namespace bench {

/// Bytes of the transfers: 64 KiB to 8 MiB.
std::vector<std::int64_t> overlap_sizes(const Settings& settings);

class Overlap {
 public:
  /// A nonblocking transfer that calls `between` after its start and before its completion.
  using Transfer = std::function<void(const std::function<void()>& between)>;
  /// Measures on rank 0; `before` and `after` bring rank 1 along.
  Figure measure(const Settings& settings, const std::string& name, const Transfer& transfer,
                 const std::function<void()>& before, const std::function<void()>& after);

 private:
  Work work_;
};

}  // namespace bench
