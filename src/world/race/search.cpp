// By place, then by a sweep along the dimension in which the accesses are spread most: an access is
// compared with those before it in that order that reach as far as it begins.
#include "world/race/search.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace lagoon::atoll::detail::race {

namespace {

/// A rank looks at so many pairs at most, some seconds' worth.
constexpr std::int64_t most_pairs = 50'000'000;
/// Elements of which it is asked one by one who wrote them.
constexpr std::int64_t most_elements = 100'000;

class Sweep {
 public:
  Sweep(std::vector<Party> parties, const Clocks& clocks, std::int64_t& pairs, Found& found)
      : parties_(std::move(parties)), clocks_(clocks), pairs_(pairs), found_(found) {}

  void run() {
    if (std::ranges::none_of(parties_, [](const Party& p) { return writes(p.access->kind); }))
      return;
    along_ = widest();
    std::ranges::stable_sort(parties_, {}, [this](const Party& p) { return range(p).first; });
    std::vector<const Party*> readers, writers;  // that reach as far as the present one begins
    for (const Party& party : parties_) {
      const bool wrote = writes(party.access->kind);
      compare(party, writers);
      if (wrote) compare(party, readers);
      (wrote ? writers : readers).push_back(&party);
    }
  }

 private:
  const Range& range(const Party& party) const noexcept {
    return party.access->box.ranges[static_cast<std::size_t>(along_)];
  }

  int widest() const {
    int best = 0;
    std::size_t most = 0;
    for (int d = 0; d < parties_.front().access->box.dimensions; ++d) {
      std::set<std::int64_t> firsts;
      for (const Party& party : parties_)
        firsts.insert(party.access->box.ranges[static_cast<std::size_t>(d)].first);
      if (firsts.size() > most) {
        most = firsts.size();
        best = d;
      }
    }
    return best;
  }

  void compare(const Party& party, std::vector<const Party*>& with) {
    std::erase_if(with,
                  [&](const Party* other) { return range(*other).last() < range(party).first; });
    pairs_ += static_cast<std::int64_t>(with.size());
    if (pairs_ > most_pairs) {
      found_.complete = false;
      return;
    }
    for (const Party* other : with) look_at(*other, party);
  }

  void look_at(const Party& one, const Party& two) {
    const Access &a = *one.access, &b = *two.access;
    if (one.rank == two.rank || !conflict(a.kind, b.kind) || !a.bytes.meets(b.bytes) ||
        a.box.dimensions != b.box.dimensions)
      return;
    const bool turned = std::tuple(b.site, b.kind) < std::tuple(a.site, a.kind);
    const Party &first = turned ? two : one, &second = turned ? one : two;
    const auto key = std::tuple(first.access->site, first.access->kind, second.access->site,
                                second.access->kind);
    if (told_.contains(key)) return;
    const std::optional<Box> both = common(a.box, b.box);
    if (!both || clocks_.ordered(a, one.rank, b, two.rank) ||
        clocks_.ordered(b, two.rank, a, one.rank))
      return;
    if ((a.found && is_explained(one, *both)) || (b.found && is_explained(two, *both))) return;
    told_.insert(key);
    found_.conflicts.push_back({first, second, *both});
  }

  /// Of a store that was found in memory: whether others wrote all elements in question.
  bool is_explained(const Party& store, const Box& box) const {
    if (box.elements() > most_elements) return true;
    std::vector<const Access*> others;
    for (const Party& party : parties_)
      if (party.access != store.access && writes(party.access->kind) && !party.access->found &&
          common(party.access->box, box))
        others.push_back(party.access);
    Index at = Index::filled(box.dimensions, 0), counts = at;
    for (int d = 0; d < box.dimensions; ++d)
      counts[d] = box.ranges[static_cast<std::size_t>(d)].count;
    do {
      const bool written = std::ranges::any_of(others, [&](const Access* other) {
        for (int d = 0; d < box.dimensions; ++d) {
          const auto i = static_cast<std::size_t>(d);
          if (!other->box.ranges[i].holds(box.ranges[i].first + at[d] * box.ranges[i].step))
            return false;
        }
        return true;
      });
      if (!written) return false;
    } while (next_position(at, counts));
    return true;
  }

  std::vector<Party> parties_;
  const Clocks& clocks_;
  std::int64_t& pairs_;
  Found& found_;
  int along_ = 0;
  std::set<std::tuple<std::uint64_t, Kind, std::uint64_t, Kind>> told_;
};

}  // namespace

Found search(std::span<const History> all) {
  Found found;
  std::map<Place, std::vector<Party>> places;
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    for (const Access& access : all[rank].accesses) places[access.place].push_back({rank, &access});
  const Clocks clocks(all);
  std::int64_t pairs = 0;
  for (auto& [place, parties] : places) Sweep(std::move(parties), clocks, pairs, found).run();
  return found;
}

}  // namespace lagoon::atoll::detail::race
