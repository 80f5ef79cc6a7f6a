// ScaLAPACK and its BLACS, loaded when they are first needed: a program that solves nothing does
// not pay for them, and one that is moved to a machine without them still runs.
#pragma once

#include <string>

#include "mpi/handles.hpp"

namespace lagoon::atoll::detail {

/// The loaded library, or why there is none.
class Scalapack {
 public:
  /// Loads it at the first call. Not collective: one rank may have it and another not.
  static const Scalapack& get();

  bool available() const noexcept { return why_not_.empty(); }
  const std::string& file() const noexcept { return file_; }
  const std::string& why_not() const noexcept { return why_not_; }
  /// A routine by its Fortran name, without the underscore; Error(unsupported) if it has none.
  template <class F>
  F* routine(const std::string& name) const {
    return reinterpret_cast<F*>(address(name));
  }

 private:
  Scalapack();
  void* address(const std::string& name) const;

  void* handle_ = nullptr;
  std::string file_, why_not_;
};

/// A grid of `rows` x `columns` of a communicator's first ranks, numbered column by column, as a
/// context of the BLACS. Collective over the communicator.
class BlacsGrid {
 public:
  BlacsGrid(mpi::Comm communicator, int rows, int columns);
  BlacsGrid(const BlacsGrid&) = delete;
  BlacsGrid& operator=(const BlacsGrid&) = delete;
  ~BlacsGrid();
  /// -1 on ranks beyond the grid.
  int context() const noexcept { return context_; }

 private:
  int system_ = 0, context_ = -1;
};

}  // namespace lagoon::atoll::detail
