// Messages: sent, on their way, read, matched.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>

#include "simulation/mpi/functions.hpp"
#include "simulation/mpi/objects.hpp"
#include "simulation/trace.hpp"

namespace lagoon::atoll::simulation {

namespace {

using mpi::Comm, mpi::Datatype, mpi::Source, mpi::Status, mpi::Tag;

SharedVector<Message*>& unexpected() noexcept {
  return network().unexpected[static_cast<std::size_t>(my_rank())];
}

bool matches(const Message& message, std::uint64_t context, int source, int tag) noexcept {
  return message.context == context && (source == mpi::any_source || message.from == source) &&
         (tag == mpi::any_tag || message.tag == tag);
}

void give(Request& request, Message* message) {
  const std::uint64_t room = static_cast<std::uint64_t>(request.count) * size_of(request.type);
  if (message->bytes > room)
    misuse("%s gets a message of %llu bytes", in_words(request).c_str(),
           static_cast<unsigned long long>(message->bytes));
  unpack(message->data, message->bytes, request.buffer, request.type);
  request.done = true;
  request.source = message->from;
  request.tag = message->tag;
  request.bytes = message->bytes;
  message->matched = true;
  trace(Kind::match, message->number);
  trace_line("gets %llu", static_cast<unsigned long long>(message->number));
  moved();
  wake_at(key_of_rank(message->source), now());
  wake_at(key_of_rank(my_rank()), now());
  drop(message);
}

/// Takes the first of the connection from its way.
void read(Connection& connection) {
  Message* const message = connection.first;
  connection.first = message->next;
  if (connection.first == nullptr) connection.last = nullptr;
  --connection.under_way;
  --network().coming[static_cast<std::size_t>(my_rank())];
  message->read = true;
  trace(Kind::arrive, message->number);
  wake_at(key_of_rank(message->source), now());
  auto& posted = process().posted;
  const auto found = std::ranges::find_if(posted, [&](const Request* request) {
    return matches(*message, request->context, request->source, request->tag);
  });
  if (found == posted.end()) {
    ++connection.unexpected;
    head().ended.most_unexpected =
        std::max(head().ended.most_unexpected, std::int64_t{connection.unexpected});
    unexpected().push_back(message);
    return;
  }
  Request* const request = *found;
  posted.erase(found);
  give(*request, message);
}

/// Of those that nobody has asked for; null: none matches.
Message* find(std::uint64_t context, int source, int tag, bool take) {
  auto& all = unexpected();
  const auto found = std::ranges::find_if(
      all, [&](const Message* message) { return matches(*message, context, source, tag); });
  if (found == all.end()) return nullptr;
  Message* const message = *found;
  if (take) {
    all.erase(found);
    --connection(message->source, message->dest).unexpected;
    moved();
  }
  return message;
}

/// Puts it behind what the connection carries, or before messages of others that it overtakes.
void put_on_its_way(Message* message) {
  Scheduler& s = scheduler();
  Connection& way = connection(message->source, message->dest);
  Message** behind = &way.first;
  const bool overtakes = s.temper.overtakes != 0 && s.random.one_in(s.temper.overtakes);
  for (Message** link = &way.first; *link != nullptr; link = &(*link)->next) {
    const bool alike = (*link)->context == message->context && (*link)->tag == message->tag;
    if (alike || !overtakes) behind = &(*link)->next;
  }
  message->next = *behind;
  *behind = message;
  if (message->next == nullptr)
    way.last = message;
  else  // it is not to wait where those that it overtakes do
    message->arrives = std::min(message->arrives, message->next->arrives);
  ++way.under_way;
  ++network().coming[static_cast<std::size_t>(message->dest)];
  wake_at(key_of_rank(message->dest), message->arrives);
}

Request* send(const void* data, int count, Datatype type, int to, int tag, Comm comm,
              bool synchronous) {
  const Communicator& communicator = of(comm);
  if (to < 0 || to >= communicator.size() || count < 0)
    misuse("a message of %d elements to rank %d of %d", count, to, communicator.size());
  Scheduler& s = scheduler();
  Ended& ended = head().ended;
  auto* const message = make_shared_object<Message>();
  message->context = communicator.context;
  message->from = communicator.rank;
  message->tag = tag;
  message->source = my_rank();
  message->dest = communicator.world(to);
  message->bytes = static_cast<std::uint64_t>(count) * size_of(type);
  message->data = Shared<std::byte>().allocate(message->bytes);
  pack(data, count, type, message->data);
  message->arrives = now() + latency();
  message->at_once = !synchronous && message->bytes <= s.temper.eager;
  message->holders = 2;
  message->number = static_cast<std::uint64_t>(++ended.messages);
  ended.bytes += static_cast<std::int64_t>(message->bytes);
  trace(Kind::send, message->number, static_cast<std::uint64_t>(message->dest),
        mixed(message->bytes) + static_cast<std::uint64_t>(tag));
  trace_line("sends %llu\t%d\t%d\t%llu\t%llu", static_cast<unsigned long long>(message->number),
             message->dest, tag, static_cast<unsigned long long>(message->context),
             static_cast<unsigned long long>(message->bytes));
  moved();
  put_on_its_way(message);
  auto* const request = new Request(Request::Of::send);
  request->message = message;
  request->sent = data;
  request->count = count;
  request->type = type;
  request->communicator = &of(comm);
  request->to = to;
  request->tag = tag;
  process().sends.push_back(request);
  step(Kind::send);  // whoever gets it may be faster than what the sender does next
  return request;
}

Request* receive(void* data, int count, Datatype type, int source, int tag, Comm comm) {
  Communicator& communicator = of(comm);
  auto* const request = new Request(Request::Of::receive);
  request->source = source;
  request->tag = tag;
  request->context = communicator.context;
  request->communicator = &communicator;
  request->buffer = data;
  request->count = count;
  request->type = type;
  if (Message* const message = find(communicator.context, source, tag, true))
    give(*request, message);
  else
    process().posted.push_back(request);
  return request;
}

void tell(Status* status, int source, int tag, std::uint64_t bytes) noexcept {
  if (status == mpi::status_ignore) return;
  const StatusWords words{source, tag, bytes};
  std::memcpy(status->room, &words, sizeof words);
}

int finish(Request* request, Status* status) {
  const std::string doing = in_words(*request);
  wait_inside(doing.c_str(), [&] { return time_of(*request); });
  complete(request, status);
  return mpi::success;
}

void check(const Request& request) {
  const Message& message = *request.message;
  std::vector<std::byte> bytes(message.bytes);
  pack(request.sent, request.count, request.type, bytes.data());
  if (!bytes.empty() && std::memcmp(bytes.data(), message.data, bytes.size()) != 0)
    misuse("the memory of a send has changed before the send was done: %s",
           in_words(request).c_str());
}

}  // namespace

// Of what has been received nobody can tell whether it has changed since.
void check_sends() {
  constexpr std::uint64_t short_message = 4096;
  static unsigned calls = 0;
  const bool all = ++calls % 32 == 0;
  for (const Request* request : process().sends)
    if (!request->message->matched && (all || request->message->bytes <= short_message))
      check(*request);
}

void progress() {
  serve_windows();
  if (network().coming[static_cast<std::size_t>(my_rank())] == 0) return;
  for (int source = 0; source < ranks(); ++source) {
    Connection& way = connection(source, my_rank());
    while (way.first != nullptr && way.first->arrives <= now() && way.unexpected < most_unexpected)
      read(way);
  }
}

Time next_arrival() noexcept {
  Time next = next_access();
  if (network().coming[static_cast<std::size_t>(my_rank())] == 0) return next;
  for (int source = 0; source < ranks(); ++source)
    if (const Connection& way = connection(source, my_rank());
        way.first != nullptr && way.unexpected < most_unexpected)
      next = std::min(next, way.first->arrives);
  return next;
}

Time time_of_send(const Request& request) noexcept {
  const Message& message = *request.message;
  if (message.matched) return now();
  const bool goes =
      message.read || connection(message.source, message.dest).under_way <= most_unexpected;
  return message.at_once && goes ? now() : never;
}

void complete_send(Request* request) {
  std::erase(process().sends, request);
  drop(request->message);
}

namespace face {

int isend(const void* data, int count, Datatype type, int to, int tag, Comm comm,
          mpi::Request* request) {
  enter("MPI_Isend");
  *request = handle<mpi::Request>(send(data, count, type, to, tag, comm, false));
  return mpi::success;
}

int issend(const void* data, int count, Datatype type, int to, int tag, Comm comm,
           mpi::Request* request) {
  enter("MPI_Issend");
  *request = handle<mpi::Request>(send(data, count, type, to, tag, comm, true));
  return mpi::success;
}

int irecv(void* data, int count, Datatype type, Source source, int tag, Comm comm,
          mpi::Request* request) {
  enter("MPI_Irecv");
  *request = handle<mpi::Request>(receive(data, count, type, source.rank, tag, comm));
  return mpi::success;
}

int recv(void* data, int count, Datatype type, Source source, int tag, Comm comm, Status* status) {
  enter("MPI_Recv");
  return finish(receive(data, count, type, source.rank, tag, comm), status);
}

int sendrecv(const void* sent, int sent_count, Datatype sent_type, int to, int sent_tag,
             void* received, int count, Datatype type, Source source, int tag, Comm comm,
             Status* status) {
  enter("MPI_Sendrecv");
  Request* const out = send(sent, sent_count, sent_type, to, sent_tag, comm, false);
  finish(receive(received, count, type, source.rank, tag, comm), status);
  return finish(out, mpi::status_ignore);
}

int iprobe(Source source, int tag, Comm comm, int* found, Status* status) {
  enter("MPI_Iprobe");
  const Message* const message = find(of(comm).context, source.rank, tag, false);
  *found = message != nullptr ? 1 : 0;
  if (message != nullptr) tell(status, message->from, message->tag, message->bytes);
  return mpi::success;
}

int improbe(Source source, Tag tag, Comm comm, int* found, mpi::Message* message, Status* status) {
  enter("MPI_Improbe");
  Message* const taken = find(of(comm).context, source.rank, tag.number, true);
  *found = taken != nullptr ? 1 : 0;
  if (taken == nullptr) return mpi::success;
  tell(status, taken->from, taken->tag, taken->bytes);
  *message = handle<mpi::Message>(taken);
  return mpi::success;
}

int imrecv(void* data, int count, Datatype type, mpi::Message* message, mpi::Request* request) {
  enter("MPI_Imrecv");
  auto* const made = new Request(Request::Of::receive);
  made->buffer = data;
  made->count = count;
  made->type = type;
  give(*made, &object<Message>(*message));
  *message = mpi::message_null;
  *request = handle<mpi::Request>(made);
  return mpi::success;
}

int source_of(const Status* status) {
  StatusWords words{};
  std::memcpy(&words, status->room, sizeof words);
  return words.source;
}

int get_elements_x(const Status* status, Datatype type, std::int64_t* count) {
  StatusWords words{};
  std::memcpy(&words, status->room, sizeof words);
  *count = static_cast<std::int64_t>(words.bytes / basic_size_of(type));
  return mpi::success;
}

int get_count(const Status* status, Datatype type, int* count) {
  StatusWords words{};
  std::memcpy(&words, status->room, sizeof words);
  const std::uint64_t size = size_of(type);
  *count = size != 0 && words.bytes % size != 0
               ? mpi::undefined
               : static_cast<int>(size == 0 ? 0 : words.bytes / size);
  return mpi::success;
}

}  // namespace face

void tell_status(Status* status, const Request& request) noexcept {
  tell(status, request.source, request.tag, request.bytes);
}

}  // namespace lagoon::atoll::simulation
