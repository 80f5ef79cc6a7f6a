// Algebra on arrays and patches. Every function here is collective over the arrays' group and
// synchronises on entry and on exit: earlier one-sided operations are seen, and the result is
// visible everywhere on return. Bad arguments throw on all members alike.
//
// Arrays of one operation have equal shapes and element types; distributions may differ (then the
// parts a rank lacks are fetched). An output may be one of the inputs. Of views (view.hpp) these
// shapes are equal, steps and transpositions counted; where inputs and output are in one array they
// are the same part of it, as it lies, or have no element in common, else Error(value).
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

#include "atoll/array.hpp"
#include "atoll/mixed_types.hpp"
#include "atoll/view.hpp"

namespace lagoon::atoll {

void zero(const MutableView& a);
void fill(const MutableView& a, const Scalar& value);

/// target = source. Types may differ where NumPy's "same_kind" casting allows it. The arrays may be
/// of two groups, where one contains the other: collective over the smaller one. Patches of one
/// array must not overlap.
void copy(const View& source, const MutableView& target);

void scale(const MutableView& a, const Scalar& factor);
/// a += value
void add_constant(const MutableView& a, const Scalar& value);
/// c = alpha a + beta b
void add(const Scalar& alpha, const View& a, const Scalar& beta, const View& b,
         const MutableView& c);
/// c = a b, a / b, min(a, b), max(a, b), element by element; minimum and maximum throw Error(type)
/// for complex arrays. Integer division truncates and gives zero where b is zero, as NumPy does;
/// how many of b's integers were zero is told on all ranks.
void multiply(const View& a, const View& b, const MutableView& c);
[[nodiscard]] std::int64_t divide(const View& a, const View& b, const MutableView& c);
void minimum(const View& a, const View& b, const MutableView& c);
void maximum(const View& a, const View& b, const MutableView& c);
/// What an array and one number give, element by element: a + value, a - value, value - a, a value,
/// a / value, value / a. Integers are divided by `divide` alone.
enum class NumberOperation : std::uint8_t { plus, minus, from, times, over, under };
/// b = a operation value. Error(type) for quotients of integers.
void with_number(NumberOperation operation, const View& a, const Scalar& value,
                 const MutableView& b);
/// m = the one of a, b, c that lies between the others, element by element: c clipped to [a, b].
/// NaN when one of them is; Error(type) for complex arrays.
void median(const View& a, const View& b, const View& c, const MutableView& m);
/// b = |a| (of a complex array: the modulus, imaginary part zero); b = 1 / a (not for integers).
void absolute(const View& a, const MutableView& b);
void reciprocal(const View& a, const MutableView& b);
/// b = -a
void negative(const View& a, const MutableView& b);

/// Sums of integers are exact modulo 2^64; of float32 and complex64 they are taken in double.
Scalar sum(const View& a);
/// The sum in double, of integers too: never modulo anything. Not of complex numbers.
double sum_in_double(const View& a);
/// sum of a_i b_i (no conjugation, as in GA's ga_zdot).
Scalar dot(const View& a, const View& b);
enum class Norm : std::uint8_t { one, two, infinity };
/// Of the elements seen as one vector: sum |a_i|, sqrt(sum |a_i|^2), max |a_i|.
double norm(const View& a, Norm kind = Norm::two);

struct Extremum {
  Scalar value;
  Index position;  ///< in the array; the first in row-major order where several are equal
};
/// Error(type) for complex, Error(value) for empty arrays and patches. NaN counts as the extremum,
/// as in NumPy.
Extremum minimum_element(const View& a);
Extremum maximum_element(const View& a);

/// Uniform in [0, 1) (complex: both parts; integers: in [0, 2^31), shorter: all). The element
/// at a position depends on the seed and its position only: same array for any number of ranks.
void random_fill(AnyArray& a, std::uint64_t seed);

/// Writes the array to `stream` on rank 0 of its group: a heading and the rows, at most
/// `edge_items` from each end of a long dimension (as NumPy prints).
void print(const AnyArray& a, std::ostream& stream, int edge_items = 3);

}  // namespace lagoon::atoll
