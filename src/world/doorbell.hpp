// Doorbell: ends the sleep of an agent on another node. MPI has no wait that sleeps: who waits for
// a message must look, each look takes some of a computing rank's core, and who looks seldom is
// late. So agents sleep on a socket, and an origin sends an empty datagram behind a request that
// may meet a sleeper. It carries nothing: one that is lost, or comes from anybody else, costs a
// look. Where none come through (a firewall, hosts without IPv4) agents look as often as ever; so
// they do while strangers ring: looks that find nothing have a bound.
#pragma once

#include <netinet/in.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "world/waiting.hpp"

namespace lagoon::atoll::detail {

/// Where an agent can be rung, in the network's byte order.
struct DoorbellAddress {
  struct Place {
    std::uint32_t address = 0, mask = 0;
  };
  std::uint32_t port = 0;  // 0: nowhere
  std::array<Place, 4> places{};
};

/// The address's place in a network that has one of `mine`, else its first. A place that is also
/// one of mine is a private network of each host (of containers); where all are, the host is mine.
std::optional<sockaddr_in> reachable(const DoorbellAddress& address,
                                     std::span<const DoorbellAddress::Place> mine);

/// A datagram socket that may not be there.
class DatagramSocket {
 public:
  DatagramSocket() noexcept;
  DatagramSocket(const DatagramSocket&) = delete;
  DatagramSocket& operator=(const DatagramSocket&) = delete;
  ~DatagramSocket();
  /// -1 without a socket.
  int descriptor() const noexcept { return descriptor_; }

 private:
  int descriptor_;
};

/// An agent's. One thread sleeps and looks; any may `ring`.
class Doorbell {
 public:
  /// Rings for nothing that it hears: so many at once, and one more for each such time. Since a
  /// look takes 10 microseconds and more, strangers get 3 % of a core.
  static constexpr std::int64_t most_fruitless = 256;
  static constexpr std::chrono::microseconds forgiven_after{500};

  /// `one_host`: the loopback network is enough.
  explicit Doorbell(bool one_host) noexcept;

  const DoorbellAddress& address() const noexcept { return address_; }
  /// Sleeps for the nap; when naps have become long, nothing is `under_way` and rings have been
  /// coming, until one comes or `most` is over.
  void sleep(WaitTime nap, WaitTime most) noexcept;
  /// What a look has found: something that moved, and something that moves on by looks only.
  void looked(bool found, bool under_way) noexcept;
  /// Ends the sleep.
  void ring() const noexcept;

 private:
  bool rung_within(WaitTime time) noexcept;
  bool hears() noexcept;

  DatagramSocket socket_;
  DoorbellAddress address_;
  bool trusted_ = true, rung_ = false, unrung_ = false, under_way_ = false;
  std::int64_t fruitless_ = 0;
  std::chrono::steady_clock::time_point counted_since_ = std::chrono::steady_clock::now();
};

/// How who looks now and then sleeps between looks (waiting.hpp): on a doorbell, if there is one.
inline auto sleep_at(Doorbell* doorbell) noexcept {
  return [doorbell](WaitTime nap, WaitTime most) {
    if (doorbell == nullptr)
      take_nap(nap);
    else
      doorbell->sleep(nap, most);
  };
}

/// An origin's: rings agents, by their number. Without any that can be rung it opens no socket.
class Ringer {
 public:
  explicit Ringer(std::span<const DoorbellAddress> agents);
  void ring(std::size_t agent) const noexcept;

 private:
  std::optional<DatagramSocket> socket_;
  std::vector<std::optional<sockaddr_in>> agents_;
};

}  // namespace lagoon::atoll::detail
