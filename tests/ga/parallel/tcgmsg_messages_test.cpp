// TCGMSG's messages, on ranks that GA started. Every rank runs every test.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "atoll/array.hpp"
#include "atoll/world.hpp"
#include "compat/tcgmsg/bytes.hpp"
#include "ga/msgtypesc.h"
#include "mpi/face.hpp"
#include "tcgmsg_support.hpp"

using namespace tcgmsg_test;

namespace {

using lagoon::atoll::World;
namespace mpi = lagoon::atoll::mpi;
using lagoon::atoll::tcgmsg::Bytes;
using lagoon::atoll::tcgmsg::Messages;

TEST(TcgmsgMessages, SendsBlockingMessagesOfAnyLengthRoundARing) {
  if (nodes() == 1) return;
  const long right = (me() + 1) % nodes(), left = (me() + nodes() - 1) % nodes();
  for (const std::size_t elements : Lengths{0, 1, 1000, 300000}) {
    if (me() == 0) send_content(3 | MSGDBL, right, elements);
    expect_from(3 | MSGDBL, left, elements, elements + 5);
    if (me() != 0) send_content(3 | MSGDBL, right, elements);
  }
}

TEST(TcgmsgMessages, ReceivesFromWhoeverSends) {
  if (me() != 0) return send_content(4, 0, static_cast<std::size_t>(me()));
  std::vector<int> seen(static_cast<std::size_t>(nodes()));
  for (long i = 1; i < nodes(); ++i) {
    std::vector<double> values(static_cast<std::size_t>(nodes()));
    long length = 0, from = 0;
    tcg_rcv(4, values.data(), bytes_of(values), &length, -1, &from, 1);
    ASSERT_EQ(length, from * 8);
    values.resize(static_cast<std::size_t>(from));
    EXPECT_EQ(values, content(from, 0, static_cast<std::size_t>(from)));
    ++seen[static_cast<std::size_t>(from)];
  }
  EXPECT_TRUE(std::all_of(seen.begin() + 1, seen.end(), [](int times) { return times == 1; }));
}

TEST(TcgmsgMessages, MatchesMessagesByTheirTypeAndInTheirOrder) {
  const long last = nodes() - 1;
  if (me() == 0)
    for (const std::size_t elements : Lengths{1, 2, 3, 4}) {
      send_content(static_cast<long>(elements), last, elements);
      send_content(9, last, elements);
    }
  if (me() != last) return;
  for (const std::size_t elements : Lengths{4, 2, 3, 1})
    expect_from(static_cast<long>(elements), 0, elements, 9);
  for (const std::size_t elements : Lengths{1, 2, 3, 4}) expect_from(9, 0, elements, 9);
}

TEST(TcgmsgMessages, CompletesNonblockingTransfersOfEverybodyToEverybody) {
  const std::size_t elements = 100000;
  std::vector<std::vector<double>> sent, received;
  for (long other = 0; other < nodes(); ++other) {
    sent.push_back(content(me(), other, elements));
    received.emplace_back(elements, -1);
  }
  for (long other = 0; other < nodes(); ++other) {
    const auto at = static_cast<std::size_t>(other);
    long length = 0, from = 0;
    tcg_rcv(11, received[at].data(), bytes_of(received[at]), &length, other, &from, 0);
    EXPECT_EQ(length, -1);
    EXPECT_EQ(from, other);
    tcg_snd(11, sent[at].data(), bytes_of(sent[at]), other, 0);
  }
  for (long other = 0; other < nodes(); other += 2) {
    tcg_waitcom(other);
    EXPECT_EQ(received[static_cast<std::size_t>(other)], content(other, me(), elements));
  }
  tcg_waitcom(-1);
  for (long other = 0; other < nodes(); ++other)
    EXPECT_EQ(received[static_cast<std::size_t>(other)], content(other, me(), elements));
}

TEST(TcgmsgMessages, SendsToTheSenderItself) {
  for (const std::size_t elements : Lengths{0, 10, 300000}) {
    send_content(12, me(), elements);
    send_content(12, me(), elements + 1);
    expect_from(12, me(), elements, elements);
    expect_from(12, me(), elements + 1, elements + 1);
    const std::vector<double> values = content(me(), me(), elements);
    tcg_snd(13, values.data(), bytes_of(values), me(), 0);
    expect_from(13, me(), elements, elements);
    tcg_waitcom(me());
  }
}

TEST(TcgmsgMessages, ProbesForMessagesWithoutTakingThem) {
  EXPECT_EQ(tcg_probe(14, -1), 0);
  tcg_synch(1);
  const long last = nodes() - 1;
  if (me() == 0) send_content(14, last, 3);
  if (me() == last) {
    while (tcg_probe(14, -1) == 0) continue;
    EXPECT_EQ(tcg_probe(14, 0), 1);
    EXPECT_EQ(tcg_probe(15, 0), 0);
    expect_from(14, 0, 3, 3);
    EXPECT_EQ(tcg_probe(14, 0), 0);
  }
  tcg_synch(2);
}

// As those beyond 2^30 bytes, with blocks of 64.
TEST(TcgmsgMessages, CountsLongMessagesInBlocks) {
  for (const long length : {64L, 65L, 128L, 1000L}) {
    const Bytes blocks(length, 64), plain(length);
    EXPECT_EQ(blocks.datatype() == mpi::type_byte, length == 64);
    std::vector<char> sent(static_cast<std::size_t>(length)), received(sent.size() + 1, -1);
    std::iota(sent.begin(), sent.end(), static_cast<char>(1));
    const Bytes room(length + 1, 64);
    mpi::Status status;
    mpi::sendrecv(sent.data(), blocks.count(), blocks.datatype(), 0, 0, received.data(),
                  room.count(), room.datatype(), 0, 0, mpi::comm_self, &status);
    std::int64_t count = 0;
    mpi::get_elements_x(&status, mpi::type_byte, &count);
    EXPECT_EQ(count, length);
    EXPECT_EQ(received.back(), -1);
    received.pop_back();
    EXPECT_EQ(received, sent);
  }
}

TEST(TcgmsgMessages, ServesOthersWhileItWaitsForAMessage) {
  lagoon::atoll::Array<double> array(World::current(), {nodes()});
  if (me() == nodes() - 1) {
    const double value = 2.5;
    array.put({{0}, {1}, {}}, &value);
    World::current().fence();
    send_content(16, 0, 1);
  }
  if (me() == 0) {
    expect_from(16, nodes() - 1, 1, 1);
    double value = 0;
    array.get({{0}, {1}, {}}, &value);
    EXPECT_EQ(value, 2.5);
  }
  tcg_synch(3);
}

TEST(TcgmsgMessages, PrintsTransfersWhenAskedTo) {
  testing::internal::CaptureStdout();
  tcg_setdbg(1);
  send_content(21, me(), 2);
  expect_from(21, me(), 2, 2);
  tcg_setdbg(0);
  send_content(21, me(), 2);
  expect_from(21, me(), 2, 2);
  const std::string rank = std::to_string(me());
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            rank + ": sent to " + rank + ": type 21, 16 bytes\n" + rank + ": received from " +
                rank + ": type 21, 16 bytes\n");
}

TEST(TcgmsgMessages, PrintsWhatTheRankThatAsksHasSent) {
  const auto before = messages().traffic();
  send_content(22, me(), 5);
  expect_from(22, me(), 5, 5);
  EXPECT_EQ(messages().traffic().sent, before.sent + 1);
  EXPECT_EQ(messages().traffic().bytes_sent, before.bytes_sent + 40);
  EXPECT_EQ(messages().traffic().received, before.received + 1);
  EXPECT_EQ(messages().traffic().bytes_received, before.bytes_received + 40);
  if (me() != 0) return;  // alone, as programs do
  testing::internal::CaptureStdout();
  tcg_stats();
  std::istringstream lines(testing::internal::GetCapturedStdout());
  std::string line, word;
  std::getline(lines, line);
  long rank = -1, sent = 0, bytes = 0, received = 0, bytes_received = 0;
  lines >> word >> rank >> sent >> bytes >> received >> bytes_received;
  EXPECT_EQ(rank, 0);
  EXPECT_EQ(sent, before.sent + 1);
  EXPECT_EQ(bytes, before.bytes_sent + 40);
  EXPECT_EQ(received, before.received + 1);
  EXPECT_EQ(bytes_received, before.bytes_received + 40);
}

TEST(TcgmsgMessages, RefusesMessagesLongerThanTheBuffer) {
  Messages separate(World::current());  // where the message may stay
  const std::vector<double> values(4);
  std::vector<double> room(2);
  const std::string from = std::to_string(me());
  separate.send(5, values.data(), 32, me(), true);
  EXPECT_EQ(error_of([&] { separate.receive(5, room.data(), 16, me(), true); }),
            "lenbuf = 16, but the message of type 5 from node " + from + " has 32 bytes");
  separate.receive(6, room.data(), 16, me(), false);
  separate.send(6, values.data(), 32, me(), true);
  [[maybe_unused]] const std::string late = error_of([&] { separate.wait(me()); });
#ifndef OPEN_MPI  // which cuts the message and tells nobody
  EXPECT_NE(late.find("receiving from " + from + " with type 6 and a buffer of 16 bytes failed"),
            std::string::npos)
      << late;
#endif
}

}  // namespace
