// Doorbell: the sockets, and when an agent relies on being rung.
#include "world/doorbell.hpp"

#include <ifaddrs.h>
#include <net/if.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

namespace lagoon::atoll::detail {

namespace {

sockaddr_in make_address(std::uint32_t address, std::uint32_t port) noexcept {
  sockaddr_in made{};
  made.sin_family = AF_INET;
  made.sin_addr.s_addr = address;
  made.sin_port = static_cast<in_port_t>(port);
  return made;
}

DoorbellAddress::Place loopback() noexcept { return {htonl(INADDR_LOOPBACK), htonl(0xff000000U)}; }

/// Of this host in networks with others.
std::array<DoorbellAddress::Place, 4> places_of_host() noexcept {
  std::array<DoorbellAddress::Place, 4> places{};
  std::size_t count = 0;
  ifaddrs* interfaces = nullptr;
  if (getifaddrs(&interfaces) == 0) {
    for (const ifaddrs* each = interfaces; each != nullptr; each = each->ifa_next) {
      if (each->ifa_addr == nullptr || each->ifa_netmask == nullptr ||
          each->ifa_addr->sa_family != AF_INET || (each->ifa_flags & IFF_UP) == 0 ||
          (each->ifa_flags & IFF_LOOPBACK) != 0 || count == places.size())
        continue;
      const auto in = [](const sockaddr* address) {
        return reinterpret_cast<const sockaddr_in*>(address)->sin_addr.s_addr;
      };
      places[count++] = {in(each->ifa_addr), in(each->ifa_netmask)};
    }
    freeifaddrs(interfaces);
  }
  return places;
}

void send_ring(int descriptor, const sockaddr_in& to) noexcept {
  // What fails is as good as lost.
  (void)sendto(descriptor, nullptr, 0, MSG_DONTWAIT | MSG_NOSIGNAL,
               reinterpret_cast<const sockaddr*>(&to), sizeof to);
}

}  // namespace

std::optional<sockaddr_in> reachable(const DoorbellAddress& address,
                                     std::span<const DoorbellAddress::Place> mine) {
  std::optional<sockaddr_in> first;
  if (address.port == 0) return first;
  bool on_my_host = false;
  for (const auto& place : address.places) {
    if (place.address == 0) continue;
    if (place.address == loopback().address) return make_address(place.address, address.port);
    const auto same = [&](const auto& own) { return own.address == place.address; };
    if (std::ranges::any_of(mine, same)) {
      on_my_host = true;
      continue;
    }
    const auto near = [&](const auto& own) {
      return own.address != 0 && own.mask == place.mask &&
             (own.address & own.mask) == (place.address & place.mask);
    };
    if (std::ranges::any_of(mine, near)) return make_address(place.address, address.port);
    if (!first) first = make_address(place.address, address.port);
  }
  if (!first && on_my_host) first = make_address(loopback().address, address.port);
  return first;
}

DatagramSocket::DatagramSocket() noexcept
    : descriptor_(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {}

DatagramSocket::~DatagramSocket() {
  if (descriptor_ >= 0) close(descriptor_);
}

Doorbell::Doorbell(bool one_host) noexcept {
  // One ring says as much as many: the system need not keep those of a stranger.
  constexpr int few_bytes = 8 << 10;
  (void)setsockopt(socket_.descriptor(), SOL_SOCKET, SO_RCVBUF, &few_bytes, sizeof few_bytes);
  sockaddr_in bound = make_address(one_host ? loopback().address : htonl(INADDR_ANY), 0);
  socklen_t size = sizeof bound;
  auto* const name = reinterpret_cast<sockaddr*>(&bound);
  if (socket_.descriptor() < 0 || bind(socket_.descriptor(), name, size) != 0 ||
      getsockname(socket_.descriptor(), name, &size) != 0)
    return;
  address_.port = bound.sin_port;
  if (one_host)
    address_.places[0] = loopback();
  else
    address_.places = places_of_host();
}

void Doorbell::ring() const noexcept {
  if (address_.port != 0)
    send_ring(socket_.descriptor(), make_address(loopback().address, address_.port));
}

bool Doorbell::rung_within(WaitTime time) noexcept {
  pollfd watched{socket_.descriptor(), POLLIN, 0};
  const timespec timeout{static_cast<time_t>(time.count() / 1000000000),
                         static_cast<long>(time.count() % 1000000000)};
  if (ppoll(&watched, 1, &timeout, nullptr) <= 0) return false;
  // All that have come are answered by one look.
  for (int n = 0; n < 64 && recv(watched.fd, nullptr, 0, MSG_DONTWAIT) >= 0; ++n) continue;
  return true;
}

bool Doorbell::hears() noexcept {
  if (fruitless_ < most_fruitless) return true;
  const auto now = std::chrono::steady_clock::now();
  const std::int64_t forgiven = (now - counted_since_) / forgiven_after;
  fruitless_ -= std::min(forgiven, fruitless_);
  if (forgiven > 0) counted_since_ = now;
  return fruitless_ < most_fruitless;
}

void Doorbell::sleep(WaitTime nap, WaitTime most) noexcept {
  const bool may_be_long = nap >= waiting::rings_after && !under_way_;
  if (address_.port == 0 || most < nap || !hears()) {
    take_nap(nap);
    return;
  }
  rung_ = rung_within(may_be_long && trusted_ ? most : nap);
  if (rung_) trusted_ = true;
  unrung_ = may_be_long && !rung_;
}

void Doorbell::looked(bool found, bool under_way) noexcept {
  if (found && unrung_) trusted_ = false;
  if (!found && rung_) ++fruitless_;
  rung_ = unrung_ = false;
  under_way_ = under_way;
}

Ringer::Ringer(std::span<const DoorbellAddress> agents) {
  agents_.resize(agents.size());
  if (std::ranges::none_of(agents, [](const auto& agent) { return agent.port != 0; })) return;
  socket_.emplace();
  const auto mine = places_of_host();
  std::ranges::transform(agents, agents_.begin(),
                         [&](const DoorbellAddress& agent) { return reachable(agent, mine); });
}

void Ringer::ring(std::size_t agent) const noexcept {
  if (const auto& place = agents_[agent]; place && socket_)
    send_ring(socket_->descriptor(), *place);
}

}  // namespace lagoon::atoll::detail
