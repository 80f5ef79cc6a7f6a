// RmaPath: the window, the self-test, and starting runs.
#include "transport/rma_path.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "mpi/face.hpp"
#include "world/spare.hpp"
#include "world/world_state.hpp"

namespace lagoon::atoll::detail {

namespace {

// Where the self-test may write, at the end of the reserved part of the region.
constexpr std::int64_t scratch_offset =
    static_cast<std::int64_t>(NodeMemory::reserved_bytes - NodeMemory::scratch_bytes);
constexpr std::int64_t half = static_cast<std::int64_t>(NodeMemory::scratch_bytes) / 2;
// Places in the first half, and sizes. Odd ones: what goes wrong goes wrong at edges.
constexpr std::array<std::pair<std::int64_t, std::int64_t>, 5> test_runs = {
    {{1, 1}, {3, 8}, {12, 1021}, {1034, 4096}, {5131, 20003}}};

std::byte pattern(int node, std::int64_t i) {
  return static_cast<std::byte>((node * 37 + i * 11 + (i >> 8)) & 0xff);
}
void fill(std::byte* memory, int node, std::int64_t bytes) {
  for (std::int64_t i = 0; i < bytes; ++i) memory[i] = pattern(node, i);
}
bool is_filled(const std::byte* memory, int node, std::int64_t bytes) {
  for (std::int64_t i = 0; i < bytes; ++i)
    if (memory[i] != pattern(node, i)) return false;
  return true;
}

}  // namespace

bool wants_rma_window(const Config& config, const Roles& roles) noexcept {
  if (roles.topology.nodes == 1) return false;
  return config.transport == TransportMode::rma ||
         (config.transport == TransportMode::automatic && config.memory != 0);
}

double seconds_of_round_trip(const Roles& roles) {
  const Topology& topology = roles.topology;
  const int next =
      topology.leader_of[static_cast<std::size_t>((topology.node + 1) % topology.nodes)];
  const int previous = topology.leader_of[static_cast<std::size_t>(
      (topology.node + topology.nodes - 1) % topology.nodes)];
  double least = 1e9;
  if (topology.leader()) {
    std::int64_t out = 0, in = 0;
    for (int round = 0; round < 20; ++round) {
      // The whole ring at once: to the next and from the previous, then back.
      const double start = mpi::wtime();
      check_mpi(mpi::sendrecv(&out, 8, mpi::type_byte, next, 0, &in, 8, mpi::type_byte, previous, 0,
                              roles.compute, mpi::status_ignore),
                "MPI_Sendrecv");
      check_mpi(mpi::sendrecv(&in, 8, mpi::type_byte, previous, 1, &out, 8, mpi::type_byte, next, 1,
                              roles.compute, mpi::status_ignore),
                "MPI_Sendrecv");
      least = std::min(least, mpi::wtime() - start);
    }
  }
  check_mpi(
      mpi::allreduce(mpi::in_place(), &least, 1, mpi::type_double, mpi::op_min, roles.compute),
      "MPI_Allreduce");
  return least;
}

bool agreed_rma_choice(mpi::Comm communicator, bool use) {
  int word = use ? 1 : 0, done = 0;
  mpi::Request request = mpi::request_null;
  check_mpi(mpi::ibcast(&word, 1, mpi::type_int, 0, communicator, &request), "MPI_Ibcast");
  // Looks of progress ranks serve the window while the others try it, as often as later.
  wait_until(waiting::attentive_agent, [&] {
    check_mpi(mpi::test(&request, &done, mpi::status_ignore), "MPI_Test");
    return done != 0;
  });
  return word != 0;
}

RmaPath::RmaPath(mpi::Comm communicator, const Roles& roles, NodeMemory& memory)
    : roles_(roles), memory_(memory), puts_(static_cast<std::size_t>(roles.topology.nodes)) {
  int rank = 0;
  mpi::comm_rank(communicator, &rank);
  const bool exposes = rank == target(roles.topology.node);
  int status = mpi::win_create(memory.memory().base(),
                               exposes ? static_cast<std::ptrdiff_t>(memory.memory().bytes()) : 0,
                               1, communicator, &window_);
  if (status == mpi::success) {
    mpi::win_set_errhandler(window_, mpi::errors_return);
    status = mpi::win_lock_all(window_);
  }
  int fine = status == mpi::success ? 1 : 0;
  check_mpi(mpi::allreduce(mpi::in_place(), &fine, 1, mpi::type_int, mpi::op_min, communicator),
            "MPI_Allreduce");
  usable_ = fine != 0;
}

RmaPath::~RmaPath() {
  if (!usable_) return;  // some rank has no window, so none can be freed together
  mpi::win_unlock_all(window_);
  mpi::win_free(&window_);
}

std::byte* RmaPath::scratch() const noexcept { return memory_.memory().base() + scratch_offset; }

bool RmaPath::test() {
  if (!usable_) return false;
  const Topology& topology = roles_.topology;
  const int me = topology.node, next = (me + 1) % topology.nodes;
  const int previous = (me + topology.nodes - 1) % topology.nodes;
  int right = 1;
  try {
    if (topology.leader()) fill(scratch() + half, me, half);
    check_mpi(mpi::barrier(roles_.compute), "MPI_Barrier");
    if (topology.leader()) {
      std::vector<std::byte> data(static_cast<std::size_t>(half));
      fill(data.data(), me, half);
      for (const auto& [place, size] : test_runs) {
        mpi::Request request = put({next, scratch_offset + place, data.data(), size});
        if (mpi::wait(&request, mpi::status_ignore) != mpi::success) right = 0;
      }
      if (mpi::win_flush(target(next), window_) != mpi::success) right = 0;
    }
    check_mpi(mpi::barrier(roles_.compute), "MPI_Barrier");
    if (topology.leader()) {
      std::vector<std::byte> data(static_cast<std::size_t>(half));
      for (const auto& [place, size] : test_runs) {
        if (!is_filled(scratch() + place, previous, size)) right = 0;
        mpi::Request request = get({next, scratch_offset + half, data.data(), size});
        if (mpi::wait(&request, mpi::status_ignore) != mpi::success ||
            !is_filled(data.data(), next, size))
          right = 0;
      }
    }
  } catch (const Error&) {
    right = 0;
  }
  check_mpi(mpi::allreduce(mpi::in_place(), &right, 1, mpi::type_int, mpi::op_min, roles_.compute),
            "MPI_Allreduce");
  if (topology.leader()) std::fill_n(scratch(), 2 * half, std::byte{0});
  check_mpi(mpi::barrier(roles_.compute), "MPI_Barrier");
  return right != 0;
}

double RmaPath::seconds_of_get() {
  std::int64_t word = 0;
  double least = 1e9;
  for (int round = 0; round < 20; ++round) {
    const double start = mpi::wtime();
    mpi::Request request = get({(roles_.topology.node + 1) % roles_.topology.nodes, scratch_offset,
                                reinterpret_cast<std::byte*>(&word), sizeof word});
    mpi::wait(&request, mpi::status_ignore);
    least = std::min(least, mpi::wtime() - start);
  }
  return least;
}

bool RmaPath::serves(std::int64_t run_bytes, std::int64_t runs) noexcept {
  constexpr std::int64_t shortest_row = 512;
  constexpr std::int64_t longest_run = std::int64_t{1} << 30;  // MPI counts with int
  return run_bytes <= longest_run && (runs == 1 || run_bytes >= shortest_row);
}

mpi::Request RmaPath::get(const Run& run) {
  mpi::Request request = mpi::request_null;
  check_mpi(mpi::rget(run.local, static_cast<int>(run.bytes), mpi::type_byte, target(run.node),
                      run.remote, static_cast<int>(run.bytes), mpi::type_byte, window_, &request),
            "MPI_Rget");
  return request;
}

mpi::Request RmaPath::put(const Run& run) {
  puts_[static_cast<std::size_t>(run.node)].begun = true;
  mpi::Request request = mpi::request_null;
  check_mpi(mpi::rput(run.local, static_cast<int>(run.bytes), mpi::type_byte, target(run.node),
                      run.remote, static_cast<int>(run.bytes), mpi::type_byte, window_, &request),
            "MPI_Rput");
  return request;
}

void RmaPath::remember_put(int node, const Footprint& put) {
  constexpr std::size_t most = 64;
  Puts& puts = puts_[static_cast<std::size_t>(node)];
  if (puts.touched.size() == most) complete_puts(node);
  puts.begun = true;
  if (!has_place_for_one(puts.touched)) return complete_puts(node);  // this one among them
  puts.touched.push_back(put);
}

void RmaPath::complete_puts(int node) {
  Puts& puts = puts_[static_cast<std::size_t>(node)];
  if (!puts.begun) return;
  check_mpi(mpi::win_flush(target(node), window_), "MPI_Win_flush");
  puts.begun = false;
  puts.touched.clear();
}

void RmaPath::complete_puts_in(int node, const Footprint& touched) {
  const auto& puts = puts_[static_cast<std::size_t>(node)].touched;
  if (std::any_of(puts.begin(), puts.end(), [&](const auto& put) { return put.overlaps(touched); }))
    complete_puts(node);
}

}  // namespace lagoon::atoll::detail
