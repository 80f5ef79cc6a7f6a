// Blocks handed out to programs: pointers into the matrix, or copies in memory of the program's
// own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <span>
#include <string>

#include "atoll/error.hpp"
#include "compat/ga/sparse/matrices.hpp"

namespace lagoon::atoll::ga::sparse {

/// All null where the block has no elements.
template <class I>
struct Pointers {
  I* starts = nullptr;
  I* columns = nullptr;
  void* values = nullptr;
};

/// The same positions, counted from `base`; Error(value) for one that is no I.
template <class I>
void renumber(std::span<const std::int64_t> from, I* to, std::int64_t base) {
  for (const std::int64_t position : from) {
    if (position > std::numeric_limits<I>::max() - base)
      throw Error(ErrorKind::value, "position " + std::to_string(position) +
                                        " is beyond integers of " + std::to_string(sizeof(I)) +
                                        " bytes: a function of 64 bits is to be called");
    *to++ = static_cast<I>(position + base);
  }
}

/// Copies of positions that `kept` owns.
template <class I, Element T>
Pointers<I> renumbered(const Block<T>& block, Positions<I>& kept, std::int64_t base) {
  if (block.empty()) return {};
  kept.starts.resize(block.starts.size());
  kept.columns.resize(block.columns.size());
  renumber(block.starts, kept.starts.data(), base);
  renumber(block.columns, kept.columns.data(), base);
  return {kept.starts.data(), kept.columns.data(), block.values.data()};
}

/// My block in a strip of columns, as C counts, until the matrix is changed or destroyed.
template <class I>
Pointers<I> access(std::int64_t s_a, int strip) {
  AnyMatrix& any = matrices().at(s_a);
  return std::visit(
      [&](const auto& s) -> Pointers<I> {
        const auto block = s.block(strip);
        if constexpr (sizeof(I) == sizeof(std::int64_t))
          return {block.starts.data(), block.columns.data(), block.values.data()};
        else
          return renumbered(block, any.for_c.of<I>(strip), 0);
      },
      any.matrix);
}

/// The same as Fortran counts.
template <class I>
Pointers<I> access_from_1(std::int64_t s_a, int strip) {
  AnyMatrix& any = matrices().at(s_a);
  return std::visit(
      [&](const auto& s) -> Pointers<I> {
        return renumbered(s.block(strip), any.for_fortran.of<I>(strip), 1);
      },
      any.matrix);
}

/// Memory that the program frees.
template <class T>
T* allocate(std::size_t count) {
  void* const memory = std::malloc(std::max<std::size_t>(1, count * sizeof(T)));
  if (memory == nullptr) throw std::bad_alloc();
  return static_cast<T*>(memory);
}

template <class I>
Pointers<I> copy_of_block(std::int64_t s_a, int row_strip, int column_strip) {
  return with_matrix(s_a, [&]<class T>(const Matrix<T>& s) -> Pointers<I> {
    const FetchedBlock<T> block = s.fetch(row_strip, column_strip);
    if (block.values.empty()) return {};
    const Pointers<I> copy{allocate<I>(block.starts.size()), allocate<I>(block.columns.size()),
                           allocate<T>(block.values.size())};
    renumber<I>(block.starts, copy.starts, 0);
    renumber<I>(block.columns, copy.columns, 0);
    std::ranges::copy(block.values, static_cast<T*>(copy.values));
    return copy;
  });
}

/// Both ends included, counted from `base`; hi below lo where the strip is empty.
template <class I>
void give_range(Range range, std::int64_t base, I* lo, I* hi) {
  *lo = static_cast<I>(range.lo + base);
  *hi = static_cast<I>(range.hi - 1 + base);
}

/// Error(value) for a process that is none.
inline Range strip_of(const Strips& strips, std::int64_t process) {
  if (process < 0 || process >= strips.count())
    throw Error(ErrorKind::value,
                "iproc is " + std::to_string(process) + " of " + std::to_string(strips.count()));
  return strips.range(static_cast<int>(process));
}

/// Of a row and a column counted from 0.
inline void add_element(std::int64_t s_a, std::int64_t row, std::int64_t column,
                        const void* value) {
  with_matrix(s_a, [&]<class T>(Matrix<T>& s) {
    T number;
    std::memcpy(&number, value, sizeof number);
    s.add(row, column, number);
  });
}

/// Collective.
inline void assemble(std::int64_t s_a) {
  together(s_a, [](auto& s) {
    s.assemble();
    return 0;
  });
}

}  // namespace lagoon::atoll::ga::sparse
