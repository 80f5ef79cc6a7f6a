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

// What one rank may have under way to one node: operations with an answer (streams among them), and
// small writes. Each is a message that may come before its receive is posted, a stream up to three.
// libfabric's TCP provider keeps 64 such messages of a connection and then stops reading from it,
// for good if what would free one comes behind: the sum has to stay below.
constexpr std::int32_t operations_per_node = 16;
constexpr std::int32_t streams_per_node = 4;
constexpr int writes_per_node = 16;
// With a flush, and with the chunks of the streams that the peer has under way to us.
static_assert(operations_per_node + 1 + writes_per_node +
                  2 * streams_per_node * static_cast<int>(chunks_in_flight) <
              64);

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

Client::Client(WorldState& world, MPI_Comm communicator)
    : world_(world),
      communicator_(communicator),
      window_(static_cast<std::uint32_t>(
          std::clamp(writes_per_agent / world.topology.size, 8, writes_per_node))),
      nodes_(static_cast<std::size_t>(world.topology.nodes)) {
  for (SendBuffer& send : sends_) send.bytes.resize(static_cast<std::size_t>(request_bytes));
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

int Client::take_slot(Action action, int node) {
  NodeState& state = nodes_[static_cast<std::size_t>(node)];
  if (action != Action::flush && state.operations >= operations_per_node)
    world_.wait_until([&] { return state.operations < operations_per_node; });
  const auto find = [&] {
    for (int i = 0; i < slots; ++i) {
      const int index = (next_slot_ + i) % slots;
      if (!slots_[static_cast<std::size_t>(index)].busy) return index;
    }
    return -1;
  };
  int index = find();
  if (index < 0) {
    world_.wait_until([&] { return static_cast<int>(active_.size()) < slots; });
    index = find();
  }
  next_slot_ = (index + 1) % slots;
  Slot& slot = slots_[static_cast<std::size_t>(index)];
  slot.busy = true;
  slot.action = action;
  slot.node = node;
  slot.streamed = false;
  slot.operation = nullptr;
  active_.push_back(index);
  ++state.operations;
  return index;
}

/// A free send buffer, its header constructed. Returns where inline data go.
std::byte* Client::begin_request(RequestHeader*& header) {
  SendBuffer& send = sends_[next_send_];
  if (send.request != MPI_REQUEST_NULL) world_.wait(send.request);
  header = new (send.bytes.data()) RequestHeader;
  return send.bytes.data() + sizeof(RequestHeader);
}

void Client::send_request(int node, std::int64_t inline_length) {
  SendBuffer& send = sends_[next_send_];
  next_send_ = (next_send_ + 1) % sends_.size();
  check_mpi(
      MPI_Isend(send.bytes.data(),
                static_cast<int>(static_cast<std::int64_t>(sizeof(RequestHeader)) + inline_length),
                MPI_BYTE, leader_of(node), request_tag, communicator_, &send.request),
      "MPI_Isend");
}

void Client::expect_answer(Slot& slot, int index, std::byte* into, std::int64_t bytes) {
  slot.expected = bytes;
  if (into == nullptr) {
    if (slot.buffer.empty()) slot.buffer.resize(static_cast<std::size_t>(inline_bytes));
    into = slot.buffer.data();
  }
  check_mpi(MPI_Irecv(into, static_cast<int>(bytes), MPI_BYTE, leader_of(slot.node),
                      answer_tag(index), communicator_, &slot.answer),
            "MPI_Irecv");
}

void Client::count_small_write(int node) {
  NodeState& state = nodes_[static_cast<std::size_t>(node)];
  ++state.unflushed;
  if (state.unflushed < window_ / 2) return;
  if (state.flush < 0) start_flush(node);
  if (state.unflushed >= window_) world_.wait_until([&] { return state.unflushed < window_; });
}

void Client::start_flush(int node) {
  const int index = take_slot(Action::flush, node);
  Slot& slot = slots_[static_cast<std::size_t>(index)];
  NodeState& state = nodes_[static_cast<std::size_t>(node)];
  slot.covers = state.unflushed;
  state.flush = index;
  expect_answer(slot, index, nullptr, sizeof(Status));
  RequestHeader* header = nullptr;
  begin_request(header);
  header->slot = index;
  send_request(node, 0);
}

void Client::fence(int node) {
  // Gets are waited for too: requests of different origins overtake each other, so one that is
  // still under way could see what another rank writes after the coming barrier.
  const auto under_way = [&] {
    return std::any_of(active_.begin(), active_.end(), [&](int index) {
      return slots_[static_cast<std::size_t>(index)].node == node;
    });
  };
  NodeState& state = nodes_[static_cast<std::size_t>(node)];
  while (state.unflushed > 0) {
    if (state.flush < 0) start_flush(node);
    world_.wait_until([&] { return state.flush < 0; });
  }
  if (under_way()) world_.wait_until([&] { return !under_way(); });
  if (lost_write_) {
    lost_write_ = false;
    throw Error(ErrorKind::state,
                "an earlier put or accumulate went to an array that was destroyed");
  }
}

void Client::fence_all() {
  // All flushes first, then wait: one round trip, however many nodes.
  for (int node = 0; node < world_.topology.nodes; ++node) {
    NodeState& state = nodes_[static_cast<std::size_t>(node)];
    if (state.unflushed > 0 && state.flush < 0) start_flush(node);
  }
  for (int node = 0; node < world_.topology.nodes; ++node) fence(node);
}

void Client::drain() {
  world_.wait_until([&] { return active_.empty(); });
  for (SendBuffer& send : sends_)
    if (send.request != MPI_REQUEST_NULL) world_.wait(send.request);
}

void Client::transfer(Action action, const Place& place, const Side& side, const Index& shape,
                      ElementType type, const void* alpha, Operation& operation) {
  const int node = node_of(place);
  const bool get = action == Action::get;
  const Runs target = Runs::of(shape, place.strides, size_of(type));
  const Runs user = Runs::of(shape, side.strides, size_of(type));
  const std::int64_t total = user.bytes();
  const std::int64_t lowest = place.offset + target.lowest();
  const std::int64_t highest = place.offset + target.highest();
  wait_for_streams(place, lowest, highest, !get, action == Action::accumulate);

  RequestHeader header = make_header(action, place, type, alpha);
  header.runs = target;
  const bool small = total <= inline_bytes;
  if (small && !get) {
    RequestHeader* sent = nullptr;
    pack(user, side.data, 0, total, begin_request(sent));
    *sent = header;
    send_request(node, total);
    count_small_write(node);
    return;
  }
  NodeState& state = nodes_[static_cast<std::size_t>(node)];
  if (!small && state.streams >= streams_per_node)
    world_.wait_until([&] { return state.streams < streams_per_node; });
  const int index = take_slot(action, node);
  Slot& slot = slots_[static_cast<std::size_t>(index)];
  slot.operation = &operation;
  ++operation.pending;
  slot.user = side.data;
  slot.runs = user;
  slot.total = total;
  header.slot = index;
  if (!small) {
    header.streamed = slot.streamed = true;
    ++streams_;
    ++state.streams;
    header.chunk = slot.chunk =
        target.contiguous() && user.contiguous() && action != Action::accumulate ? direct_chunk
                                                                                 : staged_chunk;
    slot.segment = header.segment;
    slot.owner = place.owner;
    slot.lowest = lowest;
    slot.highest = highest;
    slot.queue = ChunkQueue{};
  }
  if (small) {
    expect_answer(slot, index, user.contiguous() ? side.data : nullptr, total);
  } else if (!get) {
    expect_answer(slot, index, nullptr, sizeof(Status));
  }
  if (get && !small) advance_get_stream(slot, index);
  RequestHeader* sent = nullptr;
  begin_request(sent);
  *sent = header;
  send_request(node, 0);
  if (!get) advance_put_stream(slot, index);
}

std::int64_t Client::fetch(Action action, const Place& place, ElementType type,
                           std::int64_t operand) {
  const auto size = static_cast<std::int64_t>(size_of(type));
  wait_for_streams(place, place.offset, place.offset + size - 1, true, false);
  const int node = node_of(place);
  const int index = take_slot(action, node);
  Slot& slot = slots_[static_cast<std::size_t>(index)];
  Operation operation{1, false};
  slot.operation = &operation;
  std::int64_t old = 0;
  slot.runs = Runs{sizeof old, 0, {}, {}};
  expect_answer(slot, index, reinterpret_cast<std::byte*>(&old), sizeof old);
  RequestHeader* header = nullptr;
  begin_request(header);
  *header = make_header(action, place, type, nullptr);
  header->slot = index;
  header->value = operand;
  send_request(node, 0);
  operation.wait();
  return old;
}

void Client::scattered(Action action, const Place& place, std::span<const std::int64_t> offsets,
                       std::byte* values, ElementType type, const void* alpha,
                       Operation& operation) {
  const int node = node_of(place);
  const std::size_t size = size_of(type);
  const std::size_t most = static_cast<std::size_t>(inline_bytes) / (sizeof(std::int64_t) + size);
  while (!offsets.empty()) {
    const auto batch = offsets.first(std::min(most, offsets.size()));
    const auto [lowest, highest] = std::minmax_element(batch.begin(), batch.end());
    wait_for_streams(place, *lowest, *highest + static_cast<std::int64_t>(size) - 1,
                     action != Action::gather, action == Action::scatter_accumulate);
    const auto bytes = static_cast<std::int64_t>(batch.size() * size);
    RequestHeader header = make_header(action, place, type, alpha);
    header.value = static_cast<std::int64_t>(batch.size());
    if (action == Action::gather) {
      const int index = take_slot(action, node);
      Slot& slot = slots_[static_cast<std::size_t>(index)];
      slot.operation = &operation;
      ++operation.pending;
      slot.runs = Runs{bytes, 0, {}, {}};
      header.slot = index;
      expect_answer(slot, index, values, bytes);
    }
    RequestHeader* sent = nullptr;
    std::byte* data = begin_request(sent);
    *sent = header;
    std::memcpy(data, batch.data(), batch.size_bytes());
    auto length = static_cast<std::int64_t>(batch.size_bytes());
    if (action != Action::gather) {
      std::memcpy(data + length, values, static_cast<std::size_t>(bytes));
      length += bytes;
    }
    send_request(node, length);
    if (action != Action::gather) count_small_write(node);
    values += bytes;
    offsets = offsets.subspan(batch.size());
  }
}

}  // namespace lagoon::atoll::detail
