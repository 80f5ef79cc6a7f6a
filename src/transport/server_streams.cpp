// Server: large transfers, chunk by chunk. Chunks of a get are packed (or sent in place) and those
// of a put or accumulate applied while the next ones are under way; staging memory is bounded, and
// a stream without a buffer leaves its data where they are until the next turn.
#include <algorithm>

#include "transport/server.hpp"

namespace lagoon::atoll::detail {

bool Server::advance(Stream& stream) {
  bool moved = false;
  ChunkQueue& queue = stream.queue;
  while (queue.count > 0) {
    Chunk& chunk = queue.front();
    int done = 0;
    check_mpi(MPI_Test(&chunk.request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done == 0) break;
    complete_chunk(stream, chunk);
    queue.pop();
    moved = true;
  }
  while (!queue.full() && queue.next < stream.total && begin_chunk(stream)) moved = true;
  return moved;
}

void Server::complete_chunk(Stream& stream, Chunk& chunk) {
  const RequestHeader& header = stream.header;
  if (chunk.staging != nullptr && stream.base != nullptr) {
    if (header.action == Action::put)
      unpack(header.runs, stream.base, chunk.position, chunk.length, chunk.staging);
    else if (header.action == Action::accumulate)
      accumulate_packed(stripes_,
                        {header.type, header.scaled ? header.alpha.data() : nullptr,
                         stream.record->atomics_in_use},
                        header.runs, stream.base, chunk.position, chunk.length, chunk.staging);
  }
  (header.action == Action::get ? outgoing_ : incoming_).give_back(chunk.staging, stream.origin);
  const bool last = chunk.position + chunk.length == stream.total;
  if (last && header.action != Action::get)
    answer_status(stream.origin, header.slot,
                  stream.base != nullptr ? Status::done : Status::segment_gone);
}

bool Server::begin_chunk(Stream& stream) {
  const RequestHeader& header = stream.header;
  ChunkQueue& queue = stream.queue;
  const std::int64_t length = std::min(header.chunk, stream.total - queue.next);
  const bool direct = header.runs.contiguous() && header.action != Action::accumulate;
  const bool get = header.action == Action::get;
  std::byte* memory = nullptr;
  std::byte* staging = nullptr;
  if (stream.base == nullptr) {
    if (!get) {  // nobody reads them, but chunks under way at once need a place each
      const auto room = static_cast<std::size_t>(header.chunk);
      stream.discard.resize(room * chunks_in_flight);
      memory = stream.discard.data() +
               static_cast<std::size_t>(queue.next / header.chunk) % chunks_in_flight * room;
    }
  } else if (direct) {
    memory = stream.base + queue.next;
  } else {
    if (!get && !arrived(stream.origin, data_tag(header.slot), communicator_)) return false;
    memory = staging = (get ? outgoing_ : incoming_).take(stream.origin);
    if (memory == nullptr) return false;
    if (get) pack(header.runs, stream.base, queue.next, length, memory);
  }
  Chunk& chunk = queue.push();
  chunk.position = queue.next;
  chunk.length = length;
  chunk.staging = staging;
  queue.next += length;
  if (get)
    check_mpi(MPI_Isend(memory, stream.base != nullptr ? static_cast<int>(length) : 0, MPI_BYTE,
                        stream.origin, answer_tag(header.slot), communicator_, &chunk.request),
              "MPI_Isend");
  else
    check_mpi(MPI_Irecv(memory, static_cast<int>(length), MPI_BYTE, stream.origin,
                        data_tag(header.slot), communicator_, &chunk.request),
              "MPI_Irecv");
  return true;
}

}  // namespace lagoon::atoll::detail
