// Streams: beginning chunks and seeing them end.
#include "transport/stream.hpp"

#include <algorithm>

#include "mpi/face.hpp"

namespace lagoon::atoll::detail {

bool Stream::over(Chunk& chunk) {
  int done = 0;
  mpi::Status status;
  check_mpi(mpi::test(&chunk.request, &done, &status), "MPI_Test");
  if (done == 0 || sends_) return done != 0;
  int bytes = 0;
  mpi::get_count(&status, mpi::type_byte, &bytes);
  gone_ = gone_ || bytes != chunk.length;
  return true;
}

/// Staging, and where to throw data away, is only taken for data that have arrived, and from
/// another pool than staging for data to send. So a receive never waits for anything with a buffer
/// in hand, its buffer comes back soon, every send finds its receive in the end, and no circle of
/// full pools can form.
bool Stream::begin(const Route& route) {
  const std::size_t place = (head_ + count_) % chunks_in_flight;
  std::byte* data = nullptr;
  std::byte* staging = nullptr;
  const std::int64_t length = std::min(chunk_, total_ - next_);
  if (memory_ != nullptr && in_place_) {
    data = memory_ + next_;
  } else if (memory_ != nullptr || !sends_) {
    int there = 1;
    if (!sends_)
      check_mpi(mpi::iprobe(route.rank, route.tag, route.communicator, &there, mpi::status_ignore),
                "MPI_Iprobe");
    if (there == 0) return false;
    data = memory_ == nullptr ? route.staging.take_waste() : route.staging.take(route.rank);
    if (data == nullptr) return false;
    if (memory_ != nullptr) staging = data;
    if (sends_) pack(runs_, memory_, next_, length, staging);
  }
  Chunk& chunk = chunks_[place];
  chunk.position = next_;
  chunk.length = length;
  chunk.staging = staging;
  chunk.wasted = memory_ == nullptr && !sends_;
  next_ += length;
  ++count_;
  if (sends_)
    check_mpi(mpi::isend(data, memory_ != nullptr ? static_cast<int>(length) : 0, mpi::type_byte,
                         route.rank, route.tag, route.communicator, &chunk.request),
              "MPI_Isend");
  else
    check_mpi(mpi::irecv(data, static_cast<int>(length), mpi::type_byte, route.rank, route.tag,
                         route.communicator, &chunk.request),
              "MPI_Irecv");
  return true;
}

}  // namespace lagoon::atoll::detail
