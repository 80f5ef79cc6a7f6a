// TCGMSG: global operations, the counter, files, and its start, on ranks that GA started. Every
// rank runs every test.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "atoll/array.hpp"
#include "atoll/world.hpp"
#include "tcgmsg_programs.hpp"
#include "tcgmsg_support.hpp"

using namespace tcgmsg_test;

namespace {

using lagoon::atoll::World;

TEST(Tcgmsg, CountsTheRanksOfTheWorld) {
  EXPECT_EQ(me(), World::current().rank());
  EXPECT_EQ(nodes(), World::current().size());
  EXPECT_EQ(tcg_ready(), 1);
}

TEST(Tcgmsg, CompletesOneSidedOperationsInSynch) {
  lagoon::atoll::Array<long> array(World::current(), {nodes()});
  const long right = (me() + 1) % nodes();
  array.put({{right}, {right + 1}, {}}, &right);
  tcg_synch(4);
  std::vector<long> values(static_cast<std::size_t>(nodes())), expected(values.size());
  array.get({{0}, {nodes()}, {}}, values.data());
  std::iota(expected.begin(), expected.end(), 0L);
  EXPECT_EQ(values, expected);
  tcg_synch(5);
}

TEST(Tcgmsg, BroadcastsFromEachRank) {
  for (long root = 0; root < nodes(); ++root)
    for (const std::size_t elements : Lengths{0, 1, 50000}) {
      std::vector<double> values(elements, -1);
      if (me() == root) values = content(root, 0, elements);
      tcg_brdcst(1, values.data(), bytes_of(values), root);
      EXPECT_EQ(values, content(root, 0, elements));
    }
}

// Element i of rank r, of both signs, small enough that products and sums are exact.
long operand(long rank, std::size_t i) {
  const long value = (rank * 7 + static_cast<long>(i) * 5) % 8 - 4;
  return value == 0 ? 3 : value;
}

template <class T, class Combine>
std::vector<T> serial(std::size_t elements, Combine combine_two) {
  std::vector<T> result(elements);
  for (std::size_t i = 0; i < elements; ++i) {
    T value = static_cast<T>(operand(0, i));
    if (nodes() == 1) value = combine_two(value, value);  // no operation takes that otherwise
    for (long rank = 1; rank < nodes(); ++rank)
      value = combine_two(value, static_cast<T>(operand(rank, i)));
    result[i] = value;
  }
  return result;
}

template <class T>
std::vector<T> mine(std::size_t elements) {
  std::vector<T> values(elements);
  for (std::size_t i = 0; i < elements; ++i) values[i] = static_cast<T>(operand(me(), i));
  return values;
}

void combine(double* data, std::size_t elements, const char* operation) {
  tcg_dgop(1, data, static_cast<long>(elements), operation);
}
void combine(long* data, std::size_t elements, const char* operation) {
  tcg_igop(2, data, static_cast<long>(elements), operation);
}

template <class T>
std::vector<T> combined(const char* operation, std::size_t elements) {
  std::vector<T> values = mine<T>(elements);
  combine(values.data(), elements, operation);
  return values;
}

template <class T>
void expect_arithmetic() {
  const std::size_t n = 1001;
  const auto size = [](T x) { return x < 0 ? -x : x; };
  if (nodes() > 1) {
    EXPECT_EQ(combined<T>("+", n), serial<T>(n, std::plus<T>()));
    // At most sixteen factors of at most 4.
    EXPECT_EQ(combined<T>("*", n), serial<T>(n, std::multiplies<T>()));
  }
  EXPECT_EQ(combined<T>("max", n), serial<T>(n, [](T a, T b) { return std::max(a, b); }));
  EXPECT_EQ(combined<T>("minimum", n), serial<T>(n, [](T a, T b) { return std::min(a, b); }));
  EXPECT_EQ(combined<T>("absmax", n),
            serial<T>(n, [&](T a, T b) { return std::max(size(a), size(b)); }));
  EXPECT_EQ(combined<T>("absmin ", n),
            serial<T>(n, [&](T a, T b) { return std::min(size(a), size(b)); }));
  EXPECT_EQ(combined<T>("+", 0), std::vector<T>());
}

TEST(Tcgmsg, CombinesNumbersAsASerialProgramDoes) {
  expect_arithmetic<double>();
  expect_arithmetic<long>();
}

TEST(Tcgmsg, CombinesBitsAndTruthOfIntegers) {
  const std::size_t n = 77;
  for (const char* name : {"or", "|"})
    EXPECT_EQ(combined<long>(name, n), serial<long>(n, [](long a, long b) { return a | b; }))
        << name;
  for (const char* name : {"and", "&"})
    EXPECT_EQ(combined<long>(name, n), serial<long>(n, [](long a, long b) { return a & b; }))
        << name;
  std::vector<long> some(n), all(n);
  for (std::size_t i = 0; i < n; ++i) some[i] = all[i] = (static_cast<long>(i) + me()) % 3 == 0;
  combine(some.data(), n, "||");
  combine(all.data(), n, "&&");
  for (std::size_t i = 0; i < n; ++i) {
    const long first = static_cast<long>(i) % 3;  // ranks where it is true: (3 - first) % 3, + 3...
    EXPECT_EQ(some[i], (3 - first) % 3 < nodes() ? 1 : 0);
    EXPECT_EQ(all[i], nodes() == 1 && first == 0 ? 1 : 0);
  }
}

TEST(Tcgmsg, GivesEachValueOfTheCounterToOneRank) {
  const long each = 200;
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(tcg_nxtval(-nodes()), 0);
    std::vector<long> taken(static_cast<std::size_t>(each * nodes()));
    for (long i = 0; i < each; ++i) ++taken.at(static_cast<std::size_t>(tcg_nxtval(nodes())));
    tcg_igop(1, taken.data(), static_cast<long>(taken.size()), "+");
    EXPECT_EQ(taken, std::vector<long>(taken.size(), 1));
  }
  EXPECT_EQ(tcg_nxtval(0), 0);
  tcg_nxtval(-1);
}

TEST(Tcgmsg, KnowsTheSizesOfNumbers) {
  EXPECT_EQ(tcg_mdtob(1000000000), 8000000000);
  EXPECT_EQ(tcg_mitob(3), 24);
  EXPECT_EQ(tcg_mdtoi(3), 3);
  EXPECT_EQ(tcg_mitod(3), 3);
}

TEST(Tcgmsg, TellsHowNiceTheProcessIs) { EXPECT_EQ(tcg_niceftn(0), getpriority(PRIO_PROCESS, 0)); }

TEST(Tcgmsg, TellsTheTimeInSecondsAndHundredths) {
  const double before = tcg_time();
  while (tcg_time() < before + 0.05) continue;
  EXPECT_GE(static_cast<double>(tcg_mtime()), std::floor(100 * before) + 5);
  EXPECT_LE(static_cast<double>(tcg_mtime()), 100 * tcg_time());
}

TEST(Tcgmsg, DrawsTheNumbersOfTheCLibrary) {
  srand48(7);
  const double expected = drand48();
  tcg_srand48(7);
  EXPECT_EQ(tcg_drand48(), expected);
}

class TcgmsgFiles : public testing::Test {
 protected:
  TcgmsgFiles() : folder_(std::filesystem::temp_directory_path() / name()) {
    std::filesystem::create_directories(folder_);
    tcg_synch(1);
  }
  ~TcgmsgFiles() override {
    tcg_synch(1);
    std::error_code another_rank_was_here;
    std::filesystem::remove_all(folder_, another_rank_was_here);
    tcg_synch(1);
  }
  // The same on all ranks.
  static std::string name() {
    long time = static_cast<long>(std::time(nullptr));
    tcg_brdcst(1, &time, sizeof time, 0);
    return "tcgmsg_test_" + std::to_string(time) + "_" + std::to_string(nodes());
  }
  static std::string read(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
  }
  const std::filesystem::path folder_;
};

TEST_F(TcgmsgFiles, AreCopiedToFoldersOfTheRanksOwn) {
  const std::filesystem::path own = folder_ / std::to_string(me()) / "data";
  std::filesystem::create_directory(own.parent_path());
  std::string text(5000001, ' ');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * 31 % 251);
  const long root = nodes() - 1;
  std::ofstream(own, std::ios::binary) << (me() == root ? text : "old");
  tcg_pfcopy(1, root, own.c_str());
  EXPECT_EQ(read(own), text);
  const auto files = std::filesystem::directory_iterator(own.parent_path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

TEST_F(TcgmsgFiles, AreLeftAloneWhereAllRanksSeeThem) {
  const std::filesystem::path shared = folder_ / "shared";
  struct stat before{}, after{};
  if (me() == 0) std::ofstream(shared) << "of rank 0";
  tcg_synch(1);
  stat(shared.c_str(), &before);
  tcg_pfcopy(1, 0, shared.c_str());
  stat(shared.c_str(), &after);
  EXPECT_EQ(before.st_ino, after.st_ino);
  EXPECT_EQ(read(shared), "of rank 0");
}

TEST_F(TcgmsgFiles, MayBeEmpty) {
  const std::filesystem::path own = folder_ / ("empty" + std::to_string(me()));
  if (me() == 0) std::ofstream(own).flush();
  tcg_pfcopy(1, 0, own.c_str());
  EXPECT_TRUE(std::filesystem::exists(own));
  EXPECT_EQ(read(own), "");
}

TEST(Tcgmsg, NamesBadArgumentsAndWhatItExpected) {
  double x = 0;
  const std::string last = std::to_string(nodes() - 1);
  EXPECT_EQ(error_of([&] { messages().send(1, &x, 8, nodes(), true); }),
            "node = " + std::to_string(nodes()) + ", expected 0 to " + last);
  EXPECT_EQ(error_of([&] { messages().send(-1, &x, 8, 0, true); }).substr(0, 25),
            "type = -1, expected 0 to ");
  EXPECT_EQ(error_of([&] { messages().send(1, &x, -8, 0, true); }),
            "lenbuf = -8, expected 0 or more bytes");
  EXPECT_EQ(error_of([&] { messages().receive(1, &x, 8, -2, true); }),
            "nodeselect = -2, expected 0 to " + last + ", or -1 for any");
  EXPECT_EQ(error_of([&] { messages().wait(-2); }),
            "node = -2, expected 0 to " + last + ", or -1 for any");
}

TEST(Tcgmsg, RunsUntilTheLastWhoStartedItStops) {
  char** const no_arguments = nullptr;
  tcg_pbeginf();
  tcg_pbginf();
  tcg_pbegin(0, no_arguments);
  tcg_pend();
  tcg_pend();
  EXPECT_EQ(tcg_ready(), 1);  // by GA
}

#ifdef ATOLL_TEST_FORTRAN
TEST(Tcgmsg, ServesAFortranProgram) {
  Integer line = -1;
  tcgmsg_program_in_fortran_(&line);
  EXPECT_EQ(line, 0) << "the line of tcgmsg_program.F90 that failed";
}

TEST(Tcgmsg, SendsTextOfAFortranProgram) {
  Integer line = -1;
  tcgmsg_text_in_fortran_(&line);
  EXPECT_EQ(line, 0) << "the line of tcgmsg_program_text.F90 that failed";
}
#endif

}  // namespace
