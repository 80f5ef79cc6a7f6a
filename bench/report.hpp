// What was measured: figures, each beside its peers (the limit or the rival measured with it).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "measure.hpp"

namespace bench {

struct Peer {
  std::string name;
  double best;
  double median;
};

/// One figure in its unit. `best` is the fastest batch: the smallest time or the highest rate.
struct Figure {
  std::string name;
  std::string unit;
  double best;
  double median;
  std::vector<Peer> peers;
};

/// A peer's samples on their way into a figure.
struct Rival {
  std::string name;
  Samples samples;
};

/// Collects figures on rank 0 and prints each as it comes.
class Report {
 public:
  /// Microseconds per iteration.
  void latency(const std::string& name, const Samples& ours, const std::vector<Rival>& rivals);
  /// `bytes` per iteration as 10^9 bytes a second.
  void bandwidth(const std::string& name, std::int64_t bytes, const Samples& ours,
                 const std::vector<Rival>& rivals);
  /// `operations` per iteration as 10^6 a second.
  void rate(const std::string& name, double operations, const Samples& ours,
            const std::vector<Rival>& rivals);
  void add(Figure figure);
  /// Writes {"setting": ..., "figures": [...]}; throws std::runtime_error when it cannot.
  void write_json(const std::string& path, const std::string& setting) const;

 private:
  std::vector<Figure> figures_;
};

}  // namespace bench
