// ELPA, the library of eigensolvers that outruns ScaLAPACK's own on the same matrices. Loaded when
// it is first needed, like ScaLAPACK, which it calls.
#pragma once

#include <string>

#include "mpi/handles.hpp"
#include "solvers/kernels.hpp"

namespace lagoon::atoll::detail {

struct SolverGrid;

/// The loaded library, or why there is none.
class Elpa {
 public:
  /// Loads it at the first call. Not collective: one rank may have it and another not.
  static const Elpa& get();

  bool available() const noexcept { return why_not_.empty(); }
  const std::string& file() const noexcept { return file_; }
  const std::string& why_not() const noexcept { return why_not_; }
  /// A function by its C name; Error(unsupported) if the library has none.
  template <class F>
  F* function(const std::string& name) const {
    return reinterpret_cast<F*>(address(name));
  }

 private:
  Elpa();
  std::string load();
  void* address(const std::string& name) const;

  void* handle_ = nullptr;
  std::string file_, why_not_;
};

/// Whether there is one that knows the element type: Debian's has no single precision.
bool elpa_has(ElementType type);

/// The ranks of a grid, and no others, as ELPA wants them. Collective over the grid's group.
class ElpaGrid {
 public:
  explicit ElpaGrid(const SolverGrid& grid);
  ElpaGrid(const ElpaGrid&) = delete;
  ElpaGrid& operator=(const ElpaGrid&) = delete;
  ~ElpaGrid();
  mpi::Comm communicator() const noexcept { return communicator_; }
  int row() const noexcept { return row_; }
  int column() const noexcept { return column_; }

 private:
  mpi::Comm communicator_ = mpi::comm_null;
  int row_, column_;
};

/// All eigenvalues of a Hermitian matrix, of which both halves are there and which is lost, and, if
/// z has memory, eigenvectors. All ranks of the grid call alike. Like LAPACK's, the result is zero
/// or tells of an iteration that failed.
template <BlasElement T>
int elpa_heevd(const ElpaGrid& grid, const Columns<T>& a, Real<T>* values, const Columns<T>& z);

}  // namespace lagoon::atoll::detail
