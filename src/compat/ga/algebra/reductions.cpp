#include "compat/ga/algebra/reductions.hpp"

#include <algorithm>
#include <complex>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "atoll/algebra.hpp"
#include "atoll/error.hpp"
#include "compat/ga/algebra/reshape.hpp"

namespace lagoon::atoll::ga {

namespace {

Scalar dot_of(const View& a, const View& b) {
  Shaped second(b, a.shape());
  return dot(a, second.view());
}

template <class T>
void check_type(const AnyArray& array) {
  if constexpr (std::is_integral_v<T>) {
    if (!is_integer(array.type()))
      throw Error(ErrorKind::type, "'" + array.name() + "' holds " +
                                       std::string(name_of(array.type())) + "; expected integers");
  } else if (array.type() != element_type_of<T>()) {
    throw Error(ErrorKind::type, "'" + array.name() + "' holds " +
                                     std::string(name_of(array.type())) + "; expected " +
                                     std::string(name_of(element_type_of<T>())));
  }
}

template <class T>
struct Found {
  double modulus;
  std::int64_t at;  // of all elements in row-major order
  T value;
  std::int64_t not_a_number;  // where the first NaN is, which wins as it does among real numbers
};

/// The first extreme element of what I own, of a whole array. `sign` is 1 for the greatest.
template <class T>
Found<T> extreme_of_mine(AnyArray& array, double sign) {
  constexpr std::int64_t nowhere = std::numeric_limits<std::int64_t>::max();
  Found<T> best{-std::numeric_limits<double>::infinity(), nowhere, T{}, nowhere};
  const Index spans = packed_strides(array.shape());
  for (const Patch& block : array.patches(array.group().rank())) {
    std::vector<T> values(static_cast<std::size_t>(block.elements()));
    array.get(block, values.data());
    const Index shape = block.shape();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool is_number = values[i] == values[i];
      const double modulus = sign * static_cast<double>(std::abs(values[i]));
      auto rest = static_cast<std::int64_t>(i);
      std::int64_t at = 0;
      for (int d = shape.size() - 1; d >= 0; rest /= shape[d--])
        at += (block.lo[d] + rest % shape[d]) * spans[d];
      if (!is_number)
        best.not_a_number = std::min(best.not_a_number, at);
      else if (modulus > best.modulus || (modulus == best.modulus && at < best.at))
        best = {modulus, at, values[i], best.not_a_number};
    }
  }
  return best;
}

template <class T>
Extremum complex_extremum(AnyArray& array, double sign) {
  const Group& group = array.group();
  group.sync();
  const Found<T> mine = extreme_of_mine<T>(array, sign);
  const double modulus = group.reduce(mine.modulus, Reduction::maximum);
  constexpr std::int64_t nowhere = std::numeric_limits<std::int64_t>::max();
  std::int64_t at = group.reduce(mine.modulus == modulus ? mine.at : nowhere, Reduction::minimum);
  const std::int64_t not_a_number = group.reduce(mine.not_a_number, Reduction::minimum);
  if (not_a_number != nowhere) at = not_a_number;
  if (at == nowhere) throw Error(ErrorKind::value, "'" + array.name() + "' is empty");
  Index position = array.shape();
  for (int d = position.size() - 1; d >= 0; --d) {
    position[d] = at % array.shape()[d];
    at /= array.shape()[d];
  }
  Patch element{position, position};
  for (std::int64_t& end : element.hi) ++end;
  T value{};
  array.get(element, &value);
  group.sync();
  return {value, position};
}

}  // namespace

template <class T>
T dot_as(const View& a, const View& b) {
  check_type<T>(a.array);
  check_type<T>(b.array);
  const Scalar result = dot_of(a, b);
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(result.as<std::int64_t>());
  else
    return result.as<T>();
}

template int dot_as<int>(const View&, const View&);
template long dot_as<long>(const View&, const View&);
template long long dot_as<long long>(const View&, const View&);
template float dot_as<float>(const View&, const View&);
template double dot_as<double>(const View&, const View&);
template std::complex<float> dot_as<std::complex<float>>(const View&, const View&);
template std::complex<double> dot_as<std::complex<double>>(const View&, const View&);

Index select_element(const MutableView& a, std::string_view word, void* value) {
  const bool least = word.starts_with("min");
  if (!least && !word.starts_with("max"))
    throw Error(ErrorKind::value,
                "the operation is '" + std::string(word) + "'; expected min or max");
  const Extremum found = with_datatype(a.array.type(), [&]<class T>(T) {
    if constexpr (is_complex(element_type_of<T>()))
      return complex_extremum<T>(a.array, least ? -1 : 1);
    else
      return least ? minimum_element(a.array) : maximum_element(a.array);
  });
  store(found.value, a.array.type(), value);
  return found.position;
}

}  // namespace lagoon::atoll::ga
