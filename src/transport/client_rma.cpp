// Client: puts and gets by MPI RMA. They are streams like the others as far as program order goes;
// what the two paths have under way to one node is completed before the other one goes on.
#include <algorithm>
#include <utility>
#include <vector>

#include "mpi/face.hpp"
#include "transport/client.hpp"

namespace lagoon::atoll::detail {

namespace {

// Rows of a patch under way at once.
constexpr std::size_t rows_in_flight = 64;

}  // namespace

/// Before a message to a node: puts by RMA are complete there.
void Client::complete_rma_puts(const Connection& to) {
  if (rma_ != nullptr) rma_->complete_puts(to.node);
}

/// Where the owner's block begins in its node's region; -1: the segment is gone.
std::int64_t Client::locate(const Place& place) {
  constexpr std::size_t most_segments =
      4096;  // kept; entries of arrays that are gone stay till then
  const SegmentNumber& segment = place.segment.number();
  if (locations_.size() > most_segments) locations_.clear();
  const std::pair which{segment.group, segment.sequence};
  {
    const auto& known = locations_[which];
    if (const auto found = known.find(place.owner); found != known.end()) return found->second;
  }
  RequestHeader header;
  header.action = Action::locate;
  header.owner = place.owner;
  header.segment = segment;
  std::int64_t offset = -1;
  Operation operation;
  ask(header, connection_of(place), offset, operation);
  await([&] { return operation.pending == 0; });
  if (operation.failed) return -1;
  locations_[which][place.owner] = offset;
  return offset;
}

/// False when messages serve better or must: then nothing has happened.
bool Client::transfer_by_rma(const RequestHeader& header, const Place& place, const Side& side,
                             const Index& shape, Operation& operation) {
  if (header.action == Action::accumulate) return false;
  const RunPairs runs({shape, place.strides, side.strides, size_of(header.type)});
  if (!RmaPath::serves(runs.run_bytes(), runs.runs())) return false;
  // Many small ones in a message are quicker than each by itself.
  if (batches_ && operation.nonblocking && runs.runs() * runs.run_bytes() <= batched_bytes)
    return false;
  const std::int64_t block = locate(place);
  if (block < 0) return false;  // the message path tells the error
  std::vector<mpi::Request> rows;
  rows.reserve(std::min(rows_in_flight, static_cast<std::size_t>(runs.runs())));
  const bool get = header.action == Action::get;
  Connection& to = connection_of(place);
  wait_for_streams(header);
  complete_writes(to);
  // A put must not overtake small gets that are on their way as messages.
  if (!get)
    await([&] {
      return std::none_of(active_.begin(), active_.end(), [&](int index) {
        return slot(index).to == &to && slot(index).unordered() == nullptr;
      });
    });
  rma_->complete_puts_in(to.node, header.footprint());
  const int index = take_slot(header.action, to, Credit::stream_messages, Kind::stream);
  Slot& taken = slot(index);
  attach(taken, operation);
  auto& work = taken.work.emplace<RmaTransfer>(
      RmaTransfer{header, side.data, block + place.offset, runs, std::move(rows)});
  advance_rma(taken, work, index);
  return true;
}

bool Client::advance_rma(Slot& slot, RmaTransfer& work, int index) {
  const std::size_t before = work.rows.size();
  std::erase_if(work.rows, [](mpi::Request& row) {
    int done = 0;
    check_mpi(mpi::test(&row, &done, mpi::status_ignore), "MPI_Test");
    return done != 0;
  });
  bool moved = work.rows.size() < before;
  const int node = slot.to->node;
  while (work.rows.size() < rows_in_flight && !work.waiting.finished()) {
    const auto [remote, local] = work.waiting.next();
    const RmaPath::Run run{node, work.remote + remote, work.user + local, work.waiting.run_bytes()};
    work.rows.push_back(slot.action == Action::get ? rma_->get(run) : rma_->put(run));
    moved = true;
  }
  if (work.rows.empty() && work.waiting.finished()) {
    // From here on nobody finds it among the streams.
    if (slot.action == Action::put) rma_->remember_put(node, work.request.footprint());
    finish(slot);
    release(index);
  }
  return moved;
}

}  // namespace lagoon::atoll::detail
