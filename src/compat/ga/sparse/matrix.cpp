#include "compat/ga/sparse/matrix.hpp"

#include <mpi.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "atoll/error.hpp"
#include "compat/mpi_calls.hpp"

namespace lagoon::atoll::ga::sparse {

namespace {

/// Collective: an array of which this process holds `mine` elements; at least one, as every
/// process is to have a block.
template <Element T>
Array<T> spread(const Group& group, std::size_t mine) {
  const std::int64_t held = std::max<std::int64_t>(1, static_cast<std::int64_t>(mine));
  std::vector<std::int64_t> held_by(static_cast<std::size_t>(group.size()));
  MPI_Request request = MPI_REQUEST_NULL;
  compat::check(MPI_Iallgather(&held, 1, MPI_INT64_T, held_by.data(), 1, MPI_INT64_T,
                               group.communicator(), &request),
                "MPI_Iallgather");
  compat::complete(request, "MPI_Iallgather");
  std::vector<std::int64_t> starts;
  std::int64_t total = 0;
  for (const std::int64_t count : held_by) {
    starts.push_back(total);
    total += count;
  }
  ArrayOptions options;
  options.name = "sparse matrix";
  options.layout = Layout::irregular({std::move(starts)});
  options.zero = false;
  return Array<T>(group, {total}, options);
}

template <Element T>
std::int64_t first_of_mine(const Array<T>& array) {
  return array.distribution().patches(array.group().rank()).front().lo[0];
}

void check_inside(const char* name, std::int64_t position, std::int64_t extent) {
  if (position < 0 || position >= extent)
    throw Error(ErrorKind::index, std::string(name) + " is " + std::to_string(position) +
                                      ", counted from 0, of " + std::to_string(extent));
}

/// Of elements at the same place, which are neighbours, one with their sum.
template <Element T>
void merge_neighbours(std::vector<Entry<T>>& sorted) {
  std::size_t kept = 0;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    const bool again = kept > 0 && sorted[kept - 1].row == sorted[k].row &&
                       sorted[kept - 1].column == sorted[k].column;
    if (again)
      sorted[kept - 1].value += sorted[k].value;
    else
      sorted[kept++] = sorted[k];
  }
  sorted.resize(kept);
}

}  // namespace

template <Element T>
void Matrix<T>::add(std::int64_t row, std::int64_t column, T value) {
  if (storage_)
    throw Error(ErrorKind::state, "the sparse array is assembled: no elements can be added");
  check_inside("idx", row, frame_.rows.extent());
  check_inside("jdx", column, frame_.columns.extent());
  added_.push_back({row, column, value});
}

template <Element T>
void Matrix<T>::assemble() {
  if (storage_) throw Error(ErrorKind::state, "the sparse array is assembled already");
  std::vector<std::vector<Entry<T>>> outgoing(static_cast<std::size_t>(frame_.group.size()));
  for (const Entry<T>& entry : added_)
    outgoing[static_cast<std::size_t>(frame_.rows.of(entry.row))].push_back(entry);
  added_ = {};
  fill(deliver(frame_.group, outgoing));
}

template <Element T>
void Matrix<T>::fill(std::vector<Entry<T>> mine) {
  const auto order = [this](const Entry<T>& e) {
    return std::tuple(frame_.columns.of(e.column), e.row, e.column);
  };
  // Stable, so that sums are formed in the same order on every run.
  std::ranges::stable_sort(mine, {}, order);
  merge_neighbours(mine);
  std::vector<int> filled;
  for (const Entry<T>& entry : mine) {
    const int strip = frame_.columns.of(entry.column);
    if (filled.empty() || filled.back() != strip) filled.push_back(strip);
  }
  const auto starts = filled.size() * static_cast<std::size_t>(my_rows().size() + 1);
  const auto strips = static_cast<std::size_t>(frame_.columns.count());
  storage_.reset();
  storage_.emplace(Storage{
      spread<std::int64_t>(frame_.group, 3 * strips), spread<std::int64_t>(frame_.group, starts),
      spread<std::int64_t>(frame_.group, mine.size()), spread<T>(frame_.group, mine.size())});
  storage_->mine.resize(strips);
  storage_->filled = std::move(filled);
  compress(*storage_, mine);
  frame_.group.sync();
}

template <Element T>
void Matrix<T>::compress(Storage& to, const std::vector<Entry<T>>& sorted) const {
  std::int64_t* start = to.starts.local().data;
  std::int64_t* const columns = to.columns.local().data;
  T* const values = to.values.local().data;
  const Range rows = my_rows();
  std::size_t k = 0, starts_used = 0;
  for (const int strip : to.filled) {
    const std::size_t first = k;
    const auto relative = [&] { return static_cast<std::int64_t>(k - first); };
    const std::int64_t end = frame_.columns.range(strip).hi;
    const auto here = [&](std::int64_t row) {
      return k < sorted.size() && sorted[k].row == row && sorted[k].column < end;
    };
    for (std::int64_t row = rows.lo; row < rows.hi; ++row) {
      *start++ = relative();
      for (; here(row); ++k) {
        columns[k] = sorted[k].column;
        values[k] = sorted[k].value;
      }
    }
    *start++ = relative();
    to.mine[static_cast<std::size_t>(strip)] = {
        first_of_mine(to.starts) + static_cast<std::int64_t>(starts_used),
        first_of_mine(to.values) + static_cast<std::int64_t>(first), relative()};
    starts_used += static_cast<std::size_t>(rows.size() + 1);
  }
  std::int64_t* place = to.directory.local().data;
  for (const Place& p : to.mine) {
    *place++ = p.first_start;
    *place++ = p.first_element;
    *place++ = p.elements;
  }
}

template <Element T>
const typename Matrix<T>::Storage& Matrix<T>::storage() const {
  if (storage_) return *storage_;
  throw Error(ErrorKind::state,
              "the sparse array is not assembled: call NGA_Sprs_array_assemble first");
}

template <Element T>
const std::vector<int>& Matrix<T>::filled_strips() const {
  return storage().filled;
}

template <Element T>
Block<T> Matrix<T>::block(int strip) const {
  check_inside("icol", strip, frame_.columns.count());
  const Storage& s = storage();
  const Place& place = s.mine[static_cast<std::size_t>(strip)];
  if (place.elements == 0) return {};
  const auto count = static_cast<std::size_t>(place.elements);
  const std::int64_t element = place.first_element - first_of_mine(s.values);
  return {{s.starts.local().data + (place.first_start - first_of_mine(s.starts)),
           static_cast<std::size_t>(my_rows().size() + 1)},
          {s.columns.local().data + element, count},
          {s.values.local().data + element, count}};
}

template <Element T>
FetchedBlock<T> Matrix<T>::fetch(int row_strip, int column_strip) const {
  const Storage& s = storage();
  check_inside("irow", row_strip, frame_.rows.count());
  check_inside("icol", column_strip, frame_.columns.count());
  const std::int64_t at = 3 * (std::int64_t{row_strip} * frame_.columns.count() + column_strip);
  std::int64_t numbers[3];
  s.directory.get({{at}, {at + 3}}, numbers);
  const Place place{numbers[0], numbers[1], numbers[2]};
  FetchedBlock<T> result;
  if (place.elements == 0) return result;
  const std::int64_t starts = frame_.rows.range(row_strip).size() + 1;
  result.starts.resize(static_cast<std::size_t>(starts));
  result.columns.resize(static_cast<std::size_t>(place.elements));
  result.values.resize(static_cast<std::size_t>(place.elements));
  const Patch elements{{place.first_element}, {place.first_element + place.elements}};
  s.starts.get({{place.first_start}, {place.first_start + starts}}, result.starts.data());
  s.columns.get(elements, result.columns.data());
  s.values.get(elements, result.values.data());
  return result;
}

template <Element T>
std::vector<Entry<T>> Matrix<T>::entries() const {
  std::vector<Entry<T>> all;
  each(
      [&](std::int64_t row, std::int64_t column, T value) { all.push_back({row, column, value}); });
  return all;
}

template <Element T>
std::int64_t Matrix<T>::my_elements() const {
  std::int64_t sum = 0;
  for (const Place& place : storage().mine) sum += place.elements;
  return sum;
}

template class Matrix<std::int32_t>;
template class Matrix<std::int64_t>;
template class Matrix<float>;
template class Matrix<double>;
template class Matrix<std::complex<float>>;
template class Matrix<std::complex<double>>;

}  // namespace lagoon::atoll::ga::sparse
