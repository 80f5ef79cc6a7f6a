// Segment: creation, lookup, and letting go. On one node a count of holders says when the memory is
// free. Across nodes a record must live until the ranks of *all* nodes have let go, since any of
// them may still read it: GroupState::retire.
#include "transport/segment.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <string>

#include "transport/transport.hpp"
#include "world/collective.hpp"
#include "world/page.hpp"
#include "world/race/detector.hpp"

namespace lagoon::atoll::detail {

namespace {

constexpr std::uint64_t page_aligned_from = 65536;

std::uint64_t round_up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

}  // namespace

const SegmentRecord::Member* SegmentRecord::find(std::int32_t rank) const noexcept {
  const Member* end = member + members;
  const Member* found = std::lower_bound(
      member, end, rank, [](const Member& m, std::int32_t r) { return m.rank < r; });
  return found != end && found->rank == rank ? found : nullptr;
}

struct Registry::Table {
  struct Entry {
    SegmentNumber number;
    std::uint64_t record;  // 0: never used; 1: erased
  };
  SharedLock lock;
  std::uint64_t used;  // entries that are not 0
  Entry entries[capacity];
};

std::uint64_t Registry::bytes() noexcept { return sizeof(Table); }

Registry::Registry(std::byte* table) noexcept : table_(*reinterpret_cast<Table*>(table)) {}

namespace {

std::uint64_t slot_of(const SegmentNumber& number, std::uint64_t probe) noexcept {
  return (mix(number.group, number.sequence) + probe) % Registry::capacity;
}

}  // namespace

bool Registry::insert(const SegmentNumber& number, std::uint64_t record) noexcept {
  const std::lock_guard guard(table_.lock);
  for (std::uint64_t probe = 0; probe < capacity; ++probe) {
    Table::Entry& entry = table_.entries[slot_of(number, probe)];
    if (entry.record > 1) continue;
    entry = {number, record};
    return true;
  }
  return false;
}

void Registry::erase(const SegmentNumber& number) noexcept {
  const std::lock_guard guard(table_.lock);
  for (std::uint64_t probe = 0; probe < capacity; ++probe) {
    Table::Entry& entry = table_.entries[slot_of(number, probe)];
    if (entry.record == 0) return;
    if (entry.record == 1 || entry.number != number) continue;
    // An erased entry at the end of a chain ends the chain, so the table does not fill with them.
    entry.record = 1;
    for (std::uint64_t back = probe + capacity;
         table_.entries[slot_of(number, back + 1)].record == 0 &&
         table_.entries[slot_of(number, back)].record == 1;
         --back)
      table_.entries[slot_of(number, back)].record = 0;
    return;
  }
}

std::uint64_t Registry::find(const SegmentNumber& number) const noexcept {
  const std::lock_guard guard(table_.lock);
  for (std::uint64_t probe = 0; probe < capacity; ++probe) {
    const Table::Entry& entry = table_.entries[slot_of(number, probe)];
    if (entry.record == 0) return 0;
    if (entry.record > 1 && entry.number == number) return entry.record;
  }
  return 0;
}

Segment::Segment(std::shared_ptr<GroupState> group, std::string_view operation,
                 std::uint64_t arguments, const std::vector<std::uint64_t>& bytes, bool zero,
                 const Error* failure, const Prepare& prepare)
    : group_(std::move(group)), number_{group_->number(), 0} {
  try {
    begin(operation, arguments, bytes, zero, failure);
  } catch (const Error& error) {
    // What all members have let go, in this group and inside it, may make room.
    if (error.kind() != ErrorKind::memory || group_->nodes() == 1) throw;
    group_->reclaim();
    begin(operation, arguments, bytes, zero, failure);
  }
  map();
  if (zero && record_->fresh == 0) {
    const SegmentRecord::Member& mine = record_->member[group_->local()];
    group_->world().memory().clear(mine.offset, mine.bytes);
  }
  settle(operation, prepare);
}

/// All blocks are ready afterwards.
void Segment::settle(std::string_view operation, const Prepare& prepare) {
  if (!prepare) return group_->barrier();
  const Failure own = attempt([&] { prepare(block(group_->local())); });
  try {
    group_->agree_to_go_on(operation, own);
  } catch (...) {
    destroy();
    throw;
  }
}

/// Allocates on the first member of the node and lets all members agree that all is well.
void Segment::begin(std::string_view operation, std::uint64_t arguments,
                    const std::vector<std::uint64_t>& bytes, bool zero, const Error* failure) {
  Failure own;
  if (failure != nullptr) own = *failure;
  number_.sequence = group_->take_sequence();
  if (!own && group_->first_on_node()) own = attempt([&] { take(bytes, zero); });
  try {
    group_->agree_or_throw(operation, arguments, own);
  } catch (const Error&) {
    group_->return_sequence();
    if (record_ != nullptr) {
      registry(group_->world().node_memory()).erase(number_);
      group_->world().arena().free(record_->offset);
      record_ = nullptr;
    }
    throw;
  }
}

/// The node's first member allocates record and blocks in one piece and publishes the place.
void Segment::take(const std::vector<std::uint64_t>& bytes, bool zero) {
  WorldState& world = group_->world();
  const std::uint64_t head = round_up(SegmentRecord::bytes(bytes.size()), Arena::alignment);
  std::uint64_t total = head;
  for (const std::uint64_t b : bytes) {
    constexpr std::uint64_t beyond_all = UINT64_MAX / 4;
    total =
        std::min(total, beyond_all) + round_up(std::min(b, beyond_all), Arena::alignment) + page;
  }
  std::uint64_t offset = world.arena().allocate(total);
  if (offset == Arena::none) {
    // Slower members may still hold arrays that they are about to let go. Once they have come to
    // the meeting that this call ends in, they have.
    const auto others = static_cast<std::uint32_t>(bytes.size()) - 1;
    world.wait_until(
        [&] { return group_->control().arrived.load(std::memory_order_acquire) == others; });
    offset = world.arena().allocate(total);
  }
  if (offset == Arena::none)
    throw Error(ErrorKind::memory,
                "the blocks need " + std::to_string(total >> 20) + " MiB of the node, " +
                    std::to_string(world.arena().free_bytes() >> 20) + " of " +
                    std::to_string(world.arena().capacity() >> 20) + " MiB are free, limited by " +
                    world.node_memory().limit().whose);
  world.observe_agent();  // it may have served what was here before
  const bool fresh = world.arena().last_was_fresh(offset);
  if (zero && !fresh && total >= (std::uint64_t{32} << 20))
    world.memory().release_pages(offset, total);
  record_ = reinterpret_cast<SegmentRecord*>(world.arena().at(offset));
  std::memset(static_cast<void*>(record_), 0, head);
  record_->number = number_;
  record_->offset = offset;
  record_->holders.store(static_cast<std::uint32_t>(bytes.size()));
  record_->members = static_cast<std::uint32_t>(bytes.size());
  record_->fresh = fresh ? 1 : 0;
  std::uint64_t next = offset + head;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    // Large blocks begin on a page of their own, so that each rank's first touch places them.
    if (bytes[i] >= page_aligned_from) next = round_up(next, page);
    record_->member[i] = {group_->node_ranks()[i], next, bytes[i]};
    next += round_up(bytes[i], Arena::alignment);
  }
  if (!registry(world.node_memory()).insert(number_, offset)) {
    world.arena().free(offset);
    record_ = nullptr;
    throw Error(ErrorKind::memory,
                "there are " + std::to_string(Registry::capacity) + " arrays on this node already");
  }
  group_->control().scratch = offset;
}

void Segment::map() {
  Arena& arena = group_->world().arena();
  record_ = reinterpret_cast<SegmentRecord*>(arena.at(group_->control().scratch));
  blocks_.resize(record_->members);
  for (std::size_t i = 0; i < blocks_.size(); ++i) blocks_[i] = arena.at(record_->member[i].offset);
}

void free_segment(WorldState& world, const Holding& segment) noexcept {
  world.observe_agent();  // it may serve what comes here next
  registry(world.node_memory()).erase(segment.number);
  world.arena().free(segment.offset);
}

namespace {

/// This rank has no more to do with it.
void tell_race_detector(const SegmentNumber& number) noexcept try {
  if (race::Detector* const races = race::Detector::running)
    races->end_life(number.group, number.sequence);
} catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): a name is kept for longer
}

}  // namespace

Segment::~Segment() {
  if (record_ == nullptr || group_->started_in() == nullptr) return;
  tell_race_detector(number_);
  WorldState& world = group_->world();
  world.observe_agent();
  if (record_->holders.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (group_->nodes() == 1)
    free_segment(world, *record_);
  else
    group_->retire(*record_);
}

// Entered through a barrier after a fence of all members: nobody uses the memory any more.
void Segment::destroy() {
  tell_race_detector(number_);
  if (record_ != nullptr && group_->first_on_node()) free_segment(group_->world(), *record_);
  record_ = nullptr;
}

void Segment::leave(std::shared_ptr<Segment>& hold) {
  if (!hold->shared_) hold->destroy();
  hold.reset();
}

}  // namespace lagoon::atoll::detail
