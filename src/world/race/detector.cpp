// Detector: what the program does is noted. What becomes of it when all meet: judgement.cpp.
#include "world/race/detector.hpp"

#include <algorithm>
#include <utility>

#include "world/world_state.hpp"

namespace lagoon::atoll::detail::race {

namespace {

/// Of all ranks together, so that what they exchange stays below some 200 MB on each.
constexpr std::size_t most_accesses = std::size_t{1} << 20, most_events = std::size_t{1} << 20;

std::size_t share(std::size_t all, int ranks) {
  return std::min(all / static_cast<std::size_t>(ranks), std::size_t{1} << 16);
}

}  // namespace

constinit thread_local int Detector::inside_ = 0;

Detector::Detector(WorldState& world)
    : world_(world), log_(share(most_accesses, world.topology.size)) {}

void Detector::start(WorldState& world) {
  stop();
  running = new Detector(world);  // NOLINT: till `stop`, which many may ask for it before
}

void Detector::stop() noexcept {
  delete std::exchange(running, nullptr);  // NOLINT
}

void Detector::begin_life(const Place& place, const std::string& description) {
  const std::lock_guard lock(mutex_);
  descriptions_[place] = description;
}

void Detector::end_life(std::uint64_t group, std::uint64_t sequence) {
  const std::lock_guard lock(mutex_);
  ticketed_.erase({group, sequence});
  lent_.forget(group, sequence);
  gone_.emplace_back(group, sequence);  // its name may still be needed
}

void Detector::has_tickets(std::uint64_t group, std::uint64_t sequence) {
  const std::lock_guard lock(mutex_);
  ticketed_.emplace(group, sequence);
}

bool Detector::with_tickets(std::uint64_t group, std::uint64_t sequence) {
  const std::lock_guard lock(mutex_);
  return ticketed_.contains({group, sequence});
}

std::uint64_t Detector::site() { return language_site != 0 ? language_site : sites_.here(); }

Access Detector::made(const Use& use, const Box& box, std::uint64_t site) const {
  Access access;
  access.place = use.place;
  access.box = box;
  access.bytes = use.bytes;
  access.kind = use.kind;
  access.complete = use.kind == Kind::get || use.kind == Kind::atomic;
  access.begin = access.end = now();
  access.site = site;
  access.target = use.target;
  return access;
}

std::size_t Detector::add(Access access, bool may_join) {
  unfenced_ = unfenced_ || !access.complete;
  return log_.add(access, may_join);
}

void Detector::access(const Use& use, const Patch& patch) {
  if (inside_library() || patch.empty()) return;
  const std::uint64_t from = site();
  const Box box(patch);
  const std::lock_guard lock(mutex_);
  (void)add(made(use, box, from), true);
}

void Detector::access(const Use& use, std::vector<Index> positions) {
  if (inside_library()) return;
  const std::uint64_t from = site();
  // In order, so that neighbours come one after the other.
  std::ranges::sort(positions, [](const Index& a, const Index& b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  });
  const std::lock_guard lock(mutex_);
  for (const Index& position : positions) {
    Box box;
    box.dimensions = position.size();
    for (int d = 0; d < position.size(); ++d)
      box.ranges[static_cast<std::size_t>(d)].first = position[d];
    (void)add(made(use, box, from), true);
  }
}

void Detector::misuse(const BufferUse& first, const BufferUse& second) {
  constexpr std::size_t most = 1000;  // of all ranks together
  if (misuses_.size() < std::max<std::size_t>(share(most, world_.topology.size), 1))
    misuses_.push_back({first, second});
}

void Detector::use_buffer(const Use& use, const Patch& patch, const Buffer& buffer) {
  if (inside_library() || patch.empty()) return;
  const std::unique_lock lock(mutex_);
  if (const auto other = buffers_.against(buffer, use.kind))
    misuse(*other, {use.kind, site(), use.place, Box(patch)});
}

void Detector::begin_access(const Use& use, const Patch& patch, const Buffer& buffer,
                            const void* operation) {
  if (inside_library() || patch.empty()) return;
  const std::uint64_t from = site();
  const Box box(patch);
  const std::lock_guard lock(mutex_);
  Access access = made(use, box, from);
  access.complete = false;
  const std::size_t number = add(access, writes(use.kind));
  const BufferUse mine{use.kind, from, use.place, box};
  if (const auto other = buffers_.against(buffer, use.kind)) misuse(*other, mine);
  buffers_.add({operation, buffer, mine, writes(use.kind) ? buffer.hash() : 0, number, interval_});
}

void Detector::waited(const void* operation) {
  const std::lock_guard lock(mutex_);
  while (const std::optional<Buffers::Pending> pending = buffers_.take(operation)) {
    if (writes(pending->use.kind)) {
      if (pending->buffer.hash() == pending->hash) continue;
      BufferUse change = pending->use;
      change.kind = Kind::store;
      misuse(pending->use, change);
    } else if (pending->access != AccessLog::none && pending->interval == interval_) {
      Access& access = log_.at(pending->access);
      access.complete = true;
      access.end = now();
    }
  }
}

void Detector::lend(Lent block) {
  if (inside_library() || block.patch.empty()) return;
  block.site = site();
  const std::lock_guard lock(mutex_);
  block.begin = now();
  lent_.add(block);
}

void Detector::note(Event::Kind kind, std::uint64_t object, std::int64_t number) {
  if (events_.size() == share(most_events, world_.topology.size)) {
    overrun_ = true;
    return;
  }
  events_.push_back({kind, object, number});
}

void Detector::fenced() {
  const std::lock_guard lock(mutex_);
  if (std::exchange(unfenced_, false)) note(Event::Kind::fence);
}

void Detector::fenced(int target) {
  const std::lock_guard lock(mutex_);
  if (!unfenced_) return;
  log_.complete(target, now());
  note(Event::Kind::mark);
}

void Detector::met(std::uint64_t object, int members) {
  if (Unordered::depth_ > 0) return;
  const std::lock_guard lock(mutex_);
  note(Event::Kind::meeting, object, members);
}

void Detector::release(std::uint64_t object, std::int64_t ticket) {
  const std::lock_guard lock(mutex_);
  note(Event::Kind::release, object, ticket);
}

void Detector::acquire(std::uint64_t object, std::int64_t ticket) {
  const std::lock_guard lock(mutex_);
  note(Event::Kind::acquire, object, ticket);
}

void Detector::enter_library() {
  if (inside_++ > 0) return;
  const std::lock_guard lock(mutex_);
  lent_.changes([this](const Lent& block, const Box& box) {
    Access access = made({block.place, Kind::store, block.target, {}}, box, block.site);
    access.begin = block.begin;
    access.found = true;
    (void)add(access, false);
  });
}

void Detector::leave_library() {
  if (--inside_ > 0) return;
  const std::lock_guard lock(mutex_);
  lent_.renew();
  lent_.set_time(now());
}

bool Detector::has_news() {
  const std::lock_guard lock(mutex_);
  return log_.has_writes() || !misuses_.empty();
}

std::vector<Race> Detector::races() {
  const std::lock_guard lock(mutex_);
  return races_;
}

std::string Detector::description_of(const Place& place) const {
  const auto found = descriptions_.find(place);
  return found == descriptions_.end() ? "an array" : found->second;
}

}  // namespace lagoon::atoll::detail::race

namespace lagoon::atoll {

std::vector<Race> races() {
  detail::race::Detector* const detector = detail::race::Detector::running;
  return detector == nullptr ? std::vector<Race>() : detector->races();
}

std::string Race::to_string() const {
  const auto side = [](const Side& s) {
    return s.operation + " of rank " + std::to_string(s.rank) + " at " + s.place;
  };
  if (in_buffer)
    return "the buffer of " + side(first) + " (" + array + ") is used before its wait, by " +
           (second.operation == "change" ? "a store" : side(second));
  return side(first) + " and " + side(second) + " both touch " + patch.to_string() + " of " +
         array + ", and nothing orders them";
}

}  // namespace lagoon::atoll
