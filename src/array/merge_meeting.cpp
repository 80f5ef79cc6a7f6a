// The meeting of the nodes.
#include "array/merge_meeting.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "array/merge_job.hpp"
#include "world/collective.hpp"
#include "world/group_state.hpp"

namespace lagoon::atoll::detail {

namespace {

// The first exchange is equally long whatever is called, so that calls that do not belong together
// find out; the marks of arrays up to 30 MiB are in it already.
constexpr std::size_t first_words = 64;

/// What a node says: its agreement, and its marks.
std::vector<std::uint64_t> statement(const Mirror& mirror, std::uint64_t hash, bool agreed,
                                     int kinds) {
  const auto words = static_cast<std::size_t>(mirror.words());
  std::vector<std::uint64_t> mine = {hash, agreed ? 1U : 0U};
  mine.reserve(Mirror::agreement_words + static_cast<std::size_t>(kinds) * words);
  const std::array<const TileBits*, 3> bits = {&mirror.nonzero, &mirror.set_since,
                                               &mirror.zeroed_since};
  for (int kind = 0; kind < kinds; ++kind)
    for (std::int64_t i = 0; i < mirror.words(); ++i)
      mine.push_back(bits[static_cast<std::size_t>(kind)]->word(i));
  return mine;
}

/// By the first rank of every node: leaves what all have said in `mirror.exchanged()`.
void exchange_statements(const Mirror& mirror, std::vector<std::uint64_t> mine) {
  const auto nodes = static_cast<std::size_t>(mirror.nodes->nodes());
  const std::span<std::uint64_t> all = mirror.exchanged();
  const std::size_t length = mine.size(), stride = mirror.message_words();
  mine.resize(std::max(length, first_words));
  std::vector<std::uint64_t> heard(nodes * first_words);
  const auto pass_on = [&](std::size_t from, std::size_t count) {
    const auto part = std::span(mine).subspan(from, count);
    mirror.nodes->exchange(std::as_bytes(part), reinterpret_cast<std::byte*>(heard.data()));
    const std::size_t wanted = std::min(count, length - from);
    for (std::size_t k = 0; k < nodes; ++k)
      std::copy_n(heard.data() + k * count, wanted, all.data() + k * stride + from);
  };
  pass_on(0, first_words);
  for (std::size_t k = 0; k < nodes; ++k)
    if (all[k * stride] != mine[0] || all[k * stride + 1] == 0) return;
  if (length <= first_words) return;
  heard.resize(nodes * (length - first_words));
  pass_on(first_words, length - first_words);
}

}  // namespace

void Marks::nodes_with(Kind kind, std::int64_t tile, NodeSet& set) const {
  std::fill(set.begin(), set.end(), 0);
  for (int node = 0; node < nodes_; ++node)
    if (test(node, kind, tile))
      set[static_cast<std::size_t>(node) / 64] |= std::uint64_t{1} << (node % 64);
}

bool Marks::any(Kind kind, std::int64_t tile) const noexcept {
  for (int node = 0; node < nodes_; ++node)
    if (test(node, kind, tile)) return true;
  return false;
}

Marks meet(ArrayState& array, std::string_view operation, std::uint64_t arguments, int kinds,
           const Error* failure) {
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
        mirror, statement(mirror, hash, agreement.failed < 0 && !agreement.mismatch, kinds));
  node.barrier();
  const std::span<const std::uint64_t> said = mirror.exchanged();
  bool agreed = true;
  for (std::size_t at = 0; at < said.size(); at += mirror.message_words())
    agreed = agreed && said[at] == hash && said[at + 1] == 1;
  if (!agreed) {
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
