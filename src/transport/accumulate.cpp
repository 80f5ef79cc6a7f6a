// Accumulate: the adding loops, and holding the right lock around them.
#include "transport/accumulate.hpp"

#include <algorithm>
#include <cstring>

#include "world/arithmetic.hpp"
#include "world/processors.hpp"
#include "world/widening.hpp"

namespace lagoon::atoll::detail {

namespace {

template <Element T>
void add(T* __restrict y, const T* __restrict x, std::int64_t n) {
  ATOLL_UNROLLED
  for (std::int64_t i = 0; i < n; ++i) y[i] = plus(y[i], x[i]);
}
template <Element T>
void add_scaled(T* __restrict y, const T* __restrict x, T alpha, std::int64_t n) {
  ATOLL_UNROLLED
  for (std::int64_t i = 0; i < n; ++i) y[i] = plus(y[i], times(alpha, x[i]));
}

ATOLL_EACH_PROCESSOR_FLAT void add_elements(ElementType type, std::byte* target,
                                            const std::byte* source, const void* alpha,
                                            std::int64_t n) noexcept {
  with_computed_type(type, [&]<class T>(T) {
    auto* const y = reinterpret_cast<T*>(target);
    const auto* const x = reinterpret_cast<const T*>(source);
    if (alpha != nullptr)
      add_scaled(y, x, *static_cast<const T*>(alpha), n);
    else
      add(y, x, n);
  });
}

/// Adds elements of a type that is computed in itself.
template <Element T>
struct Adder {
  T alpha;
  bool scaled;
  const std::atomic<std::uint32_t>* atomics_in_use;

  static constexpr std::int64_t size = sizeof(T);

  /// `n` elements of contiguous target and source, under the stripe's lock.
  void run(std::byte* target, const std::byte* source, std::int64_t n) const noexcept {
    auto* const y = reinterpret_cast<T*>(target);
    const auto term = [&](std::int64_t i) {
      T x;
      std::memcpy(&x, source + i * size, sizeof x);
      return scaled ? times(alpha, x) : x;
    };
    if constexpr (is_integer_type<T>) {
      if (atomics_in_use->load(std::memory_order_relaxed) != 0) {
        for (std::int64_t i = 0; i < n; ++i)
          std::atomic_ref<T>(y[i]).fetch_add(term(i), std::memory_order_relaxed);
        return;
      }
    }
    if (n < 4 || reinterpret_cast<std::uintptr_t>(source) % alignof(T) != 0)
      for (std::int64_t i = 0; i < n; ++i) y[i] = plus(y[i], term(i));
    else
      add_elements(element_type_of<T>(), target, source, scaled ? &alpha : nullptr, n);
  }
};

constexpr bool counts_narrowly(ElementType type) noexcept {
  return is_narrow(type) && can_count(type);
}

/// Adds elements of any other type, a batch at a time. What is stored are these elements and no
/// byte beside them, which another stripe's lock may guard.
struct NarrowAdder {
  ElementType type;
  std::int64_t size;
  bool scaled;
  alignas(8) std::array<std::byte, sizeof(std::int64_t)> alpha{};  // widened
  const std::atomic<std::uint32_t>* atomics_in_use;

  NarrowAdder(const Addition& addition, bool is_scaled)
      : type(addition.type),
        size(static_cast<std::int64_t>(size_of(type))),
        scaled(is_scaled),
        atomics_in_use(&addition.atomics_in_use) {
    if (scaled) widen(type, static_cast<const std::byte*>(addition.alpha), alpha.data(), 1);
  }

  void run(std::byte* target, const std::byte* source, std::int64_t n) const noexcept {
    BatchMemory sums, terms;
    const bool atomic = can_count(type) && atomics_in_use->load(std::memory_order_relaxed) != 0;
    for_each_batch_of(n, [&](std::int64_t first, std::int64_t count) {
      std::byte* const to = target + first * size;
      widen_terms(source + first * size, terms.data(), count);
      if (atomic) return add_atomically(to, terms.data(), count);
      widen(type, to, sums.data(), count);
      add_elements(type, sums.data(), terms.data(), scaled ? alpha.data() : nullptr, count);
      narrow(type, sums.data(), to, count);
    });
  }

 private:
  /// The source may lie anywhere.
  void widen_terms(const std::byte* source, std::byte* terms, std::int64_t count) const noexcept {
    if (reinterpret_cast<std::uintptr_t>(source) % static_cast<std::uintptr_t>(size) == 0)
      return widen(type, source, terms, count);
    BatchMemory aligned;
    std::memcpy(aligned.data(), source, static_cast<std::size_t>(count * size));
    widen(type, aligned.data(), terms, count);
  }
  void add_atomically(std::byte* to, std::byte* terms, std::int64_t count) const noexcept {
    BatchMemory sums;
    std::memset(sums.data(), 0, sums.bytes.size());
    add_elements(type, sums.data(), terms, scaled ? alpha.data() : nullptr, count);
    narrow(type, sums.data(), terms, count);
    with_chosen_type<counts_narrowly>(type, [&]<class T>(T) {
      auto* const y = reinterpret_cast<T*>(to);
      const auto* const x = reinterpret_cast<const T*>(terms);
      for (std::int64_t i = 0; i < count; ++i)
        std::atomic_ref<T>(y[i]).fetch_add(x[i], std::memory_order_relaxed);
    });
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
  template <class Adding>
  std::int64_t step(const Adding& adder, std::byte* target, const std::byte* source,
                    std::int64_t n) {
    const std::uint64_t offset = stripes_.offset_of(target);
    const std::uint64_t stripe = Stripes::stripe_of(offset);
    if (held_ == nullptr || stripe != stripe_) {
      if (held_ != nullptr) held_->unlock();
      held_ = &stripes_.lock_of(stripe);
      held_->lock();
      stripe_ = stripe;
    }
    const auto left = static_cast<std::int64_t>((stripe + 1) * Stripes::stripe_bytes - offset);
    const std::int64_t now = std::min(n, left / adder.size);
    adder.run(target, source, now);
    return now;
  }
  template <class Adding>
  void row(const Adding& adder, std::byte* target, std::int64_t target_stride,
           const std::byte* source, std::int64_t source_stride, std::int64_t elements,
           std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i)
      for (std::int64_t done = 0; done < elements;)
        done += step(adder, target + i * target_stride + done * adder.size,
                     source + i * source_stride + done * adder.size, elements - done);
  }

 private:
  const Stripes& stripes_;
  SharedLock* held_ = nullptr;
  std::uint64_t stripe_ = 0;
};

template <class F>
void with_adder(const Addition& addition, F&& f) {
  const bool scaled = addition.alpha != nullptr && !is_one(addition.type, addition.alpha);
  if (is_narrow(addition.type)) {
    const NarrowAdder adder(addition, scaled);
    return f(adder, adder.size);
  }
  with_computed_type(addition.type, [&]<class T>(T) {
    Adder<T> adder{T(1), scaled, &addition.atomics_in_use};
    if (scaled) std::memcpy(&adder.alpha, addition.alpha, sizeof(T));
    f(adder, Adder<T>::size);
  });
}

}  // namespace

bool is_one(ElementType type, const void* alpha) noexcept {
  return with_element_type(type, [&]<class T>(T) {
    const T one(1);
    return std::memcmp(alpha, &one, sizeof one) == 0;
  });
}

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
    const RunLoops loops(shape, target_strides, source_strides, static_cast<std::size_t>(size));
    const std::int64_t run = loops.run_bytes / size;
    if (loops.levels == 0) return holder.row(adder, target, 0, source, 0, run, 1);
    std::array<std::int64_t, max_dimensions> at{};
    do holder.row(adder, target, loops.first[0], source, loops.second[0], run, loops.count[0]);
    while (loops.step(1, at, target, source));
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
