#include "world/fold.hpp"

#include "atoll/error.hpp"
#include "world/arithmetic.hpp"
#include "world/processors.hpp"
#include "world/widening.hpp"

namespace lagoon::atoll::detail {

namespace {

template <Element T, class F>
void combine(T* __restrict into, const T* __restrict next, std::int64_t elements,
             bool into_is_first, F f) {
  if (into_is_first)
    for (std::int64_t i = 0; i < elements; ++i) into[i] = f(into[i], next[i]);
  else
    for (std::int64_t i = 0; i < elements; ++i) into[i] = f(next[i], into[i]);
}

ATOLL_EACH_PROCESSOR_FLAT void fold_computed(ElementType type, Reduction op, std::byte* into,
                                             const std::byte* next, std::int64_t elements,
                                             bool into_is_first) noexcept {
  with_computed_type(type, [&]<class T>(T) {
    const auto all = [&](auto f) {
      combine(reinterpret_cast<T*>(into), reinterpret_cast<const T*>(next), elements, into_is_first,
              f);
    };
    switch (op) {
      case Reduction::sum: all([](T a, T b) { return plus(a, b); }); break;
      case Reduction::product: all([](T a, T b) { return times(a, b); }); break;
      case Reduction::minimum:
        if constexpr (!is_complex_type<T>) all([](T a, T b) { return smaller(a, b); });
        break;
      case Reduction::maximum:
        if constexpr (!is_complex_type<T>) all([](T a, T b) { return larger(a, b); });
        break;
    }
  });
}

}  // namespace

void check_reducible(ElementType type, Reduction op) {
  if (is_complex(type) && needs_order(op))
    throw Error(ErrorKind::type, "reduce: complex numbers have no minimum or maximum");
}

void fold(ElementType type, Reduction op, std::byte* into, const std::byte* next,
          std::int64_t elements, bool into_is_first) noexcept {
  if (!is_narrow(type)) return fold_computed(type, op, into, next, elements, into_is_first);
  const auto size = static_cast<std::int64_t>(size_of(type));
  BatchMemory mine, theirs;
  for_each_batch_of(elements, [&](std::int64_t first, std::int64_t count) {
    widen(type, into + first * size, mine.data(), count);
    widen(type, next + first * size, theirs.data(), count);
    fold_computed(type, op, mine.data(), theirs.data(), count, into_is_first);
    narrow(type, mine.data(), into + first * size, count);
  });
}

}  // namespace lagoon::atoll::detail
