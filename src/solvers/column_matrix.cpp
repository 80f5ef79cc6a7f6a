// Bringing matrices into ScaLAPACK's layout and back.
#include "solvers/column_matrix.hpp"

#include <algorithm>
#include <cmath>

#include "algebra/core/sections.hpp"
#include "atoll/algebra.hpp"
#include "atoll/matrix.hpp"

namespace lagoon::atoll::detail {

namespace {

/// Calls `f(element, on_diagonal)` for my elements on the diagonal and in the half that is not
/// `triangle`. What is stored is the transposed matrix.
template <class T, class F>
void for_each_of_other_half(T* memory, const Distribution& distribution, int rank, char triangle,
                            F&& f) {
  for_each_owned_block(distribution, rank, [&](const OwnedBlock& block) {
    const Patch& patch = block.patch;
    for (std::int64_t column = patch.lo[0]; column < patch.hi[0]; ++column) {
      const bool lower = triangle == 'L';
      const std::int64_t first = lower ? patch.lo[1] : std::max(patch.lo[1], column);
      const std::int64_t last = lower ? std::min(patch.hi[1], column + 1) : patch.hi[1];
      for (std::int64_t row = first; row < last; ++row)
        f(memory[offset_in_block(block, {column, row})], row == column);
    }
  });
}

}  // namespace

ColumnMatrix::ColumnMatrix(const SolverGrid& grid, std::int64_t rows, std::int64_t columns,
                           ElementType type)
    : transposed_(
          grid.group, {columns, rows}, type,
          {.layout = Layout::block_cyclic({grid.block, grid.block}, {grid.columns, grid.rows}),
           .zero = false}),
      rank_(grid.group.rank()),
      rows_(rows),
      columns_(columns) {
  const Index mine = transposed_.distribution().local_shape(rank_);
  distance_ = static_cast<int>(std::max<std::int64_t>(1, mine[1]));
  local_columns_ = static_cast<int>(mine[0]);
  const int block = static_cast<int>(grid.block);
  descriptor_ = {
      1, grid.context, static_cast<int>(rows), static_cast<int>(columns), block, block, 0,
      0, distance_};
}

void ColumnMatrix::load(const AnyArray& from) {
  if (from.dimensions() == 2) {
    copy({from, Form::transposed}, transposed_);
    return;
  }
  auto* const memory = static_cast<std::byte*>(transposed_.storage(rank_));
  for_each_owned_block(transposed_.distribution(), rank_, [&](const OwnedBlock& block) {
    from.get(Patch{{block.patch.lo[1]}, {block.patch.hi[1]}, {}},
             memory + static_cast<std::size_t>(block.offset) * size_of(from.type()));
  });
  // Nobody changes what others still read.
  transposed_.group().barrier();
}

void ColumnMatrix::store(AnyArray& to) {
  if (to.dimensions() == 2) {
    store(to, whole(to.shape()));
    return;
  }
  // By way of a vector that is not mirrored: a put would reach one node's copy.
  AnyArray vector(transposed_.group(), {rows_}, to.type(), {.zero = false});
  const auto* const memory = static_cast<const std::byte*>(transposed_.storage(rank_));
  for_each_owned_block(transposed_.distribution(), rank_, [&](const OwnedBlock& block) {
    vector.put(Patch{{block.patch.lo[1]}, {block.patch.hi[1]}, {}},
               memory + static_cast<std::size_t>(block.offset) * size_of(to.type()));
  });
  copy(vector, to);
  vector.destroy();
}

void ColumnMatrix::store(AnyArray& to, const Patch& patch) {
  copy({transposed_, Form::transposed}, {to, patch});
}

void ColumnMatrix::store_as_rows(AnyArray& to) { copy(transposed_, to); }

void ColumnMatrix::load_columns(const ColumnMatrix& from) {
  copy(from.transposed_, {transposed_, Patch{{0, 0}, {from.columns_, from.rows_}, {}}});
}

void ColumnMatrix::load_rows_as_columns(const ColumnMatrix& from) {
  copy({from.transposed_, Form::transposed},
       {transposed_, Patch{{0, 0}, {from.rows_, from.columns_}, {}}});
}

void ColumnMatrix::make_unit() {
  zero(transposed_);
  fill_diagonal(transposed_, 1);
}

void ColumnMatrix::clear_other_half(char triangle) {
  with_blas_type(transposed_.type(), [&]<class T> {
    for_each_of_other_half(part<T>().data, transposed_.distribution(), rank_, triangle,
                           [](T& x, bool diagonal) {
                             if (!diagonal) x = T(0);
                           });
  });
}

bool ColumnMatrix::is_finite(char triangle) {
  bool finite = true;
  with_blas_type(transposed_.type(), [&]<class T> {
    const T* const memory = part<T>().data;
    for_each_owned_block(transposed_.distribution(), rank_, [&](const OwnedBlock& block) {
      const Patch& patch = block.patch;
      for (std::int64_t column = patch.lo[0]; column < patch.hi[0]; ++column) {
        const std::int64_t first = triangle == 'L' ? std::max(patch.lo[1], column) : patch.lo[1];
        const std::int64_t last = triangle == 'U' ? std::min(patch.hi[1], column + 1) : patch.hi[1];
        for (std::int64_t row = first; row < last; ++row) {
          const T value = memory[offset_in_block(block, {column, row})];
          finite = finite && std::isfinite(std::real(value)) && std::isfinite(std::imag(value));
        }
      }
    });
  });
  return finite;
}

int ColumnMatrix::zero_on_diagonal() {
  std::int64_t found = 0;
  with_blas_type(transposed_.type(), [&]<class T> {
    const T* const memory = part<T>().data;
    for_each_owned_block(transposed_.distribution(), rank_, [&](const OwnedBlock& block) {
      const Patch& patch = block.patch;
      const std::int64_t last = std::min(patch.hi[0], patch.hi[1]);
      for (std::int64_t i = std::max(patch.lo[0], patch.lo[1]); i < last; ++i)
        if (memory[offset_in_block(block, {i, i})] == T{}) found = std::max(found, i + 1);
    });
  });
  return static_cast<int>(found);
}

void ColumnMatrix::complete(char triangle) {
  AnyArray other = transposed_.duplicate({}, false);
  copy({transposed_, Form::transposed}, other);
  with_blas_type(transposed_.type(), [&]<class T> {
    T* const memory = part<T>().data;
    const T* const mirrored = static_cast<const T*>(other.storage(rank_));
    for_each_of_other_half(memory, transposed_.distribution(), rank_, triangle,
                           [&](T& x, bool diagonal) {
                             const T value = mirrored[&x - memory];
                             if constexpr (is_complex_element<T>)
                               x = diagonal ? T(value.real()) : std::conj(value);
                             else
                               x = value;
                           });
  });
  other.destroy();
}

}  // namespace lagoon::atoll::detail
