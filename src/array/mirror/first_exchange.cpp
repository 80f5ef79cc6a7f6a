// FirstExchange: the three patterns of messages.
#include "array/mirror/first_exchange.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "world/copy_bytes.hpp"
#include "world/node_group.hpp"

namespace lagoon::atoll::detail {

namespace {

constexpr std::size_t length_bytes = sizeof(std::uint64_t);

std::size_t round_up(std::size_t bytes) noexcept { return (bytes + 63) / 64 * 64; }

std::uint64_t length_at(const std::byte* at) {
  std::uint64_t length = 0;
  std::memcpy(&length, at, length_bytes);
  return length;
}

}  // namespace

FirstExchange::FirstExchange(const Mirror& mirror, std::vector<std::uint64_t> words,
                             const SmallMerge* small)
    : mirror_(mirror),
      nodes_(*mirror.nodes),
      small_(small),
      words_(std::move(words)),
      at_first_(std::min(words_.size(), words_room() / 8)) {
  if (small == nullptr || words_[1] == 0 || at_first_ != words_.size()) return;
  const std::size_t most = SmallMerge::most_packed(nodes_.nodes()),
                    bytes = small->packed_bytes(most);
  part_ = small->piece();
  if (!part_.empty())
    words_[2] = Marks::in_one_piece | part_.size();
  else if (bytes <= most)
    words_[2] = bytes;
}

/// For each node's: the marks of arrays up to 4 GiB on two nodes, less on more.
std::size_t FirstExchange::words_room() const noexcept {
  return 512 + (std::size_t{128} << 10) / static_cast<std::size_t>(nodes_.nodes());
}

void FirstExchange::run() {
  const int me = nodes_.my_node();
  const std::span<const std::byte> words = words_to_say();
  const std::uint64_t length = words.size();
  said_.resize(length_bytes + length);
  std::memcpy(said_.data(), &length, length_bytes);
  copy_bytes(said_.data() + length_bytes, words);
  (void)keep_words(me, me + 1, said_.data());
  merging_ = words_[2] != Marks::not_here;
  if (SmallMerge::power_of_two(nodes_.nodes()))
    by_doubling();
  else if (SmallMerge::few(nodes_.nodes()))
    directly();
  else
    by_passing_on();
  if (merging_) small_->finish(Marks(mirror_));
  if (at_first_ != words_.size() && all_agreed()) exchange_later_words();
}

void FirstExchange::exchange_later_words() {
  const std::size_t later = 8 * (words_.size() - at_first_);
  const auto pieces = nodes_.exchange(later, [&](std::byte* to) {
    copy_bytes(to, words_.data() + at_first_, later);
    return later;
  });
  for (int node = 0; node < nodes_.nodes(); ++node)
    keep(node, at_first_, pieces[static_cast<std::size_t>(node)]);
}

bool FirstExchange::all_agreed() const {
  return Marks(mirror_).agreed(words_[0], 0, nodes_.nodes());
}

std::span<const std::byte> FirstExchange::words_to_say() const {
  return std::as_bytes(std::span(words_).first(at_first_));
}

/// Another call's words may be fewer, or more.
void FirstExchange::keep(int node, std::size_t from, std::span<const std::byte> words) const {
  const std::size_t begin = static_cast<std::size_t>(node) * mirror_.message_words() + from;
  copy_bytes(mirror_.exchanged().data() + begin, words.data(),
             std::min(words.size(), 8 * (words_.size() - from)));
}

/// Where messages, pieces of contributions and sums go: so many bytes each.
std::vector<std::byte*> FirstExchange::places(std::initializer_list<std::size_t> sizes) const {
  std::size_t all = 0;
  for (const std::size_t size : sizes) all += round_up(size);
  std::byte* next = nodes_.memory(all);
  std::vector<std::byte*> result;
  for (const std::size_t size : sizes) result.push_back(std::exchange(next, next + round_up(size)));
  return result;
}

void FirstExchange::by_passing_on() {
  const std::size_t most = words_room() + SmallMerge::most_packed(nodes_.nodes());
  const auto pieces = nodes_.exchange(most, [&](std::byte* to) {
    const std::span<const std::byte> words = words_to_say();
    std::byte* end = copy_bytes(to, words);
    if (merging_) end = small_->pack(end);
    return static_cast<std::size_t>(end - to);
  });
  std::vector<std::byte*> packed;
  for (int node = 0; node < nodes_.nodes(); ++node) {
    const std::span<std::byte> piece = pieces[static_cast<std::size_t>(node)];
    const std::size_t words = std::min(piece.size(), words_to_say().size());
    keep(node, 0, piece.first(words));
    packed.push_back(piece.data() + words);
  }
  const Marks marks(mirror_);
  merging_ = all_agreed() && marks.merged();
  if (merging_) join_all(marks, packed);
}

void FirstExchange::join_all(const Marks& marks, const std::vector<std::byte*>& packed) {
  std::vector<SmallMerge::Part> parts;
  for (int node = 0; node < nodes_.nodes(); ++node)
    parts.push_back({node, node + 1, packed[static_cast<std::size_t>(node)]});
  (void)small_->join(marks, std::move(parts), nullptr, true);
}

template <class F>
void FirstExchange::for_each_other(F&& f) const {
  const int me = nodes_.my_node(), n = nodes_.nodes();
  for (int node = me + 1; node < me + n; ++node) f(node % n);
}

// Everybody sends everybody else its words and its packed contribution, or else the share that the
// other one combines.
void FirstExchange::directly() {
  const int me = nodes_.my_node(), n = nodes_.nodes();
  const auto count = static_cast<std::size_t>(n);
  const std::size_t most = round_up(length_bytes + words_room() + SmallMerge::most_packed(n));
  const std::size_t share_bytes = round_up(SmallMerge::most_in_one_piece(n) / count + 64);
  const auto memory = places({most, count * most, count * share_bytes});
  std::vector<std::byte*> packed(count), shares(count);
  for (std::size_t node = 0; node < count; ++node) {
    packed[node] = memory[1] + node * most;
    shares[node] = memory[2] + node * share_bytes;
  }
  std::byte* to = copy_bytes(memory[0], said_);
  packed[static_cast<std::size_t>(me)] = to;
  if (merging_ && part_.empty()) to = small_->pack(to);
  for_each_other([&](int node) {
    nodes_.post_receive(node, 0, {packed[static_cast<std::size_t>(node)], most});
    nodes_.post_send(node, 0, {memory[0], to});
    if (!part_.empty()) nodes_.post_send(node, 0, share(node));
  });
  nodes_.wait_received();
  for_each_other([&](int node) {
    std::byte*& message = packed[static_cast<std::size_t>(node)];
    message = keep_words(node, node + 1, message);
    if (Marks(mirror_).sends_behind(node, node + 1))
      nodes_.post_receive(node, 0, {shares[static_cast<std::size_t>(node)], share_bytes});
  });
  nodes_.wait_received();
  nodes_.wait_sent();
  const Marks marks(mirror_);
  merging_ = all_agreed() && marks.merged();
  if (!merging_) return;
  if (part_.empty())
    join_all(marks, packed);
  else
    combine_share(shares);
}

/// Combines what all contribute to my share, and swaps results.
void FirstExchange::combine_share(const std::vector<std::byte*>& contributions) {
  const int me = nodes_.my_node();
  const std::span<std::byte> mine = share(me);
  small_->fold_all(mine, nodes_.nodes(), [&](int node) {
    return node == me ? mine.data() : contributions[static_cast<std::size_t>(node)];
  });
  for_each_other([&](int node) {
    nodes_.post_receive(node, 1, share(node));
    nodes_.post_send(node, 1, mine);
  });
  nodes_.wait_received();
  nodes_.wait_sent();
}

std::span<std::byte> FirstExchange::share(int node) const {
  const std::size_t size = small_->element_bytes(), elements = part_.size() / size,
                    n = static_cast<std::size_t>(nodes_.nodes()),
                    first = elements * static_cast<std::size_t>(node) / n,
                    last = elements * static_cast<std::size_t>(node + 1) / n;
  return part_.subspan(first * size, (last - first) * size);
}

// In round r everybody meets the node whose number differs in bit r. They tell each other what the
// nodes that differ from them in lower bits only have said, and what these contribute together.
void FirstExchange::by_doubling() {
  const auto n = static_cast<std::size_t>(nodes_.nodes());
  const std::size_t packed = n * SmallMerge::most_packed(nodes_.nodes());
  most_ = n / 2 * (length_bytes + words_room()) + packed;
  most_behind_ = SmallMerge::most_in_one_piece(nodes_.nodes()) / 2 + 64;
  const std::size_t sums = std::max(packed, most_behind_);
  const auto memory = places({most_, most_, sums, sums});
  message_ = memory[0];
  received_ = memory[1];
  spare_ = memory[2];
  behind_ = memory[3];
  if (merging_ && part_.empty()) packed_ = {spare_, small_->pack(spare_)};
  sum_ = part_.data();
  const std::span<std::byte> all = part_;
  const int rounds = std::countr_zero(n);
  for (int round = 0; round < rounds; ++round) join_round(round);
  if (merging_ && !all.empty()) double_back(all, rounds);
}

void FirstExchange::join_round(int round) {
  const int me = nodes_.my_node(), have = 1 << round, partner = me ^ have;
  const int theirs = partner & ~(have - 1), both = me & ~(2 * have - 1);
  std::byte* to = copy_bytes(message_, said_);
  if (merging_ && part_.empty()) to = copy_bytes(to, packed_);
  std::span<const std::byte> to_give;
  if (merging_ && !part_.empty()) {
    const std::span<std::byte> part = half(part_, partner > me);
    to_give = {sum_ + (part.data() - part_.data()), part.size()};
  }
  const bool behind = (words_[2] & ~Marks::in_one_piece) > Marks::least_behind;
  if (!behind) to = copy_bytes(to, to_give);
  nodes_.post_receive(partner, round, {received_, most_});
  nodes_.post_send(partner, round, {message_, to});
  if (behind && !to_give.empty()) nodes_.post_send(partner, round, to_give);
  nodes_.wait_received();
  std::byte* const at = keep_words(theirs, theirs + have, received_);
  said_.insert(partner < me ? said_.begin() : said_.end(), received_, at);
  const Marks marks(mirror_);
  if (marks.sends_behind(theirs, theirs + have)) {
    nodes_.post_receive(partner, round, {behind_, most_behind_});
    nodes_.wait_received();
  }
  nodes_.wait_sent();
  merging_ = merging_ && marks.agreed(words_[0], both, both + 2 * have) &&
             marks.contributed(both, both + 2 * have);
  if (!merging_) return;
  if (part_.empty())
    join_packed(marks, partner, have, at);
  else
    fold_half(partner, have, behind ? behind_ : at);
}

void FirstExchange::join_packed(const Marks& marks, int partner, int have, std::byte* theirs) {
  const int me = nodes_.my_node();
  const auto first = [&](int node) { return node & ~(have - 1); };
  std::vector<SmallMerge::Part> parts = {{first(me), first(me) + have, packed_.data()},
                                         {first(partner), first(partner) + have, theirs}};
  if (partner < me) std::swap(parts[0], parts[1]);
  std::byte* const to = packed_.data() == spare_ ? behind_ : spare_;
  packed_ = {to, small_->join(marks, std::move(parts), to, 2 * have == nodes_.nodes())};
}

/// `theirs`: the partner's sum of my half of the part.
void FirstExchange::fold_half(int partner, int have, const std::byte* theirs) {
  const int me = nodes_.my_node();
  const std::span<std::byte> mine = half(part_, partner < me);
  std::byte* const sum = sum_ + (mine.data() - part_.data());
  const bool last = 2 * have == nodes_.nodes(), i_am_lower = me < partner;
  if (last) {
    if (sum != mine.data()) copy_bytes(mine.data(), {sum, mine.size()});
    small_->fold(mine, theirs, i_am_lower);
  } else {
    // The array stays as it is as long as somebody may not contribute.
    if (theirs != behind_) copy_bytes(behind_, {theirs, mine.size()});
    small_->fold({behind_, mine.size()}, sum, !i_am_lower);
    sum_ = behind_;
    std::swap(behind_, spare_);
  }
  part_ = mine;
}

/// My part of the array is done: exchanges ever larger ones with the partners of the rounds, from
/// the last to the first.
void FirstExchange::double_back(std::span<std::byte> all, int rounds) {
  const int me = nodes_.my_node();
  for (int back = rounds - 1; back >= 0; --back) {
    std::span<std::byte> both = all;
    for (int round = 0; round < back; ++round) both = half(both, (me >> round & 1) != 0);
    const bool upper = (me >> back & 1) != 0;
    const int partner = me ^ (1 << back), number = 2 * rounds - 1 - back;
    nodes_.post_receive(partner, number, half(both, !upper));
    nodes_.post_send(partner, number, half(both, upper));
    nodes_.wait_received();
    nodes_.wait_sent();
  }
}

std::span<std::byte> FirstExchange::half(std::span<std::byte> data, bool upper) const {
  const std::size_t size = small_->element_bytes(), middle = data.size() / size / 2 * size;
  return upper ? data.subspan(middle) : data.first(middle);
}

/// Keeps the words of nodes [first, last), each with its length before it. Where they end.
std::byte* FirstExchange::keep_words(int first, int last, std::byte* at) const {
  for (int node = first; node < last; ++node) {
    const std::uint64_t length = length_at(at);
    keep(node, 0, {at + length_bytes, length});
    at += length_bytes + length;
  }
  return at;
}

}  // namespace lagoon::atoll::detail
