// Datagrams without contents between processes of this machine: doorbells (world/doorbell.hpp).
// The sockets are real, for their numbers; what is sent and heard goes through the run. Some are
// lost, as datagrams are.
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>

#include "simulation/mpi/network.hpp"
#include "simulation/real.hpp"
#include "simulation/system/time.hpp"
#include "simulation/trace.hpp"

namespace lagoon::atoll::simulation {

namespace {

/// 0: it is no such socket.
std::uint16_t port_of(int descriptor) noexcept {
  sockaddr_in name{};
  socklen_t size = sizeof name;
  int type = 0;
  socklen_t type_size = sizeof type;
  if (getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &type_size) != 0 || type != SOCK_DGRAM ||
      getsockname(descriptor, reinterpret_cast<sockaddr*>(&name), &size) != 0 ||
      name.sin_family != AF_INET)
    return 0;
  return name.sin_port;
}

Key key_of_port(std::uint16_t port) noexcept { return mixed(0x10000U + port) | 1U; }

bool rings(std::uint16_t port) noexcept {
  const auto& bells = network().bells;
  const auto found = bells.find(port);
  return found != bells.end() && !found->second.empty() && found->second.front() <= now();
}

Time next_ring(std::uint16_t port) noexcept {
  const auto& bells = network().bells;
  const auto found = bells.find(port);
  return found == bells.end() || found->second.empty() ? never : found->second.front();
}

void ring(std::uint16_t port) noexcept {
  Scheduler& s = scheduler();
  if (s.temper.lost_rings != 0 && s.random.one_in(s.temper.lost_rings)) return step(Kind::lost);
  auto& times = network().bells[port];
  const Time last = times.empty() ? 0 : times.back();
  const auto latency = static_cast<std::uint64_t>(s.temper.latency);
  times.push_back(std::max(last, now() + static_cast<Time>(s.random.below(latency))));
  wake_at(key_of_port(port), times.back());
  step(Kind::ring);
}

}  // namespace

}  // namespace lagoon::atoll::simulation

using namespace lagoon::atoll::simulation;  // NOLINT: of this library's functions of C

extern "C" {

ssize_t sendto(int descriptor, const void* data, std::size_t bytes, int flags, const sockaddr* to,
               socklen_t size) {
  static const auto real_one =
      real<ssize_t(int, const void*, std::size_t, int, const sockaddr*, socklen_t)>("sendto");
  if (me() == nullptr || bytes != 0 || to == nullptr || to->sa_family != AF_INET)
    return real_one(descriptor, data, bytes, flags, to, size);
  ring(reinterpret_cast<const sockaddr_in*>(to)->sin_port);
  return 0;
}

int ppoll(pollfd* watched, nfds_t count, const timespec* timeout, const sigset_t* mask) {
  static const auto real_one =
      real<int(pollfd*, nfds_t, const timespec*, const sigset_t*)>("ppoll");
  const std::uint16_t port =
      me() != nullptr && count == 1 && timeout != nullptr ? port_of(watched->fd) : 0;
  if (port == 0) return real_one(watched, count, timeout, mask);
  const Time until = now() + timeout->tv_sec * second + timeout->tv_nsec;
  step(Kind::yield);
  while (!rings(port) && now() < until)
    wait(key_of_port(port), std::min(until, next_ring(port)), "sleeps until its doorbell rings");
  if (!rings(port)) return 0;
  watched->revents = POLLIN;
  return 1;
}

ssize_t recv(int descriptor, void* data, std::size_t bytes, int flags) {
  static const auto real_one = real<ssize_t(int, void*, std::size_t, int)>("recv");
  const std::uint16_t port = me() != nullptr && bytes == 0 ? port_of(descriptor) : 0;
  if (port == 0) return real_one(descriptor, data, bytes, flags);
  if (!rings(port)) {
    errno = EAGAIN;
    return -1;
  }
  network().bells[port].pop_front();
  return 0;
}

/// Whoever waits for what the run knows nothing of (threads of other MPIs and of networks) takes no
/// part any more.
int epoll_wait(int descriptor, epoll_event* events, int most, int milliseconds) {
  static const auto real_one = real<int(int, epoll_event*, int, int)>("epoll_wait");
  if (me() != nullptr && me()->number != 0 && milliseconds != 0) leave();
  return real_one(descriptor, events, most, milliseconds);
}

/// As many cores as the run's temper says.
int sched_getaffinity(pid_t process, std::size_t bytes, cpu_set_t* set) noexcept {
  static const auto real_one = real<int(pid_t, std::size_t, cpu_set_t*)>("sched_getaffinity");
  if (me() == nullptr) return real_one(process, bytes, set);
  CPU_ZERO_S(bytes, set);
  for (int core = 0; core < scheduler().temper.cores; ++core)
    CPU_SET_S(static_cast<std::size_t>(core), bytes, set);
  return 0;
}

}  // extern "C"
