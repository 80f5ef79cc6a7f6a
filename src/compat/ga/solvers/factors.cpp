#include "compat/ga/solvers/factors.hpp"

#include <map>
#include <string>
#include <utility>

#include "compat/ga/runtime.hpp"
#include "compat/ga/solvers/matrices.hpp"
#include "compat/ga/solvers/systems.hpp"

namespace lagoon::atoll::ga {

namespace {

struct Factors {
  std::map<std::int64_t, AnyArray> all;
};

std::map<std::int64_t, AnyArray>& factors() { return Runtime::get().keep<Factors>().all; }

/// Keeps the factor under the lowest free number.
std::int64_t keep(AnyArray factor) {
  std::int64_t number = 0;
  while (factors().contains(number)) ++number;
  factors().emplace(number, std::move(factor));
  return number;
}

/// Calls `use(factor)`, and then forgets a factor that was kept.
template <class Use>
int use_up(const AnyArray& array, std::int64_t number, const Use& use) {
  if (number == factor_in_array) return info_of([&] { use(array); });
  const auto kept = factors().find(number);
  if (kept == factors().end() || !kept->second.alive())
    throw Error(ErrorKind::value,
                "hsA is " + std::to_string(number) +
                    ", neither -1 nor a factor of ga_llt_f that waits for its use");
  const int info = info_of([&] { use(kept->second); });
  kept->second.destroy();
  factors().erase(kept);
  return info;
}

}  // namespace

int make_factor(char uplo, std::int64_t a, std::int64_t& factor) {
  const SolverOptions options{.triangle = other(triangle_of(uplo))};
  const AnyArray& array = operand(a);
  AnyArray result = array.duplicate({}, false);
  const int info = info_of([&] { cholesky(array, result, options); });
  if (info == 0) factor = keep(std::move(result));
  return info;
}

void solve_with_factor(char uplo, std::int64_t a, std::int64_t b, std::int64_t number) {
  const Triangle triangle = triangle_of(uplo);
  const AnyArray& array = operand(a);
  AnyArray& sides = operand(b);
  use_up(array, number, [&](const AnyArray& factor) {
    const HermitianView view(factor, triangle);
    solve_in_columns(sides,
                     [&](AnyArray& x) { cholesky_solve(view.matrix(), x, x, view.options()); });
  });
}

int invert_with_factor(char uplo, std::int64_t a, std::int64_t number) {
  const SolverOptions options{.triangle = other(triangle_of(uplo))};
  AnyArray& array = operand(a);
  return use_up(array, number, [&](const AnyArray& factor) {
    AnyArray unit = array.duplicate();
    fill_diagonal(unit, 1.0);
    cholesky_solve(factor, unit, array, options);
  });
}

}  // namespace lagoon::atoll::ga
