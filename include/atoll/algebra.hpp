// Whole-array and patch algebra. Every function here is collective over the arrays' group and
// synchronises on entry and on exit: earlier one-sided operations are seen, and the result is
// visible everywhere on return. Bad arguments throw on all members alike.
//
// Arrays of one operation have equal shapes and element types; distributions may differ (then the
// parts a rank lacks are fetched). An output may be one of the inputs. With patches it is these
// that have equal shapes, steps counted; where inputs and output are in one array their patches are
// the same or have no element in common, else Error(value).
#pragma once

#include <iosfwd>
#include <string>

#include "atoll/array.hpp"

namespace lagoon::atoll {

void zero(AnyArray& a);
void zero(AnyArray& a, const Patch& patch);
void fill(AnyArray& a, const Scalar& value);
void fill(AnyArray& a, const Patch& patch, const Scalar& value);

/// target = source. Equal shapes; types may differ where NumPy's "same_kind" casting allows it.
void copy(const AnyArray& source, AnyArray& target);
/// Between arrays of two groups, where one contains the other: collective over the smaller one.
/// target[target_patch] = source[source_patch]. Transposed: the dimensions of the source patch in
/// reverse order. Shapes must match after that. The patches must not overlap in one array.
void copy(const AnyArray& source, const Patch& source_patch, AnyArray& target,
          const Patch& target_patch, Transpose transpose = Transpose::no);

void scale(AnyArray& a, const Scalar& factor);
void scale(AnyArray& a, const Patch& patch, const Scalar& factor);
/// a += value
void add_constant(AnyArray& a, const Scalar& value);
void add_constant(AnyArray& a, const Patch& patch, const Scalar& value);
/// c = alpha a + beta b
void add(const Scalar& alpha, const AnyArray& a, const Scalar& beta, const AnyArray& b,
         AnyArray& c);
void add(const Scalar& alpha, const AnyArray& a, const Patch& a_patch, const Scalar& beta,
         const AnyArray& b, const Patch& b_patch, AnyArray& c, const Patch& c_patch);
/// c = a b, a / b, min(a, b), max(a, b), element by element; minimum and maximum throw Error(type)
/// for complex arrays. Integer division truncates and gives zero where b is zero, as NumPy does;
/// how many of b's integers were zero is told on all ranks.
void multiply(const AnyArray& a, const AnyArray& b, AnyArray& c);
void multiply(const AnyArray& a, const Patch& a_patch, const AnyArray& b, const Patch& b_patch,
              AnyArray& c, const Patch& c_patch);
[[nodiscard]] std::int64_t divide(const AnyArray& a, const AnyArray& b, AnyArray& c);
[[nodiscard]] std::int64_t divide(const AnyArray& a, const Patch& a_patch, const AnyArray& b,
                                  const Patch& b_patch, AnyArray& c, const Patch& c_patch);
void minimum(const AnyArray& a, const AnyArray& b, AnyArray& c);
void minimum(const AnyArray& a, const Patch& a_patch, const AnyArray& b, const Patch& b_patch,
             AnyArray& c, const Patch& c_patch);
void maximum(const AnyArray& a, const AnyArray& b, AnyArray& c);
void maximum(const AnyArray& a, const Patch& a_patch, const AnyArray& b, const Patch& b_patch,
             AnyArray& c, const Patch& c_patch);
/// m = the one of a, b, c that lies between the others, element by element: c clipped to [a, b].
/// NaN when one of them is; Error(type) for complex arrays.
void median(const AnyArray& a, const AnyArray& b, const AnyArray& c, AnyArray& m);
void median(const AnyArray& a, const Patch& a_patch, const AnyArray& b, const Patch& b_patch,
            const AnyArray& c, const Patch& c_patch, AnyArray& m, const Patch& m_patch);
/// b = |a| (of a complex array: the modulus, imaginary part zero); b = 1 / a (not for integers).
void absolute(const AnyArray& a, AnyArray& b);
void absolute(const AnyArray& a, const Patch& a_patch, AnyArray& b, const Patch& b_patch);
void reciprocal(const AnyArray& a, AnyArray& b);
void reciprocal(const AnyArray& a, const Patch& a_patch, AnyArray& b, const Patch& b_patch);

/// Sums of integers are exact modulo 2^64; of float32 and complex64 they are taken in double.
Scalar sum(const AnyArray& a);
Scalar sum(const AnyArray& a, const Patch& patch);
/// sum of a_i b_i (no conjugation, as in GA's ga_zdot). A transposed patch takes part with its
/// dimensions in reverse order; the shapes match after that.
Scalar dot(const AnyArray& a, const AnyArray& b);
Scalar dot(const AnyArray& a, const Patch& a_patch, const AnyArray& b, const Patch& b_patch,
           Transpose transpose_a = Transpose::no, Transpose transpose_b = Transpose::no);
enum class Norm : std::uint8_t { one, two, infinity };
/// Of the elements seen as one vector: sum |a_i|, sqrt(sum |a_i|^2), max |a_i|.
double norm(const AnyArray& a, Norm kind = Norm::two);
double norm(const AnyArray& a, const Patch& patch, Norm kind = Norm::two);

struct Extremum {
  Scalar value;
  Index position;  ///< in the array; the first in row-major order where several are equal
};
/// Error(type) for complex, Error(value) for empty arrays and patches. NaN counts as the extremum,
/// as in NumPy.
Extremum minimum_element(const AnyArray& a);
Extremum minimum_element(const AnyArray& a, const Patch& patch);
Extremum maximum_element(const AnyArray& a);
Extremum maximum_element(const AnyArray& a, const Patch& patch);

/// Uniform in [0, 1) (complex: both parts; integers: in [0, 2^31), bytes in [0, 256)). The element
/// at a position depends on the seed and its position only: same array for any number of ranks.
void random_fill(AnyArray& a, std::uint64_t seed);

/// Writes the array to `stream` on rank 0 of its group: a heading and the rows, at most
/// `edge_items` from each end of a long dimension (as NumPy prints).
void print(const AnyArray& a, std::ostream& stream, int edge_items = 3);

}  // namespace lagoon::atoll
