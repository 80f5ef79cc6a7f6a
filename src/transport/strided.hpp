// Strided memory: copying between two strided sections, and walking one section in packed
// (row-major) order, chunk by chunk, for messages.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "atoll/index.hpp"

namespace lagoon::atoll::detail {

/// target[i] = source[i] for all i in `shape`; strides in bytes, any sign. No overlap.
void copy_strided(std::byte* target, const Index& target_strides, const std::byte* source,
                  const Index& source_strides, const Index& shape, std::size_t element_bytes);

/// `count` runs of `run` bytes, the starts `target_stride` and `source_stride` bytes apart.
void copy_runs(std::byte* target, std::int64_t target_stride, const std::byte* source,
               std::int64_t source_stride, std::int64_t run, std::int64_t count);

/// A strided section reduced to as few loops as possible: contiguous runs, and the levels that
/// step from run to run (innermost first). Plain data: it is part of the wire format.
struct Runs {
  struct Level {
    std::int64_t count, stride;
  };
  std::int64_t run_bytes = 0;
  std::int64_t levels = 0;
  std::array<Level, max_dimensions> level{};  // only those in use travel

  /// Of a section with these strides in bytes.
  static Runs of(const Index& shape, const Index& strides, std::size_t element_bytes);
  std::int64_t bytes() const noexcept;
  /// The same contiguous bytes as one run.
  static Runs contiguous_of(std::int64_t bytes) noexcept { return {bytes, 0, {}}; }
  /// Least and greatest byte offset touched, relative to the first element.
  std::int64_t lowest() const noexcept;
  std::int64_t highest() const noexcept;
  bool contiguous() const noexcept { return levels == 0; }

  /// Bytes [position, position + length) of the packed order as rows of equally spaced runs:
  /// calls `f(offset, stride, run, count)`. A partial run comes as a row of its own.
  template <class F>
  void for_each_row(std::int64_t position, std::int64_t length, F&& f) const;
};

void pack(const Runs& runs, const std::byte* base, std::int64_t position, std::int64_t length,
          std::byte* buffer);
void unpack(const Runs& runs, std::byte* base, std::int64_t position, std::int64_t length,
            const std::byte* buffer);

template <class F>
void Runs::for_each_row(std::int64_t position, std::int64_t length, F&& f) const {
  if (levels == 0) {
    f(position, std::int64_t{0}, length, std::int64_t{1});
    return;
  }
  std::array<std::int64_t, max_dimensions> at{};
  std::int64_t rest = position / run_bytes, inside = position % run_bytes, offset = 0;
  for (std::size_t l = 0; l < static_cast<std::size_t>(levels); ++l) {
    at[l] = rest % level[l].count;
    rest /= level[l].count;
    offset += at[l] * level[l].stride;
  }
  while (length > 0) {
    std::int64_t taken = 1;
    if (inside != 0 || length < run_bytes) {
      const std::int64_t part = length < run_bytes - inside ? length : run_bytes - inside;
      f(offset + inside, std::int64_t{0}, part, std::int64_t{1});
      length -= part;
      inside = 0;
    } else {
      const std::int64_t whole = length / run_bytes, left = level[0].count - at[0];
      taken = whole < left ? whole : left;
      f(offset, level[0].stride, run_bytes, taken);
      length -= taken * run_bytes;
    }
    at[0] += taken;
    offset += taken * level[0].stride;
    for (std::size_t l = 0; at[l] == level[l].count && l + 1 < static_cast<std::size_t>(levels);
         ++l) {
      offset += level[l + 1].stride - level[l].count * level[l].stride;
      at[l] = 0;
      ++at[l + 1];
    }
  }
}

/// Two strided sections reduced to as few common loops as possible: runs that are contiguous in
/// both, and the levels that step from run to run (innermost first). Strides in bytes.
struct RunLoops {
  std::int64_t run_bytes;
  std::size_t levels = 0;
  std::array<std::int64_t, max_dimensions> count, first, second;  // of the levels in use

  RunLoops(const Index& shape, const Index& first_strides, const Index& second_strides,
           std::size_t element_bytes) noexcept;
  /// One step of the loops from `level` outwards; `at` counts, from zero. False at their end.
  template <class A, class B>
  bool step(std::size_t level, std::array<std::int64_t, max_dimensions>& at, A& in_first,
            B& in_second) const noexcept {
    for (std::size_t l = level; l < levels; ++l) {
      in_first += first[l];
      in_second += second[l];
      if (++at[l] < count[l]) return true;
      in_first -= count[l] * first[l];
      in_second -= count[l] * second[l];
      at[l] = 0;
    }
    return false;
  }
};

/// The runs that are contiguous in both of two strided sections, in packed order.
class RunPairs {
 public:
  explicit RunPairs(const RunLoops& loops) noexcept;
  std::int64_t run_bytes() const noexcept { return loops_.run_bytes; }
  std::int64_t runs() const noexcept { return runs_; }
  bool finished() const noexcept { return next_ == runs_; }
  /// Byte offsets of the next run in either section; moves on. REQUIRES: not finished.
  std::pair<std::int64_t, std::int64_t> next() noexcept;

 private:
  RunLoops loops_;
  std::int64_t runs_ = 1, next_ = 0;
  std::array<std::int64_t, max_dimensions> at_{};
  std::int64_t first_offset_ = 0, second_offset_ = 0;
};

}  // namespace lagoon::atoll::detail
