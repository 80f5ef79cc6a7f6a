#include "world/race/clocks.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <unordered_map>

namespace lagoon::atoll::detail::race {

void Event::write(std::vector<std::int64_t>& words) const {
  words.insert(words.end(),
               {static_cast<std::int64_t>(kind), std::bit_cast<std::int64_t>(object), number});
}

Event Event::read(const std::int64_t*& words) {
  const Event event{static_cast<Kind>(words[0]), std::bit_cast<std::uint64_t>(words[1]), words[2]};
  words += 3;
  return event;
}

void Clocks::Known::learn(const Known& other) noexcept {
  done = std::max(done, other.done);
  fenced = std::max(fenced, other.fenced);
  met = std::max(met, other.met);
}

/// Goes through the events of all ranks in an order in which they may have happened.
class Clocks::Work {
 public:
  Work(std::span<const History> all, std::vector<std::vector<Moment>>& moments)
      : all_(all), moments_(moments), next_(all.size(), 0), now_(all.size(), Clock(all.size())) {
    moments_.resize(all.size());
    for (std::size_t rank = 0; rank < all.size(); ++rank)
      for (const Event& event : all[rank].events)
        if (event.kind == Event::Kind::release) ++objects_[event.object].releases[event.number];
  }

  void run() {
    for (bool forced = false;;) {
      bool moved = false, left = false;
      for (std::size_t rank = 0; rank < all_.size(); ++rank) {
        while (next_[rank] < all_[rank].events.size() && step(rank, forced)) {
          moved = true;
          forced = false;
        }
        left = left || next_[rank] < all_[rank].events.size();
      }
      if (!left) return;
      // What nobody else has noted is not waited for: a thread of another rank was on its way.
      forced = !moved;
    }
  }

 private:
  struct Object {
    std::map<std::int64_t, int> releases;  // still to come, by ticket
    std::vector<std::pair<std::int64_t, Clock>> known;
  };
  struct Meeting {
    std::vector<std::size_t> ranks;
  };

  bool step(std::size_t rank, bool forced) {
    const Event& event = all_[rank].events[next_[rank]];
    const auto time = static_cast<Time>(next_[rank]);
    Known& mine = now_[rank][rank];
    mine.done = time;
    switch (event.kind) {
      case Event::Kind::fence:
        mine.fenced = time;
        ++next_[rank];
        return true;
      case Event::Kind::mark: ++next_[rank]; return true;
      case Event::Kind::release: {
        Object& object = objects_[event.object];
        object.known.emplace_back(event.number, now_[rank]);
        if (--object.releases[event.number] == 0) object.releases.erase(event.number);
        ++next_[rank];
        return true;
      }
      case Event::Kind::acquire: {
        Object& object = objects_[event.object];
        if (!forced && !object.releases.empty() && object.releases.begin()->first < event.number)
          return false;
        for (const auto& [ticket, clock] : object.known)
          if (ticket < event.number) learn(now_[rank], clock);
        pass(rank, false);
        return true;
      }
      default: return meet(event, rank, forced);
    }
  }

  bool meet(const Event& event, std::size_t rank, bool forced) {
    std::vector<std::size_t>& here = meetings_[event.object].ranks;
    if (std::ranges::find(here, rank) == here.end()) here.push_back(rank);
    if (static_cast<std::int64_t>(here.size()) < event.number && !forced) return false;
    Clock all = now_[rank];
    for (const std::size_t member : here) {
      now_[member][member].met = std::max(now_[member][member].met, now_[member][member].fenced);
      learn(all, now_[member]);
    }
    for (const std::size_t member : here) {
      learn(now_[member], all);
      pass(member, true);
    }
    here.clear();
    return true;
  }

  static void learn(Clock& clock, const Clock& from) noexcept {
    for (std::size_t rank = 0; rank < clock.size(); ++rank) clock[rank].learn(from[rank]);
  }
  void pass(std::size_t rank, bool meeting) {
    ++next_[rank];
    moments_[rank].push_back({static_cast<Time>(next_[rank]), meeting, now_[rank]});
  }

  std::span<const History> all_;
  std::vector<std::vector<Moment>>& moments_;
  std::vector<std::size_t> next_;
  std::vector<Clock> now_;
  std::unordered_map<std::uint64_t, Object> objects_;
  std::unordered_map<std::uint64_t, Meeting> meetings_;
};

Clocks::Clocks(std::span<const History> all) { Work(all, moments_).run(); }

const Clocks::Clock* Clocks::at(std::size_t rank, Time time) const {
  const std::vector<Moment>& moments = moments_[rank];
  auto behind = std::ranges::upper_bound(moments, time, {}, &Moment::time);
  return behind == moments.begin() ? nullptr : &std::prev(behind)->clock;
}

bool Clocks::ordered(const Access& a, std::size_t rank_a, const Access& b,
                     std::size_t rank_b) const {
  Time time = b.begin;
  if (is_direct(b.kind)) {  // what came by other ways than a meeting does not count
    const std::vector<Moment>& moments = moments_[rank_b];
    auto behind = std::ranges::upper_bound(moments, time, {}, &Moment::time);
    while (behind != moments.begin() && !std::prev(behind)->meeting) --behind;
    if (behind == moments.begin()) return false;
    time = std::prev(behind)->time;
  }
  const Clock* const clock = at(rank_b, time);
  if (clock == nullptr) return false;
  const Known& known = (*clock)[rank_a];
  if (is_direct(a.kind)) return known.met >= a.end;
  return known.fenced >= a.begin || (a.complete && known.done >= a.end);
}

}  // namespace lagoon::atoll::detail::race
