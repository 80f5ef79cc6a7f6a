// Doorbells, which need no World: where agents can be rung, and when they rely on it.
#include "world/doorbell.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <initializer_list>
#include <string>
#include <thread>
#include <utility>

#include "support.hpp"

namespace lagoon::atoll::test {
namespace {

using detail::Doorbell;
using detail::DoorbellAddress;
using detail::Ringer;
using std::chrono::milliseconds;
using std::chrono::seconds;

DoorbellAddress::Place place(const char* address, int bits) {
  return {inet_addr(address), htonl(~std::uint32_t{0} << (32 - bits))};
}
DoorbellAddress with_places(std::initializer_list<DoorbellAddress::Place> places) {
  DoorbellAddress made;
  made.port = htons(7);
  std::copy(places.begin(), places.end(), made.places.begin());
  return made;
}
std::string rung_at(const DoorbellAddress& address,
                    std::initializer_list<DoorbellAddress::Place> mine) {
  const auto found = detail::reachable(address, {mine.begin(), mine.size()});
  if (!found) return "nowhere";
  EXPECT_EQ(found->sin_port, htons(7));
  return inet_ntoa(found->sin_addr);
}

TEST(Doorbell, IsRungWhereItsHostSharesANetworkWithMine) {
  const auto there = with_places({place("192.168.1.5", 24), place("10.1.2.5", 16)});
  EXPECT_EQ(rung_at(there, {place("10.1.7.9", 16)}), "10.1.2.5");
  EXPECT_EQ(rung_at(there, {place("10.1.7.9", 24)}), "192.168.1.5");  // another network: a router
}

TEST(Doorbell, IsNotRungInANetworkThatEachHostHasForItself) {
  const auto there = with_places({place("172.17.0.1", 16), place("10.1.2.5", 16)});
  EXPECT_EQ(rung_at(there, {place("172.17.0.1", 16), place("10.9.9.9", 16)}), "10.1.2.5");
  EXPECT_EQ(rung_at(there, {place("172.17.0.1", 16), place("10.1.2.5", 16)}), "127.0.0.1");
}

TEST(Doorbell, OfNoAddressIsRungNowhere) {
  EXPECT_EQ(rung_at(with_places({}), {place("10.1.7.9", 16)}), "nowhere");
  EXPECT_EQ(rung_at({}, {}), "nowhere");
}

constexpr milliseconds nap{1};
constexpr seconds most{20};

/// Seconds of one sleep.
double slept(Doorbell& bell, detail::WaitTime nap_time = nap) {
  const auto start = std::chrono::steady_clock::now();
  bell.sleep(nap_time, most);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

TEST(Doorbell, EndsASleepThatWouldBeLong) {
  Doorbell bell(true);
  const Ringer ringer(std::array{bell.address()});
  std::thread other([&] {
    std::this_thread::sleep_for(milliseconds(20));
    ringer.ring(0);
  });
  const double time = slept(bell);
  other.join();
  EXPECT_GT(time, 0.015);
  EXPECT_LT(time, 10.0);
}

TEST(Doorbell, OfAllHostsIsRungFromItsOwn) {
  Doorbell bell(false);
  std::thread other([&] { bell.ring(); });
  EXPECT_LT(slept(bell), 10.0);
  other.join();
}

TEST(Doorbell, ManyRingsEndOneSleep) {
  Doorbell bell(true);
  for (int i = 0; i < 40; ++i) bell.ring();
  EXPECT_LT(slept(bell), 10.0);
  std::thread other([&] {
    std::this_thread::sleep_for(milliseconds(50));
    bell.ring();
  });
  EXPECT_GT(slept(bell), 0.04);  // until the next one
  other.join();
}

TEST(Doorbell, IsNotWaitedForWhereLooksMoveSomethingOn) {
  Doorbell bell(true);
  bell.looked(true, true);
  EXPECT_LT(slept(bell), 10.0);
}

TEST(Doorbell, IsNotWaitedForInShortNaps) {
  Doorbell bell(true);
  EXPECT_LT(slept(bell, std::chrono::microseconds(50)), 10.0);
}

// As behind a firewall: what came without a ring is seen by the next looks only.
TEST(Doorbell, IsReliedOnOnlyWhileRingsCome) {
  Doorbell bell(true);
  bell.sleep(nap, milliseconds(5));  // nobody rings
  bell.looked(true, false);
  EXPECT_LT(slept(bell), 10.0);
  bell.ring();
  EXPECT_LT(slept(bell), 10.0);
  std::thread other([&] {
    std::this_thread::sleep_for(milliseconds(50));
    bell.ring();
  });
  EXPECT_GT(slept(bell), 0.04);  // relied on again
  other.join();
}

/// Datagrams with something in them, from nobody who knows anything of Atoll.
void ring_as_a_stranger(const Doorbell& bell, int times) {
  const detail::DatagramSocket socket;
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  to.sin_port = static_cast<in_port_t>(bell.address().port);
  const std::array<char, 1000> wrong{'x'};
  for (int i = 0; i < times; ++i)
    (void)sendto(socket.descriptor(), wrong.data(), wrong.size(), 0,
                 reinterpret_cast<const sockaddr*>(&to), sizeof to);
}

// As agents wait: each look that nothing is found by costs 10 microseconds of a core.
TEST(Doorbell, GivesStrangersABoundedNumberOfLooks) {
  Doorbell bell(true);
  std::atomic<bool> over = false;
  std::thread stranger([&] {
    ring_as_a_stranger(bell, 100000);
    over = true;
  });
  const auto start = std::chrono::steady_clock::now();
  std::int64_t looks = 0;
  const auto look = [&]() noexcept {
    ++looks;
    bell.looked(false, false);
    return false;
  };
  detail::wait_until(
      detail::waiting::agent, [&] { return over.load(); }, detail::Work(look),
      detail::sleep_at(&bell));
  const auto time = std::chrono::steady_clock::now() - start;
  stranger.join();
  const std::int64_t forgiven = time / Doorbell::forgiven_after;
  // As many again of its own accord, of which there are 120 until they have grown to milliseconds.
  EXPECT_LE(looks, Doorbell::most_fruitless + 2 * forgiven + 120);
  // Whom they have made deaf hears again.
  std::this_thread::sleep_for(Doorbell::most_fruitless * Doorbell::forgiven_after);
  (void)slept(bell);
  std::thread other([&] {
    std::this_thread::sleep_for(milliseconds(50));
    bell.ring();
  });
  EXPECT_GT(slept(bell), 0.04);
  other.join();
}

TEST(Doorbell, OfSomebodyWhoFindsSomethingIsHeardHoweverOften) {
  Doorbell bell(true);
  for (int i = 0; i < 2 * Doorbell::most_fruitless; ++i) {
    bell.ring();
    EXPECT_LT(slept(bell, seconds(10)), 9.0);
    bell.looked(true, false);
  }
}

/// Bytes that wait in the socket of a port.
std::int64_t bytes_kept_for(std::uint32_t port) {
  std::ifstream sockets("/proc/net/udp");
  std::string line;
  std::getline(sockets, line);
  while (std::getline(sockets, line)) {
    unsigned number = 0, queue = 0;
    if (std::sscanf(line.c_str(), " %*d: %*x:%x %*x:%*x %*x %*x:%x", &number, &queue) == 2 &&
        htons(static_cast<std::uint16_t>(number)) == port)
      return queue;
  }
  return -1;
}

TEST(Doorbell, KeepsFewOfTheRingsThatNobodyHears) {
  const Doorbell bell(true);
  ring_as_a_stranger(bell, 10000);
  const std::int64_t bytes = bytes_kept_for(bell.address().port);
  if (bytes < 0) GTEST_SKIP() << "the system does not tell";
  EXPECT_GT(bytes, 0);
  EXPECT_LE(bytes, 32 << 10);
}

}  // namespace
}  // namespace lagoon::atoll::test
