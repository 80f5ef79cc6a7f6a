// ga: the libraries that come with Global Arrays: MA beside the C library's allocator, TCGMSG
// beside MPI and the calls of C++ that it makes.
#include <cstdlib>
#include <stdexcept>

#include "ga/macdecls.h"
#include "ga/tcgmsg.h"
#include "ga_calls.hpp"

namespace bench {

namespace {

constexpr int elements = 1000;
constexpr long type = 5;  // of messages

void check(bool good, const char* what) {
  if (!good) throw std::runtime_error(std::string(what) + " failed");
}

Way with_malloc() {
  return way("malloc, free", [] {
    void* const block = std::malloc(elements * sizeof(double));
    touch(block);
    std::free(block);
  });
}

}  // namespace

void ga_ma(Calls& calls) {
  check(MA_initialized() != 0 || MA_init(MT_DBL, 100 * elements, 100 * elements) != 0, "MA_init");
  Integer handle = 0;
  MA_AccessIndex index = 0;
  char name[] = "bench";
  calls.alone("MA_push_get, MA_pop_stack 8 kB", {way("MA_push_get",
                                                     [&] {
                                                       MA_push_get(MT_DBL, elements, name, &handle,
                                                                   &index);
                                                       MA_pop_stack(handle);
                                                     }),
                                                 with_malloc()});
  calls.alone("MA_alloc_get, MA_free_heap 8 kB", {way("MA_alloc_get",
                                                      [&] {
                                                        MA_alloc_get(MT_DBL, elements, name,
                                                                     &handle, &index);
                                                        MA_free_heap(handle);
                                                      }),
                                                  with_malloc()});
}

namespace {

/// There and back: rank 0 sends first, rank 1 answers.
template <class Send, class Receive>
Way ping_pong(std::string name, int rank, Send send, Receive receive) {
  return way(std::move(name), [=] {
    if (rank == 0) send();
    receive();
    if (rank == 1) send();
  });
}

void time_messages(Calls& calls, long bytes) {
  std::vector<char> buffer(static_cast<std::size_t>(bytes));
  char* const data = buffer.data();
  const int rank = calls.rank(), other = 1 - rank, count = static_cast<int>(bytes);
  MPI_Comm communicator = calls.world().communicator();
  calls.together(
      "SND, RCV there and back " + bytes_text(bytes),
      {ping_pong(
           "tcg_snd", rank, [=] { tcg_snd(type, data, bytes, other, 1); },
           [=] {
             long length = 0, from = 0;
             tcg_rcv(type, data, bytes, &length, other, &from, 1);
           }),
       ping_pong(
           "MPI_Send, MPI_Recv", rank,
           [=] { MPI_Send(data, count, MPI_BYTE, other, 5, communicator); },
           [=] { MPI_Recv(data, count, MPI_BYTE, other, 5, communicator, MPI_STATUS_IGNORE); })});
}

void time_collective(Calls& calls) {
  const atoll::World& world = calls.world();
  double number = 0.0;
  calls.together("SYNCH", {way("tcg_synch", [] { tcg_synch(type); }),
                           way("World::sync", [&] { world.sync(); })});
  calls.together(
      "BRDCST 8 B",
      {way("tcg_brdcst", [&] { tcg_brdcst(type, &number, sizeof number, 0); }),
       way("Group::broadcast", [&] { world.broadcast(std::span<double>(&number, 1), 0); })});
  calls.together("DGOP 8 B", {way("tcg_dgop", [&] { tcg_dgop(type, &number, 1, "+"); }),
                              way("Group::reduce", [&] { number = world.reduce(number); })});
}

}  // namespace

void ga_tcgmsg(Calls& calls) {
  atoll::Counter counter(calls.world());
  calls.alone("NXTVAL", {way("tcg_nxtval", [] { tcg_nxtval(1); }),
                         way("Counter::next", [&] { counter.next(); })});
  time_messages(calls, 8);
  time_messages(calls, 64 << 10);
  time_collective(calls);
}

}  // namespace bench
