#include "triples_kernel.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>

#include "triples_energy.hpp"
#include "triples_products.hpp"
#include "world/processors.hpp"

namespace lagoon::atoll::chem {

namespace {

constexpr int most_lanes = triples_lanes;

/// Adds the seconds of its life to a sum.
class Stopwatch {
 public:
  explicit Stopwatch(double& sum) : sum_(sum), started_(Clock::now()) {}
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch() { sum_ += std::chrono::duration<double>(Clock::now() - started_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  double& sum_;
  Clock::time_point started_;
};

ATOLL_EACH_PROCESSOR void interleave_eight(const double* const* sources, std::ptrdiff_t count,
                                           double* result) {
  for (std::ptrdiff_t p = 0; p < count; ++p)
    for (int lane = 0; lane < 8; ++lane) result[p * 8 + lane] = sources[lane][p];
}

ATOLL_EACH_PROCESSOR void interleave_four(const double* const* sources, std::ptrdiff_t count,
                                          double* result) {
  for (std::ptrdiff_t p = 0; p < count; ++p)
    for (int lane = 0; lane < 4; ++lane) result[p * 4 + lane] = sources[lane][p];
}

void expect_size(std::size_t found, std::ptrdiff_t expected, const char* what) {
  if (found != static_cast<std::size_t>(expected))
    throw std::invalid_argument(std::string(what) + " has " + std::to_string(found) +
                                " elements, expected " + std::to_string(expected));
}

}  // namespace

/// Orbitals of the first tile that go together.
struct TriplesKernel::Group {
  int first, count;
  int lanes;  // `count` or more: what is beyond repeats the last orbital, and weighs nothing

  int last() const { return first + count - 1; }

  /// Lays numbers of these orbitals side by side; those of each lie `stride` from the one before's.
  void interleave(const double* values, std::ptrdiff_t stride, std::ptrdiff_t length,
                  double* result) const {
    const double* sources[most_lanes];
    for (int lane = 0; lane < lanes; ++lane)
      sources[lane] = values + (first + std::min(lane, count - 1)) * stride;
    if (lanes == most_lanes)
      interleave_eight(sources, length, result);
    else
      interleave_four(sources, length, result);
  }
};

TriplesKernel::TriplesKernel(std::span<const double> occupied_energies, int virtuals)
    : occupied_energies_(occupied_energies.begin(), occupied_energies.end()),
      occupied_(static_cast<int>(occupied_energies.size())),
      depth_(virtuals + occupied_),
      row_(depth_ + occupied_) {
  const auto o = static_cast<std::size_t>(occupied_);
  left_a_.resize(o * o * static_cast<std::size_t>(depth_));
  singles_a_.resize(o);
  w_.resize(o * o * o);
  for (std::vector<double>* left : {&left_b_, &left_b_first_})
    left->resize(o * o * static_cast<std::size_t>(depth_));
  for (std::vector<double>* right : {&right_bc_, &right_cb_})
    right->resize(o * static_cast<std::size_t>(depth_));
}

std::size_t TriplesKernel::bytes(int occupied, int virtuals, int tile) {
  const auto o = static_cast<std::size_t>(occupied), v = static_cast<std::size_t>(virtuals);
  const auto x = static_cast<std::size_t>(tile);
  const std::size_t with_lanes = o * o * (v + o) + (2 + 2 * x) * o * (v + 2 * o) + o * o * o;
  return sizeof(Line) * with_lanes + sizeof(double) * (2 + x) * o * o * (v + o);
}

TriplesEnergies TriplesKernel::energies(const TriplesTask& task) {
  check(task);
  const int count_a = static_cast<int>(task.a.energies.size());
  const int count_b = static_cast<int>(task.b.energies.size());
  const int count_c = static_cast<int>(task.c.energies.size());
  right_.resize(static_cast<std::size_t>((2 + 2 * count_c) * occupied_ * row_));
  pack_tile_c(task);
  TriplesEnergies sum{0, 0};
  for (int first = 0; first < count_a; first += most_lanes) {
    const int count = std::min(most_lanes, count_a - first);
    const Group group{first, count, count > most_lanes / 2 ? most_lanes : most_lanes / 2};
    pack_group(task, group);
    const int end_b = task.same_ab ? std::min(count_b, group.last() + 1) : count_b;
    for (int b = 0; b < end_b; ++b) {
      pack_b(task, group, b);
      const int end_c = task.same_bc ? b + 1 : count_c;
      for (int c = 0; c < end_c; ++c) {
        pack_pair(task, b, c);
        const TriplesEnergies pair = pair_energies(task, group, b, c);
        sum.connected += pair.connected;
        sum.disconnected += pair.disconnected;
      }
    }
  }
  return sum;
}

void TriplesKernel::check(const TriplesTask& task) const {
  const std::ptrdiff_t o = occupied_;
  const auto size = [](const TriplesTile& tile) {
    return static_cast<std::ptrdiff_t>(tile.energies.size());
  };
  const std::ptrdiff_t a = size(task.a), b = size(task.b), c = size(task.c);
  for (const TriplesTile& tile : {task.a, task.b, task.c}) {
    expect_size(tile.left.size(), size(tile) * o * o * depth_, "a tile");
    expect_size(tile.singles.size(), size(tile) * o, "singles of a tile");
  }
  const auto expect_patch = [&](std::span<const double> patch, std::ptrdiff_t pairs) {
    expect_size(patch.size(), pairs * o * row_, "a patch of pairs");
  };
  for (const auto& patch : {task.ab, task.ba}) expect_patch(patch, a * b);
  for (const auto& patch : {task.ac, task.ca}) expect_patch(patch, a * c);
  for (const auto& patch : {task.bc, task.cb}) expect_patch(patch, b * c);
}

/// Where the operand R of a pair with lanes is: 0 and 1 of a and b, then 2 c + 2 and 2 c + 3 of a
/// and c.
double* TriplesKernel::right_of(int number) {
  return right_[static_cast<std::size_t>(number * occupied_ * row_)].values;
}

void TriplesKernel::pack_tile_c(const TriplesTask& task) {
  const Stopwatch watch(spent_.packing);
  const std::ptrdiff_t o = occupied_, left = o * o * depth_;
  left_c_.resize(task.c.left.size());
  const auto count_c = static_cast<std::ptrdiff_t>(task.c.energies.size());
  for (std::ptrdiff_t c = 0; c < count_c; ++c)
    for (std::ptrdiff_t j = 0; j < o; ++j)
      pack_rows(task.c.left.data() + c * left + j * depth_, o * depth_, occupied_, depth_,
                left_c_.data() + c * left + j * o * depth_);
}

/// What does not change with b.
void TriplesKernel::pack_group(const TriplesTask& task, const Group& group) {
  const Stopwatch watch(spent_.packing);
  const std::ptrdiff_t o = occupied_, left = o * o * depth_, right = o * row_;
  const auto count_a = static_cast<std::ptrdiff_t>(task.a.energies.size());
  const int count_c = static_cast<int>(task.c.energies.size());
  group.interleave(task.a.left.data(), left, left, left_a_.data()->values);
  group.interleave(task.a.singles.data(), o, o, singles_a_.data()->values);
  for (int c = 0; c < count_c; ++c) {
    group.interleave(task.ac.data() + c * right, count_c * right, right, right_of(2 * c + 2));
    group.interleave(task.ca.data() + c * count_a * right, right, right, right_of(2 * c + 3));
  }
}

void TriplesKernel::pack_b(const TriplesTask& task, const Group& group, int b) {
  const Stopwatch watch(spent_.packing);
  const std::ptrdiff_t o = occupied_, right = o * row_;
  const auto count_a = static_cast<std::ptrdiff_t>(task.a.energies.size());
  const auto count_b = static_cast<std::ptrdiff_t>(task.b.energies.size());
  group.interleave(task.ab.data() + b * right, count_b * right, right, right_of(0));
  group.interleave(task.ba.data() + b * count_a * right, right, right, right_of(1));
  const double* left = task.b.left.data() + b * o * o * depth_;
  for (std::ptrdiff_t x = 0; x < o; ++x) {
    const std::ptrdiff_t packed = x * o * depth_;
    pack_rows(left + packed, depth_, occupied_, depth_, left_b_.data() + packed);
    pack_rows(left + x * depth_, o * depth_, occupied_, depth_, left_b_first_.data() + packed);
  }
}

void TriplesKernel::pack_pair(const TriplesTask& task, int b, int c) {
  const Stopwatch watch(spent_.packing);
  const std::ptrdiff_t right = occupied_ * row_;
  const auto count_b = static_cast<std::ptrdiff_t>(task.b.energies.size());
  const auto count_c = static_cast<std::ptrdiff_t>(task.c.energies.size());
  pack_rows(task.bc.data() + (b * count_c + c) * right, row_, occupied_, depth_, right_bc_.data());
  pack_rows(task.cb.data() + (c * count_b + b) * right, row_, occupied_, depth_, right_cb_.data());
}

TriplesEnergies TriplesKernel::pair_energies(const TriplesTask& task, const Group& group, int b,
                                             int c) {
  const std::ptrdiff_t o = occupied_;
  const auto count_c = static_cast<std::ptrdiff_t>(task.c.energies.size());
  double* w = w_.data()->values;
  {
    const Stopwatch watch(spent_.products);
    triples_products({.occupied = occupied_,
                      .depth = depth_,
                      .left_c = left_c_.data() + c * o * o * depth_,
                      .left_b = left_b_.data(),
                      .left_b_first = left_b_first_.data(),
                      .right_bc = right_bc_.data(),
                      .right_cb = right_cb_.data(),
                      .left_a = left_a_.data()->values,
                      .right_ab = right_of(0),
                      .right_ba = right_of(1),
                      .right_ac = right_of(2 * c + 2),
                      .right_ca = right_of(2 * c + 3),
                      .row = row_},
                     group.lanes, w);
  }
  const Stopwatch watch(spent_.energies);
  alignas(64) double energies[most_lanes];
  for (int lane = 0; lane < group.lanes; ++lane) {
    const int a = group.first + std::min(lane, group.count - 1);
    energies[lane] = task.a.energies[static_cast<std::size_t>(a)] +
                     task.b.energies[static_cast<std::size_t>(b)] +
                     task.c.energies[static_cast<std::size_t>(c)];
  }
  TriplesSums sums[most_lanes];
  triples_energy({.occupied = occupied_,
                  .occupied_energies = occupied_energies_.data(),
                  .w = w,
                  .singles_a = singles_a_.data()->values,
                  .singles_b = task.b.singles.data() + b * o,
                  .singles_c = task.c.singles.data() + c * o,
                  .integrals_ab = right_of(0) + depth_ * group.lanes,
                  .integrals_ac = right_of(2 * c + 2) + depth_ * group.lanes,
                  .integrals_bc = task.bc.data() + (b * count_c + c) * o * row_ + depth_,
                  .row = row_,
                  .virtual_energies = energies},
                 group.lanes, sums);
  TriplesEnergies sum{0, 0};
  for (int lane = 0; lane < group.count; ++lane) {
    const int a = group.first + lane;
    if (task.same_ab && a < b) continue;
    const int equal = (task.same_ab && a == b ? 1 : 0) + (task.same_bc && b == c ? 1 : 0);
    if (equal == 2) continue;  // a = b = c has no energy
    const double weight = equal == 0 ? 2 : 1;
    sum.connected += weight * sums[lane].connected;
    sum.disconnected += weight * sums[lane].disconnected;
    ++spent_.triples;
  }
  return sum;
}

}  // namespace lagoon::atoll::chem
