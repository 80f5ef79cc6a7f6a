// Client: issuing requests. What happens to them afterwards is in client_progress.cpp.
#include "transport/client.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "atoll/error.hpp"
#include "mpi/face.hpp"
#include "world/copy_bytes.hpp"
#include "world/thread_rule.hpp"

namespace lagoon::atoll::detail {

namespace {

// That one rank may have on their way before it waits until MPI has sent some.
constexpr std::size_t messages_at_once = 128;

/// Its request and its chunks under way.
std::int32_t messages_of(const Stream& stream) noexcept { return 1 + stream.most_at_once(); }

RequestHeader make_header(Action action, const Place& place, ElementType type, const void* alpha) {
  RequestHeader header;
  header.action = action;
  header.type = type;
  header.owner = place.owner;
  header.segment = place.segment.number();
  header.offset = place.offset;
  if (alpha != nullptr && !is_one(type, alpha)) {
    header.scaled = true;
    std::memcpy(header.alpha.data(), alpha, size_of(type));
  }
  return header;
}

}  // namespace

Client::Client(WorldState& world, mpi::Comm communicator, RmaPath* rma, bool batches,
               std::size_t first, std::size_t step)
    : world_(world),
      communicator_(communicator),
      rma_(rma),
      batches_(batches),
      first_(first),
      step_(step),
      outbox_(communicator, static_cast<std::size_t>(request_bytes), Allowance(messages_at_once)),
      ringer_(world.roles->doorbells),
      connections_((world.roles->agents.size() - first + step - 1) / step),
      outgoing_(8),
      incoming_(8) {
  const auto answer = static_cast<std::size_t>(inline_bytes);
  answers_ = std::make_unique_for_overwrite<std::byte[]>(slots_.size() * answer);
  for (std::size_t n = 0; n < slots_.size(); ++n) slots_[n].buffer = answers_.get() + n * answer;
  active_.reserve(slots_.size());
  attention_.reserve(connections_.size());
  busy_.reserve(connections_.size());
}

Connection Client::made_connection(std::size_t agent) const {
  Connection made;
  made.node = static_cast<int>(agent) / world_.roles->agents_per_node;
  made.rank = world_.roles->agents[agent];
  made.agent = agent;
  made.credit = Credit(world_.topology.size);
  return made;
}

Connection& Client::connection_of(const Place& place) {
  const auto agent = static_cast<std::size_t>(
      world_.roles->agent_of(place.segment.group().world_rank(place.owner)));
  std::unique_ptr<Connection>& connection = connections_[place_of(agent)];
  if (connection == nullptr) {
    auto made = std::make_unique<Connection>(made_connection(agent));
    made->held.reserve(most_held);
    connection = std::move(made);
  }
  return *connection;
}

void Client::mark_busy(Connection& to) noexcept {
  if (!std::exchange(to.busy, true)) busy_.push_back(&to);
}

/// Keeps the order of the program: streams that the request must not overtake are over afterwards.
void Client::wait_for_streams(const RequestHeader& header) {
  const bool reads = header.action == Action::get || header.action == Action::gather;
  const bool adds =
      header.action == Action::accumulate || header.action == Action::scatter_accumulate;
  const auto conflicts = [&](int index) {
    const RequestHeader* const other = slot(index).unordered();
    if (other == nullptr || (reads && other->action == Action::get) ||
        (adds && other->action == Action::accumulate))  // in either order
      return false;
    return header.footprint().overlaps(other->footprint());
  };
  await([&] { return std::none_of(active_.begin(), active_.end(), conflicts); });
}

int Client::free_slot() const noexcept {
  for (int i = 0; i < slots; ++i) {
    const int index = (next_slot_ + i) % slots;
    if (!slot(index).busy) return index;
  }
  return -1;
}

Slot& Client::occupy_slot(int index, Action action, Connection& to) {
  next_slot_ = (index + 1) % slots;
  Slot& taken = slot(index);
  taken.busy = true;
  taken.number = ++taken_;
  taken.action = action;
  taken.to = &to;
  taken.background = false;
  taken.operation = nullptr;
  taken.work.emplace<SmallAnswer>();
  active_.push_back(index);
  idle_.store(false, std::memory_order_relaxed);
  return taken;
}

/// Waits for a slot and for what it takes to send a request of so many `messages`.
int Client::take_slot(Action action, Connection& to, std::int32_t messages, Kind kind) {
  await([&] { return has_room(to, messages, kind) && free_slot() >= 0 && outbox_.room(); });
  const int index = free_slot();
  charge(occupy_slot(index, action, to), messages);
  return index;
}

/// Waits for a slot of a stream that is sent later.
int Client::take_slot_to_hold(Action action, Connection& to) {
  await([&] { return held_ < most_held && free_slot() >= 0; });
  const int index = free_slot();
  occupy_slot(index, action, to);
  return index;
}

/// Takes what the slot's request sends from its connection's credit, until the slot is released.
void Client::charge(Slot& slot, std::int32_t messages) {
  slot.messages = messages;
  slot.to->answers += messages;
  if (slot.to->credit.varies()) slot.sent = std::chrono::steady_clock::now();
}

void Client::attach(Slot& slot, Operation& operation) {
  slot.operation = &operation;
  operation.begin_part();
  slot.background = operation.nonblocking;
  if (slot.background) ++background_;
}

/// Takes a slot for a request whose answer goes to `into`, or to the slot's buffer if that is null.
Slot& Client::expect_data(RequestHeader& header, Connection& to, std::byte* into,
                          std::int64_t bytes, Operation& operation) {
  header.slot = take_slot(header.action, to, 1, Kind::small);
  Slot& taken = slot(header.slot);
  attach(taken, operation);
  expect_answer(taken, header.slot, into, bytes);
  return taken;
}

/// A message that begins with the header. Returns where inline data go. What waits (and may send
/// other things meanwhile) comes before this call, nothing between it and `send_request`.
/// REQUIRES: room in the outbox.
std::byte* Client::begin_request(const RequestHeader& header) {
  return header.write(outbox_.data());
}

void Client::send_request(Connection& to, const std::byte* end) {
  assert(to.answers + to.unflushed <= unread::requests && to.flushes <= unread::flushes);
  outbox_.send(static_cast<std::size_t>(end - outbox_.data()), to.rank, request_tag);
  if (to.signals.sent(std::chrono::steady_clock::now())) ring(to);
}

void Client::expect_answer(Slot& slot, int index, std::byte* into, std::int64_t bytes) {
  slot.expected = bytes;
  if (into == nullptr) into = slot.buffer;
  check_mpi(mpi::irecv(into, static_cast<int>(bytes), mpi::type_byte, slot.to->rank,
                       answer_tag(index), communicator_, &slot.answer),
            "MPI_Irecv");
}

/// Whether so many more messages may go to the agent. If not, and no answer will tell of the small
/// writes that are under way, asks for one.
bool Client::has_room(Connection& to, std::int32_t messages, Kind kind) {
  if (kind == Kind::stream ? to.room_for_stream(messages) : to.room_for(messages)) return true;
  if (to.unflushed > 0 && to.uncovered == to.unflushed) try_flush(to);
  return false;
}

/// Takes the slot for the status of a request that is about to be sent, which stands for all small
/// writes to the agent so far. Gives the slot.
int Client::expect_status(int index, Connection& to) {
  Slot& taken = occupy_slot(index, Action::flush, to);
  taken.covers = std::exchange(to.uncovered, 0);
  charge(taken, 0);
  expect_answer(taken, index, nullptr, sizeof(Status));
  return index;
}

/// Waits until the small write may go, and begins it.
std::byte* Client::begin_small_write(Connection& to, RequestHeader& header) {
  await([&] { return has_room(to, 1, Kind::small) && outbox_.room(); });
  const int index = to.status_due() ? free_slot() : -1;
  mark_busy(to);
  to.count_write();
  if (index >= 0) header.slot = expect_status(index, to);
  return begin_request(header);
}

/// Asks when all writes so far are done. False when that must wait, as where the fences of several
/// threads have asked and are not answered.
bool Client::try_flush(Connection& to) {
  const int index = free_slot();
  if (index < 0 || to.flushes == unread::flushes || !outbox_.room()) return false;
  RequestHeader header;
  header.slot = expect_status(index, to);
  slot(index).flushes = 1;
  ++to.flushes;
  send_request(to, begin_request(header));
  return true;
}

/// All small writes to the agent so far are complete afterwards.
void Client::complete_writes(Connection& to) {
  send_batch(to);
  const std::uint64_t mine = to.written;
  await([&] {
    if (to.completed() >= mine) return true;
    // Asked once for all of them: of those behind mine others take care.
    if (to.uncovered > 0 && to.written - static_cast<std::uint64_t>(to.uncovered) < mine)
      (void)try_flush(to);
    return false;
  });
}

/// All operations begun so far to agents that `concerns` names. Gets are waited for too: requests
/// of different origins overtake each other, so one that is still under way could see what another
/// rank writes after the coming barrier.
template <class Concerns>
void Client::complete_slots(Concerns&& concerns) {
  const std::uint64_t mine = taken_;
  await([&] {
    return std::none_of(active_.begin(), active_.end(), [&](int index) {
      return slot(index).number <= mine && concerns(*slot(index).to);
    });
  });
}

/// Everything under way to the node.
void Client::complete(int node) {
  const auto agents = static_cast<std::size_t>(world_.roles->agents_per_node);
  const std::size_t end = (static_cast<std::size_t>(node) + 1) * agents;
  for (std::size_t agent = end - agents; agent < end; ++agent)
    if (agent % step_ == first_)
      if (Connection* const to = connections_[place_of(agent)].get()) complete_writes(*to);
  complete_slots([node](const Connection& to) { return to.node == node; });
  if (rma_ != nullptr) rma_->complete_puts(node);
}

bool Client::fence(int node) {
  const MpiCall call;
  const std::lock_guard lock(mutex_);
  complete(node);
  return std::exchange(lost_write_, false);
}

void Client::begin_fence() {
  const MpiCall call;
  const std::lock_guard lock(mutex_);
  // Each wait loses the lock, and other threads may add to the list.
  const Walk walk(walks_);
  for (std::size_t i = 0; i < busy_.size(); ++i) send_batch(*busy_[i]);
  for (Connection* const to : busy_)
    if (to->uncovered > 0) try_flush(*to);
}

bool Client::fence_all() {
  const MpiCall call;
  const std::lock_guard lock(mutex_);
  const Walk walk(walks_);
  for (std::size_t i = 0; i < busy_.size(); ++i) complete_writes(*busy_[i]);
  complete_slots([](const Connection&) { return true; });
  if (rma_ != nullptr)
    for (int node = 0; node < world_.topology.nodes; ++node) rma_->complete_puts(node);
  if (walks_ == 1) std::erase_if(busy_, [](Connection* to) { return !(to->busy = to->writing()); });
  return std::exchange(lost_write_, false);
}

void Client::send_batches() {
  const std::lock_guard lock(mutex_);
  const Walk walk(walks_);
  for (std::size_t i = 0; i < busy_.size(); ++i) send_batch(*busy_[i]);
}

void Client::drain() {
  const std::lock_guard lock(mutex_);
  await([this] {
    poll_locked();
    return attention_.empty() && active_.empty() && outbox_.empty();
  });
}

void Client::stop(int agent) {
  const std::lock_guard lock(mutex_);
  RequestHeader header;
  header.action = Action::stop;
  await([this] { return outbox_.room(); });
  Connection to = made_connection(static_cast<std::size_t>(agent));  // nothing comes back
  send_request(to, begin_request(header));
}

void Client::transfer(Action action, const Place& place, const Side& side, const Index& shape,
                      ElementType type, const void* alpha, Operation& operation) {
  const MpiCall call;
  const std::lock_guard lock(mutex_);
  const std::size_t element_bytes = size_of(type);
  RequestHeader header = make_header(action, place, type, alpha);
  header.runs = Runs::of(shape, place.strides, element_bytes);
  if (rma_ != nullptr && transfer_by_rma(header, place, side, shape, operation)) return;
  const Runs user = Runs::of(shape, side.strides, element_bytes);
  const std::int64_t total = header.runs.bytes();
  const bool get = action == Action::get;
  const bool small = total <= inline_bytes;
  wait_for_streams(header);
  Connection& to = connection_of(place);
  complete_rma_puts(to);
  if (total <= batched_bytes && try_batch(to, header, user, side.data, operation)) return;
  send_batch(to);
  if (!get && small) {
    std::byte* data = begin_small_write(to, header);
    pack(user, side.data, 0, total, data);
    send_request(to, data + total);
    return;
  }
  const bool in_place = user.contiguous();
  if (small) {
    expect_data(header, to, in_place ? side.data : nullptr, total, operation).work =
        SmallAnswer{side.data, user};
    send_request(to, begin_request(header));
    return;
  }
  header.streamed = true;
  header.chunk = header.runs.contiguous() && in_place && action != Action::accumulate
                     ? direct_chunk
                     : staged_chunk;
  const Stream stream(!get, side.data, user, header.chunk, in_place);
  const std::int32_t messages = messages_of(stream);
  const bool hold = operation.nonblocking && !(to.held.empty() && to.room_for_stream(messages));
  const int index = header.slot =
      hold ? take_slot_to_hold(action, to) : take_slot(action, to, messages, Kind::stream);
  Slot& taken = slot(index);
  attach(taken, operation);
  LargeTransfer& large = taken.work.emplace<LargeTransfer>(LargeTransfer{header, stream, hold});
  if (!hold) {
    start_stream(taken, large, index);
    return;
  }
  ++held_;
  to.held.push_back(index);
  want_attention(to);
}

void Client::start_stream(Slot& slot, LargeTransfer& large, int index) {
  large.held = false;
  if (slot.action != Action::get) expect_answer(slot, index, nullptr, sizeof(Status));
  const std::byte* end = begin_request(large.request);
  // The receives of a get come before the request, what a put sends after it.
  if (slot.action == Action::get) advance_stream(slot, large, index);
  send_request(*slot.to, end);
  if (slot.action != Action::get) advance_stream(slot, large, index);
}

bool Client::try_start_held(Connection& to) {
  while (!to.held.empty()) {
    const int index = to.held.front();
    LargeTransfer& large = std::get<LargeTransfer>(slot(index).work);
    const std::int32_t messages = messages_of(large.stream);
    if (!has_room(to, messages, Kind::stream) || !outbox_.room()) break;
    to.held.erase(to.held.begin());
    --held_;
    charge(slot(index), messages);
    start_stream(slot(index), large, index);
  }
  return to.held.empty();
}

std::int64_t Client::fetch(Action action, const Place& place, ElementType type,
                           std::int64_t operand) {
  RequestHeader header = make_header(action, place, type, nullptr);
  header.runs = Runs::contiguous_of(static_cast<std::int64_t>(size_of(type)));
  header.value = operand;
  std::int64_t old = 0;
  Operation operation;
  {
    const MpiCall call;
    const std::lock_guard lock(mutex_);
    wait_for_streams(header);
    Connection& to = connection_of(place);
    complete_rma_puts(to);
    ask(header, to, old, operation);
  }
  operation.wait();
  return old;
}

/// Sends a request whose answer is a number. The operation goes before the number does.
void Client::ask(RequestHeader& header, Connection& to, std::int64_t& answer,
                 Operation& operation) {
  send_batch(to);
  expect_data(header, to, reinterpret_cast<std::byte*>(&answer), sizeof answer, operation);
  send_request(to, begin_request(header));
}

void Client::scattered(Action action, const Place& place, std::span<const std::int64_t> offsets,
                       std::byte* values, ElementType type, const void* alpha,
                       Operation& operation) {
  const MpiCall call;
  const std::lock_guard lock(mutex_);
  Connection& to = connection_of(place);
  const std::size_t size = size_of(type);
  const std::size_t most = static_cast<std::size_t>(inline_bytes) / (sizeof(std::int64_t) + size);
  while (!offsets.empty()) {
    const auto portion = offsets.first(std::min(most, offsets.size()));
    const auto bytes = static_cast<std::int64_t>(portion.size() * size);
    RequestHeader header = make_header(action, place, type, alpha);
    header.value = static_cast<std::int64_t>(portion.size());
    const auto [lowest, highest] = std::minmax_element(portion.begin(), portion.end());
    RequestHeader range = header;  // only that is known of what it touches
    range.offset = *lowest;
    range.runs = Runs::contiguous_of(*highest - *lowest + static_cast<std::int64_t>(size));
    wait_for_streams(range);
    complete_rma_puts(to);
    send_batch(to);
    std::byte* data = nullptr;
    if (action == Action::gather) {
      expect_data(header, to, values, bytes, operation);
      data = copy_bytes(begin_request(header), std::as_bytes(portion));
    } else {
      data = copy_bytes(begin_small_write(to, header), std::as_bytes(portion));
      data = copy_bytes(data, {values, static_cast<std::size_t>(bytes)});
    }
    send_request(to, data);
    values += bytes;
    offsets = offsets.subspan(portion.size());
  }
}

}  // namespace lagoon::atoll::detail
