// Elements on their way to the processes that own their rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "atoll/group.hpp"
#include "atoll/types.hpp"
#include "compat/mpi_calls.hpp"
#include "mpi/face.hpp"

namespace lagoon::atoll::ga::sparse {

template <Element T>
struct Entry {
  std::int64_t row, column;
  T value;
};

/// Numbers of elements for each process and from each, as MPI wants them.
struct Traffic {
  explicit Traffic(std::size_t processes) : counts(processes), places(processes) {}
  std::int64_t total() const { return std::int64_t{places.back()} + counts.back(); }
  void set_places() {
    for (std::size_t p = 1; p < places.size(); ++p) places[p] = places[p - 1] + counts[p - 1];
  }
  std::vector<int> counts, places;
};

/// Collective over `group`: `outgoing[p]` goes to process p; what comes from all of them, those of
/// process 0 first. MPI counts with ints: it goes in rounds in which no process gets more than
/// `most` elements, but at least one from each; in rounds, the order is that of the rounds first.
template <Element T>
std::vector<Entry<T>> deliver(const Group& group,
                              const std::vector<std::vector<Entry<T>>>& outgoing,
                              std::size_t most = std::size_t{1} << 26) {
  const std::size_t processes = outgoing.size();
  const std::size_t portion = std::max<std::size_t>(1, most / processes);
  std::size_t longest = 0;
  for (const auto& part : outgoing) longest = std::max(longest, part.size());
  const std::int64_t rounds = group.reduce(
      static_cast<std::int64_t>((longest + portion - 1) / portion), Reduction::maximum);
  mpi::Datatype entry = mpi::type_null;
  mpi::type_contiguous(static_cast<int>(sizeof(Entry<T>)), mpi::type_byte, &entry);
  mpi::type_commit(&entry);
  std::vector<Entry<T>> received;
  for (std::int64_t round = 0; round < rounds; ++round) {
    const std::size_t begin = static_cast<std::size_t>(round) * portion;
    Traffic sent(processes), expected(processes);
    std::vector<Entry<T>> packed;
    for (std::size_t p = 0; p < processes; ++p) {
      const std::size_t first = std::min(begin, outgoing[p].size());
      const std::size_t last = std::min(begin + portion, outgoing[p].size());
      sent.counts[p] = static_cast<int>(last - first);
      packed.insert(packed.end(), outgoing[p].data() + first, outgoing[p].data() + last);
    }
    compat::check(mpi::alltoall(sent.counts.data(), 1, mpi::type_int, expected.counts.data(), 1,
                                mpi::type_int, group.mpi_communicator()),
                  "MPI_Alltoall");
    sent.set_places();
    expected.set_places();
    const std::size_t before = received.size();
    received.resize(before + static_cast<std::size_t>(expected.total()));
    compat::check(mpi::alltoallv(packed.data(), sent.counts.data(), sent.places.data(), entry,
                                 received.data() + before, expected.counts.data(),
                                 expected.places.data(), entry, group.mpi_communicator()),
                  "MPI_Alltoallv");
  }
  mpi::type_free(&entry);
  return received;
}

}  // namespace lagoon::atoll::ga::sparse
