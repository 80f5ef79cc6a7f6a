// Server: receiving requests and doing the small ones. Streams are in server_streams.cpp.
#include "transport/server.hpp"

#include <algorithm>
#include <cstring>

namespace lagoon::atoll::detail {

Server::Server(NodeMemory& memory, MPI_Comm communicator)
    : memory_(memory),
      communicator_(communicator),
      stripes_(stripes(memory)),
      registry_(registry(memory)),
      answers_(communicator, static_cast<std::size_t>(inline_bytes), SIZE_MAX),
      outgoing_(12, communicator),
      incoming_(12, communicator) {
  int origins = 0;
  MPI_Comm_size(communicator, &origins);
  lost_write_.assign(static_cast<std::size_t>(origins), false);
  for (Receive& receive : receives_) {
    receive.bytes.resize(static_cast<std::size_t>(request_bytes));
    post(receive);
  }
}

Server::~Server() {
  while (!answers_.empty()) Waiter::yield();
  for (Receive& receive : receives_) {
    MPI_Cancel(&receive.request);
    MPI_Wait(&receive.request, MPI_STATUS_IGNORE);
  }
}

void Server::post(Receive& receive) {
  check_mpi(MPI_Irecv(receive.bytes.data(), static_cast<int>(receive.bytes.size()), MPI_BYTE,
                      MPI_ANY_SOURCE, request_tag, communicator_, &receive.request),
            "MPI_Irecv");
}

bool Server::poll() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return false;
  return poll_locked();
}

bool Server::poll_locked() {
  bool moved = false;
  // MPI fills posted receives in the order of posting, so the ring's order is that of arrival,
  // even when a later message is complete before an earlier one.
  for (std::size_t n = 0; n < receives_.size(); ++n) {
    Receive& receive = receives_[head_];
    int done = 0;
    MPI_Status status;
    check_mpi(MPI_Test(&receive.request, &done, &status), "MPI_Test");
    if (done == 0) break;
    execute(status.MPI_SOURCE, receive.bytes.data());
    post(receive);
    head_ = (head_ + 1) % receives_.size();
    moved = true;
  }
  for (Transfer& transfer : transfers_) moved = advance(transfer) || moved;
  std::erase_if(transfers_, [](const Transfer& t) { return t.stream.finished(); });
  return moved;
}

std::byte* Server::resolve(const RequestHeader& header, std::int64_t lowest, std::int64_t highest,
                           SegmentRecord*& record) const {
  const std::uint64_t offset = registry_.find(header.segment);
  if (offset == 0) return nullptr;
  record = reinterpret_cast<SegmentRecord*>(memory_.arena().at(offset));
  const SegmentRecord::Member* member = record->find(header.owner);
  // The origin checked its patch; this keeps a confused message from writing into other arrays.
  if (member == nullptr || header.offset + lowest < 0 ||
      header.offset + highest >= static_cast<std::int64_t>(member->bytes))
    return nullptr;
  return memory_.arena().at(member->offset) + header.offset;
}

void Server::execute(int origin, const std::byte* message) {
  RequestHeader header;
  const std::byte* data = header.read(message);
  switch (header.action) {
    case Action::flush: answer_status(origin, header.slot, status_of_writes(origin)); return;
    case Action::stop: stopped_.store(true, std::memory_order_relaxed); return;
    case Action::batch: execute_batch(header, data, origin); return;
    case Action::gather:
    case Action::scatter:
    case Action::scatter_accumulate: execute_scattered(header, data, origin); return;
    default: break;
  }
  SegmentRecord* record = nullptr;
  std::byte* base = resolve(header, header.runs.lowest(), header.runs.highest(), record);
  if (header.streamed) {
    const bool in_place = header.runs.contiguous() && header.action != Action::accumulate;
    transfers_.push_back(
        {header, origin, record,
         Stream(header.action == Action::get, base, header.runs, header.chunk, in_place)});
  } else if (header.action == Action::put || header.action == Action::accumulate) {
    write_small(header, data, base, record, origin);
    if (header.slot >= 0) answer_status(origin, header.slot, status_of_writes(origin));
  } else {
    read_small(header, base, record, origin);
  }
}

void Server::read_small(const RequestHeader& header, std::byte* base, SegmentRecord* record,
                        int origin) {
  std::byte* reply = begin_answer();
  std::int64_t bytes = sizeof(std::int64_t);
  if (base == nullptr) {
    bytes = 0;
  } else if (header.action == Action::get) {
    bytes = header.runs.bytes();
    pack(header.runs, base, 0, bytes, reply);
  } else {
    std::int64_t value = base - memory_.memory().base();
    if (header.action != Action::locate) {
      begin_atomics(*record, stripes_);
      value = fetch_in_memory(header.action, header.type, base, header.value);
    }
    std::memcpy(reply, &value, sizeof value);
  }
  answer(origin, header.slot, bytes);
}

void Server::write_small(const RequestHeader& header, const std::byte* data, std::byte* base,
                         SegmentRecord* record, int origin) {
  const std::int64_t total = header.runs.bytes();
  if (base == nullptr)
    lost_write_[static_cast<std::size_t>(origin)] = true;
  else if (header.action == Action::put)
    unpack(header.runs, base, 0, total, data);
  else
    accumulate_packed(
        stripes_,
        {header.type, header.scaled ? header.alpha.data() : nullptr, record->atomics_in_use},
        header.runs, base, 0, total, data);
}

void Server::execute_batch(const RequestHeader& header, const std::byte* data, int origin) {
  std::byte* const reply = header.slot >= 0 ? begin_answer() : nullptr;
  std::byte* into = reply != nullptr ? reply + sizeof(Status) : nullptr;
  for (std::int64_t n = 0; n < header.value; ++n) {
    RequestHeader request;
    const std::byte* written = request.read(data);
    SegmentRecord* record = nullptr;
    std::byte* base = resolve(request, request.runs.lowest(), request.runs.highest(), record);
    if (request.action == Action::get) {
      const Status status = base != nullptr ? Status::done : Status::segment_gone;
      const std::int64_t total = request.runs.bytes();
      std::memcpy(into, &status, sizeof status);
      into += sizeof status;
      if (base != nullptr) pack(request.runs, base, 0, total, into);
      into += padded(total);
    } else {
      write_small(request, written, base, record, origin);
    }
    data += request.record;
  }
  if (reply == nullptr) return;
  const Status status = status_of_writes(origin);
  std::memcpy(reply, &status, sizeof status);
  answer(origin, header.slot, into - reply);
}

void Server::execute_scattered(const RequestHeader& header, const std::byte* data, int origin) {
  const auto count = static_cast<std::size_t>(header.value);
  const auto size = static_cast<std::int64_t>(size_of(header.type));
  const auto* offsets = reinterpret_cast<const std::int64_t*>(data);
  const std::byte* values = data + count * sizeof(std::int64_t);
  const auto [lowest, highest] = std::minmax_element(offsets, offsets + count);
  SegmentRecord* record = nullptr;
  std::byte* base = resolve(header, *lowest, *highest + size - 1, record);
  if (header.action == Action::gather) {
    std::byte* const reply = begin_answer();
    if (base != nullptr)
      for (std::size_t i = 0; i < count; ++i)
        std::memcpy(reply + static_cast<std::int64_t>(i) * size, base + offsets[i],
                    static_cast<std::size_t>(size));
    answer(origin, header.slot, base != nullptr ? header.value * size : 0);
    return;
  }
  if (base == nullptr)
    lost_write_[static_cast<std::size_t>(origin)] = true;
  else
    scatter_in_memory(
        stripes_, header.action,
        {header.type, header.scaled ? header.alpha.data() : nullptr, record->atomics_in_use}, base,
        {offsets, count}, values);
  if (header.slot >= 0) answer_status(origin, header.slot, status_of_writes(origin));
}

bool Server::advance(Transfer& transfer) {
  const RequestHeader& header = transfer.header;
  const bool get = header.action == Action::get;
  const Stream::Route route{communicator_, transfer.origin,
                            get ? answer_tag(header.slot) : data_tag(header.slot),
                            get ? outgoing_ : incoming_};
  Stream& stream = transfer.stream;
  const bool moved =
      header.action != Action::accumulate
          ? stream.advance(route)
          : stream.advance(
                route, [&](std::int64_t position, std::int64_t length, const std::byte* data) {
                  accumulate_packed(stripes_,
                                    {header.type, header.scaled ? header.alpha.data() : nullptr,
                                     transfer.record->atomics_in_use},
                                    header.runs, stream.memory(), position, length, data);
                });
  if (!get && stream.finished())
    answer_status(transfer.origin, header.slot,
                  stream.gone() ? Status::segment_gone : Status::done);
  return moved;
}

std::byte* Server::begin_answer() {
  (void)answers_.room();  // always
  return answers_.data();
}

void Server::answer(int origin, int slot, std::int64_t bytes) {
  answers_.send(static_cast<std::size_t>(bytes), origin, answer_tag(slot));
}

void Server::answer_status(int origin, int slot, Status status) {
  std::memcpy(begin_answer(), &status, sizeof status);
  answer(origin, slot, sizeof status);
}

/// Of the small writes since it was last asked for.
Status Server::status_of_writes(int origin) {
  const auto who = static_cast<std::size_t>(origin);
  const Status status = lost_write_[who] ? Status::segment_gone : Status::done;
  lost_write_[who] = false;
  return status;
}

}  // namespace lagoon::atoll::detail
