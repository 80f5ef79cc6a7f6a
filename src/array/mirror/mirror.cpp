// Mirror: the marks and fingerprints of a node's copy.
#include "array/mirror/mirror.hpp"

#include <algorithm>
#include <utility>

#include "array/mirror/mirror_memory.hpp"
#include "world/group_state.hpp"

namespace lagoon::atoll::detail {

namespace {

constexpr std::uint64_t being_taken = 1;

std::uint64_t round_up(std::uint64_t bytes) noexcept { return (bytes + 63) / 64 * 64; }

}  // namespace

struct Mirror::Shared {
  alignas(64) std::atomic<std::uint64_t> finished;  // parts of merges, over all ranks
  std::atomic<std::uint32_t> exposed;
};

void TileBits::set(std::int64_t first, std::int64_t last) noexcept {
  while (first < last) {
    const std::int64_t word = first / 64, end = std::min(last, (word + 1) * 64);
    const std::uint64_t ones = ~std::uint64_t{0} >> (64 - (end - first)) << (first % 64);
    if ((words_[word].load(std::memory_order_relaxed) & ones) != ones)
      words_[word].fetch_or(ones, std::memory_order_relaxed);
    first = end;
  }
}

Mirror::Mirror(const Group& group, std::shared_ptr<NodeGroup> node_group, const Index& shape,
               std::size_t element_bytes)
    : whole(group),
      nodes(std::move(node_group)),
      tiling(shape, element_bytes),
      members_(static_cast<std::size_t>(nodes->node().size())) {}

std::uint64_t Mirror::bytes() const noexcept {
  if (nodes->nodes() == 1) return 0;
  const auto count = static_cast<std::uint64_t>(words());
  return sizeof(Shared) + round_up(members_) + 3 * round_up(8 * count) +
         round_up(8 * message_words() * static_cast<std::uint64_t>(nodes->nodes())) +
         8 * static_cast<std::uint64_t>(tiling.tiles());
}

void Mirror::attach(std::byte* memory, bool unknown) {
  if (nodes->nodes() == 1) return;
  const auto take = [&](std::uint64_t size) {
    return std::exchange(memory, memory + round_up(size));
  };
  const auto bits = 8 * static_cast<std::uint64_t>(words());
  std::byte* const start = memory;
  auto* const shared = reinterpret_cast<Shared*>(take(sizeof(Shared)));
  exposed_blocks_ = reinterpret_cast<std::atomic<std::uint8_t>*>(take(members_));
  nonzero = TileBits(reinterpret_cast<std::atomic<std::uint64_t>*>(take(bits)));
  set_since = TileBits(reinterpret_cast<std::atomic<std::uint64_t>*>(take(bits)));
  zeroed_since = TileBits(reinterpret_cast<std::atomic<std::uint64_t>*>(take(bits)));
  exchanged_ = reinterpret_cast<std::uint64_t*>(
      take(8 * message_words() * static_cast<std::uint64_t>(nodes->nodes())));
  prints_ = reinterpret_cast<std::atomic<std::uint64_t>*>(memory);
  if (unknown && nodes->node().rank() == 0) {
    std::fill_n(start, bytes(), std::byte{0});
    nonzero.set(0, tiling.tiles());
  }
  shared_ = shared;
}

void Mirror::finish_part() noexcept { shared_->finished.fetch_add(1, std::memory_order_acq_rel); }

bool Mirror::settled() const noexcept {
  return shared_ == nullptr ||
         shared_->finished.load(std::memory_order_acquire) >= merges_ * members_;
}

std::span<std::uint64_t> Mirror::exchanged() const noexcept {
  return {exchanged_, message_words() * static_cast<std::size_t>(nodes->nodes())};
}

template <class F>
void Mirror::for_each_tile(const Patch& patch, F&& f) const {
  tiling.for_each_run(patch, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t tile = first; tile < last; ++tile) f(tile);
  });
}

void Mirror::written(const Patch& patch) noexcept {
  if (shared_ == nullptr || quiet) return;
  tiling.for_each_run(patch, [&](std::int64_t first, std::int64_t last) {
    nonzero.set(first, last);
    set_since.set(first, last);
  });
}

void Mirror::zeroed(const Patch& patch) noexcept {
  if (shared_ == nullptr) return;
  for_each_tile(patch, [&](std::int64_t tile) {
    if (tiling.covered(tile, patch)) {
      nonzero.clear(tile);
      set_since.clear(tile);
      zeroed_since.set(tile, tile + 1);
      // A pointer may write what the tile held before: the fingerprint must not be of that.
      if (prints_[tile].load(std::memory_order_relaxed) != 0)
        prints_[tile].store(MirrorMemory::zero_fingerprint, std::memory_order_relaxed);
    } else if (nonzero.test(tile)) {
      set_since.set(tile, tile + 1);
    }
  });
}

void Mirror::alike(const ArrayState& array, const Patch& patch) {
  if (shared_ == nullptr) return;
  tiling.for_each_run(patch,
                      [&](std::int64_t first, std::int64_t last) { renew(array, first, last); });
  for_each_tile(patch, [&](std::int64_t tile) {
    nonzero.set(tile, tile + 1);
    if (!tiling.covered(tile, patch)) return;
    set_since.clear(tile);
    zeroed_since.clear(tile);
  });
}

void Mirror::forget() noexcept {
  if (shared_ == nullptr) return;
  for (std::int64_t tile = 0; tile < tiling.tiles(); ++tile) {
    set_since.clear(tile);
    zeroed_since.clear(tile);
  }
}

bool Mirror::exposed() const noexcept {
  return shared_ != nullptr && shared_->exposed.load(std::memory_order_acquire) != 0;
}

void Mirror::expose(const ArrayState& array, int local) {
  if (shared_ == nullptr || exposed_blocks_[local].load(std::memory_order_acquire) != 0) return;
  const MirrorMemory memory(array);
  for (const Patch& patch : array.distribution->patches(local))
    for_each_tile(patch, [&](std::int64_t tile) {
      std::uint64_t print = 0;
      if (prints_[tile].compare_exchange_strong(print, being_taken, std::memory_order_acq_rel)) {
        prints_[tile].store(memory.fingerprint(tiling.patch(tile)), std::memory_order_release);
      } else if (print == being_taken) {
        // Another rank shares the tile. It may hand its pointer out as soon as it is done.
        nodes->node().state()->world().wait_until(
            [&] { return prints_[tile].load(std::memory_order_acquire) != being_taken; });
      }
    });
  shared_->exposed.store(1, std::memory_order_release);
  exposed_blocks_[local].store(1, std::memory_order_release);
}

void Mirror::detect(const ArrayState& array) {
  const MirrorMemory memory(array);
  const auto share = [&](int rank) { return tiling.tiles() * rank / nodes->node().size(); };
  const int me = nodes->node().rank();
  for (std::int64_t tile = share(me); tile < share(me + 1); ++tile) {
    const std::uint64_t before = prints_[tile].load(std::memory_order_relaxed);
    if (before == 0) continue;
    const std::uint64_t now = memory.fingerprint(tiling.patch(tile));
    if (now == before) continue;
    prints_[tile].store(now, std::memory_order_relaxed);
    set_since.set(tile, tile + 1);
    if (now != MirrorMemory::zero_fingerprint) nonzero.set(tile, tile + 1);
  }
}

void Mirror::renew(const ArrayState& array, std::int64_t first, std::int64_t last) {
  if (!exposed()) return;
  const MirrorMemory memory(array);
  for (std::int64_t tile = first; tile < last; ++tile)
    if (prints_[tile].load(std::memory_order_relaxed) != 0)
      prints_[tile].store(memory.fingerprint(tiling.patch(tile)), std::memory_order_relaxed);
}

}  // namespace lagoon::atoll::detail
