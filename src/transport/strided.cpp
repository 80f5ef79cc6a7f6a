// Strided copies. Runs of one element are the field's columns and get loops of their own; long runs
// go to copy_bytes.
#include "transport/strided.hpp"

#include <cstring>

#include "world/copy_bytes.hpp"

namespace lagoon::atoll::detail {

namespace {

/// Two strided sections reduced to common loops.
struct Plan {
  std::int64_t run;
  int levels = 0;
  std::array<std::int64_t, max_dimensions> count;
  std::array<std::int64_t, max_dimensions> target;
  std::array<std::int64_t, max_dimensions> source;
};

Plan make_plan(const Index& shape, const Index& target, const Index& source,
               std::size_t element_bytes) {
  Plan plan;
  plan.run = static_cast<std::int64_t>(element_bytes);
  for (int d = shape.size() - 1; d >= 0; --d) {
    if (shape[d] == 1) continue;
    if (plan.levels == 0 && target[d] == plan.run && source[d] == plan.run) {
      plan.run *= shape[d];
      continue;
    }
    const auto last = static_cast<std::size_t>(plan.levels - 1);
    if (plan.levels > 0 && target[d] == plan.count[last] * plan.target[last] &&
        source[d] == plan.count[last] * plan.source[last]) {
      plan.count[last] *= shape[d];
      continue;
    }
    const auto next = static_cast<std::size_t>(plan.levels++);
    plan.count[next] = shape[d];
    plan.target[next] = target[d];
    plan.source[next] = source[d];
  }
  return plan;
}

template <std::size_t Bytes>
void copy_elements(std::byte* __restrict target, std::int64_t target_stride,
                   const std::byte* __restrict source, std::int64_t source_stride,
                   std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i)
    std::memcpy(target + i * target_stride, source + i * source_stride, Bytes);
}

}  // namespace

void copy_runs(std::byte* target, std::int64_t target_stride, const std::byte* source,
               std::int64_t source_stride, std::int64_t run, std::int64_t count) {
  switch (run) {
    case 1: copy_elements<1>(target, target_stride, source, source_stride, count); return;
    case 2: copy_elements<2>(target, target_stride, source, source_stride, count); return;
    case 4: copy_elements<4>(target, target_stride, source, source_stride, count); return;
    case 8: copy_elements<8>(target, target_stride, source, source_stride, count); return;
    case 16: copy_elements<16>(target, target_stride, source, source_stride, count); return;
    default: break;
  }
  for (std::int64_t i = 0; i < count; ++i)
    copy_bytes(target + i * target_stride, source + i * source_stride,
               static_cast<std::size_t>(run));
}

void copy_strided(std::byte* target, const Index& target_strides, const std::byte* source,
                  const Index& source_strides, const Index& shape, std::size_t element_bytes) {
  const Plan plan = make_plan(shape, target_strides, source_strides, element_bytes);
  if (plan.levels == 0) {
    copy_bytes(target, source, static_cast<std::size_t>(plan.run));
    return;
  }
  std::array<std::int64_t, max_dimensions> at{};
  const auto levels = static_cast<std::size_t>(plan.levels);
  for (;;) {
    copy_runs(target, plan.target[0], source, plan.source[0], plan.run, plan.count[0]);
    std::size_t l = 1;
    for (; l < levels; ++l) {
      target += plan.target[l];
      source += plan.source[l];
      if (++at[l] < plan.count[l]) break;
      target -= plan.count[l] * plan.target[l];
      source -= plan.count[l] * plan.source[l];
      at[l] = 0;
    }
    if (l == levels) return;
  }
}

Runs Runs::of(const Index& shape, const Index& strides, std::size_t element_bytes) {
  Runs runs;
  const Plan plan = make_plan(shape, strides, strides, element_bytes);
  runs.run_bytes = plan.run;
  runs.levels = plan.levels;
  for (std::size_t l = 0; l < static_cast<std::size_t>(plan.levels); ++l) {
    runs.level[l] = {plan.count[l], plan.target[l]};
  }
  return runs;
}

std::int64_t Runs::bytes() const noexcept {
  std::int64_t total = run_bytes;
  for (std::size_t l = 0; l < static_cast<std::size_t>(levels); ++l) total *= level[l].count;
  return total;
}

std::int64_t Runs::lowest() const noexcept {
  std::int64_t offset = 0;
  for (std::size_t l = 0; l < static_cast<std::size_t>(levels); ++l)
    if (level[l].stride < 0) offset += (level[l].count - 1) * level[l].stride;
  return offset;
}

std::int64_t Runs::highest() const noexcept {
  std::int64_t offset = run_bytes - 1;
  for (std::size_t l = 0; l < static_cast<std::size_t>(levels); ++l)
    if (level[l].stride > 0) offset += (level[l].count - 1) * level[l].stride;
  return offset;
}

RunPairs::RunPairs(const Index& shape, const Index& first, const Index& second,
                   std::size_t element_bytes) {
  const Plan plan = make_plan(shape, first, second, element_bytes);
  run_bytes_ = plan.run;
  runs_ = 1;
  levels_ = static_cast<std::size_t>(plan.levels);
  for (std::size_t l = 0; l < levels_; ++l) {
    count_[l] = plan.count[l];
    first_[l] = plan.target[l];
    second_[l] = plan.source[l];
    runs_ *= plan.count[l];
  }
}

std::pair<std::int64_t, std::int64_t> RunPairs::next() noexcept {
  const std::pair<std::int64_t, std::int64_t> found{first_offset_, second_offset_};
  ++next_;
  for (std::size_t l = 0; l < levels_; ++l) {
    first_offset_ += first_[l];
    second_offset_ += second_[l];
    if (++at_[l] < count_[l]) break;
    first_offset_ -= count_[l] * first_[l];
    second_offset_ -= count_[l] * second_[l];
    at_[l] = 0;
  }
  return found;
}

void pack(const Runs& runs, const std::byte* base, std::int64_t position, std::int64_t length,
          std::byte* buffer) {
  runs.for_each_row(
      position, length,
      [&](std::int64_t offset, std::int64_t stride, std::int64_t run, std::int64_t count) {
        copy_runs(buffer, run, base + offset, stride, run, count);
        buffer += run * count;
      });
}

void unpack(const Runs& runs, std::byte* base, std::int64_t position, std::int64_t length,
            const std::byte* buffer) {
  runs.for_each_row(
      position, length,
      [&](std::int64_t offset, std::int64_t stride, std::int64_t run, std::int64_t count) {
        copy_runs(base + offset, stride, buffer, run, run, count);
        buffer += run * count;
      });
}

}  // namespace lagoon::atoll::detail
