// fused-add: a = alpha b + beta c on one rank, beside a loop that somebody wrote for it on the same
// memory.
#include <array>

#include "atoll/atoll.hpp"
#include "measure.hpp"
#include "workloads.hpp"
#include "world/processors.hpp"

namespace bench {

namespace {

ATOLL_EACH_PROCESSOR
void fused(double* __restrict a, double alpha, const double* __restrict b, double beta,
           const double* __restrict c, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) a[i] = alpha * b[i] + beta * c[i];
}

void measure(Context& context, const atoll::Group& alone, std::int64_t bytes) {
  const std::int64_t count = bytes / static_cast<std::int64_t>(sizeof(double));
  std::array<atoll::Array<double>, 3> arrays{atoll::Array<double>(alone, {count}),
                                             atoll::Array<double>(alone, {count}),
                                             atoll::Array<double>(alone, {count})};
  auto& [a, b, c] = arrays;
  atoll::fill(b, 1.5);
  atoll::fill(c, 2.5);
  const auto ours = [&](std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) atoll::add(0.5, b, 2.0, c, a);
  };
  const auto loop = [&](std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) {
      fused(a.local().data, 0.5, b.local().data, 2.0, c.local().data, count);
      touch(a.local().data);
    }
  };
  const auto s = race(context.settings, {{ours}, {loop}}, 1e-2);
  context.report.bandwidth("fused add " + bytes_text(bytes), 3 * bytes, s[0],
                           {{"hand-fused loop", s[1]}});
}

}  // namespace

void fused_add(Context& context) {
  const atoll::Group alone = context.world.split(context.world.rank());
  if (context.world.rank() == 0)
    for (const std::int64_t bytes : {32 << 10, 1 << 20, 64 << 20}) measure(context, alone, bytes);
  context.world.barrier();
}

}  // namespace bench
