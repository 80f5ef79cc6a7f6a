// Server: receiving requests and doing the small ones. Streams are in server_streams.cpp.
#include "transport/server.hpp"

#include <algorithm>
#include <cstring>

namespace lagoon::atoll::detail {

Server::Server(NodeMemory& memory, MPI_Comm communicator)
    : memory_(memory),
      communicator_(communicator),
      stripes_(stripes(memory)),
      registry_(registry(memory)) {
  int origins = 0;
  MPI_Comm_size(communicator, &origins);
  lost_write_.assign(static_cast<std::size_t>(origins), false);
  for (Receive& receive : receives_) {
    receive.bytes.resize(static_cast<std::size_t>(request_bytes));
    post(receive);
  }
  for (Answer& answer : answers_) answer.bytes.resize(static_cast<std::size_t>(inline_bytes));
}

Server::~Server() {
  for (Answer& answer : answers_) MPI_Wait(&answer.request, MPI_STATUS_IGNORE);
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
  for (std::size_t n = 0; n < receives_.size() && free_answer() != nullptr; ++n) {
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
  for (auto& stream : streams_) moved = advance(*stream) || moved;
  std::erase_if(streams_, [this](const auto& stream) { return finished(*stream); });
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
    case Action::flush: {
      const auto who = static_cast<std::size_t>(origin);
      answer_status(origin, header.slot, lost_write_[who] ? Status::segment_gone : Status::done);
      lost_write_[who] = false;
      return;
    }
    case Action::stop: stopped_.store(true, std::memory_order_relaxed); return;
    case Action::batch: execute_batch(header, data, origin); return;
    case Action::gather:
    case Action::scatter:
    case Action::scatter_accumulate: execute_scattered(header, data, origin); return;
    case Action::fetch_add:
    case Action::swap:
      header.runs.run_bytes = static_cast<std::int64_t>(size_of(header.type));
      break;
    default: break;
  }
  SegmentRecord* record = nullptr;
  std::byte* base = resolve(header, header.runs.lowest(), header.runs.highest(), record);
  if (header.streamed) {
    auto stream = std::make_unique<Stream>();
    stream->header = header;
    stream->origin = origin;
    stream->base = base;
    stream->record = record;
    stream->total = header.runs.bytes();
    streams_.push_back(std::move(stream));
  } else {
    execute_small(header, data, base, record, origin);
  }
}

void Server::execute_small(const RequestHeader& header, const std::byte* data, std::byte* base,
                           SegmentRecord* record, int origin) {
  if (header.slot < 0) {
    write_small(header, data, base, record, origin);
    return;
  }
  const std::int64_t total = header.runs.bytes();
  Answer& reply = *free_answer();
  if (base == nullptr) {
    answer(reply, origin, header.slot, 0);
  } else if (header.action == Action::locate) {
    const std::int64_t place = base - memory_.memory().base();
    std::memcpy(reply.bytes.data(), &place, sizeof place);
    answer(reply, origin, header.slot, sizeof place);
  } else if (header.action == Action::get) {
    pack(header.runs, base, 0, total, reply.bytes.data());
    answer(reply, origin, header.slot, total);
  } else {
    begin_atomics(*record, stripes_);
    const std::int64_t old = fetch_in_memory(header.action, header.type, base, header.value);
    std::memcpy(reply.bytes.data(), &old, sizeof old);
    answer(reply, origin, header.slot, sizeof old);
  }
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
  Answer* reply = header.slot >= 0 ? free_answer() : nullptr;
  std::byte* into = reply != nullptr ? reply->bytes.data() : nullptr;
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
  if (reply != nullptr) answer(*reply, origin, header.slot, into - reply->bytes.data());
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
    Answer& reply = *free_answer();
    if (base == nullptr) {
      answer(reply, origin, header.slot, 0);
      return;
    }
    for (std::size_t i = 0; i < count; ++i)
      std::memcpy(reply.bytes.data() + static_cast<std::int64_t>(i) * size, base + offsets[i],
                  static_cast<std::size_t>(size));
    answer(reply, origin, header.slot, header.value * size);
    return;
  }
  if (base == nullptr) {
    lost_write_[static_cast<std::size_t>(origin)] = true;
    return;
  }
  scatter_in_memory(
      stripes_, header.action,
      {header.type, header.scaled ? header.alpha.data() : nullptr, record->atomics_in_use}, base,
      {offsets, count}, values);
}

Server::Answer* Server::free_answer() {
  Answer& answer = answers_[next_answer_];
  if (answer.request != MPI_REQUEST_NULL) {
    int done = 0;
    check_mpi(MPI_Test(&answer.request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done == 0) return nullptr;
  }
  return &answer;
}

void Server::answer(Answer& answer, int origin, int slot, std::int64_t bytes) {
  check_mpi(MPI_Isend(answer.bytes.data(), static_cast<int>(bytes), MPI_BYTE, origin,
                      answer_tag(slot), communicator_, &answer.request),
            "MPI_Isend");
  next_answer_ = (next_answer_ + 1) % answers_.size();
}

void Server::answer_status(int origin, int slot, Status status) {
  Answer& reply = *free_answer();
  std::memcpy(reply.bytes.data(), &status, sizeof status);
  answer(reply, origin, slot, sizeof status);
}

}  // namespace lagoon::atoll::detail
