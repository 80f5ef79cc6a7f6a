#include "compat/ga/algebra/matrix.hpp"

#include <cctype>
#include <vector>

#include "atoll/error.hpp"
#include "atoll/matrix.hpp"

namespace lagoon::atoll::ga {

namespace {

/// Replaces what is above the diagonal in Atoll's view, or below it, by elements of `source`.
template <Element T>
void replace_triangle(AnyArray& a, const AnyArray& source, bool above) {
  for (const LocalBlock& block : a.blocks(a.group().rank())) {
    if (block.patch.empty()) continue;
    const Patch& patch = block.patch;
    const std::int64_t columns = patch.hi[1] - patch.lo[1];
    std::vector<T> values(static_cast<std::size_t>(patch.elements()));
    source.get(patch, values.data());
    for (std::int64_t i = patch.lo[0]; i < patch.hi[0]; ++i)
      for (std::int64_t j = patch.lo[1]; j < patch.hi[1]; ++j) {
        if (above ? j <= i : j >= i) continue;
        const std::int64_t row = i - patch.lo[0], column = j - patch.lo[1];
        static_cast<T*>(block.data)[row * block.strides[0] + column * block.strides[1]] =
            values[static_cast<std::size_t>(row * columns + column)];
      }
  }
}

}  // namespace

double sum_norm(const View& a) { return norm(a, Norm::one); }
double largest_norm(const View& a) { return norm(a, Norm::infinity); }

void complete_from_triangle(AnyArray& a, char triangle) {
  const int letter = std::toupper(static_cast<unsigned char>(triangle));
  if (letter != 'L' && letter != 'U')
    throw Error(ErrorKind::value,
                "the triangle is '" + std::string(1, triangle) + "'; expected L or U");
  const Index& shape = a.shape();
  if (shape.size() != 2 || shape[0] != shape[1])
    throw Error(ErrorKind::value, "'" + a.name() + "' has the shape " + shape.to_string() +
                                      "; expected a square matrix");
  AnyArray turned = a.duplicate({}, false);
  transpose(a, turned);
  // Fortran's lower triangle is Atoll's upper one: the source of what goes below the diagonal.
  with_element_type(a.type(), [&]<class T>(T) { replace_triangle<T>(a, turned, letter == 'U'); });
  a.group().sync();
}

}  // namespace lagoon::atoll::ga
