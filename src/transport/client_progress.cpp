// Client: moving operations on as their messages complete.
#include <algorithm>
#include <cstring>
#include <utility>

#include "transport/client.hpp"

namespace lagoon::atoll::detail {

bool Client::poll() {
  const std::lock_guard lock(mutex_);
  return poll_locked();
}

bool Client::poll_aside() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  return lock.owns_lock() && poll_locked();
}

bool Client::poll_locked() {
  bool moved = attend();
  for (std::size_t i = 0; i < active_.size();) {
    const int index = active_[i];
    moved = advance(index) || moved;
    // A finished slot has left the list; the last one stands in its place.
    if (i < active_.size() && active_[i] == index) ++i;
  }
  return moved;
}

bool Client::advance(int index) {
  Slot& slot = this->slot(index);
  if (slot.held) return false;
  if (slot.by_rma) return advance_rma(index);
  if (slot.streamed && slot.action == Action::get) return advance_get_stream(slot, index);
  bool moved = slot.streamed && advance_put_stream(slot, index);
  // The status can be here before MPI says that the last chunk has left: the chunk's staging must
  // come back before the slot goes.
  if (slot.streamed && !slot.queue.finished(slot.total)) return moved;
  bool short_answer = false;
  if (!answered(slot, short_answer)) return moved;
  Status status = Status::done;
  if (slot.action == Action::flush || slot.action == Action::batch || slot.streamed)
    std::memcpy(&status, slot.buffer.data(), sizeof status);
  agent(slot.agent).unflushed -= std::exchange(slot.covers, 0U);
  if (slot.action == Action::batch)
    finish_batch(slot);
  else if (!short_answer && !slot.runs.contiguous() && slot.action == Action::get && !slot.streamed)
    unpack(slot.runs, slot.user, 0, slot.expected, slot.buffer.data());
  if (short_answer || status != Status::done) fail(slot);
  finish(slot);
  release(index);
  return true;
}

bool Client::answered(Slot& slot, bool& short_answer) {
  int done = 0;
  MPI_Status status;
  check_mpi(MPI_Test(&slot.answer, &done, &status), "MPI_Test");
  if (done == 0) return false;
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  short_answer = bytes != slot.expected;
  return true;
}

bool Client::advance_get_stream(Slot& slot, int index) {
  bool moved = false;
  ChunkQueue& queue = slot.queue;
  while (queue.count > 0) {
    Chunk& chunk = queue.front();
    int done = 0;
    MPI_Status status;
    check_mpi(MPI_Test(&chunk.request, &done, &status), "MPI_Test");
    if (done == 0) break;
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    if (bytes != chunk.length)
      fail(slot);
    else if (chunk.staging != nullptr)
      unpack(slot.runs, slot.user, chunk.position, chunk.length, chunk.staging);
    incoming_.give_back(chunk.staging, slot.agent);
    queue.pop();
    moved = true;
  }
  while (!queue.full() && queue.next < slot.total) {
    const bool direct = slot.runs.contiguous();
    if (!direct && !arrived(agent(slot.agent).rank, answer_tag(index), communicator_)) break;
    std::byte* into = direct ? slot.user + queue.next : incoming_.take(slot.agent);
    if (into == nullptr) break;
    Chunk& chunk = queue.push();
    chunk.position = queue.next;
    chunk.length = std::min(slot.request.chunk, slot.total - queue.next);
    chunk.staging = direct ? nullptr : into;
    queue.next += chunk.length;
    check_mpi(MPI_Irecv(into, static_cast<int>(chunk.length), MPI_BYTE, agent(slot.agent).rank,
                        answer_tag(index), communicator_, &chunk.request),
              "MPI_Irecv");
  }
  if (queue.finished(slot.total)) {
    finish(slot);
    release(index);
  }
  return moved;
}

bool Client::advance_put_stream(Slot& slot, int index) {
  bool moved = false;
  ChunkQueue& queue = slot.queue;
  while (queue.count > 0) {
    Chunk& chunk = queue.front();
    int done = 0;
    check_mpi(MPI_Test(&chunk.request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done == 0) break;
    outgoing_.give_back(chunk.staging, slot.agent);
    queue.pop();
    moved = true;
  }
  while (!queue.full() && queue.next < slot.total) {
    const bool direct = slot.runs.contiguous();
    std::byte* from = direct ? slot.user + queue.next : outgoing_.take(slot.agent);
    if (from == nullptr) break;
    Chunk& chunk = queue.push();
    chunk.position = queue.next;
    chunk.length = std::min(slot.request.chunk, slot.total - queue.next);
    chunk.staging = direct ? nullptr : from;
    if (!direct) pack(slot.runs, slot.user, chunk.position, chunk.length, from);
    queue.next += chunk.length;
    check_mpi(MPI_Isend(from, static_cast<int>(chunk.length), MPI_BYTE, agent(slot.agent).rank,
                        data_tag(index), communicator_, &chunk.request),
              "MPI_Isend");
    moved = true;
  }
  if (queue.finished(slot.total)) finish(slot);  // the buffer is free again
  return moved;
}

void Client::finish(Slot& slot) {
  // Whoever waits may free the operation as soon as it is counted down.
  if (Operation* operation = std::exchange(slot.operation, nullptr)) --operation->pending;
}

void Client::fail(Slot& slot) {
  if (slot.operation != nullptr)
    slot.operation->failed = true;
  else
    lost_write_ = true;
}

void Client::release(int index) {
  Slot& slot = this->slot(index);
  slot.busy = false;
  Agent& to = agent(slot.agent);
  if (slot.action != Action::flush) --to.operations;
  if (slot.streamed) --to.streams;
  if (slot.background) --background_;
  const auto place = std::find(active_.begin(), active_.end(), index);
  *place = active_.back();
  active_.pop_back();
}

}  // namespace lagoon::atoll::detail
