// The tables of libcint are read here: its documentation, "Data structure of integrals" (atm, bas,
// env).
#include "integrals.hpp"

#include <algorithm>
#include <stdexcept>

namespace lagoon::atoll::chem {

namespace {
constexpr std::size_t atom_slots = 6, shell_slots = 8;
constexpr std::size_t angular_slot = 1, contractions_slot = 3;
}  // namespace

Integrals::Integrals(std::uintptr_t function, std::uintptr_t optimizer, std::span<const int> atoms,
                     std::span<const int> shells, std::span<const double> values)
    : function_(reinterpret_cast<Function>(function)),
      optimizer_(reinterpret_cast<const void*>(optimizer)),
      atoms_(atoms.begin(), atoms.end()),
      shells_(shells.begin(), shells.end()),
      values_(values.begin(), values.end()) {
  if (function_ == nullptr) throw std::invalid_argument("the integral function is null");
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
  buffer_size_ = widest * widest * widest * widest;
  for (int shell = 0; shell < shell_count_; ++shell) {
    const int quartet[4] = {shell, shell, shell, shell};
    const int size = function_(nullptr, nullptr, quartet, atoms_.data(), atom_count_,
                               shells_.data(), shell_count_, values_.data(), nullptr, nullptr);
    scratch_size_ = std::max(scratch_size_, static_cast<std::size_t>(std::max(size, 0)));
  }
}

}  // namespace lagoon::atoll::chem
