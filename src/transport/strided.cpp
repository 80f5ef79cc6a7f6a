// Strided copies. Runs of one element are the field's columns and get loops of their own; long runs
// go to copy_bytes.
#include "transport/strided.hpp"

#include <cstring>

#include "world/copy_bytes.hpp"

namespace lagoon::atoll::detail {

namespace {

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
  const RunLoops loops(shape, target_strides, source_strides, element_bytes);
  if (loops.levels == 0) {
    copy_bytes(target, source, static_cast<std::size_t>(loops.run_bytes));
    return;
  }
  std::array<std::int64_t, max_dimensions> at{};
  do copy_runs(target, loops.first[0], source, loops.second[0], loops.run_bytes, loops.count[0]);
  while (loops.step(1, at, target, source));
}

Runs Runs::of(const Index& shape, const Index& strides, std::size_t element_bytes) {
  Runs runs;
  const RunLoops loops(shape, strides, strides, element_bytes);
  runs.run_bytes = loops.run_bytes;
  runs.levels = static_cast<std::int64_t>(loops.levels);
  for (std::size_t l = 0; l < loops.levels; ++l) runs.level[l] = {loops.count[l], loops.first[l]};
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

RunLoops::RunLoops(const Index& shape, const Index& first_strides, const Index& second_strides,
                   std::size_t element_bytes) noexcept
    : run_bytes(static_cast<std::int64_t>(element_bytes)) {
  for (int d = shape.size() - 1; d >= 0; --d) {
    if (shape[d] == 1) continue;
    if (levels == 0 && first_strides[d] == run_bytes && second_strides[d] == run_bytes) {
      run_bytes *= shape[d];
      continue;
    }
    if (levels > 0 && first_strides[d] == count[levels - 1] * first[levels - 1] &&
        second_strides[d] == count[levels - 1] * second[levels - 1]) {
      count[levels - 1] *= shape[d];
      continue;
    }
    count[levels] = shape[d];
    first[levels] = first_strides[d];
    second[levels++] = second_strides[d];
  }
}

RunPairs::RunPairs(const RunLoops& loops) noexcept : loops_(loops) {
  for (std::size_t l = 0; l < loops.levels; ++l) runs_ *= loops.count[l];
}

std::pair<std::int64_t, std::int64_t> RunPairs::next() noexcept {
  const std::pair<std::int64_t, std::int64_t> found{first_offset_, second_offset_};
  ++next_;
  (void)loops_.step(0, at_, first_offset_, second_offset_);
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
