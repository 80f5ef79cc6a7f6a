// Integrals: two-electron repulsion integrals over contracted spherical Gaussians, by libcint.
//
// This class is all that Atoll knows of libcint. The function and its optimizer come as addresses
// from whoever loaded the library (python/atoll/chem/integrals/pyscf_wheel.py takes them from
// PySCF's wheel); the molecule comes in libcint's own three tables, which are copied. Which
// operator (the range of the Coulomb interaction) stands in those tables; which derivative, in the
// function. Safe to use from several threads with a workspace each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lagoon::atoll::chem {

class Integrals {
 public:
  /// `function` is the address of a two-electron function of libcint, `int2e_sph` say; `optimizer`
  /// that of its optimizer for this molecule (0: none), which must outlive this object;
  /// `components` how many numbers it gives for four functions: 1, of a derivative 3 or 9. Throws
  /// std::invalid_argument for a null function, other components or tables of a wrong length.
  Integrals(std::uintptr_t function, std::uintptr_t optimizer, int components,
            std::span<const int> atoms, std::span<const int> shells,
            std::span<const double> values);

  int shells() const noexcept { return static_cast<int>(first_.size()) - 1; }
  int components() const noexcept { return components_; }
  /// Basis functions of a shell: (2l+1) times its contractions.
  int functions(int shell) const noexcept { return first(shell + 1) - first(shell); }
  /// The first basis function of a shell; of `shells()`: their total number.
  int first(int shell) const noexcept { return first_[static_cast<std::size_t>(shell)]; }
  int atoms() const noexcept { return atom_count_; }
  int atom(int shell) const noexcept;
  /// Primitive Gaussians of a shell.
  int primitives(int shell) const noexcept;
  /// Numbers that a buffer for the largest shell quartet holds, all components.
  std::size_t buffer_size() const noexcept { return buffer_size_; }
  /// Numbers that libcint's scratch memory holds, for any quartet.
  std::size_t scratch_size() const noexcept { return scratch_size_; }

  /// Writes (ij|kl) of four shells to `out`, functions of i fastest, of l slowest, components after
  /// each other. False when all are negligible: then `out` holds zeros.
  bool compute(int i, int j, int k, int l, double* out, double* scratch) const {
    const int shells[4] = {i, j, k, l};
    return function_(out, nullptr, shells, atoms_.data(), atom_count_, shells_.data(), shell_count_,
                     values_.data(), optimizer_, scratch) != 0;
  }

  /// sqrt(max |(ij|ij)|) of two shells, of a function with nine components (the first derivative
  /// of i on both sides) of each direction.
  double schwarz_bound(int i, int j, double* buffer, double* scratch) const;

 private:
  // libcint 6, `int2e_sph`; called without `out` it returns the scratch it needs.
  using Function = int (*)(double* out, const int* dims, const int* shells, const int* atoms,
                           int atom_count, const int* shell_table, int shell_count,
                           const double* values, const void* optimizer, double* scratch);
  Function function_;
  const void* optimizer_;
  int components_;
  std::vector<int> atoms_, shells_;
  std::vector<double> values_;
  int atom_count_ = 0, shell_count_ = 0;
  std::vector<int> first_;
  std::size_t buffer_size_ = 0, scratch_size_ = 0;
};

}  // namespace lagoon::atoll::chem
