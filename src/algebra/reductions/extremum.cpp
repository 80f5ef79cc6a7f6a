// The smallest and the largest element and where the first of them is, in row-major order.
//
// Values are compared as 64-bit keys in which smaller means better and NaN is best: so one integer
// reduction finds the value on all ranks, whatever MPI thinks of NaN, and a second the position.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "algebra/core/operands.hpp"
#include "algebra/core/sections.hpp"
#include "algebra/elementwise/conversion.hpp"
#include "array/frame.hpp"
#include "atoll/algebra.hpp"
#include "atoll/error.hpp"
#include "world/arithmetic.hpp"
#include "world/processors.hpp"

namespace lagoon::atoll {

namespace {

enum class Sense : bool { minimum, maximum };

template <class T>
concept Ordered = Element<T> && !detail::is_complex_type<T>;

constexpr std::int64_t worst = std::numeric_limits<std::int64_t>::max();

/// The number's place in the order; equal for numbers that compare equal (so for both zeros).
template <Ordered T>
std::int64_t key_of(T value, Sense sense) {
  if (detail::is_nan(value)) return std::numeric_limits<std::int64_t>::min();
  std::int64_t key = 0;
  if constexpr (detail::is_integer_type<T>) {
    // Without a sign, the upper half of the numbers is above the others.
    key = std::signed_integral<T> ? static_cast<std::int64_t>(value)
                                  : static_cast<std::int64_t>(static_cast<std::uint64_t>(value) ^
                                                              std::uint64_t{1} << 63);
  } else {
    const auto bits = std::bit_cast<std::int64_t>(static_cast<double>(value) + 0.0);  // no -0
    key = bits < 0 ? ~(bits & std::numeric_limits<std::int64_t>::max()) : bits;
  }
  return sense == Sense::minimum ? key : ~key;
}

template <Sense sense, Ordered T>
T better(T a, T b) {
  return sense == Sense::minimum ? detail::smaller(a, b) : detail::larger(a, b);
}
template <Ordered T>
bool equal(T a, T b) {
  return a == b || (detail::is_nan(a) && detail::is_nan(b));
}

/// The best of the elements, lane by lane; count > 0.
template <Sense sense, Ordered T>
ATOLL_EACH_PROCESSOR_OF_TEMPLATE T best_of(const T* x, std::int64_t count) {
  constexpr std::int64_t width = 32;
  std::array<T, width> lane;
  lane.fill(x[0]);
  std::int64_t i = 0;
  for (; i + width <= count; i += width)
    for (std::int64_t l = 0; l < width; ++l) {
      T& mine = lane[static_cast<std::size_t>(l)];
      mine = better<sense>(mine, x[i + l]);
    }
  T best = x[0];
  for (; i < count; ++i) best = better<sense>(best, x[i]);
  for (const T value : lane) best = better<sense>(best, value);
  return best;
}

/// Index of the first of the best elements; count > 0. Searches only a piece that improved.
template <Sense sense, Ordered T>
std::int64_t first_best(const T* x, std::int64_t count) {
  constexpr std::int64_t piece = 1024;
  std::int64_t best = 0;
  for (std::int64_t start = 0; start < count && !detail::is_nan(x[best]); start += piece) {
    const T found = best_of<sense>(x + start, std::min(piece, count - start));
    if (equal(better<sense>(x[best], found), x[best]) && start > 0) continue;
    best = start;
    while (!equal(x[best], found)) ++best;
  }
  return best;
}
template <Ordered T>
std::int64_t first_best(const T* x, std::int64_t count, Sense sense) {
  return sense == Sense::minimum ? first_best<Sense::minimum>(x, count)
                                 : first_best<Sense::maximum>(x, count);
}

struct Candidate {
  std::int64_t key = worst;
  std::int64_t position = worst;  ///< row-major number in the whole array
  Index index;
};

/// The global position of the element at a local position in a rank's dense matrix.
Index global_position(const Distribution& distribution, int rank, const Index& local) {
  if (distribution.one_block_a_rank()) {
    Index position = distribution.patches(rank).front().lo;
    for (int d = 0; d < local.size(); ++d) position[d] += local[d];
    return position;
  }
  Index position = local;
  std::int64_t rest = rank;
  for (int d = local.size() - 1; d >= 0; --d) {
    const std::int64_t grid = distribution.grid()[d], block = distribution.block()[d];
    position[d] = (local[d] / block * grid + rest % grid) * block + local[d] % block;
    rest /= grid;
  }
  return position;
}

/// The position with row-major number `linear` in a shape.
Index unravel(std::int64_t linear, const Index& shape) {
  Index position = shape;
  for (int d = shape.size() - 1; d >= 0; --d) {
    position[d] = linear % shape[d];
    linear /= shape[d];
  }
  return position;
}

Index one_beyond(Index position) {
  for (std::int64_t& coordinate : position) ++coordinate;
  return position;
}

/// Compares the best elements of parts of my memory; T is the type in which the array's is
/// computed.
template <Ordered T>
class Search {
 public:
  Search(const AnyArray& a, Sense sense)
      : type_(a.type()),
        size_(static_cast<std::int64_t>(size_of(type_))),
        memory_(detail::own_bytes(a)),
        strides_(packed_strides(a.shape())),
        sense_(sense) {}

  /// Consecutive memory; `where(i)` is the array position of its element i.
  template <class Where>
  void consecutive(std::int64_t offset, std::int64_t count, const Where& where) {
    const std::int64_t most = is_narrow(type_) ? widened_at_once : count;
    for (std::int64_t first = 0; first < count; first += most) {
      const std::int64_t now = std::min(most, count - first);
      const T* const x = elements(offset + first, now, 1);
      const std::int64_t i = first_best(x, now, sense_);
      offer(x[i], where(first + i));
    }
  }

  /// My part of a section in a block, row by row.
  void rows(const detail::OwnedBlock& block, const Patch& part) {
    const int last = part.lo.size() - 1;
    const std::int64_t step = detail::step_of(part, last), stride = block.strides[last] * step;
    const Index shape = part.shape();
    detail::for_each_row(shape, [&](const Index& at) {
      Index first = part.lo;
      for (int d = 0; d < last; ++d) first[d] += at[d] * detail::step_of(part, d);
      const T* const row =
          elements(detail::offset_in_block(block, first), shape[last], step == 1 ? 1 : stride);
      const std::int64_t i = first_best(row, shape[last], sense_);
      const T value = row[i];
      first[last] += i * step;
      offer(value, first);
    });
  }

  const Candidate& best() const { return best_; }

 private:
  static constexpr std::int64_t widened_at_once = 1 << 16;

  /// Elements of my memory as packed ones of type T.
  const T* elements(std::int64_t offset, std::int64_t count, std::int64_t stride) {
    const std::byte* from = memory_ + offset * size_;
    if (stride == 1 && !is_narrow(type_)) return reinterpret_cast<const T*>(from);
    row_.resize(static_cast<std::size_t>(count));
    if (stride == 1) {
      detail::move_packed({element_type_of<T>(), reinterpret_cast<std::byte*>(row_.data())},
                          {type_, from}, count);
      return row_.data();
    }
    detail::move_strided({element_type_of<T>(), reinterpret_cast<std::byte*>(row_.data())}, {1},
                         {type_, from}, {stride}, {count});
    return row_.data();
  }

  void offer(T value, const Index& at) {
    const Candidate candidate{key_of(value, sense_), detail::dot_product(at, strides_), at};
    if (candidate.key < best_.key ||
        (candidate.key == best_.key && candidate.position < best_.position))
      best_ = candidate;
  }

  ElementType type_;
  std::int64_t size_;
  const std::byte* memory_;
  Index strides_;
  Sense sense_;
  Candidate best_;
  std::vector<T> row_;
};

template <Ordered T>
Candidate local_best(const View& a, Sense sense) {
  const Distribution& distribution = a.array.distribution();
  const int me = a.array.group().rank();
  const std::int64_t count = detail::own_elements(a.array);
  if (count == 0) return {};
  Search<T> search(a.array, sense);
  const bool dense = a.all() && !distribution.has_halo();
  if (dense && distribution.dense_in_memory()) {
    // The local matrix keeps the order of the array.
    search.consecutive(0, count, [&](std::int64_t i) {
      return global_position(distribution, me, unravel(i, distribution.local_shape(me)));
    });
    return search.best();
  }
  const Patch section = a.section();
  detail::for_each_owned_block(distribution, me, [&](const detail::OwnedBlock& block) {
    detail::Range range;
    if (!detail::section_in_block(section, block.patch, range)) return;
    if (!dense) {
      search.rows(block, detail::subsection(section, range));
      return;
    }
    const Index shape = block.patch.shape();
    search.consecutive(block.offset, shape.product(), [&](std::int64_t i) {
      Index at = unravel(i, shape);
      for (int d = 0; d < at.size(); ++d) at[d] += block.patch.lo[d];
      return at;
    });
  });
  return search.best();
}

template <Ordered T>
Extremum over_ranks(const View& operand, Sense sense) {
  const AnyArray& a = operand.array;
  const Group& group = a.group();
  const Candidate mine = local_best<T>(operand, sense);
  const std::int64_t key = group.reduce(mine.key, Reduction::minimum);
  const std::int64_t position =
      group.reduce(mine.key == key ? mine.position : worst, Reduction::minimum);
  Extremum result{T{}, unravel(position, a.shape())};
  // The owner sends the element itself: a key does not tell -0 from 0.
  alignas(16) std::array<std::byte, 16> stored{};
  const int owner = a.owner(result.position);
  if (owner == group.rank())
    a.get({result.position, one_beyond(result.position), {}}, stored.data());
  group.broadcast(std::span<std::byte>(stored), owner);
  T value{};
  detail::move_packed({element_type_of<T>(), reinterpret_cast<std::byte*>(&value)},
                      {a.type(), stored.data()}, 1);
  result.value = value;
  return result;
}

Extremum extremum(const View& a, Sense sense, std::string_view operation) {
  const auto check = [&] {
    detail::check_not_complex(a.array);
    if (a.section().empty()) throw Error(ErrorKind::value, detail::text_of(a) + " has no elements");
  };
  Extremum result{0, {}};
  detail::reading(operation, {&a, 1}, 0, check, [&] {
    with_computed_type(a.array.type(), [&]<class T>(T) {
      if constexpr (Ordered<T>) result = over_ranks<T>(a, sense);
    });
  });
  return result;
}

}  // namespace

Extremum minimum_element(const View& a) { return extremum(a, Sense::minimum, "minimum_element"); }
Extremum maximum_element(const View& a) { return extremum(a, Sense::maximum, "maximum_element"); }

}  // namespace lagoon::atoll
