// Windows: accesses travel to their target, which does them in its next call of MPI.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "simulation/mpi/functions.hpp"
#include "simulation/mpi/requests.hpp"
#include "simulation/trace.hpp"

namespace lagoon::atoll::simulation {

namespace {

using mpi::Comm, mpi::Datatype, mpi::Win;

SharedVector<Access*>& accesses_of(int rank) noexcept {
  return network().accesses[static_cast<std::size_t>(rank)];
}

void drop(Access* access) noexcept {
  if (--access->holders > 0) return;
  Shared<std::byte>().deallocate(access->data, access->bytes);
  free_shared_object(access);
}

Window& window_of(std::uint64_t context) {
  for (Window* window : process().windows)
    if (window->context == context) return *window;
  misuse("an access to a window that is no more");
}

void serve(Access& access) {
  const Window& window = window_of(access.window);
  std::byte* const there = window.base + access.place * window.unit;
  if (access.put)
    std::copy_n(access.data, access.bytes, there);
  else
    std::copy_n(there, access.bytes, access.data);
  access.done = true;
  trace(Kind::rma, static_cast<std::uint64_t>(access.origin), access.bytes);
  moved();
  wake_at(key_of_rank(access.origin), now());
}

Request* start(bool put, const void* given, void* taken, int count, Datatype type, int rank,
               std::ptrdiff_t place, Win win) {
  auto& window = object<Window>(win);
  const int target = window.communicator->world(rank);
  auto* const access = make_shared_object<Access>();
  access->window = window.context;
  access->origin = my_rank();
  access->put = put;
  access->place = place;
  access->bytes = static_cast<std::uint64_t>(count) * size_of(type);
  access->data = Shared<std::byte>().allocate(access->bytes);
  if (put) pack(given, count, type, access->data);
  access->arrives = now() + latency();
  access->holders = 3;  // the target, the window, the request
  accesses_of(target).push_back(access);
  wake_at(key_of_rank(target), access->arrives);
  moved();
  window.under_way[static_cast<std::size_t>(rank)].push_back(access);
  auto* const request = new Request(Request::Of::access);
  request->access = access;
  request->buffer = taken;
  request->type = type;
  request->to = target;
  request->done = put;  // the memory has been read
  return request;
}

Time time_of_flush(const Window& window, int rank) noexcept {
  const auto& all = window.under_way[static_cast<std::size_t>(rank)];
  return std::ranges::all_of(all, [](const Access* access) { return access->done; }) ? now()
                                                                                     : never;
}

void flush(Window& window, int rank) {
  char doing[64];
  std::snprintf(doing, sizeof doing, "flushes a window to rank %d",
                window.communicator->world(rank));
  wait_inside(doing, [&] { return time_of_flush(window, rank); });
  auto& all = window.under_way[static_cast<std::size_t>(rank)];
  for (Access* access : all) drop(access);
  all.clear();
}

int flush_all(Win win) {
  auto& window = object<Window>(win);
  for (int rank = 0; rank < window.communicator->size(); ++rank) flush(window, rank);
  return mpi::success;
}

void meet(Communicator& communicator, const char* what, std::uint64_t* context) {
  Request* const request =
      come_to_call(communicator, what, ~std::uint64_t{0}, 0, nullptr, 0, [&](Collective& call) {
        if (context != nullptr) *context = call.contexts;
      });
  wait_inside(what, [&] { return time_of(*request); });
  complete(request, mpi::status_ignore);
}

}  // namespace

void serve_windows() {
  auto& all = accesses_of(my_rank());
  if (all.empty()) return;
  const auto arrived = std::stable_partition(
      all.begin(), all.end(), [](const Access* access) { return access->arrives > now(); });
  const std::vector<Access*> now_there(arrived, all.end());
  all.erase(arrived, all.end());
  for (Access* access : now_there) {
    serve(*access);
    drop(access);
  }
}

Time next_access() noexcept {
  Time next = never;
  for (const Access* access : accesses_of(my_rank())) next = std::min(next, access->arrives);
  return next;
}

void complete_access(Request* request) {
  Access* const access = request->access;
  if (!access->put) unpack(access->data, access->bytes, request->buffer, request->type);
  drop(access);
}

void fill_windows(mpi::Calls& into) {
  into.win_create = [](void* base, std::ptrdiff_t, int unit, mpi::NoInfo, Comm comm, Win* made) {
    enter("MPI_Win_create");
    auto* const window = new Window{};
    window->communicator = new Communicator(of(comm));
    window->base = static_cast<std::byte*>(base);
    window->unit = unit;
    window->under_way.resize(static_cast<std::size_t>(of(comm).size()));
    meet(of(comm), "MPI_Win_create", &window->context);
    window->communicator->context = window->context;
    window->communicator->collectives = 0;
    process().windows.push_back(window);
    // Nobody is to access it before it is here: whoever leaves has seen all come.
    meet(*window->communicator, "MPI_Win_create", nullptr);
    *made = handle<Win>(window);
    return mpi::success;
  };
  into.win_free = [](Win* win) {
    enter("MPI_Win_free");
    auto* const window = &object<Window>(*win);
    flush_all(*win);
    meet(*window->communicator, "MPI_Win_free", nullptr);
    std::erase(process().windows, window);
    delete window->communicator;
    delete window;
    *win = mpi::win_null;
    return mpi::success;
  };
  into.win_set_errhandler = [](Win, mpi::Errhandler) { return mpi::success; };
  into.win_lock_all = [](mpi::WithoutCheck, Win) {
    enter("MPI_Win_lock_all");
    return mpi::success;
  };
  into.win_unlock_all = [](Win win) {
    enter("MPI_Win_unlock_all");
    return flush_all(win);
  };
  into.win_flush = [](int rank, Win win) {
    enter("MPI_Win_flush");
    flush(object<Window>(win), rank);
    return mpi::success;
  };
  into.rget = [](void* data, int count, Datatype type, int rank, std::ptrdiff_t place, int,
                 Datatype, Win win, mpi::Request* request) {
    enter("MPI_Rget");
    *request = handle<mpi::Request>(start(false, nullptr, data, count, type, rank, place, win));
    return mpi::success;
  };
  into.rput = [](const void* data, int count, Datatype type, int rank, std::ptrdiff_t place, int,
                 Datatype, Win win, mpi::Request* request) {
    enter("MPI_Rput");
    *request = handle<mpi::Request>(start(true, data, nullptr, count, type, rank, place, win));
    return mpi::success;
  };
}

}  // namespace lagoon::atoll::simulation
