#include "world/widening.hpp"

#include "world/processors.hpp"

namespace lagoon::atoll::detail {

namespace {

constexpr bool narrow_type(ElementType type) noexcept { return is_narrow(type); }

}  // namespace

ATOLL_EACH_PROCESSOR_FLAT void widen(ElementType narrow, const std::byte* from, std::byte* to,
                                     std::int64_t count) noexcept {
  with_chosen_type<narrow_type>(narrow, [&]<class T>(T) {
    const auto* const in = reinterpret_cast<const T*>(from);
    auto* const out = reinterpret_cast<Computed<T>*>(to);
    for (std::int64_t i = 0; i < count; ++i) out[i] = static_cast<Computed<T>>(in[i]);
  });
}

ATOLL_EACH_PROCESSOR_FLAT void narrow(ElementType narrow, const std::byte* from, std::byte* to,
                                      std::int64_t count) noexcept {
  with_chosen_type<narrow_type>(narrow, [&]<class T>(T) {
    const auto* const in = reinterpret_cast<const Computed<T>*>(from);
    auto* const out = reinterpret_cast<T*>(to);
    for (std::int64_t i = 0; i < count; ++i) out[i] = static_cast<T>(in[i]);
  });
}

void narrow_doubles(const double* from, Float16* to, std::int64_t count) noexcept {
  for (std::int64_t i = 0; i < count; ++i) to[i] = Float16(from[i]);
}

}  // namespace lagoon::atoll::detail
