// What every C++ test uses: the running world, seeded random shapes, layouts and patches, and
// checks that explain a mismatch.
//
// Random helpers take the generator explicitly. Tests that call collectives seed it alike on all
// ranks (`Random(seed)`); values chosen by one rank alone come from `Random(seed, rank)`.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <random>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "atoll/atoll.hpp"

namespace lagoon::atoll::test {

/// For TYPED_TEST_SUITE: what algebra is compiled for, and a narrow type. (One without a sign and
/// the other narrow ones go the same ways: narrow_types_test.cpp.)
using AllTypes = testing::Types<std::int32_t, std::int64_t, float, double, std::complex<float>,
                                std::complex<double>, std::uint8_t>;
constexpr bool is_tested(ElementType type) noexcept {
  return static_cast<std::size_t>(type) <= static_cast<std::size_t>(ElementType::uint8);
}
/// Those of atomic operations.
using IntegerTypes = testing::Types<std::int32_t, std::int64_t>;

inline World& world() { return World::current(); }

/// True on every rank if `condition` is true on every rank. Collective. For ASSERT_*, which must
/// fail on all ranks or on none.
inline bool everywhere(bool condition, const Group& group) {
  return group.reduce<std::int32_t>(condition ? 1 : 0, Reduction::minimum) == 1;
}
inline bool everywhere(bool condition) { return everywhere(condition, world()); }

// ---- random numbers, shapes, layouts, patches ----------------------------------------------

class Random {
 public:
  explicit Random(std::uint64_t seed, int rank = -1)
      : engine_(seed * 0x9e3779b97f4a7c15ULL + static_cast<std::uint64_t>(rank + 1)) {}

  /// Uniform in [first, last], both inclusive.
  std::int64_t between(std::int64_t first, std::int64_t last) {
    const auto width = static_cast<std::uint64_t>(last - first) + 1;
    return first + static_cast<std::int64_t>(engine_() % width);
  }
  bool chance(double probability) { return uniform() < probability; }
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }

 private:
  std::mt19937_64 engine_;
};

/// The integer as a T.
template <Element T>
T number(std::int64_t value) {
  return Scalar(value).as<T>();
}

/// y += alpha x; bytes wrap.
template <Element T>
void add_product(T& y, T alpha, T x) {
  y = static_cast<T>(y + alpha * x);
}

/// A number of this type that stays exact in float32 through some thousands of additions.
template <Element T>
T small_value(Random& random) {
  if constexpr (is_complex(element_type_of<T>())) {
    using Real = typename T::value_type;
    const auto real = static_cast<Real>(random.between(-99, 99));
    return T(real, static_cast<Real>(random.between(-99, 99)));
  } else {
    return static_cast<T>(random.between(-99, 99));
  }
}

/// An exact value that differs from position to position (up to 2^24 of them).
template <Element T>
T marked_value(std::int64_t linear, int salt = 0) {
  const std::int64_t mark = (linear * 31 + salt * 7919 + 1) % 16777213;
  if constexpr (is_complex(element_type_of<T>())) {
    using Real = typename T::value_type;
    return T(static_cast<Real>(mark), static_cast<Real>(-linear % 1021));
  } else {
    return static_cast<T>(mark);
  }
}

/// A shape of `dimensions` extents >= 1 with at most `most` elements.
inline Index random_shape(Random& random, int dimensions, std::int64_t most) {
  Index shape = Index::filled(dimensions, 1);
  std::int64_t left = most;
  const int first = static_cast<int>(random.between(0, dimensions - 1));
  for (int k = 0; k < dimensions; ++k) {
    const int d = (first + k) % dimensions;
    const double root = std::pow(static_cast<double>(left), 1.0 / (dimensions - k));
    const auto reach = static_cast<std::int64_t>(root * (1.0 + random.uniform()));
    shape[d] = random.between(1, std::clamp<std::int64_t>(reach, 1, left));
    left = std::max<std::int64_t>(1, left / shape[d]);
  }
  return shape;
}

/// A processor grid of exactly `ranks` ranks.
inline Index random_grid(Random& random, int dimensions, int ranks) {
  Index grid = Index::filled(dimensions, 1);
  int left = ranks;
  for (int factor = 2; left > 1; ++factor)
    while (left % factor == 0) {
      grid[static_cast<int>(random.between(0, dimensions - 1))] *= factor;
      left /= factor;
    }
  return grid;
}

/// Ascending first indices of at most `blocks` blocks per dimension, in all.
inline std::vector<std::vector<std::int64_t>> random_starts(Random& random, const Index& shape,
                                                            std::int64_t blocks) {
  std::vector<std::vector<std::int64_t>> starts;
  for (const std::int64_t extent : shape) {
    std::vector<std::int64_t> cuts{0};
    const std::int64_t count =
        random.between(1, std::max<std::int64_t>(1, std::min(blocks, extent)));
    while (std::ssize(cuts) < count) {
      const std::int64_t cut = random.between(1, extent - 1);
      if (std::find(cuts.begin(), cuts.end(), cut) == cuts.end()) cuts.push_back(cut);
    }
    std::sort(cuts.begin(), cuts.end());
    blocks /= count;
    starts.push_back(std::move(cuts));
  }
  return starts;
}

/// Any kind of layout, valid for this shape and number of ranks. Without a halo.
inline Layout random_plain_layout(Random& random, const Index& shape, int ranks) {
  const int dimensions = shape.size();
  Index block = Index::filled(dimensions, 1);
  for (int d = 0; d < dimensions; ++d)
    block[d] = random.between(1, std::max<std::int64_t>(1, shape[d]));
  const auto grid = [&] {
    return random.chance(0.5) ? random_grid(random, dimensions, ranks) : Index{};
  };
  switch (random.between(0, 6)) {
    case 0: return Layout::blocked();
    case 1: return Layout::blocked(block);
    case 2: return Layout::irregular(random_starts(random, shape, ranks));
    case 3: return Layout::block_cyclic(block, grid());
    case 4: return Layout::tiled_irregular(random_starts(random, shape, 40), grid());
    case 5: return Layout::dealt(block);
    default: return Layout::tiled(block, grid());
  }
}

/// The same; where there may be a halo there sometimes is one, in three dimensions at most.
inline Layout random_layout(Random& random, const Index& shape, int ranks) {
  Layout layout = random_plain_layout(random, shape, ranks);
  if (!traits_of(layout.kind).one_block_a_rank || random.chance(0.6)) return layout;
  layout.halo = Index::filled(shape.size(), 0);
  for (int i = 0; i < 3; ++i)
    layout.halo[static_cast<int>(random.between(0, shape.size() - 1))] = random.between(0, 2);
  return layout;
}

/// One layout of each kind and one with a halo, with small odd blocks and unequal irregular ones.
inline std::vector<Layout> sample_layouts(const Index& shape, int ranks) {
  Index block = shape;
  for (int d = 0; d < shape.size(); ++d) block[d] = std::min<std::int64_t>(shape[d], 2 + d % 2);
  for (int d = 0; d < shape.size(); ++d) block[d] = std::max<std::int64_t>(block[d], 1);
  Index halo = Index::filled(shape.size(), 0);
  for (int d = 0; d < std::min(3, shape.size()); ++d) halo[d] = 2 - d;
  // Irregular: first rows one by one, the last block takes the rest.
  std::vector<std::vector<std::int64_t>> starts(static_cast<std::size_t>(shape.size()), {0});
  for (std::int64_t row = 1; row < std::min<std::int64_t>(ranks, shape[0]); ++row)
    starts[0].push_back(row);
  auto tiles = starts;
  for (std::int64_t column = 3; column < shape[shape.size() - 1]; column += 4)
    tiles.back().push_back(column);
  if (shape.size() == 1) {
    std::sort(tiles[0].begin(), tiles[0].end());
    tiles[0].erase(std::unique(tiles[0].begin(), tiles[0].end()), tiles[0].end());
  }
  return {Layout::blocked(),
          Layout::blocked(block),
          Layout::irregular(std::move(starts)),
          Layout::block_cyclic(block),
          Layout::tiled(block),
          Layout::tiled_irregular(std::move(tiles)),
          Layout::dealt(block),
          Layout::blocked().with_halo(halo)};
}

/// A patch inside `shape` with at least one element unless `shape` itself is empty.
inline Patch random_patch(Random& random, const Index& shape, bool steps = false) {
  Patch patch{Index::filled(shape.size(), 0), Index::filled(shape.size(), 0)};
  if (steps) patch.step = Index::filled(shape.size(), 1);
  for (int d = 0; d < shape.size(); ++d) {
    if (shape[d] == 0) continue;
    patch.lo[d] = random.between(0, shape[d] - 1);
    patch.hi[d] = random.between(patch.lo[d] + 1, shape[d]);
    if (steps) patch.step[d] = random.between(1, 4);
  }
  return patch;
}

inline Index random_position(Random& random, const Index& shape) {
  Index position = shape;
  for (int d = 0; d < shape.size(); ++d) position[d] = random.between(0, shape[d] - 1);
  return position;
}

// ---- walking over positions ------------------------------------------------------------------

/// Row-major number of `position` in an array of this shape.
inline std::int64_t linear_index(const Index& position, const Index& shape) {
  std::int64_t linear = 0;
  for (int d = 0; d < shape.size(); ++d) linear = linear * shape[d] + position[d];
  return linear;
}

/// Calls `f(position, linear)` for all positions of a shape in row-major order.
template <class F>
void for_each_position(const Index& shape, F&& f) {
  Index position = Index::filled(shape.size(), 0);
  for (int d = 0; d < shape.size(); ++d)
    if (shape[d] == 0) return;
  for (std::int64_t linear = 0;; ++linear) {
    f(std::as_const(position), linear);
    int d = shape.size() - 1;
    while (d >= 0 && ++position[d] == shape[d]) position[d--] = 0;
    if (d < 0) return;
  }
}

/// Where the `position`-th element of a section lies in the array.
inline Index array_position(const Patch& patch, const Index& position) {
  Index where = patch.lo;
  for (int d = 0; d < where.size(); ++d)
    where[d] += position[d] * (patch.step.empty() ? 1 : patch.step[d]);
  return where;
}

// ---- checks that explain ---------------------------------------------------------------------

template <class T>
std::string text_of(const T& value) {
  std::ostringstream stream;
  stream.precision(17);
  if constexpr (std::integral<T>)
    stream << +value;  // a byte is no character here
  else
    stream << value;
  return stream.str();
}

/// Whether two packed buffers of this shape are the same to the last bit; says where not.
template <Element T>
testing::AssertionResult same_elements(const std::vector<T>& actual, const std::vector<T>& expected,
                                       const Index& shape) {
  if (actual.size() != expected.size())
    return testing::AssertionFailure()
           << actual.size() << " elements instead of " << expected.size();
  std::size_t wrong = 0;
  std::string first;
  for_each_position(shape, [&](const Index& position, std::int64_t linear) {
    const auto i = static_cast<std::size_t>(linear);
    if (i >= actual.size() || actual[i] == expected[i]) return;
    if (wrong++ == 0)
      first = "at " + position.to_string() + ": " + text_of(actual[i]) + " instead of " +
              text_of(expected[i]);
  });
  if (wrong == 0) return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << wrong << " of " << actual.size() << " elements of shape " << shape.to_string()
         << " differ, first " << first << " (rank " << world().rank() << ")";
}

/// Whether the whole array reads as `expected` (packed, row-major). Not collective.
template <Element T>
testing::AssertionResult holds(const Array<T>& array, const std::vector<T>& expected) {
  std::vector<T> actual(expected.size());
  array.get(whole(array.shape()), actual.data());
  return same_elements(actual, expected, array.shape());
}

/// Whether `action` throws an atoll::Error of this kind whose text contains all of `texts`.
inline testing::AssertionResult throws_error(const std::function<void()>& action, ErrorKind kind,
                                             const std::vector<std::string>& texts = {}) {
  try {
    action();
  } catch (const Error& error) {
    const std::string what = error.what();
    if (error.kind() != kind)
      return testing::AssertionFailure()
             << "kind " << name_of(error.kind()) << " instead of " << name_of(kind) << ": " << what;
    for (const std::string& text : texts)
      if (what.find(text) == std::string::npos)
        return testing::AssertionFailure() << "\"" << what << "\" does not say \"" << text << "\"";
    if (what.find('\n') != std::string::npos)
      return testing::AssertionFailure() << "the message is more than one line: " << what;
    return testing::AssertionSuccess();
  } catch (const std::exception& error) {
    return testing::AssertionFailure() << "another exception: " << error.what();
  }
  return testing::AssertionFailure() << "nothing was thrown";
}

/// The same for a collective call, which throws on all members alike. Collective.
inline testing::AssertionResult all_throw_error(const Group& group,
                                                const std::function<void()>& action, ErrorKind kind,
                                                const std::vector<std::string>& texts = {}) {
  const testing::AssertionResult mine = throws_error(action, kind, texts);
  const bool all = everywhere(static_cast<bool>(mine), group);
  if (mine && !all) return testing::AssertionFailure() << "another rank did not throw as it should";
  return mine;
}

/// Whether an environment variable has this value.
inline bool mode_is(const char* variable, const char* value) {
  const char* mode = std::getenv(variable);
  return mode != nullptr && std::string(mode) == value;
}

/// |x| as a T; of a byte, itself.
template <Element T>
T magnitude(T x) {
  if constexpr (std::unsigned_integral<T>)
    return x;
  else
    return T(std::abs(x));
}

}  // namespace lagoon::atoll::test
