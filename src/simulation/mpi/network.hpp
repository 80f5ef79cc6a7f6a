// What is under way between ranks: messages on connections, collective calls, accesses to windows,
// rings. It lies in the segment.
//
// A connection carries the messages of one rank to another. Who receives reads them in their order
// as they arrive, but for those that have overtaken others of another communicator or tag; and
// reads none as long as `most_unexpected` have been read that no receive has asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "simulation/scheduler.hpp"

namespace lagoon::atoll::simulation {

template <class T>
using SharedVector = std::vector<T, Shared<T>>;
template <class T>
using SharedDeque = std::deque<T, Shared<T>>;
template <class K, class V>
using SharedMap = std::map<K, V, std::less<K>, Shared<std::pair<const K, V>>>;

inline constexpr int most_unexpected = 64;

struct Message {
  std::uint64_t context;
  int from, tag;     // the sender in the communicator
  int source, dest;  // ranks of the run
  std::uint64_t bytes;
  std::byte* data;
  Time arrives;
  bool at_once;          // the send is done before it is received
  bool read, matched;    // by the receiver
  int holders;           // the sender's request, the receiver
  std::uint64_t number;  // of the run's messages
  Message* next;
};

struct Connection {
  Message* first;
  Message* last;
  int under_way;   // not read
  int unexpected;  // read, and asked for by nobody
};

/// What a rank has given to a collective call.
struct Part {
  bool here;
  std::uint64_t bytes;
  std::byte* data;
  Time ready;  // not before then is the call over for this rank
};

struct Collective {
  const char* what;  // of the rank that came first: its name for the others is compared by `code`
  std::uint64_t code, root, compared;
  int here, over;
  Time last;
  std::uint64_t contexts;  // the first of as many new ones as there are members
  SharedVector<Part> parts;
};

struct Access {
  std::uint64_t window;
  int origin;
  bool put, done;
  std::int64_t place;
  std::uint64_t bytes;
  std::byte* data;
  Time arrives;
  int holders;
};

struct Network {
  explicit Network(std::size_t ranks)
      : connections(ranks * ranks), unexpected(ranks), coming(ranks), accesses(ranks) {}

  SharedVector<Connection> connections;             // source * ranks + dest
  SharedVector<SharedVector<Message*>> unexpected;  // by dest, as they were read
  SharedVector<int> coming;                         // by dest
  SharedVector<SharedVector<Access*>> accesses;     // by target
  SharedMap<std::pair<std::uint64_t, std::uint64_t>, Collective*> collectives;
  SharedMap<std::uint16_t, SharedDeque<Time>> bells;  // by port: when rings arrive
  std::uint64_t next_context = 16;
};

void build_network();
Network& network() noexcept;
inline int ranks() noexcept { return static_cast<int>(head().asked.ranks); }
inline Connection& connection(int source, int dest) noexcept {
  return network().connections[static_cast<std::size_t>(source * ranks() + dest)];
}
/// What a rank waits for that waits inside MPI.
inline Key key_of_rank(int rank) noexcept {
  return mixed(0x20000000U + static_cast<std::uint64_t>(rank)) | 1U;
}
/// A time in which a message comes through.
Time latency() noexcept;
std::byte* keep(const void* data, std::uint64_t bytes);
void drop(Message* message) noexcept;

/// In words, a line each: messages that nobody has received, calls in which some are missing.
std::string what_is_under_way();

}  // namespace lagoon::atoll::simulation
