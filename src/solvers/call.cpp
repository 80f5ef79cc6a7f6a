// Checks, the choice of a grid, and agreement at the end of each step.
#include "solvers/call.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <new>

#include "algebra/matrices/cores.hpp"
#include "array/frame.hpp"
#include "atoll/error.hpp"
#include "atoll/world.hpp"
#include "world/world_state.hpp"

namespace lagoon::atoll::detail {

namespace {

void check_type(const AnyArray& a) {
  if (!has_blas(a.type()))
    throw Error(ErrorKind::type, description(a) + " holds " + std::string(name_of(a.type())) +
                                     ", expected float32, float64, complex64 or complex128");
}

void require_ranks_of(const AnyArray& a, const AnyArray& b, std::string_view operation) {
  if (!same_members(a.whole_group(), b.whole_group()))
    throw Error(ErrorKind::value,
                description(a) + " and " + description(b) + " live on different groups")
        .during(operation);
}

/// A grid of at most `ranks`, no wider than `most`, that is as near to a square as leaves at most a
/// quarter of the ranks idle.
std::pair<int, int> near_square(int ranks, int most) {
  for (int rows = std::min(static_cast<int>(std::sqrt(ranks)), most); rows > 1; --rows) {
    const int columns = std::min(ranks / rows, most);
    const std::int64_t wanted = std::min<std::int64_t>(ranks, std::int64_t{most} * most);
    if (std::int64_t{rows} * columns * 4 >= wanted * 3) return {rows, columns};
  }
  return {1, std::min(ranks, most)};
}

/// Why ScaLAPACK is not to be used on this rank; empty: it is.
std::string why_no_scalapack() {
  if (!WorldState::get().config.scalapack) return "ATOLL_SCALAPACK=off";
  return Scalapack::get().why_not();
}

bool on_all_ranks(const Group& group, bool mine) {
  return group.reduce<std::int32_t>(mine ? 1 : 0, Reduction::minimum) == 1;
}

}  // namespace

SolverCall::SolverCall(std::string_view operation, const std::vector<const AnyArray*>& operands,
                       std::int64_t extent, const SolverOptions& options,
                       const std::function<void()>& check_shapes)
    : operation_(operation), type_(operands[0]->type()) {
  const AnyArray& first = *operands[0];
  ArgumentHash hash;
  for (const AnyArray* operand : operands) {
    require_ranks_of(first, *operand, operation);
    hash.add(*operand);
  }
  hash.add(static_cast<std::uint64_t>(options.triangle))
      .add(static_cast<std::uint64_t>(options.library))
      .add(static_cast<std::uint64_t>(options.block));
  grid_.group = first.whole_group();
  const auto validate = [&] {
    check_type(first);
    for (const AnyArray* operand : operands) check_same_type(first, *operand);
    check_shapes();
    for (const AnyArray* operand : operands)
      for (const std::int64_t side : operand->shape())
        if (side > std::numeric_limits<int>::max())
          throw Error(ErrorKind::value, description(*operand) + " has a side of " +
                                            std::to_string(side) + ", expected less than 2^31");
    if (options.block < 1 || options.block > 4096)
      throw Error(ErrorKind::value,
                  "options.block is " + std::to_string(options.block) + ", expected 1 to 4096");
  };
  collectively(grid_.group, operation, hash.value(), validate, [] {});
  choose_grid(extent, options);
}

void SolverCall::choose_grid(std::int64_t extent, const SolverOptions& options) {
  grid_.block = options.block;
  const int ranks = grid_.group.size();
  const bool asked =
      options.library == SolverLibrary::scalapack || options.library == SolverLibrary::elpa;
  const std::int64_t most = asked ? ranks : extent / (2 * grid_.block);
  if (options.library == SolverLibrary::lapack || (!asked && (ranks == 1 || most <= 1))) return;
  const std::string why_not = why_no_scalapack();
  if (!on_all_ranks(grid_.group, why_not.empty())) {
    if (!asked) return;
    throw Error(ErrorKind::unsupported,
                "there is no ScaLAPACK: " + (why_not.empty() ? "another rank has none" : why_not))
        .during(operation_);
  }
  share_cores();
  std::tie(grid_.rows, grid_.columns) =
      near_square(ranks, static_cast<int>(std::min<std::int64_t>(most, ranks)));
  blacs_ = std::make_shared<BlacsGrid>(grid_.group.mpi_communicator(), grid_.rows, grid_.columns);
  grid_.context = blacs_->context();
  choose_elpa(extent, options);
}

void SolverCall::choose_elpa(std::int64_t extent, const SolverOptions& options) {
  if (options.library == SolverLibrary::scalapack) return;
  const Elpa& library = Elpa::get();
  if (options.library == SolverLibrary::elpa && !on_all_ranks(grid_.group, library.available()))
    throw Error(
        ErrorKind::unsupported,
        "there is no ELPA: " + (library.available() ? "another rank has none" : library.why_not()))
        .during(operation_);
  const bool everybody_has_a_block = extent >= grid_.block * std::max(grid_.rows, grid_.columns);
  if (everybody_has_a_block && on_all_ranks(grid_.group, elpa_has(type_)))
    elpa_ = std::make_shared<ElpaGrid>(grid_);
}

ColumnMatrix SolverCall::matrix(std::int64_t rows, std::int64_t columns) const {
  return {grid_, rows, columns, type_};
}

ColumnMatrix SolverCall::load(const AnyArray& a) const {
  const std::int64_t columns = a.dimensions() == 2 ? a.shape()[1] : 1;
  require_room(a.shape()[0], columns, 0);
  ColumnMatrix result = matrix(a.shape()[0], columns);
  result.load(a);
  return result;
}

ColumnMatrix SolverCall::unit(std::int64_t side) const {
  ColumnMatrix result = matrix(side, side);
  result.make_unit();
  return result;
}

void SolverCall::run(const std::function<int()>& step,
                     const std::function<std::string(int)>& explain) const {
  enum Outcome : std::int32_t { fine, no_memory, refused };
  std::int32_t outcome = fine, info = 0;
  std::string failure;
  if (grid_.computes()) {
    try {
      std::optional<AllCores> alone;
      if (!blacs_) alone.emplace(grid_.group);
      info = step();
      if (info < 0) failure = "argument " + std::to_string(-info) + " of a routine is refused";
    } catch (const std::bad_alloc&) {
      failure = "no memory for the workspace";
      outcome = no_memory;
    } catch (const std::exception& error) {
      failure = error.what();
    }
    // The others of the grid wait for this rank inside the library, for ever.
    if (blacs_ && !failure.empty() && info == 0) World::abort(operation_ + ": " + failure);
    if (!failure.empty() && outcome == fine) outcome = refused;
  }
  std::array<std::int32_t, 2> worst = {info, outcome};
  grid_.group.reduce(std::span<std::int32_t>(worst), Reduction::maximum);
  if (worst[1] != fine) {
    grid_.group.broadcast(failure, 0);  // LAPACK's, on the first rank
    throw Error(worst[1] == no_memory ? ErrorKind::memory : ErrorKind::unsupported, failure)
        .during(operation_);
  }
  if (worst[0] > 0) throw Error(ErrorKind::numeric, explain(worst[0]), worst[0]).during(operation_);
}

void SolverCall::require_room(std::int64_t rows, std::int64_t columns, int workspace) const {
  if (!blacs_ && workspace == 0) return;
  const auto most = [&](std::int64_t extent, std::int64_t ranks) {
    if (ranks == 1) return extent;
    return ((extent - 1) / (grid_.block * ranks) + 1) * grid_.block;
  };
  const std::int64_t local = most(rows, grid_.rows) * most(columns, grid_.columns);
  if (local >= std::numeric_limits<int>::max() / (1 + workspace))
    throw Error(ErrorKind::unsupported,
                "a matrix of " + std::to_string(rows) + " x " + std::to_string(columns) + " on " +
                    std::to_string(grid_.rows * grid_.columns) +
                    " ranks is too large for the 32-bit integers of the library")
        .during(operation_);
}

void SolverCall::require_finite(ColumnMatrix& a, char triangle) const {
  std::int32_t other = 0;
  const auto look = [&] {
    other = a.is_finite(triangle) ? 0 : 1;
    return 0;
  };
  run(look, nullptr);
  if (grid_.group.reduce(other, Reduction::maximum) > 0)
    throw Error(ErrorKind::numeric, "the matrix holds NaN or infinity").during(operation_);
}

void SolverCall::require_finite(const std::vector<double>& values) const {
  for (const double value : values)
    if (!std::isfinite(value))
      throw Error(ErrorKind::numeric, "the iteration does not converge, or numbers overflow")
          .during(operation_);
}

void check_two_dimensions(const AnyArray& a) {
  if (a.dimensions() != 2)
    throw Error(ErrorKind::value, description(a) + " has " + std::to_string(a.dimensions()) +
                                      " dimensions, expected a matrix");
}

void check_square(const AnyArray& a) {
  check_two_dimensions(a);
  if (a.shape()[0] != a.shape()[1])
    throw Error(ErrorKind::value, description(a) + " has shape " + a.shape().to_string() +
                                      ", expected a square matrix");
}

void check_right_sides(const AnyArray& b, std::int64_t rows) {
  if (b.dimensions() > 2 || b.shape()[0] != rows)
    throw Error(ErrorKind::value, description(b) + " has shape " + b.shape().to_string() +
                                      ", expected a vector or matrix of " + std::to_string(rows) +
                                      " rows");
}

void check_shape(const AnyArray& a, const Index& shape) {
  if (a.shape() != shape)
    throw Error(ErrorKind::value, description(a) + " has shape " + a.shape().to_string() +
                                      ", expected " + shape.to_string());
}

}  // namespace lagoon::atoll::detail

namespace lagoon::atoll {

std::string describe_solvers() {
  const std::string why_not = detail::why_no_scalapack();
  if (!why_not.empty()) return "LAPACK on one rank (" + why_not + ")";
  const detail::Elpa& elpa = detail::Elpa::get();
  return "ScaLAPACK (" + detail::Scalapack::get().file() + "), eigenvalues by " +
         (elpa.available() ? "ELPA (" + elpa.file() + ")" : "it as well (" + elpa.why_not() + ")");
}

}  // namespace lagoon::atoll
