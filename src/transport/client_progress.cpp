// Client: moving operations on as their messages complete.
#include <algorithm>
#include <cstring>
#include <utility>

#include "mpi/face.hpp"
#include "transport/client.hpp"
#include "world/ending.hpp"

namespace lagoon::atoll::detail {

bool Client::poll() noexcept {
  if (idle_.load(std::memory_order_relaxed)) return false;
  const std::lock_guard lock(mutex_);
  return unfailing("moving operations on", [this] { return poll_locked(); });
}

bool Client::poll_aside() noexcept {
  if (idle_.load(std::memory_order_relaxed)) return false;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  return lock.owns_lock() && unfailing("moving operations on", [this] { return poll_locked(); });
}

bool Client::poll_locked() {
  bool moved = attend();
  for (std::size_t i = 0; i < active_.size();) {
    const int index = active_[i];
    if (advance(index)) {
      moved = true;
      slot(index).to->signals.heard(std::chrono::steady_clock::now());
    }
    // A finished slot has left the list; the last one stands in its place.
    if (i < active_.size() && active_[i] == index) ++i;
  }
  if (!moved && !active_.empty()) ring_again();
  idle_.store(active_.empty() && attention_.empty(), std::memory_order_relaxed);
  return moved;
}

/// Not those that serve RMA, too: they sleep as shortly as ever.
void Client::ring(const Connection& to) const noexcept {
  if (rma_ == nullptr) ringer_.ring(to.agent);
}

/// Agents that do not answer may have been rung before MPI had the request.
void Client::ring_again() {
  const auto now = std::chrono::steady_clock::now();
  for (const int index : active_) {
    Connection& to = *slot(index).to;
    if (to.signals.waited(now)) ring(to);
  }
}

bool Client::advance(int index) {
  Slot& slot = this->slot(index);
  auto* const large = std::get_if<LargeTransfer>(&slot.work);
  if (large != nullptr && large->held) return false;
  if (auto* const by_rma = std::get_if<RmaTransfer>(&slot.work))
    return advance_rma(slot, *by_rma, index);
  bool moved = false;
  if (large != nullptr) {
    moved = advance_stream(slot, *large, index);
    // The status can be here before MPI says that the last chunk has left: the chunk's staging must
    // come back before the slot goes.
    if (!large->stream.finished() || slot.action == Action::get) return moved;
  }
  bool short_answer = false;
  if (!answered(slot, short_answer)) return moved;
  Status status = Status::done;
  const auto* const parts = std::get_if<BatchedGets>(&slot.work);
  const auto* const small = std::get_if<SmallAnswer>(&slot.work);
  if (slot.action == Action::flush || small == nullptr)
    std::memcpy(&status, slot.buffer, sizeof status);
  slot.to->unflushed -= std::exchange(slot.covers, 0);
  if (parts != nullptr)
    finish_batch(*parts, slot.buffer + sizeof status);
  else if (small != nullptr && !short_answer && !small->runs.contiguous())
    unpack(small->runs, small->user, 0, slot.expected, slot.buffer);
  if (short_answer || status != Status::done) fail(slot);
  finish(slot);
  release(index);
  return true;
}

bool Client::answered(Slot& slot, bool& short_answer) {
  int done = 0;
  mpi::Status status;
  check_mpi(mpi::test(&slot.answer, &done, &status), "MPI_Test");
  if (done == 0) return false;
  int bytes = 0;
  mpi::get_count(&status, mpi::type_byte, &bytes);
  short_answer = bytes != slot.expected;
  return true;
}

bool Client::advance_stream(Slot& slot, LargeTransfer& large, int index) {
  const bool get = slot.action == Action::get;
  const bool moved =
      large.stream.advance({communicator_, slot.to->rank, get ? answer_tag(index) : data_tag(index),
                            get ? incoming_ : outgoing_});
  if (large.stream.gone()) fail(slot);
  if (!large.stream.finished()) return moved;
  finish(slot);  // the buffer is free again
  if (get) release(index);
  return moved;
}

void Client::finish(Slot& slot) {
  if (Operation* operation = std::exchange(slot.operation, nullptr)) operation->end_part();
}

void Client::fail(Slot& slot) {
  if (slot.operation != nullptr)
    slot.operation->failed = true;
  else
    lost_write_ = true;
}

/// How soon the agent has answered.
void Client::note_answer(const Slot& slot) {
  if (std::holds_alternative<RmaTransfer>(slot.work)) return;
  const auto* const large = std::get_if<LargeTransfer>(&slot.work);
  slot.to->credit.answered(std::chrono::steady_clock::now() - slot.sent,
                           large != nullptr ? large->request.runs.bytes() : 0);
}

void Client::release(int index) {
  Slot& slot = this->slot(index);
  slot.busy = false;
  if (slot.to->credit.varies()) note_answer(slot);
  slot.to->answers -= std::exchange(slot.messages, 0);
  slot.to->flushes -= std::exchange(slot.flushes, 0);
  if (slot.background) --background_;
  const auto place = std::find(active_.begin(), active_.end(), index);
  *place = active_.back();
  active_.pop_back();
}

}  // namespace lagoon::atoll::detail
