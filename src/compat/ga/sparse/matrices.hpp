// The sparse matrices of a process by their handles, a numbering of their own from 0, and what
// every collective call on one does.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <variant>
#include <vector>

#include "compat/ga/runtime.hpp"
#include "compat/ga/sparse/matrix.hpp"
#include "compat/handle_table.hpp"

namespace lagoon::atoll::ga::sparse {

/// Positions of a block as a language counts them, in integers I.
template <class I>
struct Positions {
  std::vector<I> starts, columns;
};

/// Those that a language was handed, by strips of columns, for both sizes of its integers.
struct HandedOut {
  std::map<int, Positions<std::int32_t>> narrow{};
  std::map<int, Positions<std::int64_t>> wide{};

  template <class I>
  auto& of(int strip) {
    if constexpr (sizeof(I) == sizeof(std::int32_t))
      return narrow[strip];
    else
      return wide[strip];
  }
  void clear() { narrow.clear(), wide.clear(); }
};

/// A matrix of any type, and the copies that were handed out of where its elements are.
struct AnyMatrix {
  std::variant<Matrix<std::int32_t>, Matrix<std::int64_t>, Matrix<float>, Matrix<double>,
               Matrix<std::complex<float>>, Matrix<std::complex<double>>>
      matrix;
  HandedOut for_c{}, for_fortran{};

  const Frame& frame() const {
    return std::visit([](const auto& m) -> const Frame& { return m.frame(); }, matrix);
  }
};

class Matrices {
 public:
  /// Of the default group; the lowest free handle. Error(value) for less than one row or column,
  /// Error(type) for elements without arithmetic.
  int create(std::int64_t rows, std::int64_t columns, int type);
  int create(Frame frame);
  /// Error(value) for a number that is no sparse matrix.
  AnyMatrix& at(std::int64_t handle);
  /// Error(value) for a number that is none; no communication.
  void destroy(std::int64_t handle);

 private:
  compat::HandleTable<AnyMatrix> table_;
};

/// Those of the running GA.
Matrices& matrices();

/// Calls f(Matrix<T>&) for the matrix of a handle.
template <class F>
decltype(auto) with_matrix(std::int64_t handle, F&& f) {
  return std::visit(std::forward<F>(f), matrices().at(handle).matrix);
}

/// The same, collectively; f returns something. What was written before, by anybody, is seen, and
/// afterwards all see what was done.
template <class F>
auto together(std::int64_t handle, F&& f) {
  const Group group = matrices().at(handle).frame().group;
  group.sync();
  auto result = with_matrix(handle, std::forward<F>(f));
  group.sync();
  return result;
}

/// Collective.
void destroy(std::int64_t handle);

[[noreturn]] void throw_other_type(std::int64_t handle);

/// The other operand, of the same type of elements; Error(type) if it is of another.
template <Element T>
Matrix<T>& of_type(std::int64_t handle) {
  if (auto* found = std::get_if<Matrix<T>>(&matrices().at(handle).matrix)) return *found;
  throw_other_type(handle);
}

}  // namespace lagoon::atoll::ga::sparse
