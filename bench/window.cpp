// The rival's window.
#include "window.hpp"

#include <cstring>

namespace bench {

Window::Window(MPI_Comm communicator, std::int64_t elements, Kind kind) {
  const auto bytes = static_cast<MPI_Aint>(elements) * static_cast<MPI_Aint>(sizeof(double));
  void* base = nullptr;
  // What MPI may make use of: all accumulates are sums, in any order.
  MPI_Info hints = MPI_INFO_NULL;
  MPI_Info_create(&hints);
  MPI_Info_set(hints, "accumulate_ordering", "none");
  MPI_Info_set(hints, "accumulate_ops", "same_op_no_op");
  MPI_Info_set(hints, "same_disp_unit", "true");
  if (kind == Kind::shared)
    MPI_Win_allocate_shared(bytes, sizeof(double), hints, communicator, &base, &window_);
  else
    MPI_Win_allocate(bytes, sizeof(double), hints, communicator, &base, &window_);
  MPI_Info_free(&hints);
  std::memset(base, 0, static_cast<std::size_t>(bytes));
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
  MPI_Win_sync(window_);
  MPI_Barrier(communicator);
}

Window::~Window() {
  if (patch_ != MPI_DATATYPE_NULL) MPI_Type_free(&patch_);
  MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
}

void Window::get(double* out, std::int64_t count, int rank, std::int64_t offset) const {
  start_get(out, count, rank, offset);
  flush(rank);
}

void Window::put(const double* data, std::int64_t count, int rank, std::int64_t offset) const {
  start_put(data, count, rank, offset);
  flush(rank);
}

void Window::accumulate(const double* data, std::int64_t count, int rank,
                        std::int64_t offset) const {
  start_accumulate(data, count, rank, offset);
  flush(rank);
}

void Window::start_get(double* out, std::int64_t count, int rank, std::int64_t offset) const {
  const int n = static_cast<int>(count);
  MPI_Get(out, n, MPI_DOUBLE, rank, offset, n, MPI_DOUBLE, window_);
}

void Window::start_put(const double* data, std::int64_t count, int rank,
                       std::int64_t offset) const {
  const int n = static_cast<int>(count);
  MPI_Put(data, n, MPI_DOUBLE, rank, offset, n, MPI_DOUBLE, window_);
}

void Window::start_accumulate(const double* data, std::int64_t count, int rank,
                              std::int64_t offset) const {
  const int n = static_cast<int>(count);
  MPI_Accumulate(data, n, MPI_DOUBLE, rank, offset, n, MPI_DOUBLE, MPI_SUM, window_);
}

void Window::flush(int rank) const { MPI_Win_flush(rank, window_); }

MPI_Request Window::request_get(double* out, std::int64_t count, int rank,
                                std::int64_t offset) const {
  const int n = static_cast<int>(count);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Rget(out, n, MPI_DOUBLE, rank, offset, n, MPI_DOUBLE, window_, &request);
  return request;
}

MPI_Request Window::request_put(const double* data, std::int64_t count, int rank,
                                std::int64_t offset) const {
  const int n = static_cast<int>(count);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Rput(data, n, MPI_DOUBLE, rank, offset, n, MPI_DOUBLE, window_, &request);
  return request;
}

void Window::set_patch(int rows, int columns, int stride) {
  if (patch_ != MPI_DATATYPE_NULL) MPI_Type_free(&patch_);
  MPI_Type_vector(rows, columns, stride, MPI_DOUBLE, &patch_);
  MPI_Type_commit(&patch_);
  patch_elements_ = rows * columns;
}

void Window::get_patch(double* out, int rank, std::int64_t offset) const {
  start_get_patch(out, rank, offset);
  flush(rank);
}

void Window::put_patch(const double* data, int rank, std::int64_t offset) const {
  MPI_Put(data, patch_elements_, MPI_DOUBLE, rank, offset, 1, patch_, window_);
  flush(rank);
}

void Window::accumulate_patch(const double* data, int rank, std::int64_t offset) const {
  start_accumulate_patch(data, rank, offset);
  flush(rank);
}

void Window::start_get_patch(double* out, int rank, std::int64_t offset) const {
  MPI_Get(out, patch_elements_, MPI_DOUBLE, rank, offset, 1, patch_, window_);
}

void Window::start_accumulate_patch(const double* data, int rank, std::int64_t offset) const {
  MPI_Accumulate(data, patch_elements_, MPI_DOUBLE, rank, offset, 1, patch_, MPI_SUM, window_);
}

std::int64_t Window::fetch_add(std::int64_t increment, int rank, std::int64_t offset) const {
  std::int64_t old = 0;
  MPI_Fetch_and_op(&increment, &old, MPI_INT64_T, rank, offset, MPI_SUM, window_);
  MPI_Win_flush(rank, window_);
  return old;
}

}  // namespace bench
