// Client: batches of small operations: nonblocking ones, and the pieces of one call. An operation
// that finds nothing of this rank under way to its agent goes out at once, so that a single one
// loses no time; those that follow are collected until the rank or the mover looks, or the message
// is full (as Nagle does for TCP).
#include <cstring>
#include <new>
#include <utility>

#include "transport/client.hpp"
#include "world/copy_bytes.hpp"
#include "world/spare.hpp"

namespace lagoon::atoll::detail {

/// Puts the operation into the agent's batch; false when it should go out by itself, as where there
/// is no memory for it there.
bool Client::try_batch(Connection& to, const RequestHeader& header, const Runs& user,
                       std::byte* data, Operation& operation) {
  if (operation.nonblocking ? !batches_ : !operation.together) return false;
  if (to.batch.count == 0 && to.idle()) return false;
  const bool get = header.action == Action::get;
  const std::int64_t total = header.runs.bytes();
  const std::int64_t record = padded(header.bytes() + (get ? 0 : total));
  const std::int64_t answer = get ? static_cast<std::int64_t>(sizeof(Status)) + padded(total) : 0;
  // Sending waits without the lock: other threads may have filled the next one meanwhile.
  while (to.batch.length + record > full_batch_bytes ||
         to.batch.answer_bytes + answer > full_batch_bytes)
    send_batch(to);
  HeldBatch& batch = to.batch;
  if (batch.bytes.empty()) {
    try {
      batch.bytes.resize(static_cast<std::size_t>(full_batch_bytes));
    } catch (const std::bad_alloc&) {
      return false;
    }
    ++batch_buffers_;
  }
  if (get && !has_place_for_one(batch.parts)) return false;
  if (batch.count == 0) {
    want_attention(to);
    mark_busy(to);
    ++background_;
    batch.answer_bytes = sizeof(Status);
  }
  RequestHeader described = header;
  described.record = static_cast<std::int32_t>(record);
  std::byte* place = described.write(batch.bytes.data() + batch.length);
  if (get) {
    batch.parts.push_back({&operation, data, user});
    operation.begin_part();
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
bool Client::try_send_batch(Connection& to) {
  HeldBatch& batch = to.batch;
  if (batch.count == 0) return true;
  const bool gets = !batch.parts.empty();
  int index = -1;
  if (gets || to.status_due()) index = free_slot();
  if (gets && index < 0) return false;
  // One that reads and writes counts as both.
  if (!has_room(to, (gets ? 1 : 0) + (batch.writes ? 1 : 0), Kind::small) || !outbox_.room())
    return false;
  RequestHeader header;
  header.action = Action::batch;
  header.value = batch.count;
  if (batch.writes) to.count_write();
  if (gets) {
    Slot& taken = occupy_slot(index, Action::batch, to);
    charge(taken, 1);
    taken.work = std::exchange(batch.parts, {});
    taken.background = true;
    ++background_;
    taken.covers = std::exchange(to.uncovered, 0);
    expect_answer(taken, index, nullptr, batch.answer_bytes);
  } else if (index >= 0) {
    expect_status(index, to);
  }
  header.slot = index;
  const std::span<const std::byte> bytes(batch.bytes.data(),
                                         static_cast<std::size_t>(batch.length));
  send_request(to, copy_bytes(begin_request(header), bytes));
  batch.parts.clear();
  batch.length = batch.answer_bytes = batch.count = 0;
  batch.writes = false;
  constexpr std::size_t buffers_kept = 64;  // 1 MiB: who talks to thousands gives them back
  if (batch_buffers_ > buffers_kept) {
    batch.bytes = {};
    --batch_buffers_;
  }
  --background_;
  return true;
}

void Client::send_batch(Connection& to) {
  bool sent = false;  // what others hold back after that is not waited for
  await([&] { return sent = sent || try_send_batch(to); });
}

void Client::want_attention(Connection& to) {
  if (!std::exchange(to.listed, true)) attention_.push_back(&to);
  idle_.store(false, std::memory_order_relaxed);
}

/// Sends what is held back.
bool Client::attend() {
  if (attention_.empty()) return false;
  return std::erase_if(attention_, [this](Connection* to) {
           const bool sent = try_send_batch(*to), started = try_start_held(*to);
           to->listed = !sent || !started;
           return !to->listed;
         }) > 0;
}

/// Hands the data of an answer to the gets of the batch.
void Client::finish_batch(const BatchedGets& parts, const std::byte* answer) {
  for (const BatchedGet& part : parts) {
    Status status = Status::done;
    std::memcpy(&status, answer, sizeof status);
    answer += sizeof status;
    const std::int64_t total = part.runs.bytes();
    if (status == Status::done)
      unpack(part.runs, part.user, 0, total, answer);
    else
      part.operation->failed = true;
    answer += padded(total);
    part.operation->end_part();
  }
}

}  // namespace lagoon::atoll::detail
