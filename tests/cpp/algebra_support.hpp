// What the algebra tests share: groups to run on, arrays with known contents, and the values that
// serial loops start from.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "support.hpp"

namespace lagoon::atoll::test {

/// Runs `check(group)` on the world, on its halves (both at once, where there are two ranks) and
/// on the world's ranks in reverse order.
inline void for_each_group(const std::function<void(const Group&)>& check) {
  {
    SCOPED_TRACE("on the world");
    check(world());
  }
  {
    SCOPED_TRACE("on every second rank");
    check(world().split(world().rank() % 2));
  }
  {
    SCOPED_TRACE("on the ranks in reverse order");
    check(world().split(0, -world().rank()));
  }
}

/// One to eight dimensions; sometimes with an extent of zero.
inline Index algebra_shape(Random& random, std::int64_t most) {
  const int dimensions = static_cast<int>(random.between(1, max_dimensions));
  Index shape = random_shape(random, dimensions, most);
  if (random.chance(0.05)) shape[static_cast<int>(random.between(0, dimensions - 1))] = 0;
  return shape;
}

template <Element T>
std::vector<T> small_values(Random& random, const Index& shape) {
  std::vector<T> values(static_cast<std::size_t>(shape.product()));
  for (T& value : values) value = small_value<T>(random);
  return values;
}

/// Makes `array` hold `values` (packed, alike on all ranks). Collective.
template <Element T>
void store(Array<T>& array, const std::vector<T>& values) {
  array.group().sync();
  if (array.group().rank() == 0) array.put(whole(array.shape()), values.data());
  array.group().sync();
}

template <Element T>
Array<T> array_with(const Group& group, const Index& shape, const std::vector<T>& values,
                    const Layout& layout, const std::string& name = {}) {
  Array<T> array(group, shape, {layout, name, false});
  store(array, values);
  return array;
}

/// out[i] = f(a[i], b[i]) by a plain loop.
template <class T, class F>
std::vector<T> serially(const std::vector<T>& a, const std::vector<T>& b, F&& f) {
  std::vector<T> out;
  for (std::size_t i = 0; i < a.size(); ++i) out.push_back(static_cast<T>(f(a[i], b[i])));
  return out;
}

/// Whether the array holds `expected` to within a few roundings of each element.
template <Element T>
testing::AssertionResult nearly_holds(const Array<T>& array, const std::vector<T>& expected) {
  std::vector<T> actual(expected.size());
  array.get(whole(array.shape()), actual.data());
  constexpr double tolerance =
      size_of(element_type_of<T>()) == 4 || element_type_of<T>() == ElementType::complex64 ? 1e-6
                                                                                           : 1e-14;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const auto have = Scalar(actual[i]).as<std::complex<double>>();
    const auto want = Scalar(expected[i]).as<std::complex<double>>();
    if (!(std::abs(have - want) <= tolerance * (std::abs(want) + 1e-300)))
      return testing::AssertionFailure()
             << "element " << i << " is " << text_of(actual[i]) << " instead of "
             << text_of(expected[i]) << " (rank " << world().rank() << ")";
  }
  return testing::AssertionSuccess();
}

}  // namespace lagoon::atoll::test
