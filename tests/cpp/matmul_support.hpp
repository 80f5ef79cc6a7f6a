// What tests of products share: random factors with their patches and forms, and their elements as
// a serial loop needs them.
#pragma once

#include <functional>
#include <optional>

#include "support.hpp"

namespace lagoon::atoll::test {

template <Element T>
using Wide = std::conditional_t<is_complex(element_type_of<T>()), std::complex<double>, double>;

/// A matrix that every rank knows, of numbers between -1 and 1.
template <Element T>
std::vector<T> random_matrix(Random& random, const Index& shape) {
  std::vector<T> values(static_cast<std::size_t>(shape.product()));
  const auto part = [&] { return 2 * random.uniform() - 1; };
  for (T& value : values) {
    if constexpr (is_complex(element_type_of<T>())) {
      const double real = part();
      value = Scalar(std::complex<double>(real, part())).as<T>();
    } else {
      value = static_cast<T>(part());
    }
  }
  return values;
}

inline bool turns(Form form) { return form == Form::transposed || form == Form::adjoint; }

/// The element of a factor, in its form, that has this row and column of the product.
template <Element T>
Wide<T> element_of(const std::vector<T>& values, const Index& shape, const Patch& patch, Form form,
                   std::int64_t row, std::int64_t column) {
  const bool turned = turns(form);
  const std::int64_t i = patch.lo[0] + (turned ? column : row);
  const std::int64_t j = patch.lo[1] + (turned ? row : column);
  const auto value = static_cast<Wide<T>>(values[static_cast<std::size_t>(i * shape[1] + j)]);
  if constexpr (is_complex(element_type_of<T>())) {
    if (form == Form::conjugated || form == Form::adjoint) return std::conj(value);
  }
  return value;
}

/// A matrix of which a patch has the given extents, and that patch.
inline std::pair<Index, Patch> around(Random& random, const Index& extents) {
  if (random.chance(0.5)) return {extents, whole(extents)};
  const Index before{random.between(0, 9), random.between(0, 9)};
  const Index after{random.between(0, 9), random.between(0, 9)};
  const Index end{before[0] + extents[0], before[1] + extents[1]};
  return {{end[0] + after[0], end[1] + after[1]}, {before, end, {}}};
}

template <Element T>
T scalar_value(Random& random) {
  const std::int64_t whole = random.between(-1, 2);  // 0 and 1 often
  if constexpr (is_complex(element_type_of<T>()))
    if (random.chance(0.5)) return Scalar(std::complex<double>(0.25, -0.5)).as<T>();
  return number<T>(whole);
}

using BlasTypes = testing::Types<float, double, std::complex<float>, std::complex<double>>;

inline std::optional<ErrorKind> kind_of_failure(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.kind();
  }
  return std::nullopt;
}

}  // namespace lagoon::atoll::test
