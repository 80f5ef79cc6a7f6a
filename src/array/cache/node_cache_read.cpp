// NodeCache: reads. A read is cut into parts, one a tile; those that are not on the node are
// fetched many at once.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

#include "array/array_state.hpp"
#include "array/cache/node_cache.hpp"
#include "array/cache/node_cache_parts.hpp"
#include "array/distribution/piece.hpp"
#include "transport/strided.hpp"
#include "world/profile.hpp"

namespace lagoon::atoll::detail {

namespace {

// How long to wait for a tile that another rank fetches before fetching what is wanted of it.
constexpr std::chrono::milliseconds patience{20};
constexpr std::int64_t most_claims_of_a_rank = 64;
constexpr std::size_t most_waiting_parts = 1024;

Index times(Index index, std::size_t bytes) {
  for (std::int64_t& entry : index) entry *= static_cast<std::int64_t>(bytes);
  return index;
}

}  // namespace

/// One get or gather of a rank: takes parts one after the other. `finish` completes them all, or
/// throws; then, as after anything else that throws, `abandon` is due.
class NodeCache::Reader {
 public:
  /// `strides` of the caller's buffer, in elements.
  Reader(NodeCache& cache, const Index& strides)
      : cache_(cache),
        array_(cache.array_),
        strides_(strides),
        user_(times(strides, array_.element_bytes)),
        most_claims_(cache.most_claims()) {
    operation_.together = true;  // tiles have many pieces, reads many tiles
  }

  void read(const Part& part) {
    const Lookup found = cache_.try_copy(part, user_);
    if (found == Lookup::copied) {
      cache_.count(Count::hits, 1);
      return;
    }
    const Foreign wanted = cache_.foreign(part.box);
    if (wanted.pieces == 0) {
      cache_.count(Count::direct, 1);
      fetch(part.box, part.side, strides_);
    } else if (found == Lookup::filling) {
      wait_later(part);
    } else {
      claim(part, wanted);
    }
  }

  void finish() {
    operation_.wait();
    for (const Claim& claim : claims_) {
      cache_.publish(claim.slot);
      cache_.copy_out(claim.slot, claim.part, user_);
      cache_.unpin(claim.slot);
    }
    claims_.clear();
    // From here on this rank holds nothing that another might wait for.
    const auto deadline = std::chrono::steady_clock::now() + patience;
    for (const Part& part : waiting_) {
      Lookup found = cache_.try_copy(part, user_);
      if (found == Lookup::filling) {
        WorldState::get().wait_until([&] {
          return !cache_.being_filled(part.tile) || std::chrono::steady_clock::now() > deadline;
        });
        found = cache_.try_copy(part, user_);
      }
      if (found == Lookup::copied)
        cache_.count(Count::hits, 1);
      else
        bypass(part, cache_.foreign(part.box));
    }
    waiting_.clear();
    operation_.wait();
  }

  /// Lets others have the slots that were not filled.
  void abandon() {
    // Parts that are under way point to this object, to slots and to the caller's buffer.
    if (operation_.pending > 0)
      WorldState::get().wait_until([&] { return operation_.pending == 0; });
    for (const Claim& claim : claims_) cache_.abandon(claim.slot);
    claims_.clear();
  }

 private:
  struct Claim {
    std::int64_t slot;
    Part part;
  };

  void claim(const Part& part, const Foreign& wanted) {
    if (claims_.empty()) claims_.reserve(static_cast<std::size_t>(most_claims_));  // may throw
    const std::int64_t slot = cache_.claim(part.tile);
    if (slot == taken_by_another) {
      wait_later(part);
    } else if (slot == none_free) {
      bypass(part, wanted);
    } else {
      claims_.push_back({slot, part});
      const Patch tile = cache_.tiling_.patch(part.tile);
      const Foreign all = cache_.foreign(tile);
      cache_.count(Count::misses, 1);
      cache_.count(Count::fetched_bytes, all.bytes);
      fetch(tile, cache_.data(slot), packed_strides(tile.shape()));
      if (std::ssize(claims_) >= most_claims_) finish();
    }
  }

  void bypass(const Part& part, const Foreign& wanted) {
    cache_.count(Count::bypasses, 1);
    cache_.count(Count::fetched_bytes, wanted.bytes);
    fetch(part.box, part.side, strides_);
  }

  void wait_later(const Part& part) {
    waiting_.push_back(part);
    if (waiting_.size() >= most_waiting_parts) finish();
  }

  void fetch(const Patch& box, std::byte* to, const Index& strides) {
    array_.transfer(Action::get, box, to, strides, nullptr, operation_);
  }

  NodeCache& cache_;
  ArrayState& array_;
  const Index strides_, user_;  // the same in elements and in bytes
  const std::int64_t most_claims_;
  Operation operation_;
  std::vector<Claim> claims_;
  std::vector<Part> waiting_;  // for tiles that somebody, perhaps I, is fetching
};

std::int64_t NodeCache::most_claims() const noexcept {
  // The other ranks of the node want slots too.
  const auto ranks = static_cast<std::int64_t>(array_.group.state()->node_ranks().size());
  return std::clamp<std::int64_t>(slots_ / (2 * ranks), 1, most_claims_of_a_rank);
}

NodeCache::Foreign NodeCache::foreign(const Patch& box) const {
  Foreign result;
  array_.distribution->for_each_piece(box, [&](const Piece& piece) {
    if (array_.block(piece.rank) != nullptr) return;
    ++result.pieces;
    result.bytes += piece.shape.product() * static_cast<std::int64_t>(array_.element_bytes);
  });
  return result;
}

void NodeCache::copy_out(std::int64_t slot, const Part& part, const Index& user) const {
  const Patch tile = tiling_.patch(part.tile);
  Index strides = times(packed_strides(tile.shape()), array_.element_bytes);
  const std::byte* from = data(slot);
  for (int d = 0; d < strides.size(); ++d) {
    from += (part.box.lo[d] - tile.lo[d]) * strides[d];
    if (!part.box.step.empty()) strides[d] *= part.box.step[d];
  }
  copy_strided(part.side, user, from, strides, part.box.shape(), array_.element_bytes);
}

void NodeCache::get(const Patch& patch, std::byte* out, const Index& strides) {
  require_open();
  array_.require_alive();
  const auto size = static_cast<std::int64_t>(array_.element_bytes);
  if (!array_.check_transfer(patch, out, strides)) return;
  const ProfiledCall call(array_.profile, "lazy_get",
                          static_cast<std::uint64_t>(patch.elements() * size));
  if (array_.profile == nullptr &&
      array_.transfer_in_last_block(Action::get, patch, out, strides, nullptr)) {
    count(Count::direct, 1);
    return;
  }
  if (slots_ == 0 || foreign(patch).pieces == 0) {
    count(Count::direct, 1);
    Operation operation;
    array_.transfer(Action::get, patch, out, strides, nullptr, operation);
    return;
  }
  const Index elements = strides.empty() ? packed_strides(patch.shape()) : strides;
  const Index user = times(elements, array_.element_bytes);
  Reader reader(*this, elements);
  // The part of the patch in one tile.
  Part part{0, patch, out};
  const auto cut = [&](std::int64_t number) {
    const Patch tile = tiling_.patch(number);
    part.tile = number;
    part.side = out;
    for (int d = 0; d < user.size(); ++d) {
      const std::int64_t step = patch.step.empty() ? 1 : patch.step[d];
      const std::int64_t ahead = std::max<std::int64_t>(0, tile.lo[d] - patch.lo[d]);
      const std::int64_t skipped = (ahead + step - 1) / step;
      part.box.lo[d] = patch.lo[d] + skipped * step;
      part.box.hi[d] = std::min(patch.hi[d], tile.hi[d]);
      part.side += skipped * user[d];
    }
  };
  try {
    tiling_.for_each_run(patch, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t tile = first; tile < last; ++tile) {
        cut(tile);
        reader.read(part);
      }
    });
    reader.finish();
  } catch (...) {
    reader.abandon();
    throw;
  }
}

void NodeCache::gather(std::span<const std::int64_t> positions, std::byte* values) {
  require_open();
  array_.require_alive();
  array_.check_positions(positions, values);
  const auto n = static_cast<std::size_t>(array_.shape.size());
  const ProfiledCall call(array_.profile, "lazy_gather",
                          positions.size() / n * array_.element_bytes);
  if (slots_ == 0) {
    count(Count::direct, static_cast<std::int64_t>(positions.size() / n));
    array_.scattered(Action::gather, positions, values, nullptr);
    return;
  }
  Reader reader(*this, Index::filled(array_.shape.size(), 1));
  try {
    for (std::size_t i = 0; i < positions.size() / n; ++i) {
      const Index at(positions.subspan(i * n, n));
      Part part{tiling_.tile_of(at), {at, at, {}}, values + i * array_.element_bytes};
      for (std::int64_t& end : part.box.hi) ++end;
      reader.read(part);
    }
    reader.finish();
  } catch (...) {
    reader.abandon();
    throw;
  }
}

}  // namespace lagoon::atoll::detail
