// The meeting of the nodes.
#include "array/mirror/merge_meeting.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "array/mirror/merge_call.hpp"
#include "array/mirror/small_merge.hpp"
#include "world/collective.hpp"
#include "world/copy_bytes.hpp"
#include "world/group_state.hpp"
#include "world/race/detector.hpp"

namespace lagoon::atoll::detail {

namespace {

/// What a node says: its agreement, and its marks.
std::vector<std::uint64_t> statement(const Mirror& mirror, std::uint64_t hash, bool agreed,
                                     int kinds) {
  std::vector<std::uint64_t> mine = {hash, agreed ? 1U : 0U, Marks::not_here};
  const std::array<const TileBits*, 3> bits = {&mirror.nonzero, &mirror.set_since,
                                               &mirror.zeroed_since};
  for (int kind = 0; kind < kinds; ++kind)
    for (std::int64_t i = 0; i < mirror.words(); ++i)
      mine.push_back(bits[static_cast<std::size_t>(kind)]->word(i));
  return mine;
}

/// Of each node in the first allgather: the marks of arrays up to 4 GiB on two nodes, less on more.
std::size_t first_words(int nodes) noexcept {
  return 64 + (std::size_t{16} << 10) / static_cast<std::size_t>(nodes);
}

/// Allgather of the nodes' words, `mine` laid out as `Marks` reads them, into `exchanged`, with
/// short contributions behind them. How long messages may be depends on the number of nodes alone,
/// so that calls that do not belong together find out; longer words follow when all agree.
void exchange(const Mirror& mirror, std::vector<std::uint64_t> mine, const SmallMerge* small) {
  NodeGroup& nodes = *mirror.nodes;
  const std::size_t most = first_words(nodes.nodes()), count = std::min(mine.size(), most);
  const auto gather = [&](std::size_t first, std::size_t last, std::size_t room, bool packs) {
    const auto bytes = std::as_bytes(std::span(mine)).subspan(8 * first, 8 * (last - first));
    auto pieces = nodes.exchange(room, [&](std::byte* to) {
      std::byte* end = copy_bytes(to, bytes);
      if (packs) end = small->pack(end);
      return static_cast<std::size_t>(end - to);
    });
    std::vector<std::byte*> behind;
    for (std::size_t node = 0; node < pieces.size(); ++node) {
      // Another call's words may be fewer, or more.
      const auto words = pieces[node].first(std::min(pieces[node].size(), bytes.size()));
      copy_bytes(mirror.exchanged().data() + node * mirror.message_words() + first, words.data(),
                 words.size());
      behind.push_back(words.data() + words.size());
    }
    return behind;
  };
  if (small != nullptr && mine[1] == 1 && count == mine.size()) mine[2] = small->bytes();
  const bool packs = mine[2] != Marks::not_here;
  std::vector<std::byte*> contributions =
      gather(0, count, 8 * most + SmallMerge::most(nodes.nodes()), packs);
  const Marks marks(mirror);
  if (!marks.agreed(mine[0])) return;
  if (marks.merged()) small->join(marks, std::move(contributions));
  if (count < mine.size()) (void)gather(count, mine.size(), 8 * (mine.size() - count), false);
}

}  // namespace

void Marks::nodes_with(Kind kind, std::int64_t tile, NodeSet& set) const {
  std::fill(set.begin(), set.end(), 0);
  for (int node = 0; node < nodes_; ++node)
    if (test(node, kind, tile)) insert(set, node);
}

bool Marks::same(Kind kind, std::int64_t first, std::int64_t last,
                 const NodeSet& set) const noexcept {
  const auto bits = static_cast<unsigned>(last - first);
  const std::uint64_t tiles = (bits == 64 ? 0 : std::uint64_t{1} << bits) - 1;
  const std::uint64_t mask = tiles << (first % 64);
  for (int node = 0; node < nodes_; ++node) {
    const bool in = (set[static_cast<std::size_t>(node) / 64] >> (node % 64) & 1) != 0;
    if ((word(node, kind, first / 64) & mask) != (in ? mask : 0)) return false;
  }
  return true;
}

std::uint64_t Marks::of_any(Kind kind, std::int64_t number) const noexcept {
  std::uint64_t some = 0;
  for (int node = 0; node < nodes_; ++node) some |= word(node, kind, number);
  return some;
}

bool Marks::merged() const noexcept {
  for (int node = 0; node < nodes_; ++node)
    if (words_of(node)[2] == not_here) return false;
  return true;
}

bool Marks::agreed(std::uint64_t hash) const noexcept {
  for (int node = 0; node < nodes_; ++node)
    if (words_of(node)[0] != hash || words_of(node)[1] != 1) return false;
  return true;
}

Marks meet(ArrayState& array, std::string_view operation, std::uint64_t arguments, int kinds,
           const Failure& failure, const SmallMerge* small) {
  Mirror& mirror = *array.mirror;
  GroupState& node = *array.group.state();
  const InCollectiveCall call = mirror.whole.state()->in_call();
  std::uint64_t hash = mix(arguments, operation.size());
  for (const char c : operation) hash = mix(hash, static_cast<unsigned char>(c));
  settle(mirror);
  const Failure fence = attempt([&] { node.world().fence(); });
  race::Detector::tell_fence();
  const Failure& own = failure ? failure : fence;
  const Agreement agreement = node.meet(hash, own.has_value());
  if (mirror.exposed()) {
    mirror.detect(array);
    node.barrier();
  }
  if (node.rank() == 0)
    must_go_on(operation, [&] {
      exchange(mirror, statement(mirror, hash, agreement.failed < 0 && !agreement.mismatch, kinds),
               small);
    });
  node.barrier();
  if (race::Detector* const races = race::Detector::running)
    races->met(mix(mirror.whole.state()->number(), mirror.whole.state()->calls()),
               mirror.whole.size());
  if (!Marks(mirror).agreed(hash)) {
    // Everybody knows that something is wrong, and asks in the usual way what it is.
    try {
      mirror.whole.state()->agree_or_throw(operation, arguments, own);
    } catch (const Error& error) {
      throw error.during(operation, array.name);
    }
  }
  return Marks(mirror);
}

void refuse_merge(ArrayState& array, const Error& failure) {
  (void)meet(array, "merge", 0, 1, failure);
  throw Error(failure);  // not reached: the others cannot have agreed
}

}  // namespace lagoon::atoll::detail
