// Requests: whether they are done, and what becomes of them then.
#include "simulation/mpi/requests.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>

#include "simulation/trace.hpp"

namespace lagoon::atoll::simulation {

namespace {

/// An MPI may say of what is done that it is not yet.
bool says_late() noexcept {
  Scheduler& s = scheduler();
  return s.temper.late != 0 && s.random.one_in(s.temper.late);
}

bool is_done(const Request& request) noexcept { return time_of(request) <= now() && !says_late(); }

}  // namespace

Process& process() noexcept {
  // Never destroyed: whoever exits may still be in a call.
  alignas(Process) static std::byte room[sizeof(Process)];
  static Process* const one = std::construct_at(reinterpret_cast<Process*>(room));
  return *one;
}

void enter(const char* name) noexcept {
  std::uint64_t what = 0;
  for (const char* letter = name; *letter != 0; ++letter)
    what = what * 31 + static_cast<unsigned char>(*letter);
  if (me() == nullptr) {
    std::fprintf(stderr, "atoll simulate: %s by a thread that was started before MPI\n", name);
    std::abort();
  }
  if (!process().sends.empty()) check_sends();  // before others go on, who may receive them
  step(Kind::call, what);
  progress();
}

Time time_of(const Request& request) noexcept {
  if (request.done) return now();
  switch (request.of) {
    case Request::Of::send: return time_of_send(request);
    case Request::Of::collective: return time_of_call(request);
    case Request::Of::access:
      return request.access == nullptr || request.access->done ? now() : never;
    default: return never;
  }
}

void complete(Request* request, mpi::Status* status) {
  switch (request->of) {
    case Request::Of::send: complete_send(request); break;
    case Request::Of::collective: complete_call(request); break;
    case Request::Of::access: complete_access(request); break;
    default: break;
  }
  tell_status(status, *request);
  delete request;
}

std::string in_words(const Request& request) {
  char text[96];
  const int from = request.source;
  switch (request.of) {
    case Request::Of::send:
      std::snprintf(text, sizeof text, "sends %llu bytes to rank %d, tag %d",
                    static_cast<unsigned long long>(request.message->bytes), request.message->dest,
                    request.message->tag);
      break;
    case Request::Of::receive:
      if (from == mpi::any_source || request.communicator == nullptr)
        std::snprintf(text, sizeof text, "waits for a message of tag %d of anybody", request.tag);
      else
        std::snprintf(text, sizeof text, "waits for a message of tag %d of rank %d", request.tag,
                      request.communicator->world(from));
      break;
    case Request::Of::collective:
      std::snprintf(text, sizeof text, "waits in %s", request.call->what);
      break;
    default:
      std::snprintf(text, sizeof text, "waits for an access to a window of rank %d", request.to);
  }
  return text;
}

namespace face {

int test(mpi::Request* request, int* done, mpi::Status* status) {
  enter("MPI_Test");
  *done = 1;
  if (*request == mpi::request_null) return mpi::success;
  auto& mine = object<Request>(*request);
  if (!is_done(mine)) {
    *done = 0;
    return mpi::success;
  }
  complete(&mine, status);
  *request = mpi::request_null;
  return mpi::success;
}

int testsome(int count, mpi::Request* requests, int* done, int* indices) {
  enter("MPI_Testsome");
  bool any = false;
  *done = 0;
  for (int i = 0; i < count; ++i) {
    if (requests[i] == mpi::request_null) continue;
    any = true;
    auto& mine = object<Request>(requests[i]);
    if (!is_done(mine)) continue;
    complete(&mine, mpi::status_ignore);
    requests[i] = mpi::request_null;
    indices[(*done)++] = i;
  }
  if (!any) *done = mpi::undefined;
  return mpi::success;
}

int wait(mpi::Request* request, mpi::Status* status) {
  enter("MPI_Wait");
  if (*request == mpi::request_null) return mpi::success;
  auto& mine = object<Request>(*request);
  const std::string doing = in_words(mine);
  wait_inside(doing.c_str(), [&] { return time_of(mine); });
  complete(&mine, status);
  *request = mpi::request_null;
  return mpi::success;
}

int cancel(mpi::Request* request) {
  enter("MPI_Cancel");
  auto& mine = object<Request>(*request);
  if (mine.of != Request::Of::receive) misuse("MPI_Cancel of what is no receive");
  auto& posted = process().posted;
  if (const auto found = std::ranges::find(posted, &mine); found != posted.end()) {
    posted.erase(found);
    mine.done = true;
  }
  return mpi::success;
}

int request_free(mpi::Request* request) {
  enter("MPI_Request_free");
  auto& mine = object<Request>(*request);
  mine.freed = true;
  if (mine.of == Request::Of::receive && !mine.done)
    misuse("MPI_Request_free of a receive that is under way");
  complete(&mine, mpi::status_ignore);
  *request = mpi::request_null;
  return mpi::success;
}

}  // namespace face

}  // namespace lagoon::atoll::simulation
