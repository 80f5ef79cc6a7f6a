// The copy of all paths, at every distance within a page and at lengths around its steps.
#include "world/copy_bytes.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "support.hpp"

namespace lagoon::atoll::test {
namespace {

using detail::copy_bytes;

/// Two pieces of memory, their bytes all different from their neighbours', and the whole of the
/// target compared after each copy: what lies around it must stay.
class Copies {
 public:
  explicit Copies(std::size_t longest)
      : source_(longest + margin), target_(longest + margin), expected_(longest + margin) {
    for (std::size_t i = 0; i < source_.size(); ++i) source_[i] = static_cast<std::byte>(i % 251);
  }

  bool right(std::size_t to, std::size_t from, std::size_t bytes) {
    std::ranges::fill(target_, mark);
    std::ranges::fill(expected_, mark);
    std::copy_n(source_.begin() + static_cast<std::ptrdiff_t>(from), bytes,
                expected_.begin() + static_cast<std::ptrdiff_t>(to));
    copy_bytes(target_.data() + to, source_.data() + from, bytes);
    return target_ == expected_;
  }

  static constexpr std::size_t margin = 2 * 4096;

 private:
  static constexpr std::byte mark{255};
  std::vector<std::byte> source_, target_, expected_;
};

TEST(CopyBytes, CopiesAllBytesAndNoOthersAtEveryDistanceWithinAPage) {
  Copies copies(4096);
  for (std::size_t place = 0; place < 4096; place += 7) {
    ASSERT_TRUE(copies.right(place, 0, 2048 + place % 131)) << "target at " << place;
    ASSERT_TRUE(copies.right(5, place, 2048 + place % 131)) << "source at " << place;
  }
}

TEST(CopyBytes, CopiesEveryLengthAroundItsStepsForwardAndBackward) {
  Copies copies(4096);
  for (std::size_t bytes = 0; bytes < 600; ++bytes) {
    ASSERT_TRUE(copies.right(3, 1, bytes)) << bytes;
    ASSERT_TRUE(copies.right(16, 0, detail::shortest_own_copy + bytes)) << bytes;
    ASSERT_TRUE(copies.right(0, 16, detail::shortest_own_copy + bytes)) << bytes;
  }
}

TEST(CopyBytes, CopiesWhatIsTooLongForTheCaches) {
  constexpr std::size_t bytes = (std::size_t{64} << 20) + 77;
  Copies copies(bytes);
  ASSERT_TRUE(copies.right(16, 0, bytes));
  ASSERT_TRUE(copies.right(1, 40, bytes - 13));
}

TEST(CopyBytes, TellsWhereTheCopyEnds) {
  const std::vector<std::byte> source(3000, std::byte{9});
  std::vector<std::byte> target(4000);
  EXPECT_EQ(copy_bytes(target.data(), source) - target.data(), 3000);
  EXPECT_EQ(std::ranges::count(target, std::byte{9}), 3000);
}

}  // namespace
}  // namespace lagoon::atoll::test
