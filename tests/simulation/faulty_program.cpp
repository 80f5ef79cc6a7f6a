// Programs that use MPI's face wrongly, or wait for ever, for the tests of `atoll simulate`:
//
//     faulty_program HOW
//
// `well` does nothing wrong, over all kinds of calls; `tags` reads messages of two tags as they
// overtake each other, of one tag in their order.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "mpi/face.hpp"

namespace {

namespace mpi = lagoon::atoll::mpi;

int rank = 0, size = 0;

int next() { return (rank + 1) % size; }
int previous() { return (rank + size - 1) % size; }

void expect(bool right, const char* what) {
  if (right) return;
  std::fprintf(stderr, "rank %d: wrong: %s\n", rank, what);
  mpi::abort(mpi::comm_world, 3);
}

void wait(mpi::Request request) { mpi::wait(&request, mpi::status_ignore); }

mpi::Request send(const void* data, int bytes, int to, int tag) {
  mpi::Request request;
  mpi::isend(data, bytes, mpi::type_byte, to, tag, mpi::comm_world, &request);
  return request;
}

void do_well() {
  mpi::Comm half;
  mpi::comm_split(mpi::comm_world, rank % 2, -rank, &half);
  int mine = 0, members = 0, sum = 0;
  mpi::comm_rank(half, &mine);
  mpi::comm_size(half, &members);
  expect(mine == members - 1 - rank / 2, "the order of a split");
  mpi::allreduce(&rank, &sum, 1, mpi::type_int, mpi::op_sum, mpi::comm_world);
  expect(sum == size * (size - 1) / 2, "a sum");
  std::vector<int> all(static_cast<std::size_t>(size));
  mpi::Request request;
  mpi::iallgather(&rank, 1, mpi::type_int, all.data(), 1, mpi::type_int, mpi::comm_world, &request);
  wait(request);
  for (int i = 0; i < size; ++i) expect(all[static_cast<std::size_t>(i)] == i, "an allgather");
  int told = rank == 1 ? 42 : 0;
  mpi::bcast(&told, 1, mpi::type_int, 1, mpi::comm_world);
  expect(told == 42, "a broadcast");
  int got = -1;
  mpi::Status status;
  mpi::sendrecv(&rank, 1, mpi::type_int, next(), 5, &got, 1, mpi::type_int, previous(), 5,
                mpi::comm_world, &status);
  expect(got == previous() && status.source() == previous(), "a message");
  // A window: each reads its neighbour's number and writes it back, one larger.
  std::vector<int> memory{rank, 0};
  mpi::Win window;
  mpi::win_create(memory.data(), 2 * sizeof(int), sizeof(int), mpi::comm_world, &window);
  mpi::win_lock_all(window);
  int theirs = -1;
  mpi::rget(&theirs, 1, mpi::type_int, next(), 0, 1, mpi::type_int, window, &request);
  wait(request);
  expect(theirs == next(), "a get of a window");
  ++theirs;
  mpi::rput(&theirs, 1, mpi::type_int, next(), 1, 1, mpi::type_int, window, &request);
  wait(request);
  mpi::win_flush(next(), window);
  mpi::barrier(mpi::comm_world);
  expect(memory[1] == rank + 1, "a put to a window");
  mpi::win_unlock_all(window);
  mpi::win_free(&window);
  mpi::comm_free(&half);
  // A long sleep takes no time.
  std::this_thread::sleep_for(std::chrono::hours(1));
}

/// How often a message of tag 2 is there before one of tag 1 that was sent before it.
void read_tags() {
  constexpr int messages = 20;
  if (rank == 0) {
    std::vector<int> data(2 * messages);
    std::vector<mpi::Request> requests;
    for (int i = 0; i < 2 * messages; ++i) {
      data[static_cast<std::size_t>(i)] = i / 2;
      requests.push_back(send(&data[static_cast<std::size_t>(i)], sizeof(int), 1, 1 + i % 2));
    }
    for (mpi::Request request : requests) wait(request);
  } else if (rank == 1) {
    int overtaken = 0;
    for (int i = 0; i < messages; ++i) {
      int first = 0, got = -1;
      for (int found = 0; found == 0;)
        mpi::iprobe(0, 2, mpi::comm_world, &found, mpi::status_ignore);
      mpi::iprobe(0, 1, mpi::comm_world, &first, mpi::status_ignore);
      overtaken += first == 0 ? 1 : 0;
      for (const int tag : {1, 2}) {
        mpi::recv(&got, 1, mpi::type_int, 0, tag, mpi::comm_world, mpi::status_ignore);
        expect(got == i, "messages of one tag change their order");
      }
    }
    std::printf("overtaken: %d\n", overtaken);
  }
}

/// As libfabric's TCP provider does: what frees a connection comes behind what fills it.
void fill_a_connection(int messages) {
  if (rank == 0) {
    std::vector<mpi::Request> requests;
    for (int i = 0; i < messages; ++i) requests.push_back(send(&i, 0, 1, 1));
    requests.push_back(send(&rank, 0, 1, 2));
    for (mpi::Request request : requests) wait(request);
  } else if (rank == 1) {
    mpi::recv(nullptr, 0, mpi::type_byte, 0, 2, mpi::comm_world, mpi::status_ignore);
    for (int i = 0; i < messages; ++i)
      mpi::recv(nullptr, 0, mpi::type_byte, 0, 1, mpi::comm_world, mpi::status_ignore);
  }
}

void do_wrong(const std::string& how) {
  std::vector<char> bytes(2000, 1);
  if (how == "deadlock") {
    mpi::recv(bytes.data(), 1, mpi::type_byte, next(), 7, mpi::comm_world, mpi::status_ignore);
  } else if (how == "idle") {
    for (int found = 0; rank == 0 && found == 0;) {
      mpi::iprobe(1, 7, mpi::comm_world, &found, mpi::status_ignore);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    mpi::barrier(mpi::comm_world);
  } else if (how == "left_over") {
    if (rank == 0) wait(send(bytes.data(), 8, 1, 7));
    mpi::barrier(mpi::comm_world);
  } else if (how == "truncated") {
    if (rank == 0) wait(send(bytes.data(), 8, 1, 7));
    if (rank == 1)
      mpi::recv(bytes.data(), 4, mpi::type_byte, 0, 7, mpi::comm_world, mpi::status_ignore);
  } else if (how == "disagree") {
    int sum = 0;
    if (rank == 0)
      mpi::barrier(mpi::comm_world);
    else
      mpi::allreduce(&rank, &sum, 1, mpi::type_int, mpi::op_sum, mpi::comm_world);
  } else if (how == "changed") {
    if (rank == 0) {
      const mpi::Request request = send(bytes.data(), 2000, 1, 7);
      bytes[1000] = 2;
      wait(request);
    }
    if (rank == 1)
      mpi::recv(bytes.data(), 2000, mpi::type_byte, 0, 7, mpi::comm_world, mpi::status_ignore);
  } else if (how == "crash") {
    if (rank == 1) std::abort();
    mpi::barrier(mpi::comm_world);
  } else if (how == "leave") {
    if (rank == 1) std::exit(0);
    mpi::barrier(mpi::comm_world);
  } else if (how == "spin") {
    for (volatile bool always = true; always;) continue;
  } else {
    std::fprintf(stderr, "faulty_program: there is no way '%s'\n", how.c_str());
    std::exit(2);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "well";
  mpi::ThreadLevel provided{};
  mpi::init_thread(&argc, &argv, mpi::ThreadLevel::multiple, &provided);
  mpi::comm_rank(mpi::comm_world, &rank);
  mpi::comm_size(mpi::comm_world, &size);
  if (how == "well")
    do_well();
  else if (how == "tags")
    read_tags();
  else if (how == "few")
    fill_a_connection(63);
  else if (how == "many")
    fill_a_connection(64);
  else
    do_wrong(how);
  mpi::finalize();
  return 0;
}
