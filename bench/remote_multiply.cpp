// remote-multiply, mpi-multiply: the matrix multiply of multiply.hpp on Atoll's arrays, and on
// windows of MPI. Both hold the upper half of the rows on rank 0, the lower half on rank 1.
#include <algorithm>
#include <array>
#include <vector>

#include "atoll/atoll.hpp"
#include "multiply.hpp"
#include "pair.hpp"
#include "placement.hpp"
#include "window.hpp"
#include "workloads.hpp"

namespace bench {

namespace {

class AtollStore : public TileStore {
 public:
  AtollStore(atoll::World& world, MultiplySize size)
      : world_(world), edge_(size.edge), a_(make(size)), b_(make(size)), c_(make(size)) {
    atoll::fill(a_, 1.0);
    atoll::fill(b_, 1.0);
    world.sync();
  }
  void start_get(Matrix matrix, std::int64_t i, std::int64_t j, double* out, int slot) override {
    handles_[static_cast<std::size_t>(slot)] =
        (matrix == Matrix::a ? a_ : b_).get_async(tile(i, j), out);
  }
  void wait(int slot) override { handles_[static_cast<std::size_t>(slot)].wait(); }
  void start_update(std::int64_t i, std::int64_t j, const double* data) override {
    update_ = c_.accumulate_async(tile(i, j), data);
  }
  void wait_update() override { update_.wait(); }
  void get_result(std::int64_t i, std::int64_t j, double* out) override { c_.get(tile(i, j), out); }
  void sync() override { world_.sync(); }

 private:
  atoll::Array<double> make(MultiplySize size) {
    const std::int64_t n = size.tiles * size.edge;
    return {world_, {n, n}, {.layout = atoll::Layout::blocked({0, n})}};
  }
  atoll::Patch tile(std::int64_t i, std::int64_t j) const {
    return {{i * edge_, j * edge_}, {(i + 1) * edge_, (j + 1) * edge_}};
  }
  atoll::World& world_;
  std::int64_t edge_;
  atoll::Array<double> a_, b_, c_;
  std::array<atoll::Handle, 4> handles_;
  atoll::Handle update_;
};

class WindowStore : public TileStore {
 public:
  WindowStore(MPI_Comm communicator, MultiplySize size)
      : communicator_(communicator),
        size_(size),
        n_(size.tiles * size.edge),
        a_(communicator, n_ * n_ / 2, Window::Kind::allocated),
        b_(communicator, n_ * n_ / 2, Window::Kind::allocated),
        c_(communicator, n_ * n_ / 2, Window::Kind::allocated) {
    int rank = 0;
    MPI_Comm_rank(communicator, &rank);
    const std::vector<double> ones(static_cast<std::size_t>(n_ * n_ / 2), 1.0);
    const int edge = static_cast<int>(size.edge);
    for (Window* window : {&a_, &b_, &c_}) {
      window->set_patch(edge, edge, static_cast<int>(n_));
      if (window != &c_) window->put(ones.data(), n_ * n_ / 2, rank, 0);
    }
    MPI_Barrier(communicator);
  }
  void start_get(Matrix matrix, std::int64_t i, std::int64_t j, double* out, int slot) override {
    Window& window = matrix == Matrix::a ? a_ : b_;
    window.start_get_patch(out, owner(i), offset(i, j));
    pending_[static_cast<std::size_t>(slot)] = {&window, owner(i)};
  }
  void wait(int slot) override {
    const auto [window, rank] = pending_[static_cast<std::size_t>(slot)];
    window->flush(rank);
  }
  void start_update(std::int64_t i, std::int64_t j, const double* data) override {
    c_.start_accumulate_patch(data, owner(i), offset(i, j));
    updated_ = owner(i);
  }
  void wait_update() override {
    if (updated_ >= 0) c_.flush(updated_);
    updated_ = -1;
  }
  void get_result(std::int64_t i, std::int64_t j, double* out) override {
    c_.get_patch(out, owner(i), offset(i, j));
  }
  void sync() override {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(communicator_, &request);
    wait_asleep(request);
  }

 private:
  int owner(std::int64_t i) const { return i < size_.tiles / 2 ? 0 : 1; }
  std::int64_t offset(std::int64_t i, std::int64_t j) const {
    return (i - owner(i) * (size_.tiles / 2)) * size_.edge * n_ + j * size_.edge;
  }
  MPI_Comm communicator_;
  MultiplySize size_;
  std::int64_t n_;
  Window a_, b_, c_;
  std::array<std::pair<Window*, int>, 4> pending_{};
  int updated_ = -1;  // whose memory an update is on its way to
};

// N of equation 1: computing ranks and all that has been given a core beside them, as far as the
// machine has cores.
int cores_used(const Settings& settings, int computing, int others) {
  const int beside = settings.cores == Cores::apart ? std::max(others, computing) : others;
  return std::min(usable_cores(), computing + beside);
}

}  // namespace

void remote_multiply(Context& context) {
  atoll::World& world = context.world;
  int processes = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  AtollStore store(world, multiply_size(context.settings));
  run_multiply(context.settings, context.report, store, world.communicator(),
               cores_used(context.settings, world.size(), processes - world.size()));
}

void mpi_multiply(AloneContext& context) {
  WindowStore store(context.communicator, multiply_size(context.settings));
  run_multiply(context.settings, context.report, store, context.communicator,
               cores_used(context.settings, 2, 0));
}

}  // namespace bench
