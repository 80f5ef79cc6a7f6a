// The tables of libcint are read here: its documentation, "Data structure of integrals" (atm, bas,
// env).
#include "integrals.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace lagoon::atoll::chem {

namespace {
constexpr std::size_t atom_slots = 6, shell_slots = 8;
constexpr std::size_t atom_slot = 0, angular_slot = 1, primitives_slot = 2, contractions_slot = 3;
}  // namespace

Integrals::Integrals(std::uintptr_t function, std::uintptr_t optimizer, int components,
                     std::span<const int> atoms, std::span<const int> shells,
                     std::span<const double> values)
    : function_(reinterpret_cast<Function>(function)),
      optimizer_(reinterpret_cast<const void*>(optimizer)),
      components_(components),
      atoms_(atoms.begin(), atoms.end()),
      shells_(shells.begin(), shells.end()),
      values_(values.begin(), values.end()) {
  if (function_ == nullptr) throw std::invalid_argument("the integral function is null");
  if (components != 1 && components != 3 && components != 9)
    throw std::invalid_argument("the components of an integral must be 1, 3 or 9");
  if (atoms.empty() || atoms.size() % atom_slots != 0)
    throw std::invalid_argument("the table of atoms has a wrong length");
  if (shells.empty() || shells.size() % shell_slots != 0)
    throw std::invalid_argument("the table of shells has a wrong length");
  atom_count_ = static_cast<int>(atoms.size() / atom_slots);
  shell_count_ = static_cast<int>(shells.size() / shell_slots);

  first_.push_back(0);
  std::size_t widest = 0;
  for (std::size_t shell = 0; shell < shells.size() / shell_slots; ++shell) {
    const int* slots = shells_.data() + shell * shell_slots;
    const int width = (2 * slots[angular_slot] + 1) * slots[contractions_slot];
    first_.push_back(first_.back() + width);
    widest = std::max(widest, static_cast<std::size_t>(width));
  }
  buffer_size_ = widest * widest * widest * widest * static_cast<std::size_t>(components);
  for (int shell = 0; shell < shell_count_; ++shell) {
    const int quartet[4] = {shell, shell, shell, shell};
    const int size = function_(nullptr, nullptr, quartet, atoms_.data(), atom_count_,
                               shells_.data(), shell_count_, values_.data(), nullptr, nullptr);
    scratch_size_ = std::max(scratch_size_, static_cast<std::size_t>(std::max(size, 0)));
  }
}

int Integrals::atom(int shell) const noexcept {
  return shells_[static_cast<std::size_t>(shell) * shell_slots + atom_slot];
}

int Integrals::primitives(int shell) const noexcept {
  return shells_[static_cast<std::size_t>(shell) * shell_slots + primitives_slot];
}

double Integrals::schwarz_bound(int i, int j, double* buffer, double* scratch) const {
  if (!compute(i, j, i, j, buffer, scratch)) return 0;
  const auto pair = static_cast<std::size_t>(functions(i) * functions(j));
  // The components (xx), (yy), (zz) of nine; function pairs (ab|ab) stand on the diagonal of a
  // quartet as a matrix over pairs.
  double largest = 0;
  for (int component = 0; component < components_; component += 4)
    for (std::size_t ab = 0; ab < pair; ++ab) {
      const auto start = static_cast<std::size_t>(component) * pair * pair;
      largest = std::max(largest, std::abs(buffer[start + ab * (pair + 1)]));
    }
  return std::sqrt(largest);
}

}  // namespace lagoon::atoll::chem
