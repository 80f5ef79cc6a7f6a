#include "compat/ga/sparse/matrix.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "atoll/error.hpp"
#include "compat/mpi_calls.hpp"
#include "mpi/face.hpp"

namespace lagoon::atoll::ga::sparse {

namespace {

/// Collective: an array of which this process holds `mine` elements; at least one, as every
/// process is to have a block.
template <Element T>
Array<T> spread(const Group& group, std::size_t mine) {
  const std::int64_t held = std::max<std::int64_t>(1, static_cast<std::int64_t>(mine));
  std::vector<std::int64_t> held_by(static_cast<std::size_t>(group.size()));
  mpi::Request request = mpi::request_null;
  compat::check(mpi::iallgather(&held, 1, mpi::type_int64, held_by.data(), 1, mpi::type_int64,
                                group.mpi_communicator(), &request),
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

/// The strip of a position; most positions lie in the strip of the one before.
class StripOf {
 public:
  explicit StripOf(const Strips& strips) : strips_(strips) {}
  int operator()(std::int64_t position) {
    if (position < range_.lo || position >= range_.hi) {
      strip_ = strips_.of(position);
      range_ = strips_.range(strip_);
    }
    return strip_;
  }

 private:
  const Strips& strips_;
  int strip_ = -1;
  Range range_{};
};

/// By rows, all of `rows`, and in these by columns. What was first stays first, so that sums are
/// formed in the same order on every run.
template <Element T>
void sort_by_rows(std::vector<Entry<T>>& entries, Range rows) {
  const auto by_column = [](const Entry<T>& a, const Entry<T>& b) { return a.column < b.column; };
  if (std::ranges::is_sorted(entries, [&](const Entry<T>& a, const Entry<T>& b) {
        return a.row < b.row || (a.row == b.row && by_column(a, b));
      }))
    return;
  // Where each row begins; then, when all have their places, where it ends.
  std::vector<std::size_t> places(static_cast<std::size_t>(rows.size()) + 1);
  const auto row_of = [&](const Entry<T>& e) { return static_cast<std::size_t>(e.row - rows.lo); };
  for (const Entry<T>& entry : entries) ++places[row_of(entry) + 1];
  std::partial_sum(places.begin(), places.end(), places.begin());
  std::vector<Entry<T>> sorted(entries.size());
  for (const Entry<T>& entry : entries) sorted[places[row_of(entry)]++] = entry;
  std::size_t begin = 0;
  for (const std::size_t end : places) {
    const std::span row(sorted.data() + begin, end - begin);
    if (!std::ranges::is_sorted(row, by_column)) std::ranges::stable_sort(row, by_column);
    begin = end;
  }
  entries = std::move(sorted);
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
  // Mine stay where they are: most programs add their own rows.
  const Range rows = my_rows();
  StripOf owner(frame_.rows);
  std::size_t kept = 0;
  for (const Entry<T>& entry : added_)
    if (rows.lo <= entry.row && entry.row < rows.hi)
      added_[kept++] = entry;
    else
      outgoing[static_cast<std::size_t>(owner(entry.row))].push_back(entry);
  added_.resize(kept);
  const std::vector<Entry<T>> received = deliver(frame_.group, outgoing);
  added_.insert(added_.end(), received.begin(), received.end());
  fill(std::exchange(added_, {}));
}

template <Element T>
void Matrix<T>::fill(std::vector<Entry<T>> mine) {
  sort_by_rows(mine, my_rows());
  merge_neighbours(mine);
  const auto strips = static_cast<std::size_t>(frame_.columns.count());
  std::vector<std::int64_t> counts(strips);
  StripOf strip_of(frame_.columns);
  for (const Entry<T>& entry : mine) ++counts[static_cast<std::size_t>(strip_of(entry.column))];
  std::vector<int> filled;
  for (std::size_t strip = 0; strip < strips; ++strip)
    if (counts[strip] > 0) filled.push_back(static_cast<int>(strip));
  const auto starts = filled.size() * static_cast<std::size_t>(my_rows().size() + 1);
  storage_.reset();
  storage_.emplace(Storage{
      spread<std::int64_t>(frame_.group, 3 * strips), spread<std::int64_t>(frame_.group, starts),
      spread<std::int64_t>(frame_.group, mine.size()), spread<T>(frame_.group, mine.size())});
  storage_->mine.resize(strips);
  storage_->filled = std::move(filled);
  compress(*storage_, mine, counts);
  frame_.group.sync();
}

template <Element T>
void Matrix<T>::compress(Storage& to, const std::vector<Entry<T>>& sorted,
                         const std::vector<std::int64_t>& counts) const {
  std::int64_t* const starts = to.starts.local().data;
  std::int64_t* const columns = to.columns.local().data;
  T* const values = to.values.local().data;
  const Range rows = my_rows();
  const std::int64_t width = rows.size() + 1;
  struct Cursor {
    std::int64_t* row_ends;  // at first: how many elements each row has
    std::int64_t next;       // element
  };
  std::vector<Cursor> cursors(counts.size());
  std::int64_t first_element = 0, first_start = 0;
  for (const int strip : to.filled) {
    const auto at = static_cast<std::size_t>(strip);
    cursors[at] = {starts + first_start + 1, first_element};
    to.mine[at] = {first_of_mine(to.starts) + first_start, first_of_mine(to.values) + first_element,
                   counts[at]};
    std::fill_n(starts + first_start, width, 0);
    first_start += width;
    first_element += counts[at];
  }
  StripOf strip_of(frame_.columns);
  for (const Entry<T>& entry : sorted) {
    Cursor& cursor = cursors[static_cast<std::size_t>(strip_of(entry.column))];
    ++cursor.row_ends[entry.row - rows.lo];
    columns[cursor.next] = entry.column;
    values[cursor.next++] = entry.value;
  }
  for (const int strip : to.filled) {
    std::int64_t* const ends = cursors[static_cast<std::size_t>(strip)].row_ends;
    std::partial_sum(ends, ends + rows.size(), ends);
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
