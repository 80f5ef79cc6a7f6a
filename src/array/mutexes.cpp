// Mutexes. Between nodes: the queue of J. Mellor-Crummey and M. Scott, "Algorithms for Scalable
// Synchronization on Shared-Memory Multiprocessors" (1991), in its form without compare and swap.
// A mutex is the record of who came last; each member has a record for every mutex that it holds or
// waits for, where those before and behind it in the queue write.
#include "atoll/mutexes.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>

#include "array/memory_state.hpp"
#include "atoll/error.hpp"
#include "world/doing.hpp"
#include "world/node_mutex.hpp"
#include "world/race/detector.hpp"
#include "world/thread_rule.hpp"
#include "world/unseen_order.hpp"

namespace lagoon::atoll {

namespace {

constexpr std::int64_t word = sizeof(std::int64_t);
constexpr std::int64_t behind = 0, granted = word, record_bytes = 2 * word;  // of a record

std::string text_of(std::int64_t number, int rank) {
  return "mutex " + std::to_string(number) + " of process " + std::to_string(rank);
}

/// Where the mutexes of each member begin among all, and how many there are.
std::vector<std::int64_t> firsts(const Group& group, std::int64_t count) {
  std::vector<std::int64_t> first(static_cast<std::size_t>(group.size()) + 1, 0);
  for (std::size_t rank = static_cast<std::size_t>(group.rank()) + 1; rank < first.size(); ++rank)
    first[rank] = std::max<std::int64_t>(count, 0);
  group.reduce(std::span<std::int64_t>(first));
  return first;
}

/// For the race detector: how often a mutex has changed hands. Used by its holder alone.
struct RaceTicket {
  std::uint64_t object;
  std::int64_t number;
};
struct Which {
  std::int64_t number;
  int rank;
  std::int64_t count;  // of the rank's
};

/// Where the detector runs there are words for it behind all others.
RaceTicket take(Memory& memory, const std::vector<std::int64_t>& first, const Which& which,
                std::int64_t records) {
  const detail::SegmentNumber& segment = memory.state()->segment->number();
  const std::int64_t at = which.count * word + records * record_bytes + which.number * word;
  return {detail::mix(detail::mix(segment.group, segment.sequence),
                      static_cast<std::uint64_t>(first[static_cast<std::size_t>(which.rank)] +
                                                 which.number)),
          memory.fetch_add(ElementType::int64, which.rank, at, 1)};
}

std::atomic_ref<std::int64_t> word_at(std::byte* address) {
  return std::atomic_ref<std::int64_t>(*reinterpret_cast<std::int64_t*>(address));
}

}  // namespace

/// Who holds, or is about to hold, what. Those of one process come to a mutex's queue between nodes
/// one after the other: it has one place for each process.
struct Mutexes::Held {
  struct One {
    int rank;
    std::int64_t number;
    std::thread::id thread;
    std::int64_t record = none;  // of this process, between nodes

    bool operator==(const One& other) const {
      return rank == other.rank && number == other.number && thread == other.thread;
    }
  };
  static constexpr std::int64_t none = -1;
  explicit Held(std::int64_t records) : used(static_cast<std::size_t>(records), false) {}

  std::mutex mutex;  // guards all
  std::vector<One> all;
  std::vector<bool> used;  // records

  /// The record of one that is held; none for others.
  std::optional<std::int64_t> record_of(const One& one) {
    const std::lock_guard lock(mutex);
    const auto found = std::ranges::find(all, one);
    if (found == all.end()) return {};
    return found->record;
  }
  bool holds(const One& one) { return record_of(one).has_value(); }
  void add(const One& one) {
    const std::lock_guard lock(mutex);
    all.push_back(one);
  }
  enum class Place : std::uint8_t { given, later, none_left };
  /// With a record; later where another thread of this process is before us.
  Place add_alone(One& one) {
    const std::lock_guard lock(mutex);
    if (std::ranges::any_of(all, [&](const One& other) {
          return other.rank == one.rank && other.number == one.number;
        }))
      return Place::later;
    const auto free = std::ranges::find(used, false);
    if (free == used.end()) return Place::none_left;
    one.record = free - used.begin();
    all.push_back(one);
    *free = true;
    return Place::given;
  }
  void remove(const One& one) {
    const std::lock_guard lock(mutex);
    const auto found = std::ranges::find(all, one);
    if (found->record != none) used[static_cast<std::size_t>(found->record)] = false;
    all.erase(found);
  }
};

Mutexes::Mutexes(Mutexes&&) noexcept = default;
Mutexes& Mutexes::operator=(Mutexes&&) noexcept = default;
Mutexes::~Mutexes() = default;

Mutexes::Mutexes(const Group& group, std::int64_t count)
    : first_(firsts(group, count)),
      in_node_(group.nodes() == 1),
      records_(in_node_ ? 0 : std::min(first_.back(), most_held)),
      memory_(group,
              count < 0 ? -1
                        : count * word + records_ * record_bytes +
                              (detail::race::Detector::running == nullptr ? 0 : count * word),
              "mutexes"),
      held_(std::make_unique<Held>(records_)) {}

std::int64_t Mutexes::count(int rank) const {
  (void)memory_.group().world_rank(rank);
  const auto r = static_cast<std::size_t>(rank);
  return first_[r + 1] - first_[r];
}

void Mutexes::check(std::int64_t number, int rank) const {
  const int members = memory_.group().size();
  if (rank < 0 || rank >= members)
    throw Error(ErrorKind::value,
                "proc is " + std::to_string(rank) + ", not 0 to " + std::to_string(members - 1));
  if (number < 0 || number >= count(rank))
    throw Error(ErrorKind::value, "there is no " + text_of(number, rank) + ", which created " +
                                      std::to_string(count(rank)));
  memory_.state()->require_alive();
}

/// In bytes of its member's block: behind its mutexes.
std::int64_t Mutexes::place_of(std::int64_t record) const {
  return count(static_cast<int>(record / records_)) * word + record % records_ * record_bytes;
}

void Mutexes::lock(std::int64_t number, int rank) {
  check(number, rank);
  Held::One mine{rank, number, std::this_thread::get_id()};
  if (held_->holds(mine))
    throw Error(ErrorKind::state, "this thread holds " + text_of(number, rank) + " already");
  const detail::FollowedCall followed("lock a mutex");
  detail::WorldState& world = detail::WorldState::get();
  if (in_node_) {
    node_mutex(number, rank).lock(world);
    try {
      held_->add(mine);
    } catch (...) {  // out of memory: nobody would unlock it
      node_mutex(number, rank).unlock();
      throw;
    }
  } else {
    Held::Place place = Held::Place::later;
    world.wait_until([&] { return (place = held_->add_alone(mine)) != Held::Place::later; });
    // Who holds the others may wait as we would: nobody might ever give one back.
    if (place == Held::Place::none_left)
      throw Error(ErrorKind::state, "this process holds " + std::to_string(records_) +
                                        " mutexes already, the most there may be");
    queue(number, rank, memory_.group().rank() * records_ + mine.record);
  }
  detail::show_unseen_order();
  if (auto* const races = detail::race::Detector::running) {
    const RaceTicket ticket = take(memory_, first_, {number, rank, count(rank)}, records_);
    races->acquire(ticket.object, ticket.number);
  }
}

void Mutexes::unlock(std::int64_t number, int rank) {
  check(number, rank);
  const Held::One mine{rank, number, std::this_thread::get_id()};
  const std::optional<std::int64_t> record = held_->record_of(mine);
  if (!record) throw Error(ErrorKind::state, "this thread does not hold " + text_of(number, rank));
  // A thread that may not call MPI has nothing under way that others could miss.
  if (detail::ThreadRule::permits()) memory_.group().fence();
  detail::show_unseen_order();
  if (auto* const races = detail::race::Detector::running) {
    const RaceTicket ticket = take(memory_, first_, {number, rank, count(rank)}, records_);
    races->release(ticket.object, ticket.number);
  }
  if (in_node_) {
    held_->remove(mine);
    node_mutex(number, rank).unlock();
  } else {
    leave_queue(number, rank, memory_.group().rank() * records_ + *record);
    held_->remove(mine);
  }
}

detail::NodeMutex& Mutexes::node_mutex(std::int64_t number, int rank) const {
  return *reinterpret_cast<detail::NodeMutex*>(memory_.address(rank) + number * word);
}

std::int64_t Mutexes::swap(int rank, std::int64_t offset, std::int64_t value) {
  return memory_.swap(ElementType::int64, rank, offset, value);
}

std::byte* Mutexes::own_record(std::int64_t mine) const {
  return memory_.address(memory_.group().rank()) + place_of(mine);
}

/// Writes into a record.
void Mutexes::tell(std::int64_t record, std::int64_t what, std::int64_t value) {
  (void)swap(static_cast<int>(record / records_), place_of(record) + what, value);
}

// Records are told by their number and one, through all members: zero is nobody.
void Mutexes::queue(std::int64_t number, int rank, std::int64_t mine) {
  std::byte* const record = own_record(mine);
  word_at(record + behind).store(0);
  word_at(record + granted).store(0);
  const std::int64_t last = swap(rank, number * word, mine + 1);
  if (last == 0) return;
  tell(last - 1, behind, mine + 1);
  await(record + granted);
}

void Mutexes::leave_queue(std::int64_t number, int rank, std::int64_t mine) {
  std::byte* const record = own_record(mine);
  if (word_at(record + behind).load() == 0) {
    const std::int64_t last = swap(rank, number * word, 0);
    if (last == mine + 1) return;
    // Somebody is about to stand behind me, and others may have found the mutex free since: then
    // mine go behind the last of those.
    const std::int64_t others = swap(rank, number * word, last);
    await(record + behind);
    if (others != 0) return tell(others - 1, behind, word_at(record + behind).load());
  }
  tell(word_at(record + behind).load() - 1, granted, 1);
}

void Mutexes::await(std::byte* address) {
  const auto there = word_at(address);
  detail::WorldState::get().wait_until([&] { return there.load() != 0; });
}

}  // namespace lagoon::atoll
