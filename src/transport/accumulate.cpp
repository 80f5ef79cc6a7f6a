// Accumulate: the adding loops, and holding the right lock around them.
#include "transport/accumulate.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "world/arithmetic.hpp"
#include "world/processors.hpp"

namespace lagoon::atoll::detail {

namespace {

/// y[i] += x[i], or += alpha x[i]; integers wrap.
template <Element T>
void add_loop(T* __restrict y, const T* __restrict x, std::int64_t n) {
  if constexpr (is_complex_type<T>) {
    using R = typename T::value_type;
    add_loop(reinterpret_cast<R*>(y), reinterpret_cast<const R*>(x), 2 * n);
  } else {
    ATOLL_UNROLLED
    for (std::int64_t i = 0; i < n; ++i) y[i] = plus(y[i], x[i]);
  }
}
template <Element T>
void add_scaled_loop(T* __restrict y, const T* __restrict x, T alpha, std::int64_t n) {
  ATOLL_UNROLLED
  for (std::int64_t i = 0; i < n; ++i) y[i] = plus(y[i], times(alpha, x[i]));
}

// Flat: what is called here is to be compiled for each processor, too.
ATOLL_EACH_PROCESSOR __attribute__((flatten)) void add(ElementType type, std::byte* y,
                                                       const std::byte* x, const void* alpha,
                                                       std::int64_t n) noexcept {
  with_element_type(type, [&]<class T>(T) {
    auto* const to = reinterpret_cast<T*>(y);
    const auto* const from = reinterpret_cast<const T*>(x);
    if (alpha == nullptr)
      add_loop(to, from, n);
    else
      add_scaled_loop(to, from, *static_cast<const T*>(alpha), n);
  });
}

template <class T>
struct Adder {
  T alpha;
  bool scaled;
  const std::atomic<std::uint32_t>* atomics_in_use;

  T term(const std::byte* source) const noexcept {
    T x;
    std::memcpy(&x, source, sizeof x);
    return scaled ? times(alpha, x) : x;
  }

  /// `n` elements of contiguous target and source, under the stripe's lock.
  void run(std::byte* target, const std::byte* source, std::int64_t n) const noexcept {
    auto* y = reinterpret_cast<T*>(target);
    if constexpr (std::is_integral_v<T>) {
      if (atomics_in_use->load(std::memory_order_relaxed) != 0) {
        for (std::int64_t i = 0; i < n; ++i)
          std::atomic_ref<T>(y[i]).fetch_add(
              term(source + i * static_cast<std::int64_t>(sizeof(T))), std::memory_order_relaxed);
        return;
      }
    }
    if (n < 4 || reinterpret_cast<std::uintptr_t>(source) % alignof(T) != 0) {
      for (std::int64_t i = 0; i < n; ++i)
        y[i] = plus(y[i], term(source + i * static_cast<std::int64_t>(sizeof(T))));
      return;
    }
    add(element_type_of<T>(), target, source, scaled ? &alpha : nullptr, n);
  }
};

/// Holds one stripe's lock at a time, and keeps it while the next elements lie in the same stripe.
class Holder {
 public:
  explicit Holder(const Stripes& stripes) : stripes_(stripes) {}
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;
  ~Holder() {
    if (held_ != nullptr) held_->unlock();
  }
  /// Adds up to `n` elements from `target` on, as far as the stripe goes; returns how many.
  template <class T>
  std::int64_t step(const Adder<T>& adder, std::byte* target, const std::byte* source,
                    std::int64_t n) {
    constexpr auto size = static_cast<std::int64_t>(sizeof(T));
    const std::uint64_t offset = stripes_.offset_of(target);
    const std::uint64_t stripe = Stripes::stripe_of(offset);
    if (held_ == nullptr || stripe != stripe_) {
      if (held_ != nullptr) held_->unlock();
      held_ = &stripes_.lock_of(stripe);
      held_->lock();
      stripe_ = stripe;
    }
    const auto left = static_cast<std::int64_t>((stripe + 1) * Stripes::stripe_bytes - offset);
    const std::int64_t now = std::min(n, left / size);
    adder.run(target, source, now);
    return now;
  }
  template <class T>
  void row(const Adder<T>& adder, std::byte* target, std::int64_t target_stride,
           const std::byte* source, std::int64_t source_stride, std::int64_t elements,
           std::int64_t count) {
    constexpr auto size = static_cast<std::int64_t>(sizeof(T));
    for (std::int64_t i = 0; i < count; ++i)
      for (std::int64_t done = 0; done < elements;)
        done += step(adder, target + i * target_stride + done * size,
                     source + i * source_stride + done * size, elements - done);
  }

 private:
  const Stripes& stripes_;
  SharedLock* held_ = nullptr;
  std::uint64_t stripe_ = 0;
};

template <class T>
Adder<T> make_adder(const Addition& addition) {
  Adder<T> adder{T(1), false, &addition.atomics_in_use};
  if (addition.alpha != nullptr) {
    std::memcpy(&adder.alpha, addition.alpha, sizeof(T));
    adder.scaled = adder.alpha != T(1);
  }
  return adder;
}

template <class F>
void with_adder(const Addition& addition, F&& f) {
  with_element_type(addition.type, [&]<class T>(T) {
    f(make_adder<T>(addition), static_cast<std::int64_t>(sizeof(T)));
  });
}

}  // namespace

void Stripes::pass_all() const noexcept {
  for (std::uint64_t i = 0; i < locks; ++i) {
    table_[i].lock.lock();
    table_[i].lock.unlock();
  }
}

void accumulate_strided(const Stripes& stripes, const Addition& addition, std::byte* target,
                        const Index& target_strides, const std::byte* source,
                        const Index& source_strides, const Index& shape) {
  with_adder(addition, [&](const auto& adder, std::int64_t size) {
    Holder holder(stripes);
    // Rows that are contiguous on both sides are taken whole, everything else element by element.
    int rows = shape.size();
    std::int64_t run = 1;
    while (rows > 0 && (shape[rows - 1] == 1 || (target_strides[rows - 1] == run * size &&
                                                 source_strides[rows - 1] == run * size)))
      run *= shape[--rows];
    if (rows == 0) return holder.row(adder, target, 0, source, 0, run, 1);
    Index at = Index::filled(rows, 0);
    for (;;) {
      holder.row(adder, target, target_strides[rows - 1], source, source_strides[rows - 1], run,
                 shape[rows - 1]);
      int d = rows - 2;
      for (; d >= 0; --d) {
        target += target_strides[d];
        source += source_strides[d];
        if (++at[d] < shape[d]) break;
        target -= shape[d] * target_strides[d];
        source -= shape[d] * source_strides[d];
        at[d] = 0;
      }
      if (d < 0) return;
    }
  });
}

void accumulate_contiguous(const Stripes& stripes, const Addition& addition, std::byte* target,
                           const std::byte* source, std::int64_t elements) {
  with_adder(addition, [&](const auto& adder, std::int64_t) {
    Holder(stripes).row(adder, target, 0, source, 0, elements, 1);
  });
}

void accumulate_packed(const Stripes& stripes, const Addition& addition, const Runs& runs,
                       std::byte* base, std::int64_t position, std::int64_t length,
                       const std::byte* buffer) {
  with_adder(addition, [&](const auto& adder, std::int64_t size) {
    Holder holder(stripes);
    runs.for_each_row(
        position, length,
        [&](std::int64_t offset, std::int64_t stride, std::int64_t run, std::int64_t count) {
          holder.row(adder, base + offset, stride, buffer, run, run / size, count);
          buffer += run * count;
        });
  });
}

void accumulate_scattered(const Stripes& stripes, const Addition& addition, std::byte* base,
                          std::span<const std::int64_t> offsets, const std::byte* values) {
  with_adder(addition, [&](const auto& adder, std::int64_t size) {
    Holder holder(stripes);
    for (std::size_t i = 0; i < offsets.size(); ++i)
      holder.row(adder, base + offsets[i], 0, values + static_cast<std::int64_t>(i) * size, 0, 1,
                 1);
  });
}

}  // namespace lagoon::atoll::detail
