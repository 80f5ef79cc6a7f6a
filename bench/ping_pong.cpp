// Ping-pong and stream.
#include "ping_pong.hpp"

#include <algorithm>
#include <array>

#include "pair.hpp"
#include "workloads.hpp"

namespace bench {

namespace {
constexpr int tag = 78;
constexpr int reply_tag = 79;
constexpr int start_tag = 82;
constexpr int in_flight = 8;
}  // namespace

PingPong::PingPong(MPI_Comm communicator, std::int64_t largest)
    : communicator_(communicator), buffer_(static_cast<std::size_t>(largest), 'x') {
  MPI_Comm_rank(communicator, &rank_);
}

void PingPong::round_trips(std::int64_t bytes, std::int64_t rounds) {
  const int n = static_cast<int>(bytes);
  const int peer = 1 - rank_;
  for (std::int64_t i = 0; i < rounds; ++i) {
    if (rank_ == 0) MPI_Send(buffer_.data(), n, MPI_BYTE, peer, tag, communicator_);
    MPI_Recv(buffer_.data(), n, MPI_BYTE, peer, tag, communicator_, MPI_STATUS_IGNORE);
    if (rank_ == 1) MPI_Send(buffer_.data(), n, MPI_BYTE, peer, tag, communicator_);
  }
}

void PingPong::stream(int to, std::int64_t bytes, std::int64_t count) {
  const int n = static_cast<int>(bytes);
  const int peer = 1 - rank_;
  std::array<MPI_Request, in_flight> requests;
  // Nothing leaves before the receiver is there: else data would arrive before its clock starts.
  if (rank_ == to)
    MPI_Send(nullptr, 0, MPI_BYTE, peer, start_tag, communicator_);
  else
    MPI_Recv(nullptr, 0, MPI_BYTE, peer, start_tag, communicator_, MPI_STATUS_IGNORE);
  for (std::int64_t i = 0; i < count; i += in_flight) {
    const int now = static_cast<int>(std::min<std::int64_t>(in_flight, count - i));
    for (int k = 0; k < now; ++k) {
      MPI_Request* const request = &requests[static_cast<unsigned>(k)];
      if (rank_ == to)
        MPI_Irecv(buffer_.data(), n, MPI_BYTE, peer, tag, communicator_, request);
      else
        MPI_Isend(buffer_.data(), n, MPI_BYTE, peer, tag, communicator_, request);
    }
    MPI_Waitall(now, requests.data(), MPI_STATUSES_IGNORE);
  }
  if (rank_ == to)
    MPI_Send(nullptr, 0, MPI_BYTE, peer, reply_tag, communicator_);
  else
    MPI_Recv(nullptr, 0, MPI_BYTE, peer, reply_tag, communicator_, MPI_STATUS_IGNORE);
}

std::vector<std::int64_t> remote_sizes(const Settings& settings) {
  std::vector<std::int64_t> sizes{8,         512,     4 << 10, 16 << 10, 64 << 10,
                                  256 << 10, 1 << 20, 2 << 20, 8 << 20,  64 << 20};
  if (settings.quick) sizes = {8, 16 << 10, 8 << 20};
  std::erase_if(sizes, [&](std::int64_t bytes) { return bytes > settings.largest; });
  return sizes;
}

std::map<std::int64_t, Samples> measure_round_trips_alone(const Settings& settings,
                                                          MPI_Comm communicator) {
  std::vector<std::int64_t> sizes = remote_sizes(settings);
  sizes.insert(sizes.begin(), 64 * 64 * 8);  // the patch of remote_latency
  std::map<std::int64_t, Samples> result;
  PingPong messages(communicator, std::max(sizes.front(), sizes.back()));
  std::int64_t bytes = 0;
  // Argument of the second task: the size of what follows.
  Pair pair(communicator, {[&](std::int64_t n) { messages.round_trips(bytes, n); },
                           [&](std::int64_t size) { bytes = size; }});
  pair.run([&] {
    for (const std::int64_t size : sizes) {
      pair.ask(1, size);
      result[size] = race(settings,
                          {{[&](std::int64_t n) { messages.round_trips(size, n); },
                            [&](std::int64_t n) { pair.ask(0, n); }}},
                          paired_batch)
                         .front();
    }
  });
  return result;
}

}  // namespace bench
