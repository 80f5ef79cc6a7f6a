// Doorbells, which need no World: where agents can be rung, and when they rely on it.
#include "world/doorbell.hpp"

#include <arpa/inet.h>

#include <chrono>
#include <initializer_list>
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

}  // namespace
}  // namespace lagoon::atoll::test
