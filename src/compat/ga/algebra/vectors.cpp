#include "compat/ga/algebra/vectors.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "atoll/algebra.hpp"
#include "atoll/bins.hpp"
#include "atoll/error.hpp"
#include "atoll/scan.hpp"
#include "compat/ga/creation.hpp"
#include "ga/macdecls.h"

namespace lagoon::atoll::ga {

namespace {

Patch patch_of_range(Range range) { return {{range.lo}, {std::max(range.lo, range.hi)}}; }

/// Where the first element of the range that is not zero is; its end if there is none.
std::int64_t first_mark(const AnyArray& mask, Range range) {
  std::int64_t found = range.hi;
  mask.group().sync();
  for (const Patch& block : mask.patches(mask.group().rank())) {
    const Patch mine = intersection(block, patch_of_range(range));
    if (mine.empty()) continue;
    with_datatype(mask.type(), [&]<class T>(T) {
      std::vector<T> marks(static_cast<std::size_t>(mine.elements()));
      mask.get(mine, marks.data());
      const auto at = std::ranges::find_if(marks, [](T mark) { return mark != T(0); });
      if (at != marks.end()) found = std::min(found, mine.lo[0] + (at - marks.begin()));
    });
  }
  return mask.group().reduce(found, Reduction::minimum);
}

void zero_before(AnyArray& target, Range range, std::int64_t mark) {
  if (mark > range.lo) zero({target, patch_of_range({range.lo, mark})});
}

AnyArray& array(std::int64_t handle) { return numbers(handle).array; }

AnyArray& integers(std::int64_t handle) {
  AnyArray& found = array(handle);
  if (!is_integer(found.type()) || found.dimensions() != 1)
    throw Error(ErrorKind::type, "'" + found.name() + "' is " + std::string(name_of(found.type())) +
                                     " of shape " + found.shape().to_string() +
                                     "; expected a vector of integers");
  return found;
}

/// A mask of any type as one of integers, not zero where it is set: itself, or a copy.
class Mask {
 public:
  explicit Mask(std::int64_t handle) : given_(array(handle)) {
    if (given_.dimensions() != 1)
      throw Error(ErrorKind::value, "the mask '" + given_.name() + "' has shape " +
                                        given_.shape().to_string() + "; expected a vector");
    if (is_integer(given_.type())) return;
    ArrayOptions options;
    options.zero = false;
    options.mirrored = given_.mirrored();
    AnyArray& copy =
        copy_.emplace(given_.whole_group(), given_.shape(), ElementType::int32, options);
    given_.group().sync();
    with_datatype(given_.type(), [&]<class T>(T) { set<T>(copy); });
    given_.group().sync();
  }
  const AnyArray& marks() const { return copy_ ? *copy_ : given_; }

 private:
  template <class T>
  void set(AnyArray& copy) const {
    for (const Patch& mine : copy.patches(copy.group().rank())) {
      if (mine.empty()) continue;
      std::vector<T> values(static_cast<std::size_t>(mine.elements()));
      std::vector<std::int32_t> set(values.size());
      given_.get(mine, values.data());
      std::ranges::transform(values, set.begin(), [](T value) { return value != T(0) ? 1 : 0; });
      copy.put(mine, set.data());
    }
  }
  const AnyArray& given_;
  std::optional<AnyArray> copy_;
};

std::vector<std::size_t> order_by(std::span<const std::int64_t> bins) {
  std::vector<std::size_t> order(bins.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [bins](std::size_t i) { return bins[i]; });
  return order;
}

/// Takes room for my values: the place of each one in the contents, in the order of `order`.
std::vector<std::int64_t> places_for(AnyArray& cursors, std::span<const std::int64_t> bins,
                                     const std::vector<std::size_t>& order) {
  std::vector<std::int64_t> places;
  for (std::size_t begin = 0; begin < order.size();) {
    const std::int64_t bin = bins[order[begin]];
    std::size_t end = begin;
    while (end < order.size() && bins[order[end]] == bin) ++end;
    const auto count = static_cast<std::int64_t>(end - begin);
    const std::int64_t at = cursors.fetch_add({bin - 1}, count);
    for (std::int64_t i = 0; i < count; ++i) places.push_back(at + i);
    begin = end;
  }
  return places;
}

std::int64_t integer_at(AnyArray& vector, std::int64_t position) {
  return with_datatype(vector.type(), [&]<class T>(T value) -> std::int64_t {
    vector.get({{position}, {position + 1}}, &value);
    if constexpr (std::is_integral_v<T>) return static_cast<std::int64_t>(value);
    return 0;  // none of `integers`
  });
}

/// The bin, numbered from 1, of the element at `position`: the last one whose offset is not behind
/// it, as empty bins lie before the one that begins where they do.
std::int64_t bin_of(AnyArray& offsets, std::int64_t position) {
  std::int64_t bins = 0;
  for (std::int64_t end = offsets.shape()[0]; bins < end;) {
    const std::int64_t middle = bins + (end - bins) / 2;
    if (integer_at(offsets, middle) <= position)
      bins = middle + 1;
    else
      end = middle;
  }
  return bins;
}

}  // namespace

void enumerate_from(std::int64_t g_a, Range range, const void* start, const void* step) {
  const MutableView a = numbers(g_a);
  enumerate(a.array, patch_of_range(range), number_for(a, start), number_for(a, step));
}

void scan_sums(std::int64_t g_source, std::int64_t g_target, std::int64_t g_mask, Range range,
               bool exclusive) {
  const Mask mask(g_mask);
  const std::int64_t mark = first_mark(mask.marks(), range);
  if (mark == range.hi) return;
  scan_add(array(g_source), mask.marks(), array(g_target), patch_of_range({mark, range.hi}),
           exclusive ? Scan::exclusive : Scan::inclusive);
}

void scan_copies(std::int64_t g_source, std::int64_t g_target, std::int64_t g_mask, Range range) {
  const Mask mask(g_mask);
  const std::int64_t mark = first_mark(mask.marks(), range);
  scan_copy(array(g_source), mask.marks(), array(g_target), patch_of_range(range));
  zero_before(array(g_target), range, mark);
}

std::int64_t pack_marked(std::int64_t g_source, std::int64_t g_target, std::int64_t g_mask,
                         Range range) {
  return pack(array(g_source), Mask(g_mask).marks(), array(g_target), patch_of_range(range));
}

std::int64_t unpack_marked(std::int64_t g_source, std::int64_t g_target, std::int64_t g_mask,
                           Range range) {
  return unpack(array(g_source), Mask(g_mask).marks(), array(g_target), patch_of_range(range));
}

void fill_bins(std::int64_t g_contents, std::int64_t g_counts, std::int64_t g_offsets,
               std::span<const std::int64_t> values, std::span<const std::int64_t> bins,
               bool sorted) {
  AnyArray &contents = integers(g_contents), &offsets = integers(g_offsets);
  AnyArray cursors = offsets.duplicate({}, false);
  copy(offsets, cursors);
  const std::vector<std::size_t> order = order_by(bins);
  const std::vector<std::int64_t> places = places_for(cursors, bins, order);
  with_datatype(contents.type(), [&]<class T>(T) {
    std::vector<T> sorted_values;
    if constexpr (std::is_integral_v<T>)
      for (const std::size_t i : order) sorted_values.push_back(static_cast<T>(values[i]));
    contents.scatter(places, sorted_values.data());
  });
  contents.group().sync();
  if (sorted) sort_bins(g_contents, g_counts, g_offsets);
}

void sort_bins(std::int64_t g_contents, std::int64_t g_counts, std::int64_t g_offsets) {
  bin_sort(integers(g_contents), integers(g_counts), integers(g_offsets));
}

std::optional<int> create_bin_range(std::int64_t g_contents, std::int64_t g_offsets) {
  const GlobalArray& contents = array_of(g_contents);
  AnyArray& offsets = integers(g_offsets);
  (void)integers(g_contents);
  offsets.group().sync();
  const Group& processes = contents.processes();
  Plan plan;
  plan.type = MT_F_INT;
  plan.shape = {processes.size(), 2};
  plan.block = {1, 2};
  plan.name = "bin_proc";
  plan.group = contents.plan.group;
  const std::optional<int> made = create(std::move(plan));
  if (!made) return made;
  AnyArray& range = array_of(*made).array();
  const std::int64_t me = processes.rank();
  const Patch mine = contents.owned(static_cast<int>(me));
  if (!mine.empty()) {
    const std::array<Integer, 2> bins = {static_cast<Integer>(bin_of(offsets, mine.lo[0])),
                                         static_cast<Integer>(bin_of(offsets, mine.hi[0] - 1))};
    range.put({{me, 0}, {me + 1, 2}}, bins.data());
  }
  range.group().sync();
  return made;
}

}  // namespace lagoon::atoll::ga
