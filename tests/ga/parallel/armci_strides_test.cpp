// ARMCI's walk over the segments of a strided patch.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

#include "ga/evlog.h"
#include "ga/iterator.h"

namespace {

TEST(ArmciStrides, SegmentsComeInTheOrderOfLoops) {
  std::array<char, 2000> memory{};
  const int strides[] = {40, -300, 700}, counts[] = {16, 3, 2, 2};
  char* const base = memory.data() + 400;
  std::vector<char*> expected;
  for (int k = 0; k < 2; ++k)
    for (int j = 0; j < 2; ++j)
      for (int i = 0; i < 3; ++i) expected.push_back(base + 40 * i - 300 * j + 700 * k);
  stride_info_t walk;
  armci_stride_info_init(&walk, base, 3, strides, counts);
  EXPECT_EQ(armci_stride_info_size(&walk), 12);
  EXPECT_EQ(armci_stride_info_count(&walk), 12);
  std::vector<char*> found;
  for (; armci_stride_info_has_more(&walk) != 0; armci_stride_info_next(&walk)) {
    EXPECT_EQ(armci_stride_info_pos(&walk), static_cast<int>(found.size()));
    EXPECT_EQ(armci_stride_info_seg_size(&walk), 16);
    found.push_back(static_cast<char*>(armci_stride_info_seg_ptr(&walk)));
    EXPECT_EQ(armci_stride_info_seg_off(&walk), found.back() - base);
  }
  armci_stride_info_destroy(&walk);
  EXPECT_EQ(found, expected);
}

TEST(ArmciStrides, ASegmentAloneIsWalkedOnceAndAnEmptyPatchNotAtAll) {
  char byte = 0;
  const int one[] = {1}, none[] = {8, 5, 0}, strides[] = {8, 40};
  stride_info_t walk;
  armci_stride_info_init(&walk, &byte, 0, nullptr, one);
  EXPECT_EQ(armci_stride_info_seg_ptr(&walk), &byte);
  armci_stride_info_next(&walk);
  EXPECT_EQ(armci_stride_info_has_more(&walk), 0);
  armci_stride_info_init(&walk, &byte, 2, strides, none);
  EXPECT_EQ(armci_stride_info_has_more(&walk), 0);
}

TEST(TcgmsgEvents, AreTakenAndDropped) {
  evlog(EVKEY_ENABLE, EVKEY_BEGIN, "a part", EVKEY_STR_DBL, "size", 1.5, EVKEY_LAST_ARG);
  evlog(EVKEY_END, "a part", EVKEY_DUMP, EVKEY_LAST_ARG);
}

}  // namespace
