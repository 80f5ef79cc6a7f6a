// The meeting of the nodes.
#include "array/merge_meeting.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "array/merge_job.hpp"
#include "array/small_merge.hpp"
#include "world/collective.hpp"
#include "world/group_state.hpp"

namespace lagoon::atoll::detail {

namespace {

// The first exchange may be equally long whatever is called, so that calls that do not belong
// together find out; the marks of all but huge arrays are in it already. With its length the
// statement of an array up to 30 MiB is half a KiB.
constexpr std::size_t first_words = 63, first_bytes = 8 * first_words;

/// What a node says: its agreement, and its marks.
std::vector<std::uint64_t> statement(const Mirror& mirror, std::uint64_t hash, bool agreed,
                                     int kinds) {
  const auto words = static_cast<std::size_t>(mirror.words());
  std::vector<std::uint64_t> mine = {hash, agreed ? 1U : 0U, Marks::not_here};
  mine.reserve(Mirror::agreement_words + static_cast<std::size_t>(kinds) * words);
  const std::array<const TileBits*, 3> bits = {&mirror.nonzero, &mirror.set_since,
                                               &mirror.zeroed_since};
  for (int kind = 0; kind < kinds; ++kind)
    for (std::int64_t i = 0; i < mirror.words(); ++i)
      mine.push_back(bits[static_cast<std::size_t>(kind)]->word(i));
  return mine;
}

bool all_agreed(const Mirror& mirror, std::uint64_t hash) {
  const std::span<const std::uint64_t> said = mirror.exchanged();
  bool agreed = true;
  for (std::size_t at = 0; at < said.size(); at += mirror.message_words())
    agreed = agreed && said[at] == hash && said[at + 1] == 1;
  return agreed;
}

/// By the first rank of every node: leaves in `mirror.exchanged()` what all have said. When all
/// sent their contributions, the copies are merged.
void exchange_statements(const Mirror& mirror, std::vector<std::uint64_t> mine,
                         const SmallMerge* small) {
  const std::size_t room = first_bytes + SmallMerge::most_bytes(mirror.nodes->nodes());
  const std::size_t length = mine.size(), at_first = std::min(length, room / 8);
  const std::size_t stated = 8 * std::max(at_first, first_words);
  if (small != nullptr && mine[1] == 1 && at_first == length)
    if (const std::size_t bytes = small->contribution_bytes(room - stated); bytes <= room - stated)
      mine[2] = bytes;
  // Words of all nodes' statements, from the `from`th on; another call's may be shorter.
  const auto keep = [&](std::size_t from, std::size_t count, const auto& pieces) {
    std::byte* to = std::as_writable_bytes(mirror.exchanged()).data() + 8 * from;
    for (const std::span<std::byte> piece : pieces) {
      std::memcpy(to, piece.data(), std::min(piece.size(), 8 * count));
      to += 8 * mirror.message_words();
    }
  };
  const auto pieces = mirror.nodes->exchange(room, [&](std::byte* to) {
    std::memcpy(to, mine.data(), 8 * at_first);
    std::memset(to + 8 * at_first, 0, stated - 8 * at_first);
    if (mine[2] == Marks::not_here) return stated;
    small->pack(to + stated);
    return stated + mine[2];
  });
  keep(0, at_first, pieces);
  if (!all_agreed(mirror, mine[0])) return;
  if (const std::size_t later = length - at_first; later != 0)
    keep(at_first, later, mirror.nodes->exchange(8 * later, [&](std::byte* to) {
      std::memcpy(to, mine.data() + at_first, 8 * later);
      return 8 * later;
    }));
  const Marks marks(mirror);
  if (small == nullptr || !marks.merged()) return;
  std::vector<std::byte*> contributions;
  for (const std::span<std::byte> piece : pieces) contributions.push_back(piece.data() + stated);
  small->combine(marks, std::move(contributions));
}

}  // namespace

void Marks::nodes_with(Kind kind, std::int64_t tile, NodeSet& set) const {
  std::fill(set.begin(), set.end(), 0);
  for (int node = 0; node < nodes_; ++node)
    if (test(node, kind, tile))
      set[static_cast<std::size_t>(node) / 64] |= std::uint64_t{1} << (node % 64);
}

bool Marks::merged() const noexcept {
  for (int node = 0; node < nodes_; ++node)
    if (all_[static_cast<std::size_t>(node) * length_ + 2] == not_here) return false;
  return true;
}

bool Marks::any(Kind kind, std::int64_t tile) const noexcept {
  for (int node = 0; node < nodes_; ++node)
    if (test(node, kind, tile)) return true;
  return false;
}

Marks meet(ArrayState& array, std::string_view operation, std::uint64_t arguments, int kinds,
           const Error* failure, const SmallMerge* small) {
  Mirror& mirror = *array.mirror;
  GroupState& node = *array.group.state();
  std::optional<Error> own;
  if (failure != nullptr) own = *failure;
  std::uint64_t hash = mix(arguments, operation.size());
  for (const char c : operation) hash = mix(hash, static_cast<unsigned char>(c));
  settle(mirror);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  try {
    if (Progress* const progress = node.world().progress.get()) progress->fence_all();
  } catch (const Error& error) {
    own = error;
  }
  const Agreement agreement = node.agree(hash, own.has_value(), false);
  if (mirror.exposed()) {
    mirror.detect(array);
    node.barrier();
  }
  if (node.rank() == 0)
    exchange_statements(
        mirror, statement(mirror, hash, agreement.failed < 0 && !agreement.mismatch, kinds), small);
  node.barrier();
  if (!all_agreed(mirror, hash)) {
    // Everybody knows that something is wrong, and asks in the usual way what it is.
    try {
      mirror.whole.state()->agree_or_throw(operation, arguments, own ? &*own : nullptr);
    } catch (const Error& error) {
      throw error.during(operation, array.name);
    }
  }
  return Marks(mirror);
}

}  // namespace lagoon::atoll::detail
