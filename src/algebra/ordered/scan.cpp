// Scans: the patch is dealt out to the ranks in equal stretches, whoever owns them. Each scans its
// own, the ranks tell each other what they end with, and each adds what comes before it.
#include "atoll/scan.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algebra/core/sums.hpp"
#include "algebra/core/vectors.hpp"
#include "array/array_state.hpp"
#include "array/frame.hpp"
#include "atoll/error.hpp"
#include "world/arithmetic.hpp"

namespace lagoon::atoll {

namespace {

using detail::check_vector;
using detail::Stretch;

void check_patch_of(const AnyArray& a, const Patch& patch) {
  check_vector(a);
  detail::check_patch(a, patch);
  if (!patch.step.empty() && patch.step[0] != 1)
    throw Error(ErrorKind::value,
                "patch " + patch.to_string() + " has steps; expected whole ranges");
}

void check_mask(const AnyArray& mask, const AnyArray& like) {
  detail::check_same_shape(like, mask);
  if (!is_integer(mask.type()))
    throw Error(ErrorKind::type, detail::description(mask) + " holds " +
                                     std::string(name_of(mask.type())) + "; a mask is of integers");
}

template <Element T>
std::vector<T> fetch(const AnyArray& a, const Stretch& stretch) {
  return detail::fetch_elements<T>(a, stretch.first, stretch.last);
}

/// Where segments begin in my stretch, by the mask alone: without one, nowhere.
std::vector<bool> fetch_marks(const AnyArray* mask, const Stretch& stretch) {
  std::vector<bool> marks(stretch.size());
  if (mask == nullptr) return marks;
  with_computed_type(mask->type(), [&]<class M>(M) {
    const std::vector<M> values = fetch<M>(*mask, stretch);
    std::transform(values.begin(), values.end(), marks.begin(), [](M m) { return m != M(); });
  });
  return marks;
}

/// Everybody's value, in the order of the ranks: bits, of which all but one rank have zeros.
template <class W>
std::vector<W> of_all_ranks(const Group& group, W mine) {
  std::vector<W> all(static_cast<std::size_t>(group.size()));
  std::vector<std::int64_t> words(all.size() * sizeof(W) / sizeof(std::int64_t));
  std::memcpy(words.data() + static_cast<std::size_t>(group.rank()) * words.size() / all.size(),
              &mine, sizeof mine);
  group.reduce(std::span<std::int64_t>(words));
  std::memcpy(static_cast<void*>(all.data()), words.data(), all.size() * sizeof(W));
  return all;
}

/// What a stretch ends with: whether a segment begins in it, and the value at its end.
template <class W>
struct End {
  bool begins;
  W value;
};

/// What comes into my stretch from those before: the ends since the last one with a begin, combined
/// from left to right.
template <class W, class Combine>
W carried(const Group& group, const End<W>& mine, const Combine& combine) {
  const std::vector<std::int64_t> begins =
      of_all_ranks(group, static_cast<std::int64_t>(mine.begins ? 1 : 0));
  const std::vector<W> values = of_all_ranks(group, mine.value);
  W result{};
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(group.rank()); ++rank)
    result = begins[rank] != 0 ? values[rank] : combine(result, values[rank]);
  return result;
}

/// The frame of scans: source and target alike, perhaps a mask.
template <class Body>
void scan(std::string_view operation, const AnyArray& source, const AnyArray* mask,
          AnyArray& target, const Patch& patch, std::uint64_t kind, Body&& body) {
  detail::require_alive(source, operation);
  if (mask != nullptr) detail::require_alive(*mask, operation);
  detail::require_writable(target, operation);
  detail::require_same_members(source, target, operation);
  if (mask != nullptr) detail::require_same_members(source, *mask, operation);
  const auto validate = [&] {
    check_patch_of(source, patch);
    detail::check_same_type(source, target);
    detail::check_same_shape(source, target);
    if (mask != nullptr) check_mask(*mask, source);
  };
  detail::ArgumentHash hash;
  hash.add(source).add(target).add(patch).add(kind);
  if (mask != nullptr) hash.add(*mask);
  detail::collectively(source.group(), operation, hash.value(), validate, [&] {
    const Stretch stretch = detail::stretch_of(patch, source.group());
    std::vector<bool> marks = fetch_marks(mask, stretch);
    if (!marks.empty() && stretch.first == patch.lo[0]) marks[0] = true;
    with_computed_type(source.type(), [&]<class T>(T) {
      std::vector<T> values = fetch<T>(source, stretch);
      body(std::span<T>(values), marks);
      source.group().barrier();  // the target may be the source
      detail::store_elements<T>(target, stretch.first, values);
    });
  });
}

/// Elements of the patch that are marked, before my stretch and in all.
struct Count {
  std::int64_t before, all;
};
Count count_marks(const Group& group, const std::vector<bool>& marks) {
  const std::vector<std::int64_t> counts =
      of_all_ranks(group, static_cast<std::int64_t>(std::count(marks.begin(), marks.end(), true)));
  Count result{0, 0};
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    if (rank < static_cast<std::size_t>(group.rank())) result.before += counts[rank];
    result.all += counts[rank];
  }
  return result;
}

/// The frame of pack and unpack. `full` has the extent of the mask, the other one holds what is
/// packed: `body(stretch, marks, count)` does the work when it has room.
template <class Body>
std::int64_t repack(std::string_view operation, const AnyArray& source, const AnyArray& mask,
                    AnyArray& target, const Patch& patch, bool source_is_full, Body&& body) {
  for (const AnyArray* array : {&source, &mask}) detail::require_alive(*array, operation);
  detail::require_writable(target, operation);
  detail::require_same_members(source, target, operation);
  detail::require_same_members(source, mask, operation);
  const AnyArray& full = source_is_full ? source : target;
  const AnyArray& packed = source_is_full ? target : source;
  const auto validate = [&] {
    check_patch_of(full, patch);
    check_vector(packed);
    detail::check_same_type(source, target);
    check_mask(mask, full);
    if (source.state() == target.state())
      throw Error(ErrorKind::value, detail::description(source) + " is both source and target");
  };
  const Group& group = source.group();
  detail::enter_collective(group, operation, detail::hash_of(source, mask, target, patch),
                           validate);
  const Stretch stretch = detail::stretch_of(patch, group);
  const std::vector<bool> marks = fetch_marks(&mask, stretch);
  const Count count = count_marks(group, marks);
  const bool fits = count.all <= packed.shape()[0];
  if (fits) body(stretch, marks, count);
  detail::leave_collective(group);
  if (!fits)
    throw Error(ErrorKind::value, detail::description(packed) +
                                      (source_is_full ? " has room for " : " has only ") +
                                      std::to_string(packed.shape()[0]) +
                                      " elements; the mask has " + std::to_string(count.all))
        .during(operation, target.name());
  return count.all;
}

}  // namespace

void enumerate(AnyArray& a, const Patch& patch, const Scalar& start, const Scalar& step) {
  constexpr std::string_view operation = "enumerate";
  detail::require_writable(a, operation);
  const auto validate = [&] {
    check_patch_of(a, patch);
    detail::check_scalar(start, a, "the start");
    detail::check_scalar(step, a, "the step");
  };
  detail::collectively(a.group(), operation, detail::hash_of(a, patch, start, step), validate, [&] {
    const Stretch stretch = detail::stretch_of(patch, a.group());
    with_computed_type(a.type(), [&]<class T>(T) {
      std::vector<T> values(stretch.size());
      for (std::size_t i = 0; i < values.size(); ++i) {
        const std::int64_t place = stretch.first - patch.lo[0] + static_cast<std::int64_t>(i);
        values[i] = detail::plus(start.as<T>(), detail::times(Scalar(place).as<T>(), step.as<T>()));
      }
      detail::store_elements<T>(a, stretch.first, values);
    });
  });
}

namespace {

void sum_segments(const AnyArray& source, const AnyArray* mask, AnyArray& target,
                  const Patch& patch, Scan kind) {
  scan("scan_add", source, mask, target, patch, static_cast<std::uint64_t>(kind),
       [&]<class T>(std::span<T> values, const std::vector<bool>& marks) {
         using W = detail::Wide<T>;
         std::vector<W> sums(values.size());
         W sum{};
         for (std::size_t i = 0; i < values.size(); ++i) {
           if (marks[i]) sum = W();
           if (kind == Scan::exclusive) sums[i] = sum;
           sum += static_cast<W>(values[i]);
           if (kind == Scan::inclusive) sums[i] = sum;
         }
         const bool begins = std::find(marks.begin(), marks.end(), true) != marks.end();
         const W before = carried(source.group(), End<W>{begins, sum},
                                  [](W one, W other) { return static_cast<W>(one + other); });
         bool first_segment = true;
         for (std::size_t i = 0; i < values.size(); ++i) {
           first_segment = first_segment && !marks[i];
           values[i] = static_cast<T>(first_segment ? before + sums[i] : sums[i]);
         }
       });
}

}  // namespace

void scan_add(const AnyArray& source, const AnyArray& mask, AnyArray& target, const Patch& patch,
              Scan kind) {
  sum_segments(source, &mask, target, patch, kind);
}
void scan_add(const AnyArray& source, AnyArray& target, const Patch& patch, Scan kind) {
  sum_segments(source, nullptr, target, patch, kind);
}

void scan_copy(const AnyArray& source, const AnyArray& mask, AnyArray& target, const Patch& patch) {
  scan("scan_copy", source, &mask, target, patch, 0,
       [&]<class T>(std::span<T> values, const std::vector<bool>& marks) {
         using W = detail::Wide<T>;
         const auto first = std::find(marks.begin(), marks.end(), true) - marks.begin();
         T last{};
         for (std::size_t i = static_cast<std::size_t>(first); i < values.size(); ++i) {
           if (marks[i]) last = values[i];
           values[i] = last;
         }
         const bool begins = static_cast<std::size_t>(first) != values.size();
         const W before = carried(source.group(), End<W>{begins, static_cast<W>(last)},
                                  [](W one, W) { return one; });
         std::fill_n(values.begin(), first, static_cast<T>(before));
       });
}

std::int64_t pack(const AnyArray& source, const AnyArray& mask, AnyArray& target,
                  const Patch& patch) {
  return repack("pack", source, mask, target, patch, true,
                [&](const Stretch& stretch, const std::vector<bool>& marks, const Count& count) {
                  with_computed_type(source.type(), [&]<class T>(T) {
                    const std::vector<T> values = fetch<T>(source, stretch);
                    std::vector<T> chosen;
                    for (std::size_t i = 0; i < values.size(); ++i)
                      if (marks[i]) chosen.push_back(values[i]);
                    detail::store_elements<T>(target, count.before, chosen);
                  });
                });
}

std::int64_t unpack(const AnyArray& source, const AnyArray& mask, AnyArray& target,
                    const Patch& patch) {
  return repack(
      "unpack", source, mask, target, patch, false,
      [&](const Stretch& stretch, const std::vector<bool>& marks, const Count& count) {
        with_computed_type(source.type(), [&]<class T>(T) {
          const auto length =
              static_cast<std::int64_t>(std::count(marks.begin(), marks.end(), true));
          const std::vector<T> packed = fetch<T>(source, {count.before, count.before + length});
          std::vector<std::int64_t> positions;
          for (std::size_t i = 0; i < marks.size(); ++i)
            if (marks[i]) positions.push_back(stretch.first + static_cast<std::int64_t>(i));
          detail::write_elements<T>(target.type(), packed,
                                    [&](const void* from) { target.scatter(positions, from); });
        });
      });
}

}  // namespace lagoon::atoll
