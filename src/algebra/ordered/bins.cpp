// Bins: places are given out by atomic counters, one a bin; sorting is shared out by the elements.
#include "atoll/bins.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "algebra/core/vectors.hpp"
#include "array/frame.hpp"
#include "atoll/error.hpp"
#include "atoll/scan.hpp"

namespace lagoon::atoll {

namespace {

using detail::Stretch;
using Integers = std::vector<std::int64_t>;

/// Contents, counts and offsets of one call.
struct Bins {
  const AnyArray& contents;
  const AnyArray& counts;
  const AnyArray& offsets;
};

void require_members(const Bins& bins, std::string_view operation) {
  for (const AnyArray* array : {&bins.contents, &bins.counts, &bins.offsets}) {
    detail::require_alive(*array, operation);
    detail::require_same_members(*array, bins.contents, operation);
  }
}

void check_bins(const Bins& bins) {
  for (const AnyArray* array : {&bins.contents, &bins.counts, &bins.offsets}) {
    detail::check_vector(*array);
    if (!is_integer(array->type()))
      throw Error(ErrorKind::type, detail::description(*array) + " holds " +
                                       std::string(name_of(array->type())) +
                                       "; bins are of integers");
    if (array != &bins.contents && !can_count(array->type()))
      throw Error(ErrorKind::type, detail::description(*array) + " holds " +
                                       std::string(name_of(array->type())) +
                                       "; counts and offsets are of " + element_names(can_count));
    if (array->mirrored())
      throw Error(ErrorKind::unsupported,
                  detail::description(*array) + " is mirrored; bins are in distributed arrays");
  }
  const auto *contents = bins.contents.state().get(), *counts = bins.counts.state().get(),
             *offsets = bins.offsets.state().get();
  if (contents == counts || contents == offsets || counts == offsets)
    throw Error(ErrorKind::value,
                "contents, counts and offsets are three vectors; " +
                    detail::description(contents == counts ? bins.counts : bins.offsets) +
                    " is two of them");
  detail::check_same_type(bins.counts, bins.offsets);
  detail::check_same_shape(bins.counts, bins.offsets);
}

void check_pairs(const Bins& bins, std::span<const std::int64_t> values,
                 std::span<const std::int64_t> numbers) {
  if (values.size() != numbers.size())
    throw Error(ErrorKind::value, std::to_string(values.size()) + " values for " +
                                      std::to_string(numbers.size()) + " bin numbers");
  for (const std::int64_t bin : numbers)
    if (bin < 0 || bin >= bins.counts.elements())
      throw Error(ErrorKind::index, "bin " + std::to_string(bin) + " lies outside the counts, " +
                                        detail::description(bins.counts));
  for (const std::int64_t value : values)
    if (!fits(value, bins.contents.type()))
      throw Error(ErrorKind::value, "the value " + std::to_string(value) +
                                        " is out of range, but " +
                                        detail::description(bins.contents) + " holds " +
                                        std::string(name_of(bins.contents.type())));
}

void check_room(const Bins& bins, std::int64_t total) {
  const std::string found = "; there are " + std::to_string(total) + " elements";
  if (total > bins.contents.elements())
    throw Error(ErrorKind::value, detail::description(bins.contents) + " has room for " +
                                      std::to_string(bins.contents.elements()) + found)
        .during("bin_index");
  if (!fits(total, bins.counts.type()))
    throw Error(ErrorKind::value, detail::description(bins.counts) + " holds " +
                                      std::string(name_of(bins.counts.type())) + found)
        .during("bin_index");
}

/// Elements of an integer vector, one a position.
Integers gather(const AnyArray& vector, const Integers& positions) {
  Integers result(positions.size());
  with_computed_type(vector.type(), [&]<class T>(T) {
    if constexpr (std::integral<T>) {
      const std::vector<T> found = detail::read_elements<T>(
          vector.type(), positions.size(), [&](void* to) { vector.gather(positions, to); });
      std::copy(found.begin(), found.end(), result.begin());
    }
  });
  return result;
}

Integers fetch(const AnyArray& vector, const Stretch& stretch) {
  Integers result;
  with_computed_type(vector.type(), [&]<class T>(T) {
    if constexpr (std::integral<T>) {
      const std::vector<T> found = detail::fetch_elements<T>(vector, stretch.first, stretch.last);
      result.assign(found.begin(), found.end());
    }
  });
  return result;
}

void scatter(AnyArray& vector, const Integers& positions, const Integers& values) {
  with_computed_type(vector.type(), [&]<class T>(T) {
    if constexpr (std::integral<T>) {
      std::vector<T> converted(values.size());
      std::transform(values.begin(), values.end(), converted.begin(),
                     [](std::int64_t value) { return static_cast<T>(value); });
      detail::write_elements<T>(vector.type(), converted,
                                [&](const void* from) { vector.scatter(positions, from); });
    }
  });
}

/// My pairs in the order of their bins.
struct Contribution {
  Integers values;  ///< grouped by bin
  Integers bins;    ///< each bin once
  Integers counts;  ///< of values, of each of these bins
};
Contribution grouped(std::span<const std::int64_t> values, std::span<const std::int64_t> bins) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return bins[a] < bins[b]; });
  Contribution mine;
  for (const std::size_t i : order) {
    mine.values.push_back(values[i]);
    if (mine.bins.empty() || mine.bins.back() != bins[i]) {
      mine.bins.push_back(bins[i]);
      mine.counts.push_back(0);
    }
    ++mine.counts.back();
  }
  return mine;
}

/// Counts my values; where mine begin inside each of my bins.
Integers reserve(AnyArray& counts, const Contribution& mine) {
  Integers places;
  for (std::size_t i = 0; i < mine.bins.size(); ++i)
    places.push_back(counts.fetch_add({mine.bins[i]}, mine.counts[i]));
  return places;
}

/// Writes my values, each at its bin's offset and its place in the bin.
void store(AnyArray& contents, const AnyArray& offsets, const Contribution& mine,
           const Integers& places) {
  const Integers begins = gather(offsets, mine.bins);
  Integers positions;
  for (std::size_t i = 0; i < mine.bins.size(); ++i)
    for (std::int64_t k = 0; k < mine.counts[i]; ++k)
      positions.push_back(begins[i] + places[i] + k);
  scatter(contents, positions, mine.values);
}

/// Checks that the bins lie inside the contents, apart and in order: each rank some, all are told.
void check_order(const Bins& bins) {
  const std::int64_t length = bins.counts.elements(), room = bins.contents.elements();
  const Stretch mine = detail::stretch_of(whole({length}), bins.counts.group());
  const Integers counts = fetch(bins.counts, mine);
  const Integers offsets = fetch(bins.offsets, {mine.first, std::min(mine.last + 1, length)});
  std::int64_t first_bad = length;
  for (std::size_t i = 0; i < counts.size() && first_bad == length; ++i) {
    const std::int64_t end = i + 1 < offsets.size() ? std::min(offsets[i + 1], room) : room;
    if (offsets[i] < 0 || offsets[i] > end || counts[i] < 0 || counts[i] > end - offsets[i])
      first_bad = mine.first + static_cast<std::int64_t>(i);
  }
  first_bad = bins.counts.group().reduce(first_bad, Reduction::minimum);
  if (first_bad < length)
    throw Error(ErrorKind::value, "bin " + std::to_string(first_bad) +
                                      " does not lie between its neighbours, inside " +
                                      detail::description(bins.contents))
        .during("bin_sort");
}

/// The first bin whose offset is not below `position`; offsets ascend.
std::int64_t first_bin_from(const AnyArray& offsets, std::int64_t position) {
  std::int64_t first = 0, last = offsets.elements();
  while (first < last) {
    const std::int64_t middle = first + (last - first) / 2;
    if (gather(offsets, {middle})[0] < position)
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

/// The bins that begin in my stretch of the contents; the stretches are equal. Bins at the very
/// end, which are empty, are nobody's.
Stretch bins_of_mine(const Bins& bins) {
  const Patch all = whole({bins.contents.elements()});
  const Stretch elements = detail::stretch_of(all, bins.contents.group());
  return {first_bin_from(bins.offsets, elements.first),
          first_bin_from(bins.offsets, elements.last)};
}

void sort_mine(AnyArray& contents, const AnyArray& counts, const AnyArray& offsets) {
  const Stretch mine = bins_of_mine({contents, counts, offsets});
  if (mine.first >= mine.last) return;
  const Integers sizes = fetch(counts, mine), begins = fetch(offsets, mine);
  const std::int64_t first = begins.front();
  with_computed_type(contents.type(), [&]<class T>(T) {
    if constexpr (std::integral<T>) {
      std::vector<T> elements =
          detail::fetch_elements<T>(contents, first, begins.back() + sizes.back());
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        const auto begin = elements.begin() + (begins[i] - first);
        std::sort(begin, begin + sizes[i]);
        // Bin by bin: what is in a gap is not mine to write.
        detail::store_elements<T>(contents, begins[i], {begin, begin + sizes[i]});
      }
    }
  });
}

}  // namespace

std::int64_t bin_index(AnyArray& contents, AnyArray& counts, AnyArray& offsets,
                       std::span<const std::int64_t> values, std::span<const std::int64_t> bins,
                       bool sorted) {
  constexpr std::string_view operation = "bin_index";
  const Bins all{contents, counts, offsets};
  require_members(all, operation);
  for (const AnyArray* array : {&contents, &counts, &offsets})
    detail::require_writable(*array, operation);
  const Group& group = contents.group();
  std::int64_t total = 0;
  detail::collectively(
      group, operation, detail::hash_of(contents, counts, offsets, std::uint64_t{sorted}),
      [&] {
        check_bins(all);
        check_pairs(all, values, bins);
      },
      [&] {
        total = group.reduce(std::ssize(values));
        check_room(all, total);
      });
  zero(counts);
  const Contribution mine = grouped(values, bins);
  const Integers places = reserve(counts, mine);
  scan_add(counts, offsets, whole(counts.shape()), Scan::exclusive);
  store(contents, offsets, mine, places);
  if (sorted)
    bin_sort(contents, counts, offsets);
  else
    group.sync();
  return total;
}

void bin_sort(AnyArray& contents, const AnyArray& counts, const AnyArray& offsets) {
  const Bins all{contents, counts, offsets};
  require_members(all, "bin_sort");
  detail::require_writable(contents, "bin_sort");
  detail::collectively(
      contents.group(), "bin_sort", detail::hash_of(contents, counts, offsets),
      [&] { check_bins(all); },
      [&] {
        check_order(all);
        sort_mine(contents, counts, offsets);
      });
}

}  // namespace lagoon::atoll
