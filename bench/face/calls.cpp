// atoll_face: what a call of MPI through the table of src/mpi costs beside the same call by a
// pointer, for each binary interface, without MPI: its functions are here, and do next to nothing.
// Prints the table of docs/benchmarks.md.
#include "mpi/calls.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <utility>

#include "mpi/adaptor/mpich.hpp"
#include "mpi/adaptor/open_mpi.hpp"
#include "mpi/adaptor/standard.hpp"
#include "mpi/library.hpp"
#include "mpi/native.hpp"

namespace {

using namespace lagoon::atoll;

template <class I>
struct Plain {
  [[gnu::noinline]] static int rank(typename I::Comm, int* rank) {
    *rank = 3;
    return 0;
  }
  [[gnu::noinline]] static int isend(const void*, int, typename I::Datatype, int, int,
                                     typename I::Comm, typename I::Request* request) {
    *request = mpi::native_of_bits<typename I::Request>(0x1234567);
    return 0;
  }
  [[gnu::noinline]] static int irecv(void*, int, typename I::Datatype, int, int, typename I::Comm,
                                     typename I::Request* request) {
    *request = mpi::native_of_bits<typename I::Request>(0x1234567);
    return 0;
  }
  [[gnu::noinline]] static int iprobe(int, int, typename I::Comm, int* found,
                                      typename I::Status* status) {
    *found = 1;
    status->source = 5;
    return 0;
  }
  [[gnu::noinline]] static int test(typename I::Request* request, int* done,
                                    typename I::Status* status) {
    *done = 1;
    status->source = 5;
    *request = mpi::native_of_bits<typename I::Request>(0x1234567);
    return 0;
  }
  [[gnu::noinline]] static int nothing() { return 0; }
};

std::array<char, 4096> objects;  // predefined handles of an Open MPI are addresses

template <class I>
void* find(const char* name) {
  using P = Plain<I>;
  const auto is = [&](const char* other) { return std::strcmp(name, other) == 0; };
  if (is("MPI_Comm_rank")) return reinterpret_cast<void*>(&P::rank);
  if (is("MPI_Isend")) return reinterpret_cast<void*>(&P::isend);
  if (is("MPI_Irecv")) return reinterpret_cast<void*>(&P::irecv);
  if (is("MPI_Iprobe")) return reinterpret_cast<void*>(&P::iprobe);
  if (is("MPI_Test")) return reinterpret_cast<void*>(&P::test);
  if (std::strncmp(name, "MPI_", 4) == 0) return reinterpret_cast<void*>(&P::nothing);
  return &objects[std::hash<std::string>{}(name) % objects.size()];
}

/// The least time of a call in some runs, in nanoseconds.
template <class F>
double nanoseconds(F&& call) {
  constexpr int calls = 5'000'000;
  double least = 1e30;
  for (int run = 0; run < 9; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) {
      call();
      asm volatile("" ::: "memory");
    }
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - begin;
    least = std::min(least, spent.count() / calls);
  }
  return least;
}

template <class Function>
Function hidden(Function function) {
  asm volatile("" : "+r"(function));
  return function;
}

template <class I>
void measure(const char* name, MpiFamily family) {
  using P = Plain<I>;
  mpi::fill(family, &find<I>, mpi::calls);
  const auto comm = mpi::native_of_bits<typename I::Comm>(0x7654321);
  const auto type = mpi::native_of_bits<typename I::Datatype>(0x7654321);
  typename I::Request request{};
  typename I::Status status{};
  mpi::Request our_request;
  mpi::Status our_status;
  int number = 0;
  const auto rank = hidden(&P::rank);
  const auto isend = hidden(&P::isend);
  const auto irecv = hidden(&P::irecv);
  const auto iprobe = hidden(&P::iprobe);
  const auto test = hidden(&P::test);
  const mpi::Comm our_comm{{0x7654321}};
  const std::array<std::pair<double, double>, 5> costs{{
      {nanoseconds([&] { rank(comm, &number); }),
       nanoseconds([&] { mpi::calls.comm_rank(our_comm, &number); })},
      {nanoseconds([&] { isend(&number, 1, type, 2, 3, comm, &request); }), nanoseconds([&] {
         mpi::calls.isend(&number, 1, mpi::type_byte, 2, 3, our_comm, &our_request);
       })},
      {nanoseconds([&] { irecv(&number, 1, type, 2, 3, comm, &request); }), nanoseconds([&] {
         mpi::calls.irecv(&number, 1, mpi::type_byte, {mpi::any_source}, 3, our_comm, &our_request);
       })},
      {nanoseconds([&] { iprobe(2, 3, comm, &number, &status); }), nanoseconds([&] {
         mpi::calls.iprobe({mpi::any_source}, 3, our_comm, &number, &our_status);
       })},
      {nanoseconds([&] { test(&request, &number, &status); }),
       nanoseconds([&] { mpi::calls.test(&our_request, &number, &our_status); })},
  }};
  std::printf("%-10s", name);
  for (const auto& [plain, ours] : costs) std::printf("  %9.2f", ours - plain);
  std::printf("\n");
}

}  // namespace

int main() {
  std::printf("ns more    ");
  for (const char* call : {"Comm_rank", "Isend", "Irecv", "Iprobe", "Test"})
    std::printf(" %9s ", call);
  std::printf("\n");
  measure<mpi::Mpich>("MPICH", MpiFamily::mpich);
  measure<mpi::OpenMpi>("Open MPI", MpiFamily::open_mpi);
  measure<mpi::Standard>("standard", MpiFamily::standard);
  return 0;
}
