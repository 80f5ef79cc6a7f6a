// Arrays of one call have one element type: what has others does not compile, where both types are
// known. (Of `AnyArray`s and views it is Error(type) when the call is made.) `copy` converts.
#pragma once

#include <type_traits>

#include "atoll/array.hpp"

namespace lagoon::atoll {

namespace detail {
template <class First, class... Others>
inline constexpr bool mixed = !(std::is_same_v<First, Others> && ...);
}  // namespace detail

// clang-format off
#define ATOLL_ONE_TYPE ATOLL_DELETED("the arrays have different element types: use copy()")
template <class A, class B> requires detail::mixed<A, B>
void absolute(const Array<A>&, Array<B>&) ATOLL_ONE_TYPE;
template <class A, class B> requires detail::mixed<A, B>
void reciprocal(const Array<A>&, Array<B>&) ATOLL_ONE_TYPE;
template <class A, class B> requires detail::mixed<A, B>
void negative(const Array<A>&, Array<B>&) ATOLL_ONE_TYPE;
template <class A, class B> requires detail::mixed<A, B>
void dot(const Array<A>&, const Array<B>&) ATOLL_ONE_TYPE;
template <class A, class B, class C> requires detail::mixed<A, B, C>
void add(const Scalar&, const Array<A>&, const Scalar&, const Array<B>&, Array<C>&) ATOLL_ONE_TYPE;
template <class A, class B, class C> requires detail::mixed<A, B, C>
void multiply(const Array<A>&, const Array<B>&, Array<C>&) ATOLL_ONE_TYPE;
template <class A, class B, class C> requires detail::mixed<A, B, C>
void divide(const Array<A>&, const Array<B>&, Array<C>&) ATOLL_ONE_TYPE;
template <class A, class B, class C> requires detail::mixed<A, B, C>
void minimum(const Array<A>&, const Array<B>&, Array<C>&) ATOLL_ONE_TYPE;
template <class A, class B, class C> requires detail::mixed<A, B, C>
void maximum(const Array<A>&, const Array<B>&, Array<C>&) ATOLL_ONE_TYPE;
#undef ATOLL_ONE_TYPE
// clang-format on

}  // namespace lagoon::atoll
