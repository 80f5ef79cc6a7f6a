// Client: batches of small nonblocking operations. An operation that finds nothing of this rank
// under way to its agent goes out at once, so that a single one loses no time; those that follow
// are collected until the rank or the mover looks, or the message is full (as Nagle does for TCP).
#include <cstring>
#include <utility>

#include "transport/client.hpp"
#include "world/copy_bytes.hpp"

namespace lagoon::atoll::detail {

/// Puts the operation into the agent's batch; false when it should go out by itself.
bool Client::try_batch(int agent_number, const RequestHeader& header, const Runs& user,
                       std::byte* data, Operation& operation) {
  Agent& to = agent(agent_number);
  if (!batches_ || (to.batch.count == 0 && to.operations == 0 && to.unflushed == 0)) return false;
  const bool get = header.action == Action::get;
  const std::int64_t total = header.runs.bytes();
  const std::int64_t record = padded(header.bytes() + (get ? 0 : total));
  const std::int64_t answer = get ? static_cast<std::int64_t>(sizeof(Status)) + padded(total) : 0;
  if (to.batch.length + record > inline_bytes || to.batch.answer_bytes + answer > inline_bytes)
    send_batch(agent_number);
  Batch& batch = to.batch;
  if (batch.count == 0) {
    want_attention(agent_number);
    ++background_;
    batch.bytes.resize(static_cast<std::size_t>(inline_bytes));
  }
  RequestHeader described = header;
  described.record = static_cast<std::int32_t>(record);
  std::byte* place = described.write(batch.bytes.data() + batch.length);
  if (get) {
    batch.parts.push_back({&operation, data, user});
    ++operation.pending;
  } else {
    pack(user, data, 0, total, place);
    batch.writes = true;
  }
  batch.length += record;
  batch.answer_bytes += answer;
  ++batch.count;
  return true;
}

/// Sends the agent's batch if that is possible now. True when none is left.
bool Client::try_send_batch(int agent_number) {
  Agent& to = agent(agent_number);
  Batch& batch = to.batch;
  if (batch.count == 0) return true;
  const bool gets = !batch.parts.empty();
  const int index = !gets ? 0 : to.operations < operations_to_agent ? free_slot() : -1;
  if (index < 0 || !send_buffer_free() || (batch.writes && to.unflushed >= window_)) return false;
  RequestHeader header;
  header.action = Action::batch;
  header.value = batch.count;
  if (gets) {
    occupy_slot(index, Action::batch, agent_number);
    Slot& slot = slots_[static_cast<std::size_t>(index)];
    slot.parts.swap(batch.parts);
    slot.background = true;
    ++background_;
    header.slot = index;
    expect_answer(slot, index, nullptr, batch.answer_bytes);
  }
  const std::span<const std::byte> bytes(batch.bytes.data(),
                                         static_cast<std::size_t>(batch.length));
  send_request(agent_number, copy_bytes(begin_request(header), bytes));
  if (batch.writes) ++to.unflushed;
  batch.parts.clear();
  batch.length = batch.answer_bytes = batch.count = 0;
  batch.writes = false;
  --background_;
  if (to.unflushed >= window_ / 2) try_start_flush(agent_number);
  return true;
}

void Client::send_batch(int agent_number) {
  if (agent(agent_number).batch.count > 0 && !try_send_batch(agent_number))
    world_.wait_until([&] { return try_send_batch(agent_number); });
}

void Client::want_attention(int agent_number) {
  if (std::exchange(agent(agent_number).listed, true)) return;
  attention_.push_back(agent_number);
}

/// Sends what is held back, and starts flushes that found no room.
bool Client::attend() {
  if (attention_.empty()) return false;
  const std::size_t before = attention_.size();
  for (const int number : std::exchange(attention_, {})) {
    Agent& to = agent(number);
    to.listed = false;
    const bool flush_due = std::exchange(to.flush_due, false);
    const bool sent = try_send_batch(number), started = try_start_held(number);
    if (!sent || !started) want_attention(number);
    if (flush_due && to.unflushed >= window_ / 2) try_start_flush(number);
  }
  return attention_.size() < before;
}

/// Hands the data of an answer to the gets of the batch.
void Client::finish_batch(Slot& slot) {
  const std::byte* data = slot.buffer.data();
  for (const Part& part : slot.parts) {
    Status status = Status::done;
    std::memcpy(&status, data, sizeof status);
    data += sizeof status;
    const std::int64_t total = part.runs.bytes();
    if (status == Status::done)
      unpack(part.runs, part.user, 0, total, data);
    else
      part.operation->failed = true;
    data += padded(total);
    --part.operation->pending;
  }
  slot.parts.clear();
}

}  // namespace lagoon::atoll::detail
