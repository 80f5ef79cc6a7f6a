// Matrices: every rank does what concerns the elements that it owns; of vectors it fetches the part
// that belongs to its rows, columns or diagonal.
#include "atoll/matrix.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "algebra/core/operands.hpp"
#include "algebra/core/sections.hpp"
#include "algebra/core/sums.hpp"
#include "algebra/core/vectors.hpp"
#include "array/array_state.hpp"
#include "array/frame.hpp"
#include "atoll/error.hpp"
#include "world/arithmetic.hpp"

namespace lagoon::atoll {

namespace {

using detail::OwnedBlock;

void check_matrix(const AnyArray& a) {
  if (a.dimensions() != 2)
    throw Error(ErrorKind::value, detail::description(a) + " has " +
                                      std::to_string(a.dimensions()) +
                                      " dimensions; a matrix has two");
}

std::int64_t diagonal_length(const AnyArray& a) { return std::min(a.shape()[0], a.shape()[1]); }

/// Rows, and columns, of the diagonal's part in a block: [first, last).
struct Stretch {
  std::int64_t first, last;
};
Stretch diagonal_in(const Patch& block) {
  const std::int64_t first = std::max(block.lo[0], block.lo[1]),
                     last = std::min(block.hi[0], block.hi[1]);
  return {first, std::max(first, last)};
}

template <class F>
void for_each_own_block(const AnyArray& a, F&& f) {
  detail::for_each_owned_block(a.distribution(), a.group().rank(), std::forward<F>(f));
}

/// The element at (row, column) of my memory.
template <class T>
T& element(T* memory, const OwnedBlock& block, std::int64_t row, std::int64_t column) {
  return memory[detail::offset_in_block(block, {row, column})];
}

/// The frame of calls of a matrix and a vector, one of which is written.
template <class Length, class Body>
void with_vector(std::string_view operation, const AnyArray& a, const AnyArray& v,
                 const Length& length, Body&& body) {
  detail::require_alive(a, operation);
  detail::require_alive(v, operation);
  detail::require_same_members(a, v, operation);
  const auto validate = [&] {
    check_matrix(a);
    detail::check_vector(v, length(), " for a matrix of shape " + a.shape().to_string());
    detail::check_same_type(a, v);
  };
  detail::collectively(a.group(), operation, detail::hash_of(a, v), validate,
                       [&] { with_element_type(a.type(), [&]<class T>(T) { body(T()); }); });
}

/// a[i, i] = f(a[i, i], v[i])
template <class F>
void change_diagonal(std::string_view operation, AnyArray& a, const AnyArray& v, const F& f) {
  detail::require_writable(a, operation);
  with_vector(
      operation, a, v, [&] { return diagonal_length(a); },
      [&]<class T>(T) {
        T* const memory = detail::own_memory<T>(a);
        for_each_own_block(a, [&](const OwnedBlock& block) {
          const auto [first, last] = diagonal_in(block.patch);
          const auto values = detail::fetch_stored<T>(v, first, last);
          for (std::int64_t i = first; i < last; ++i) {
            T& x = element(memory, block, i, i);
            x = f(x, values[i - first]);
          }
        });
      });
}

/// a[i, i] = f(a[i, i], value)
template <class F>
void change_diagonal(std::string_view operation, AnyArray& a, const Scalar& value, const F& f) {
  detail::require_writable(a, operation);
  const auto validate = [&] {
    check_matrix(a);
    detail::check_scalar(value, a, "the value");
  };
  detail::collectively(a.group(), operation, detail::hash_of(a, value), validate, [&] {
    with_element_type(a.type(), [&]<class T>(T) {
      T* const memory = detail::own_memory<T>(a);
      for_each_own_block(a, [&](const OwnedBlock& block) {
        const auto [first, last] = diagonal_in(block.patch);
        for (std::int64_t i = first; i < last; ++i) {
          T& x = element(memory, block, i, i);
          x = f(x, value.as<T>());
        }
      });
    });
  });
}

constexpr auto second = []<class T>(T, T y) { return y; };
constexpr auto sum_of_two = []<class T>(T x, T y) { return detail::plus(x, y); };

/// Calls `f(row, first element, stride)` for the rows of a block of my memory.
template <class T, class F>
void for_each_row_of(T* memory, const OwnedBlock& block, F&& f) {
  const Patch& patch = block.patch;
  T* row_begin = &element(memory, block, patch.lo[0], patch.lo[1]);
  for (std::int64_t row = patch.lo[0]; row < patch.hi[0]; ++row, row_begin += block.strides[0])
    f(row, row_begin, block.strides[1]);
}

/// Adds the moduli of my elements to the sums of their rows.
template <Element T>
void add_moduli_of_rows(const AnyArray& a, Array<double>& sums) {
  for_each_own_block(a, [&](const OwnedBlock& block) {
    const std::int64_t columns = block.patch.hi[1] - block.patch.lo[1];
    std::vector<double> mine;
    for_each_row_of(
        detail::own_memory<T>(a), block, [&](std::int64_t, const T* x, std::int64_t stride) {
          mine.push_back(detail::pairwise_sum(
              columns, [=](std::int64_t i) { return detail::absolute_value(x[i * stride]); }));
        });
    sums.accumulate(Patch{{block.patch.lo[0]}, {block.patch.hi[0]}, {}}, mine.data());
  });
}

/// The same for columns.
template <Element T>
void add_moduli_of_columns(const AnyArray& a, Array<double>& sums) {
  for_each_own_block(a, [&](const OwnedBlock& block) {
    std::vector<double> mine(static_cast<std::size_t>(block.patch.hi[1] - block.patch.lo[1]));
    for_each_row_of(detail::own_memory<T>(a), block,
                    [&](std::int64_t, const T* x, std::int64_t stride) {
                      for (double& sum : mine) {
                        sum += detail::absolute_value(*x);
                        x += stride;
                      }
                    });
    sums.accumulate(Patch{{block.patch.lo[1]}, {block.patch.hi[1]}, {}}, mine.data());
  });
}

}  // namespace

void transpose(const AnyArray& a, AnyArray& b) {
  detail::require_alive(a, "transpose");
  detail::require_writable(b, "transpose");
  if (a.dimensions() != 2 || b.dimensions() != 2) {
    // Said by a call that all ranks make alike.
    detail::collectively(
        b.group(), "transpose", detail::hash_of(a, b),
        [&] {
          check_matrix(a);
          check_matrix(b);
        },
        [] {});
  }
  copy({a, Form::transposed}, b);
}

void symmetrize(AnyArray& a) {
  detail::require_writable(a, "symmetrize");
  detail::collectively(
      a.group(), "symmetrize", detail::hash_of(a),
      [&] {
        check_matrix(a);
        if (a.shape()[0] != a.shape()[1])
          throw Error(ErrorKind::value, detail::description(a) + " has shape " +
                                            a.shape().to_string() + "; expected a square matrix");
        if (is_integer(a.type()))
          throw Error(ErrorKind::type, detail::description(a) + " holds " +
                                           std::string(name_of(a.type())) +
                                           "; halves of integers are none");
      },
      [] {});
  AnyArray other = a.duplicate({}, false);
  transpose(a, other);
  add(0.5, a, 0.5, other, a);
  other.destroy();
}

void get_diagonal(const AnyArray& a, AnyArray& v) {
  detail::require_writable(v, "get_diagonal");
  with_vector(
      "get_diagonal", a, v, [&] { return diagonal_length(a); },
      [&]<class T>(T) {
        const T* const memory = detail::own_memory<T>(a);
        for_each_own_block(a, [&](const OwnedBlock& block) {
          const auto [first, last] = diagonal_in(block.patch);
          detail::StoredElements<T> values(last - first);
          for (std::int64_t i = first; i < last; ++i)
            values[i - first] = element(memory, block, i, i);
          if (first < last) v.put(Patch{{first}, {last}, {}}, values.data());
        });
      });
}

void set_diagonal(AnyArray& a, const AnyArray& v) { change_diagonal("set_diagonal", a, v, second); }
void add_diagonal(AnyArray& a, const AnyArray& v) {
  change_diagonal("add_diagonal", a, v, sum_of_two);
}
void fill_diagonal(AnyArray& a, const Scalar& value) {
  change_diagonal("fill_diagonal", a, value, second);
}
void shift_diagonal(AnyArray& a, const Scalar& value) {
  change_diagonal("shift_diagonal", a, value, sum_of_two);
}

Scalar trace(const AnyArray& a) {
  detail::require_alive(a, "trace");
  Scalar result = 0;
  detail::collectively(
      a.group(), "trace", detail::hash_of(a), [&] { check_matrix(a); },
      [&] {
        with_element_type(a.type(), [&]<class T>(T) {
          using W = detail::Wide<detail::Computed<T>>;
          const T* const memory = detail::own_memory<T>(a);
          W local{};
          for_each_own_block(a, [&](const OwnedBlock& block) {
            const auto [first, last] = diagonal_in(block.patch);
            for (std::int64_t i = first; i < last; ++i)
              local +=
                  static_cast<W>(static_cast<detail::Computed<T>>(element(memory, block, i, i)));
          });
          result = detail::over_ranks(a.group(), a.type(), local);
        });
      });
  return result;
}

void scale_rows(AnyArray& a, const AnyArray& v) {
  detail::require_writable(a, "scale_rows");
  with_vector(
      "scale_rows", a, v, [&] { return a.shape()[0]; },
      [&]<class T>(T) {
        T* const memory = detail::own_memory<T>(a);
        for_each_own_block(a, [&](const OwnedBlock& block) {
          const Patch& patch = block.patch;
          const auto factors = detail::fetch_stored<T>(v, patch.lo[0], patch.hi[0]);
          for_each_row_of(memory, block, [&](std::int64_t row, T* x, std::int64_t stride) {
            const T factor = factors[row - patch.lo[0]];
            for (std::int64_t i = 0; i < patch.hi[1] - patch.lo[1]; ++i)
              x[i * stride] = detail::times(x[i * stride], factor);
          });
        });
      });
}

void scale_columns(AnyArray& a, const AnyArray& v) {
  detail::require_writable(a, "scale_columns");
  with_vector(
      "scale_columns", a, v, [&] { return a.shape()[1]; },
      [&]<class T>(T) {
        T* const memory = detail::own_memory<T>(a);
        for_each_own_block(a, [&](const OwnedBlock& block) {
          const auto factors = detail::fetch_stored<T>(v, block.patch.lo[1], block.patch.hi[1]);
          for_each_row_of(memory, block, [&](std::int64_t, T* x, std::int64_t stride) {
            for (const T factor : factors) {
              *x = detail::times(*x, factor);
              x += stride;
            }
          });
        });
      });
}

double matrix_norm(const AnyArray& a, MatrixNorm kind) {
  detail::require_alive(a, "matrix_norm");
  detail::collectively(
      a.group(), "matrix_norm", detail::hash_of(a, static_cast<std::uint64_t>(kind)),
      [&] { check_matrix(a); }, [] {});
  Array<double> sums(a.group(), {a.shape()[kind == MatrixNorm::one ? 1 : 0]});
  with_element_type(a.type(), [&]<class T>(T) {
    kind == MatrixNorm::one ? add_moduli_of_columns<T>(a, sums) : add_moduli_of_rows<T>(a, sums);
  });
  const double result = norm(sums, Norm::infinity);
  sums.destroy();
  return result;
}

}  // namespace lagoon::atoll
