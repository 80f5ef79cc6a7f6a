// Server: receiving requests and doing the small ones.
#include "transport/server.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "mpi/face.hpp"
#include "world/ending.hpp"
#include "world/unseen_order.hpp"

namespace lagoon::atoll::detail {

namespace {

constexpr std::size_t most_transfers_at_first = 16;
// Answers on their way at once, 40 MiB: what more origins ask for waits for those.
constexpr std::size_t most_answers = 1024, most_words = 65536;
constexpr std::int64_t word_bytes = 64;  // of an answer that is short

bool is_scattered(Action action) noexcept {
  return action == Action::gather || action == Action::scatter ||
         action == Action::scatter_accumulate;
}
bool writes(Action action) noexcept {
  return action == Action::put || action == Action::accumulate || action == Action::scatter ||
         action == Action::scatter_accumulate || action == Action::update;
}
bool updates(Action action) noexcept {
  return action == Action::update || action == Action::fetch_update;
}
std::span<const std::int64_t> offsets_of(const RequestHeader& header, const std::byte* data) {
  return {reinterpret_cast<const std::int64_t*>(data), static_cast<std::size_t>(header.value)};
}
std::span<const UpdateRun> runs_of(const RequestHeader& header, const std::byte* data) {
  return {reinterpret_cast<const UpdateRun*>(data), static_cast<std::size_t>(header.value)};
}
Addition addition(const RequestHeader& header, const SegmentRecord& record) {
  return {header.type, header.scaled ? header.alpha.data() : nullptr, record.atomics_in_use};
}

}  // namespace

Server::Server(NodeMemory& memory, mpi::Comm communicator)
    : memory_(memory),
      communicator_(communicator),
      stripes_(stripes(memory)),
      registry_(registry(memory)),
      answers_(communicator, static_cast<std::size_t>(inline_bytes), Allowance(most_answers)),
      words_(communicator, static_cast<std::size_t>(word_bytes), Allowance(most_words)),
      outgoing_(12),
      incoming_(12) {
  int origins = 0;
  mpi::comm_size(communicator, &origins);
  lost_write_.assign(static_cast<std::size_t>(origins), false);
  transfers_.reserve(most_transfers_at_first);
  for (Receive& receive : receives_) {
    receive.bytes.resize(static_cast<std::size_t>(request_bytes));
    post(receive);
  }
}

// Origins may have what was sent to them before MPI has told this side so.
Server::~Server() {
  unfailing("the end of an agent", [this] {
    wait_until(waiting::in_call, [this] {
      for (Transfer& transfer : transfers_) (void)advance(transfer);
      std::erase_if(transfers_, [](const Transfer& t) { return t.finished; });
      return transfers_.empty() && answers_.empty() && words_.empty();
    });
  });
  for (Receive& receive : receives_) {
    mpi::cancel(&receive.request);
    mpi::wait(&receive.request, mpi::status_ignore);
  }
}

void Server::post(Receive& receive) {
  check_mpi(mpi::irecv(receive.bytes.data(), static_cast<int>(receive.bytes.size()), mpi::type_byte,
                       mpi::any_source, request_tag, communicator_, &receive.request),
            "MPI_Irecv");
}

bool Server::poll() noexcept {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return false;
  return unfailing("serving other nodes", [this] { return poll_locked(); });
}

bool Server::poll_for(Doorbell* doorbell) noexcept {
  const bool moved = poll();
  if (doorbell != nullptr) doorbell->looked(moved, under_way_.load(std::memory_order_relaxed));
  return moved;
}

bool Server::poll_locked() {
  bool moved = false;
  // MPI fills posted receives in the order of posting, so the ring's order is that of arrival,
  // even when a later message is complete before an earlier one.
  for (std::size_t n = 0; n < receives_.size(); ++n) {
    Receive& receive = receives_[head_];
    if (!arrived(receive) || !execute(receive.origin, receive.bytes.data())) break;
    receive.origin = -1;
    post(receive);
    head_ = (head_ + 1) % receives_.size();
    moved = true;
  }
  for (Transfer& transfer : transfers_) moved = advance(transfer) || moved;
  std::erase_if(transfers_, [](const Transfer& t) { return t.finished; });
  if (!moved)
    under_way_.store(
        !transfers_.empty() || !answers_.empty() || !words_.empty() || receives_[head_].origin >= 0,
        std::memory_order_relaxed);
  return moved;
}

bool Server::arrived(Receive& receive) {
  if (receive.origin >= 0) return true;
  int done = 0;
  mpi::Status status;
  check_mpi(mpi::test(&receive.request, &done, &status), "MPI_Test");
  if (done != 0) receive.origin = status.source();
  return done != 0;
}

bool Server::prepared(const RequestHeader& header) {
  if (header.streamed) return has_place_for_one(transfers_);
  return header.slot < 0 || outbox_for(header).room();
}

Server::Target Server::resolve(const RequestHeader& header, const std::byte* data) const {
  std::int64_t lowest = header.runs.lowest(), highest = header.runs.highest();
  if (is_scattered(header.action)) {
    const auto offsets = offsets_of(header, data);
    const auto [least, greatest] = std::minmax_element(offsets.begin(), offsets.end());
    lowest = *least;
    highest = *greatest + static_cast<std::int64_t>(size_of(header.type)) - 1;
  }
  if (updates(header.action)) {
    const UpdateReach reach = reach_of(runs_of(header, data), header.kind().element_bytes);
    lowest = reach.first;
    highest = reach.end - 1;
  }
  const std::uint64_t offset = registry_.find(header.segment);
  if (offset == 0) return {};
  auto* const record = reinterpret_cast<SegmentRecord*>(memory_.arena().at(offset));
  const SegmentRecord::Member* member = record->find(header.owner);
  // The origin checked its patch; this keeps a confused message from writing into other arrays.
  if (member == nullptr || header.offset + lowest < 0 ||
      header.offset + highest >= static_cast<std::int64_t>(member->bytes))
    return {};
  return {memory_.arena().at(member->offset) + header.offset, record};
}

/// False when it must wait; then nothing has happened.
bool Server::execute(int origin, const std::byte* message) {
  RequestHeader header;
  const std::byte* data = header.read(message);
  if (!prepared(header)) return false;
  show_unseen_order();  // this and the next one: of those who hold a mutex one after the other
  if (header.action == Action::stop) {
    stopped_.store(true, std::memory_order_relaxed);
  } else if (header.action == Action::batch) {
    execute_batch(header, data, origin);
  } else if (header.streamed) {
    const Target target = resolve(header, data);
    const bool in_place = header.runs.contiguous() && header.action != Action::accumulate;
    transfers_.push_back(
        {header, origin, target.record,
         Stream(header.action == Action::get, target.base, header.runs, header.chunk, in_place)});
  } else if (header.action == Action::flush || writes(header.action)) {
    if (header.action != Action::flush) write(header, data, origin);
    if (header.slot >= 0) answer_status(origin, header.slot, status_of_writes(origin));
  } else {
    Outbox& box = outbox_for(header);
    answer(box, origin, header.slot, read(header, data, box.data()));
  }
  show_unseen_order();
  return true;
}

/// Bytes of what was asked for; none where the segment is gone.
std::int64_t Server::read(const RequestHeader& header, const std::byte* data, std::byte* into) {
  const Target target = resolve(header, data);
  if (target.base == nullptr) return 0;
  if (header.action == Action::get) {
    pack(header.runs, target.base, 0, header.runs.bytes(), into);
    return header.runs.bytes();
  }
  if (header.action == Action::gather) {
    const std::size_t size = size_of(header.type);
    for (const std::int64_t offset : offsets_of(header, data)) {
      std::memcpy(into, target.base + offset, size);
      into += size;
    }
    return header.value * static_cast<std::int64_t>(size);
  }
  if (header.action == Action::fetch_update) return update(header, data, target.base, into);
  std::int64_t value = target.base - memory_.memory().base();
  if (header.action != Action::locate) {
    begin_atomics(*target.record, stripes_);
    value = fetch_in_memory(header.action, header.type, target.base, header.value);
  }
  std::memcpy(into, &value, sizeof value);
  return sizeof value;
}

void Server::write(const RequestHeader& header, const std::byte* data, int origin) {
  const Target target = resolve(header, data);
  const std::int64_t total = header.runs.bytes();
  if (target.base == nullptr) {
    lost_write_[static_cast<std::size_t>(origin)] = true;
  } else if (header.action == Action::put) {
    unpack(header.runs, target.base, 0, total, data);
  } else if (header.action == Action::accumulate) {
    accumulate_packed(stripes_, addition(header, *target.record), header.runs, target.base, 0,
                      total, data);
  } else if (header.action == Action::update) {
    (void)update(header, data, target.base, nullptr);
  } else {
    const auto offsets = offsets_of(header, data);
    scatter_in_memory(stripes_, header.action, addition(header, *target.record), target.base,
                      offsets, data + offsets.size_bytes());
  }
}

/// Gives the bytes of the old values.
std::int64_t Server::update(const RequestHeader& header, const std::byte* data, std::byte* base,
                            std::byte* old) {
  const UpdateKind kind = header.kind();
  const auto runs = runs_of(header, data);
  const std::byte* const operands = kind.operand_bytes == 0 ? nullptr : data + runs.size_bytes();
  update_in_memory(stripes_, kind, base, runs, operands, old);
  std::int64_t bytes = 0;
  for (const UpdateRun& run : runs) bytes += run.elements * kind.element_bytes;
  return bytes;
}

void Server::execute_batch(const RequestHeader& header, const std::byte* data, int origin) {
  std::byte* const reply = header.slot >= 0 ? answers_.data() : nullptr;
  std::byte* into = reply != nullptr ? reply + sizeof(Status) : nullptr;
  for (std::int64_t n = 0; n < header.value; ++n) {
    RequestHeader request;
    const std::byte* written = request.read(data);
    if (request.action == Action::get) {
      const bool found = read(request, written, into + sizeof(Status)) > 0;
      const Status status = found ? Status::done : Status::segment_gone;
      std::memcpy(into, &status, sizeof status);
      into += sizeof status + static_cast<std::size_t>(padded(request.runs.bytes()));
    } else {
      write(request, written, origin);
    }
    data += request.record;
  }
  if (reply == nullptr) return;
  const Status status = status_of_writes(origin);
  std::memcpy(reply, &status, sizeof status);
  answer(answers_, origin, header.slot, into - reply);
}

/// That go to the origin.
std::size_t Server::chunks_under_way(int origin) const noexcept {
  std::size_t chunks = 0;
  for (const Transfer& transfer : transfers_)
    if (transfer.origin == origin && transfer.header.action == Action::get)
      chunks += transfer.stream.under_way();
  return chunks;
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
                  accumulate_packed(stripes_, addition(header, *transfer.record), header.runs,
                                    stream.memory(), position, length, data);
                });
  assert(chunks_under_way(transfer.origin) <= unread::chunks);
  if (!stream.finished() || (!get && !words_.room())) return moved;
  transfer.finished = true;
  if (!get)
    answer_status(transfer.origin, header.slot,
                  stream.gone() ? Status::segment_gone : Status::done);
  return true;
}

Outbox& Server::outbox_for(const RequestHeader& header) noexcept {
  const bool data = header.action == Action::batch || header.action == Action::gather ||
                    header.action == Action::fetch_update ||
                    (header.action == Action::get && header.runs.bytes() > word_bytes);
  return data ? answers_ : words_;
}

/// Sends what is in the box's buffer. REQUIRES: room for it, here and below.
void Server::answer(Outbox& box, int origin, int slot, std::int64_t bytes) {
  box.send(static_cast<std::size_t>(bytes), origin, answer_tag(slot));
}

void Server::answer_status(int origin, int slot, Status status) {
  std::memcpy(words_.data(), &status, sizeof status);
  answer(words_, origin, slot, sizeof status);
}

/// Of the small writes since it was last asked for.
Status Server::status_of_writes(int origin) {
  const auto who = static_cast<std::size_t>(origin);
  const Status status = lost_write_[who] ? Status::segment_gone : Status::done;
  lost_write_[who] = false;
  return status;
}

}  // namespace lagoon::atoll::detail
