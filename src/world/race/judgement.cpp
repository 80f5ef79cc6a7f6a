// Detector: all ranks exchange what they have noted, and each comes to the same judgement.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <span>
#include <string_view>

#include "mpi/face.hpp"
#include "world/collective.hpp"
#include "world/race/detector.hpp"
#include "world/world_state.hpp"

namespace lagoon::atoll::detail::race {

namespace {

std::string_view name_of(Kind kind) noexcept {
  switch (kind) {
    case Kind::get: return "get";
    case Kind::put: return "put";
    case Kind::accumulate: return "accumulate";
    case Kind::atomic: return "fetch_add or swap";
    case Kind::load: return "read by pointer";
    default: break;
  }
  return "write by pointer";
}

void write(std::vector<std::int64_t>& words, const BufferUse& use) {
  Access access;
  access.place = use.place;
  access.box = use.box;
  access.kind = use.kind;
  access.site = use.site;
  access.write(words);
}

}  // namespace

/// A race that nobody has told yet.
struct Detector::Told {
  std::size_t first_rank, second_rank;
  Access first, second;
  Box box;
  bool in_buffer;
};

std::vector<std::int64_t> Detector::statement() const {
  std::vector<std::int64_t> words = {overrun_ ? 1 : 0, static_cast<std::int64_t>(log_.lost()),
                                     static_cast<std::int64_t>(events_.size()),
                                     static_cast<std::int64_t>(log_.all().size()),
                                     static_cast<std::int64_t>(misuses_.size())};
  for (const Event& event : events_) event.write(words);
  for (const Access& access : log_.all()) access.write(words);
  for (const Misuse& misuse : misuses_) {
    write(words, misuse.first);
    write(words, misuse.second);
  }
  return words;
}

void Detector::begin_anew() {
  log_.clear();
  events_.clear();
  misuses_.clear();
  ++interval_;
  unfenced_ = overrun_ = false;
  lent_.set_time(0);
}

template <class T>
std::vector<std::vector<T>> Detector::exchange(const std::vector<T>& mine, mpi::Comm communicator) {
  const auto ranks = static_cast<std::size_t>(world_.topology.size);
  const auto bytes = static_cast<int>(mine.size() * sizeof(T));
  std::vector<int> counts(ranks), places(ranks, 0);
  mpi::Request request = mpi::request_null;
  check_mpi(mpi::iallgather(&bytes, 1, mpi::type_int, counts.data(), 1, mpi::type_int, communicator,
                            &request),
            "MPI_Iallgather");
  world_.wait(request);
  std::partial_sum(counts.begin(), counts.end() - 1, places.begin() + 1);
  std::vector<T> together(static_cast<std::size_t>(places.back() + counts.back()) / sizeof(T));
  check_mpi(mpi::iallgatherv(mine.data(), bytes, mpi::type_byte, together.data(), counts.data(),
                             places.data(), mpi::type_byte, communicator, &request),
            "MPI_Iallgatherv");
  world_.wait(request);
  std::vector<std::vector<T>> all(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto first = together.begin() + places[rank] / static_cast<int>(sizeof(T));
    all[rank].assign(first, first + counts[rank] / static_cast<int>(sizeof(T)));
  }
  return all;
}

void Detector::synchronise(mpi::Comm communicator) {
  std::vector<std::int64_t> mine;
  const bool news = news_;
  decltype(gone_) gone;
  {
    const std::lock_guard lock(mutex_);
    if (news) mine = statement();
    gone.swap(gone_);
    begin_anew();
  }
  if (news) judge(exchange(mine, communicator), communicator);
  const std::lock_guard lock(mutex_);
  for (const auto& array : gone)
    std::erase_if(descriptions_, [&](const auto& each) {
      return each.first.group == array.first && each.first.sequence == array.second;
    });
}

void Detector::judge(const std::vector<std::vector<std::int64_t>>& all, mpi::Comm communicator) {
  std::vector<History> histories(all.size());
  std::vector<Told> fresh;
  bool overrun = false;
  const auto add = [&](const Told& told) {
    const auto key =
        std::tuple(told.first.site, told.first.kind, told.second.site, told.second.kind);
    constexpr std::size_t most = 1000;  // lines of one run
    if (told_.size() < most && told_.insert(key).second) fresh.push_back(told);
  };
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const std::int64_t* words = all[rank].data();
    overrun = overrun || words[0] != 0;
    accesses_lost_ += static_cast<std::uint64_t>(words[1]);
    const std::int64_t events = words[2], accesses = words[3], misuses = words[4];
    words += 5;
    for (std::int64_t i = 0; i < events; ++i) histories[rank].events.push_back(Event::read(words));
    for (std::int64_t i = 0; i < accesses; ++i)
      histories[rank].accesses.push_back(Access::read(words));
    for (std::int64_t i = 0; i < misuses; ++i) {
      const Access first = Access::read(words), second = Access::read(words);
      add({rank, rank, first, second, first.box, true});
    }
  }
  if (!overrun) {
    const Found found = search(histories);
    overrun = !found.complete;
    for (const Conflict& conflict : found.conflicts)
      add({conflict.first.rank, conflict.second.rank, *conflict.first.access,
           *conflict.second.access, conflict.box, false});
  }
  if (overrun) ++intervals_lost_;
  if (!fresh.empty()) tell(fresh, communicator);
}

// Each rank makes the text of its own sites and arrays; all put them together.
void Detector::tell(const std::vector<Told>& fresh, mpi::Comm communicator) {
  const auto me = static_cast<std::size_t>(world_.topology.rank);
  std::vector<char> mine;
  const auto say = [&](const std::string& text) {
    mine.insert(mine.end(), text.begin(), text.end());
    mine.push_back('\0');
  };
  {
    for (const Told& told : fresh) {
      if (told.first_rank == me) {
        say(sites_.text(told.first.site));
        say([&] {
          const std::lock_guard lock(mutex_);
          return description_of(told.first.place);
        }());
      }
      if (told.second_rank == me) say(sites_.text(told.second.site));
    }
  }
  const std::vector<std::vector<char>> all = exchange(mine, communicator);
  std::vector<const char*> next;
  for (const std::vector<char>& text : all) next.push_back(text.data());
  const auto read = [&](std::size_t rank) {
    const std::string text(next[rank]);
    next[rank] += text.size() + 1;
    return text;
  };
  const std::lock_guard lock(mutex_);
  for (const Told& told : fresh) {
    Race race;
    race.first = {std::string(name_of(told.first.kind)), static_cast<int>(told.first_rank),
                  read(told.first_rank)};
    race.array = read(told.first_rank);
    race.second = {told.in_buffer && told.second.kind == Kind::store
                       ? "change"
                       : std::string(name_of(told.second.kind)),
                   static_cast<int>(told.second_rank), read(told.second_rank)};
    race.patch = told.box.patch();
    race.in_buffer = told.in_buffer;
    if (me == 0) std::fprintf(stderr, "atoll: race: %s\n", race.to_string().c_str());
    races_.push_back(std::move(race));
  }
}

void Detector::tell_end() {
  const std::lock_guard lock(mutex_);
  if (world_.topology.rank != 0) return;
  if (!races_.empty())
    std::fprintf(stderr, "atoll: races: %zu pairs of lines (docs/race.md)\n", races_.size());
  if (accesses_lost_ + intervals_lost_ > 0)
    std::fprintf(stderr,
                 "atoll: races: not all was looked at: %llu accesses, and %llu intervals between "
                 "syncs, were too many\n",
                 static_cast<unsigned long long>(accesses_lost_),
                 static_cast<unsigned long long>(intervals_lost_));
}

}  // namespace lagoon::atoll::detail::race
