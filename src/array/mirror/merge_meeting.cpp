// The meeting of the nodes.
#include "array/mirror/merge_meeting.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "array/mirror/first_exchange.hpp"
#include "array/mirror/merge_job.hpp"
#include "world/collective.hpp"
#include "world/group_state.hpp"

namespace lagoon::atoll::detail {

namespace {

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

}  // namespace

void Marks::nodes_with(Kind kind, std::int64_t tile, NodeSet& set) const {
  std::fill(set.begin(), set.end(), 0);
  for (int node = 0; node < nodes_; ++node)
    if (test(node, kind, tile))
      set[static_cast<std::size_t>(node) / 64] |= std::uint64_t{1} << (node % 64);
}

bool Marks::any(Kind kind, std::int64_t tile, int first, int last) const noexcept {
  for (int node = first; node < last; ++node)
    if (test(node, kind, tile)) return true;
  return false;
}

bool Marks::contributed(int first, int last) const noexcept {
  const auto said = [&](int node) { return all_[static_cast<std::size_t>(node) * length_ + 2]; };
  for (int node = first; node < last; ++node)
    if (said(node) == not_here || (said(node) & in_one_piece) != (said(first) & in_one_piece))
      return false;
  return true;
}

bool Marks::sends_behind(int first, int last) const noexcept {
  const std::uint64_t* const words = all_ + static_cast<std::size_t>(first) * length_;
  return agreed(words[0], first, last) && contributed(first, last) && words[2] != not_here &&
         (words[2] & in_one_piece) != 0 && (words[2] & ~in_one_piece) > least_behind;
}

bool Marks::agreed(std::uint64_t hash, int first, int last) const noexcept {
  for (int node = first; node < last; ++node) {
    const std::uint64_t* const words = all_ + static_cast<std::size_t>(node) * length_;
    if (words[0] != hash || words[1] != 1) return false;
  }
  return true;
}

Marks meet(ArrayState& array, std::string_view operation, std::uint64_t arguments, int kinds,
           const Failure& failure, const SmallMerge* small) {
  Mirror& mirror = *array.mirror;
  GroupState& node = *array.group.state();
  std::uint64_t hash = mix(arguments, operation.size());
  for (const char c : operation) hash = mix(hash, static_cast<unsigned char>(c));
  settle(mirror);
  const Failure fence = attempt([&] { node.world().fence(); });
  const Failure& own = failure ? failure : fence;
  const Agreement agreement = node.meet(hash, own.has_value());
  if (mirror.exposed()) {
    mirror.detect(array);
    node.barrier();
  }
  if (node.rank() == 0)
    FirstExchange(
        mirror, statement(mirror, hash, agreement.failed < 0 && !agreement.mismatch, kinds), small)
        .run();
  node.barrier();
  if (!Marks(mirror).agreed(hash, 0, mirror.nodes->nodes())) {
    // Everybody knows that something is wrong, and asks in the usual way what it is.
    try {
      mirror.whole.state()->agree_or_throw(operation, arguments, own);
    } catch (const Error& error) {
      throw error.during(operation, array.name);
    }
  }
  return Marks(mirror);
}

}  // namespace lagoon::atoll::detail
