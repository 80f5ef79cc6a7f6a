// The algorithm, its times, and the efficiency.
#include "multiply.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "pair.hpp"
#include "placement.hpp"
#include "work.hpp"

namespace bench {

namespace {

using Matrix = TileStore::Matrix;

// Seconds of a run: in all, in the multiplication of tiles, in one-sided operations.
struct Times {
  double total = 0.0;
  double computation = 0.0;
  double communication = 0.0;
};

template <class Body>
void timed(double& seconds, Body&& body) {
  const double start = now();
  body();
  seconds += now() - start;
}

struct Step {
  std::int64_t i, j, k;
};

class Multiply {
 public:
  Multiply(TileStore& store, MultiplySize size, MPI_Comm communicator)
      : store_(store), size_(size), communicator_(communicator) {
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(communicator, &rank);
    MPI_Comm_size(communicator, &ranks);
    // Tiles of C go round: most of what a rank needs is as likely its own as another's.
    for (std::int64_t i = 0; i < size.tiles; ++i)
      for (std::int64_t j = 0; j < size.tiles; ++j)
        if ((i * size.tiles + j) % ranks == rank)
          for (std::int64_t k = 0; k < size.tiles; ++k) steps_.push_back({i, j, k});
    const auto elements = static_cast<std::size_t>(size.elements());
    for (auto& buffer : inputs_) buffer.assign(elements, 1.0);
    for (auto& buffer : results_) buffer.assign(elements, 0.0);
  }

  /// The algorithm as it stands: each tile is awaited before it is used.
  Times run_blocking() {
    return run(true, [this](std::size_t step, Times& times) {
      timed(times.communication, [&] {
        start(step, 0);
        finish(0);
      });
      timed(times.computation, [&] { compute(0); });
    });
  }
  /// The tiles of the next step travel during the present one.
  Times run_prefetching() {
    return run(false, [this](std::size_t step, Times& times) {
      const int pair = static_cast<int>(step % 2);
      timed(times.communication, [&] {
        if (step == 0) start(step, pair);
        finish(pair);
        if (step + 1 < steps_.size()) start(step + 1, 1 - pair);
      });
      timed(times.computation, [&] { compute(pair); });
    });
  }
  /// A step's computation without any communication, all ranks at once; seconds.
  double step_alone(int repeats) {
    store_.sync();
    double seconds = 0.0;
    timed(seconds, [&] {
      for (int repeat = 0; repeat < repeats; ++repeat) compute(0);
    });
    return average(seconds / repeats);
  }
  double steps() const { return static_cast<double>(steps_.size()); }

 private:
  template <class Body>
  Times run(bool blocking, Body&& body) {
    Times times;
    store_.sync();
    timed(times.total, [&] {
      for (std::size_t step = 0; step < steps_.size(); ++step) {
        const auto [i, j, k] = steps_[step];
        if (k == 0) {
          std::swap(results_[0], results_[1]);  // the other one may still be on its way to C
          std::ranges::fill(results_[0], 0.0);
        }
        body(step, times);
        if (k + 1 < size_.tiles) continue;
        timed(times.communication, [&] {
          store_.wait_update();
          store_.start_update(i, j, results_[0].data());
          if (blocking) store_.wait_update();
        });
      }
      timed(times.communication, [&] { store_.wait_update(); });
      store_.sync();
    });
    return {average(times.total), average(times.computation), average(times.communication)};
  }
  // `pair`: which two of the four input buffers, and slots.
  void start(std::size_t step, int pair) {
    const auto [i, j, k] = steps_[step];
    store_.start_get(Matrix::a, i, k, input(2 * pair), 2 * pair);
    store_.start_get(Matrix::b, k, j, input(2 * pair + 1), 2 * pair + 1);
  }
  void finish(int pair) {
    store_.wait(2 * pair);
    store_.wait(2 * pair + 1);
  }
  void compute(int pair) {
    multiply_add(results_[0].data(), input(2 * pair), input(2 * pair + 1), size_.edge);
  }
  double* input(int slot) { return inputs_[static_cast<std::size_t>(slot)].data(); }
  double average(double seconds) const {
    int ranks = 0;
    MPI_Comm_size(communicator_, &ranks);
    double sum = 0.0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(&seconds, &sum, 1, MPI_DOUBLE, MPI_SUM, communicator_, &request);
    wait_asleep(request);
    return sum / ranks;
  }

  TileStore& store_;
  MultiplySize size_;
  MPI_Comm communicator_;
  std::vector<Step> steps_;
  std::array<std::vector<double>, 4> inputs_;
  std::array<std::vector<double>, 2> results_;
};

void check(TileStore& store, MultiplySize size, int runs) {
  std::vector<double> tile(static_cast<std::size_t>(size.elements()));
  const auto expected = static_cast<double>(runs * size.tiles * size.edge);
  for (const std::int64_t j : {std::int64_t{0}, size.tiles - 1}) {
    store.get_result(size.tiles - 1, j, tile.data());
    if (std::ranges::any_of(tile, [expected](double x) { return x != expected; }))
      throw std::runtime_error("multiply: the product is wrong");
  }
  store.sync();
}

}  // namespace

// Not powers of two, at which the rows of a tile would share the sets of the caches.
MultiplySize multiply_size(const Settings& settings) {
  return settings.quick ? MultiplySize{4, 240} : MultiplySize{4, 960};
}

void run_multiply(const Settings& settings, Report& report, TileStore& store, MPI_Comm communicator,
                  int cores) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm_size(communicator, &ranks);
  const MultiplySize size = multiply_size(settings);
  Multiply multiply(store, size, communicator);
  int runs = 0;
  for (const bool prefetching : {false, true}) {
    std::vector<double> alone;
    std::vector<double> totals;
    std::vector<double> computations;
    std::vector<double> communications;
    for (int repeat = 0; repeat < (settings.quick ? 1 : 2); ++repeat, ++runs) {
      // The computation alone has a core for each rank, also where the run below has not.
      place_threads(settings.cores == Cores::free ? Cores::free : Cores::own, rank);
      alone.push_back(multiply.step_alone(5) * multiply.steps());
      place_threads(settings.cores, rank);
      const Times times = prefetching ? multiply.run_prefetching() : multiply.run_blocking();
      totals.push_back(times.total);
      computations.push_back(times.computation);
      communications.push_back(times.communication);
    }
    if (rank != 0) continue;
    const std::string head = prefetching ? "multiply prefetching, " : "multiply, ";
    const Samples base(alone);
    const auto add = [&](const std::string& name, const Samples& seconds) {
      report.add({head + name,
                  "s",
                  seconds.best(),
                  seconds.median(),
                  {{"computation alone", base.best(), base.median()}}});
    };
    const Samples total(totals);
    add("total", total);
    add("computation", Samples(computations));
    add("RMA", Samples(communications));
    const double share = static_cast<double>(ranks) / cores;
    report.add({head + "efficiency",
                "E",
                base.best() / total.best() * share,
                base.median() / total.median() * share,
                {}});
  }
  check(store, size, runs);
  place_threads(Cores::free, rank);
}

}  // namespace bench
