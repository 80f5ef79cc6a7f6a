#include "compat/ga/algebra/matrix.hpp"

#include <cctype>
#include <utility>
#include <vector>

#include "atoll/algebra.hpp"
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

void symmetrize_pairs(AnyArray& a) {
  if (a.dimensions() == 2) return symmetrize(a);
  if (a.dimensions() < 2 || a.shape()[0] != a.shape()[1])
    throw Error(ErrorKind::value, "'" + a.name() + "' has the shape " + a.shape().to_string() +
                                      "; expected equal extents of the first two dimensions "
                                      "(in Fortran of the last two)");
  if (is_integer(a.type()))
    throw Error(ErrorKind::type, "'" + a.name() + "' holds " + std::string(name_of(a.type())) +
                                     "; halves of integers are none");
  AnyArray turned = a.duplicate({}, false);
  a.group().sync();
  for (const LocalBlock& block : turned.blocks(turned.group().rank())) {
    if (block.patch.empty()) continue;
    Patch across = block.patch;
    Index strides = block.strides;
    std::swap(across.lo[0], across.lo[1]);
    std::swap(across.hi[0], across.hi[1]);
    std::swap(strides[0], strides[1]);
    a.get(across, block.data, strides);
  }
  a.group().sync();
  add(0.5, a, 0.5, turned, a);
  turned.destroy();
}

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
  with_datatype(a.type(), [&]<class T>(T) { replace_triangle<T>(a, turned, letter == 'U'); });
  a.group().sync();
}

}  // namespace lagoon::atoll::ga
