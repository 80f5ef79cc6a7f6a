// MPI's own one-sided operations, the rival: a window of doubles on every rank, in one lock_all
// epoch, each operation complete at its target (flushed) on return.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace bench {

class Window {
 public:
  enum class Kind { shared, allocated };  ///< MPI_Win_allocate_shared or MPI_Win_allocate
  /// Collective, as is the destructor. `elements` doubles on each rank.
  Window(MPI_Comm communicator, std::int64_t elements, Kind kind);
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
  ~Window();

  /// `count` doubles to or from element `offset` on `rank`.
  void get(double* out, std::int64_t count, int rank, std::int64_t offset) const;
  void put(const double* data, std::int64_t count, int rank, std::int64_t offset) const;
  void accumulate(const double* data, std::int64_t count, int rank, std::int64_t offset) const;
  /// The same, started only; `flush` completes all that was started to `rank`.
  void start_get(double* out, std::int64_t count, int rank, std::int64_t offset) const;
  void start_put(const double* data, std::int64_t count, int rank, std::int64_t offset) const;
  void start_accumulate(const double* data, std::int64_t count, int rank,
                        std::int64_t offset) const;
  void flush(int rank) const;
  /// Started, with a request: of a get for its data, of a put for its buffer.
  MPI_Request request_get(double* out, std::int64_t count, int rank, std::int64_t offset) const;
  MPI_Request request_put(const double* data, std::int64_t count, int rank,
                          std::int64_t offset) const;
  /// A patch of `rows` rows, `stride` elements apart, against a packed buffer.
  void get_patch(double* out, int rank, std::int64_t offset) const;
  void put_patch(const double* data, int rank, std::int64_t offset) const;
  void accumulate_patch(const double* data, int rank, std::int64_t offset) const;
  void start_get_patch(double* out, int rank, std::int64_t offset) const;
  void start_accumulate_patch(const double* data, int rank, std::int64_t offset) const;
  /// The patch shape of the calls above; not collective.
  void set_patch(int rows, int columns, int stride);
  /// Of the word at `offset`, as an integer.
  std::int64_t fetch_add(std::int64_t increment, int rank, std::int64_t offset) const;

 private:
  MPI_Win window_ = MPI_WIN_NULL;
  MPI_Datatype patch_ = MPI_DATATYPE_NULL;
  int patch_elements_ = 0;
};

}  // namespace bench
