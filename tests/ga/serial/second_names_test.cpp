// Functions with two names: the second is the first, so that the tests of the one are the other's.
// Which they are the table says (src/compat/functions.tsv); both libraries, of either size of
// Integer, have them.
#include <gtest/gtest.h>

#include <iterator>

// Addresses do not depend on arguments: without the functions' headers all can be declared alike.
#define SAME(second, first) \
  extern "C" void second(); \
  extern "C" void first();
#include "second_names.inc"
#undef SAME

namespace {

struct Pair {
  const char* names;
  void (*second)();
  void (*first)();
};

#define SAME(second, first) Pair{#second " = " #first, &second, &first},
const Pair pairs[] = {
#include "second_names.inc"
};

TEST(GaNames, SecondOnesAreTheFirst) {
  EXPECT_GT(std::size(pairs), 300u);
  for (const Pair& pair : pairs) EXPECT_EQ(pair.second, pair.first) << pair.names;
}

}  // namespace
