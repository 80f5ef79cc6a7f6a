// atoll_scale: what planning costs with the ranks of large runs, without MPI: the same functions
// that calls run, in one process. `tables.py` makes the tables of docs/scaling.md from its lines.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>

namespace lagoon::atoll::scale {

inline constexpr std::array rank_counts = {100, 1'000, 10'000, 100'000};
inline constexpr int ranks_of_node = 10;

/// The least of some runs, in microseconds.
template <class F>
double microseconds(F&& f, int runs = 5) {
  double least = 1e30;
  for (int run = 0; run < runs; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    f();
    const std::chrono::duration<double, std::micro> spent =
        std::chrono::steady_clock::now() - begin;
    least = std::min(least, spent.count());
  }
  return least;
}

/// Bytes of the heap in use (main.cpp).
std::size_t heap_in_use() noexcept;
/// Of what `make` gives, as long as it lives.
template <class Make>
std::size_t heap_of(Make&& make) {
  const std::size_t before = heap_in_use();
  const auto made = make();
  return heap_in_use() - before + sizeof made;
}

// Each prints lines of one or two tables: its name, then numbers, apart by tabs.
void print_layouts();
void print_memory();
void print_crowds();
void print_locks();
void print_merges();
void print_products();

}  // namespace lagoon::atoll::scale
