// What sparse arrays refuse, with what message, and elements that are too many for one message.
#include <gtest/gtest.h>
#include <mpi.h>

#include <string>
#include <vector>

#include "atoll/error.hpp"
#include "compat/ga/sparse/access.hpp"
#include "compat/ga/sparse/products.hpp"
#include "ga/ga.h"
#include "ga/macdecls.h"

namespace sparse = lagoon::atoll::ga::sparse;

namespace {

template <class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const atoll::Error& error) {
    return error.message();
  }
  return "no error";
}

}  // namespace

TEST(SparseErrors, NameTheArgumentItsValueAndWhatWasExpected) {
  EXPECT_EQ(message_of([] { sparse::matrices().create(0, 4, MT_C_DBL); }),
            "idim is 0 and jdim 4; expected 1 or more");
  EXPECT_EQ(message_of([] { sparse::matrices().at(17); }), "s_a is 17, no sparse array");
  const int s_a = NGA_Sprs_array_create(4, 5, MT_C_DBL);
  double one = 1;
  EXPECT_EQ(message_of([&] { sparse::add_element(s_a, 4, 0, &one); }),
            "idx is 4, counted from 0, of 4");
  EXPECT_EQ(message_of([&] { sparse::add_element(s_a, 0, -1, &one); }),
            "jdx is -1, counted from 0, of 5");
  EXPECT_EQ(message_of([&] { (void)sparse::access<int>(s_a, 0); }),
            "the sparse array is not assembled: call NGA_Sprs_array_assemble first");
  NGA_Sprs_array_assemble(s_a);
  EXPECT_EQ(message_of([&] { sparse::add_element(s_a, 0, 0, &one); }),
            "the sparse array is assembled: no elements can be added");
  EXPECT_EQ(message_of([&] { (void)sparse::strip_of(sparse::Strips(4, 3), 3); }),
            "iproc is 3 of 3");
  const int other = NGA_Sprs_array_create(4, 5, MT_C_INT);
  NGA_Sprs_array_assemble(other);
  EXPECT_EQ(message_of([&] { sparse::sparse_times_sparse(s_a, other); }),
            "sparse array " + std::to_string(other) + " is of type " + std::to_string(MT_C_INT) +
                ", not of the other operand's");
  EXPECT_EQ(message_of([&] { sparse::sparse_times_sparse(s_a, s_a); }),
            "the first factor has 5 columns and the second 4 rows");
  NGA_Sprs_array_destroy(other);
  NGA_Sprs_array_destroy(s_a);
}

TEST(SparseErrors, PositionsBeyondAnIntAreRefusedNotCut) {
  const std::int64_t far[] = {std::int64_t{1} << 31};
  int cut[1];
  EXPECT_NE(message_of([&] { sparse::renumber<int>(far, cut, 0); }).find("position 2147483648"),
            std::string::npos);
}

TEST(SparseDelivery, InManyRoundsBringsEveryElementToItsProcess) {
  const atoll::Group& group = atoll::ga::Runtime::get().groups.default_group();
  const int processes = group.size(), me = group.rank();
  std::vector<std::vector<sparse::Entry<double>>> outgoing(static_cast<std::size_t>(processes));
  const auto count = [](int from, int to) { return 5 * from + 3 * to; };
  for (int p = 0; p < processes; ++p)
    for (int k = 0; k < count(me, p); ++k)
      outgoing[static_cast<std::size_t>(p)].push_back({me, k, 100.0 * p});
  const auto received = sparse::deliver(group, outgoing, 4 * static_cast<std::size_t>(processes));
  std::vector<int> next(static_cast<std::size_t>(processes));
  for (const sparse::Entry<double>& entry : received) {
    EXPECT_EQ(entry.column, next[static_cast<std::size_t>(entry.row)]++);
    EXPECT_EQ(entry.value, 100.0 * me);
  }
  for (int p = 0; p < processes; ++p) EXPECT_EQ(next[static_cast<std::size_t>(p)], count(p, me));
}
