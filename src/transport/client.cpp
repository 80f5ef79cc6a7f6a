// Client: issuing requests. What happens to them afterwards is in client_progress.cpp.
#include "transport/client.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "atoll/error.hpp"

namespace lagoon::atoll::detail {

namespace {

// Small writes that all origins together may have queued at one agent, before they must pause.
constexpr int writes_per_agent = 4096;

bool is_one(ElementType type, const void* alpha) {
  return with_element_type(type, [&](auto example) {
    using T = decltype(example);
    T value;
    std::memcpy(&value, alpha, sizeof value);
    return value == T(1);
  });
}

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

Client::Client(WorldState& world, MPI_Comm communicator, RmaPath* rma, bool batches)
    : world_(world),
      communicator_(communicator),
      rma_(rma),
      batches_(batches),
      window_(static_cast<std::uint32_t>(
          std::clamp(writes_per_agent / world.topology.size, 8, writes_to_agent))),
      agents_(world.roles->agents.size()) {
  for (SendBuffer& send : sends_) send.bytes.resize(static_cast<std::size_t>(request_bytes));
  for (std::size_t a = 0; a < agents_.size(); ++a) agents_[a].rank = world.roles->agents[a];
}

int Client::agent_of(const Place& place) const {
  return world_.roles->agent_of(place.segment.group().world_rank(place.owner));
}

void Client::wait_for_streams(const Place& place, std::int64_t lowest, std::int64_t highest,
                              bool writes, bool adds) {
  const auto conflicts = [&] {
    return std::any_of(active_.begin(), active_.end(), [&](int index) {
      const Slot& slot = slots_[static_cast<std::size_t>(index)];
      if (!slot.streamed || slot.owner != place.owner || slot.segment != place.segment.number() ||
          slot.highest < lowest || slot.lowest > highest)
        return false;
      if (adds && slot.action == Action::accumulate) return false;  // order does not matter
      return writes || slot.action != Action::get;
    });
  };
  if (conflicts()) world_.wait_until([&] { return !conflicts(); });
}

int Client::free_slot() const noexcept {
  for (int i = 0; i < slots; ++i) {
    const int index = (next_slot_ + i) % slots;
    if (!slots_[static_cast<std::size_t>(index)].busy) return index;
  }
  return -1;
}

int Client::occupy_slot(int index, Action action, int agent_number) {
  next_slot_ = (index + 1) % slots;
  Slot& slot = slots_[static_cast<std::size_t>(index)];
  slot.busy = true;
  slot.action = action;
  slot.agent = agent_number;
  slot.streamed = slot.background = slot.by_rma = false;
  slot.operation = nullptr;
  active_.push_back(index);
  ++agent(agent_number).operations;
  return index;
}

int Client::take_slot(Action action, int agent_number, bool hold) {
  const auto room = [&] {
    return hold ? held_ < most_held && free_slot() >= 0
                : agent(agent_number).operations < operations_to_agent && free_slot() >= 0;
  };
  if (!room()) world_.wait_until(room);
  return occupy_slot(free_slot(), action, agent_number);
}

bool Client::send_buffer_free() {
  SendBuffer& send = sends_[next_send_];
  if (send.request == MPI_REQUEST_NULL) return true;
  int done = 0;
  check_mpi(MPI_Test(&send.request, &done, MPI_STATUS_IGNORE), "MPI_Test");
  return done != 0;
}

/// A free send buffer that begins with the header. Returns where inline data go. What waits (and
/// may send other things meanwhile) comes before this call, nothing between it and `send_request`.
std::byte* Client::begin_request(const RequestHeader& header) {
  if (!send_buffer_free()) world_.wait_until([this] { return send_buffer_free(); });
  return header.write(sends_[next_send_].bytes.data());
}

void Client::send_request(int agent_number, const std::byte* end) {
  SendBuffer& send = sends_[next_send_];
  next_send_ = (next_send_ + 1) % sends_.size();
  check_mpi(MPI_Isend(send.bytes.data(), static_cast<int>(end - send.bytes.data()), MPI_BYTE,
                      agent(agent_number).rank, request_tag, communicator_, &send.request),
            "MPI_Isend");
}

void Client::expect_answer(Slot& slot, int index, std::byte* into, std::int64_t bytes) {
  slot.expected = bytes;
  if (into == nullptr) {
    if (slot.buffer.empty()) slot.buffer.resize(static_cast<std::size_t>(inline_bytes));
    into = slot.buffer.data();
  }
  check_mpi(MPI_Irecv(into, static_cast<int>(bytes), MPI_BYTE, agent(slot.agent).rank,
                      answer_tag(index), communicator_, &slot.answer),
            "MPI_Irecv");
}

/// After a message with small writes: asks for a flush in time, and waits when too many are out.
void Client::count_small_write(int agent_number) {
  Agent& to = agent(agent_number);
  ++to.unflushed;
  if (to.unflushed < window_ / 2) return;
  try_start_flush(agent_number);
  if (to.unflushed >= window_) world_.wait_until([&] { return to.unflushed < window_; });
}

bool Client::try_start_flush(int agent_number) {
  Agent& to = agent(agent_number);
  if (to.flush >= 0) return true;
  const int index = free_slot();
  if (index < 0 || !send_buffer_free()) {
    to.flush_due = true;
    want_attention(agent_number);
    return false;
  }
  occupy_slot(index, Action::flush, agent_number);
  Slot& slot = slots_[static_cast<std::size_t>(index)];
  slot.covers = to.unflushed;
  to.flush = index;
  expect_answer(slot, index, nullptr, sizeof(Status));
  RequestHeader header;
  header.slot = index;
  send_request(agent_number, begin_request(header));
  return true;
}

/// All small writes to the agent are complete afterwards.
void Client::complete_writes(int agent_number) {
  send_batch(agent_number);
  Agent& to = agent(agent_number);
  while (to.unflushed > 0) {
    world_.wait_until([&] { return try_start_flush(agent_number); });
    world_.wait_until([&] { return to.flush < 0; });
  }
}

/// Everything under way to the node.
void Client::complete(int node) {
  const int per_node = world_.roles->agents_per_node;
  // Gets are waited for too: requests of different origins overtake each other, so one that is
  // still under way could see what another rank writes after the coming barrier.
  const auto under_way = [&] {
    return std::any_of(active_.begin(), active_.end(), [&](int index) {
      return slots_[static_cast<std::size_t>(index)].agent / per_node == node;
    });
  };
  for (int a = node * per_node; a < (node + 1) * per_node; ++a) complete_writes(a);
  if (under_way()) world_.wait_until([&] { return !under_way(); });
  if (rma_ != nullptr) rma_->complete_puts(node);
}

void Client::tell_lost_write() {
  if (std::exchange(lost_write_, false))
    throw Error(ErrorKind::state,
                "an earlier put or accumulate went to an array that was destroyed");
}

void Client::fence(int node) {
  const std::lock_guard lock(mutex_);
  complete(node);
  tell_lost_write();
}

void Client::fence_all() {
  const std::lock_guard lock(mutex_);
  // All flushes first, then wait: one round trip, however many nodes.
  for (std::size_t a = 0; a < agents_.size(); ++a) {
    const auto number = static_cast<int>(a);
    send_batch(number);
    if (agents_[a].unflushed > 0) try_start_flush(number);
  }
  for (int node = 0; node < world_.topology.nodes; ++node) complete(node);
  tell_lost_write();
}

void Client::drain() {
  const std::lock_guard lock(mutex_);
  for (std::size_t a = 0; a < agents_.size(); ++a) send_batch(static_cast<int>(a));
  world_.wait_until([this] { return active_.empty(); });
  for (SendBuffer& send : sends_)
    if (send.request != MPI_REQUEST_NULL) world_.wait(send.request);
}

void Client::stop(int agent_number) {
  const std::lock_guard lock(mutex_);
  RequestHeader header;
  header.action = Action::stop;
  send_request(agent_number, begin_request(header));
}

void Client::transfer(Action action, const Place& place, const Side& side, const Index& shape,
                      ElementType type, const void* alpha, Operation& operation) {
  const std::lock_guard lock(mutex_);
  const std::size_t element_bytes = size_of(type);
  if (rma_ != nullptr && transfer_by_rma(action, place, side, shape, element_bytes, operation))
    return;
  const Runs target = Runs::of(shape, place.strides, element_bytes);
  const Runs user = Runs::of(shape, side.strides, element_bytes);
  const std::int64_t total = target.bytes();
  const bool get = action == Action::get;
  const bool small = total <= inline_bytes;
  const std::int64_t lowest = place.offset + target.lowest(),
                     highest = place.offset + target.highest();
  wait_for_streams(place, lowest, highest, !get, action == Action::accumulate);
  complete_rma_puts(place);
  const int number = agent_of(place);
  Agent& to = agent(number);

  RequestHeader header = make_header(action, place, type, alpha);
  header.runs = target;
  if (operation.nonblocking && total <= batched_bytes &&
      try_batch(number, header, user, side.data, operation))
    return;
  send_batch(number);
  if (!get && small) {
    std::byte* data = begin_request(header);
    pack(user, side.data, 0, total, data);
    send_request(number, data + total);
    count_small_write(number);
    return;
  }
  const bool hold = !small && operation.nonblocking && !may_stream(to);
  if (!small && !hold && to.streams >= streams_to_agent)
    world_.wait_until([&] { return to.streams < streams_to_agent; });
  const int index = take_slot(action, number, hold);
  Slot& slot = slots_[static_cast<std::size_t>(index)];
  slot.operation = &operation;
  ++operation.pending;
  slot.user = side.data;
  slot.runs = user;
  slot.total = total;
  if (operation.nonblocking) {
    slot.background = true;
    ++background_;
  }
  header.slot = index;
  if (!small) {
    header.streamed = slot.streamed = true;
    header.chunk = slot.chunk =
        target.contiguous() && user.contiguous() && action != Action::accumulate ? direct_chunk
                                                                                 : staged_chunk;
    slot.segment = header.segment;
    slot.owner = place.owner;
    slot.lowest = lowest;
    slot.highest = highest;
    slot.queue = ChunkQueue{};
    slot.request = header;
    if (hold) {
      slot.held = true;
      ++held_;
      --to.operations;
      to.held.push_back(index);
      want_attention(number);
    } else {
      start_stream(slot, index);
    }
    return;
  }
  expect_answer(slot, index, user.contiguous() ? side.data : nullptr, total);
  send_request(number, begin_request(header));
}

/// Whether a stream may start now, in its turn.
bool Client::may_stream(const Agent& to) const noexcept {
  return to.held.empty() && to.streams < streams_to_agent;
}

void Client::start_stream(Slot& slot, int index) {
  ++agent(slot.agent).streams;
  const bool get = slot.action == Action::get;
  if (!get) expect_answer(slot, index, nullptr, sizeof(Status));
  const std::byte* end = begin_request(slot.request);
  if (get) advance_get_stream(slot, index);
  send_request(slot.agent, end);
  if (!get) advance_put_stream(slot, index);
}

bool Client::try_start_held(int agent_number) {
  Agent& to = agent(agent_number);
  while (!to.held.empty() && to.streams < streams_to_agent && to.operations < operations_to_agent &&
         send_buffer_free()) {
    const int index = to.held.front();
    to.held.pop_front();
    Slot& slot = slots_[static_cast<std::size_t>(index)];
    slot.held = false;
    --held_;
    ++to.operations;
    start_stream(slot, index);
  }
  return to.held.empty();
}

std::int64_t Client::fetch(Action action, const Place& place, ElementType type,
                           std::int64_t operand) {
  const std::lock_guard lock(mutex_);
  const auto size = static_cast<std::int64_t>(size_of(type));
  wait_for_streams(place, place.offset, place.offset + size - 1, true, false);
  complete_rma_puts(place);
  const int number = agent_of(place);
  send_batch(number);
  const int index = take_slot(action, number);
  Slot& slot = slots_[static_cast<std::size_t>(index)];
  Operation operation;
  operation.pending = 1;
  slot.operation = &operation;
  std::int64_t old = 0;
  slot.runs = Runs::contiguous_of(sizeof old);
  expect_answer(slot, index, reinterpret_cast<std::byte*>(&old), sizeof old);
  RequestHeader header = make_header(action, place, type, nullptr);
  header.slot = index;
  header.value = operand;
  send_request(number, begin_request(header));
  operation.wait();
  return old;
}

void Client::scattered(Action action, const Place& place, std::span<const std::int64_t> offsets,
                       std::byte* values, ElementType type, const void* alpha,
                       Operation& operation) {
  const std::lock_guard lock(mutex_);
  const int number = agent_of(place);
  const std::size_t size = size_of(type);
  const std::size_t most = static_cast<std::size_t>(inline_bytes) / (sizeof(std::int64_t) + size);
  while (!offsets.empty()) {
    const auto portion = offsets.first(std::min(most, offsets.size()));
    const auto [lowest, highest] = std::minmax_element(portion.begin(), portion.end());
    wait_for_streams(place, *lowest, *highest + static_cast<std::int64_t>(size) - 1,
                     action != Action::gather, action == Action::scatter_accumulate);
    complete_rma_puts(place);
    send_batch(number);
    const auto bytes = static_cast<std::int64_t>(portion.size() * size);
    RequestHeader header = make_header(action, place, type, alpha);
    header.value = static_cast<std::int64_t>(portion.size());
    if (action == Action::gather) {
      const int index = take_slot(action, number);
      Slot& slot = slots_[static_cast<std::size_t>(index)];
      slot.operation = &operation;
      ++operation.pending;
      slot.runs = Runs::contiguous_of(bytes);
      header.slot = index;
      expect_answer(slot, index, values, bytes);
    }
    std::byte* data = begin_request(header);
    std::memcpy(data, portion.data(), portion.size_bytes());
    data += portion.size_bytes();
    if (action != Action::gather) {
      std::memcpy(data, values, static_cast<std::size_t>(bytes));
      data += bytes;
    }
    send_request(number, data);
    if (action != Action::gather) count_small_write(number);
    values += bytes;
    offsets = offsets.subspan(portion.size());
  }
}

}  // namespace lagoon::atoll::detail
