// Metadata that somebody has made up: mutations of what is right, with right checksums.
#include <algorithm>

#include "../fuzz/metadata.hpp"
#include "disk/checkpoint_folder.hpp"
#include "disk/disk_record.hpp"
#include "file_support.hpp"

namespace lagoon::atoll::test {
namespace {

void mutate(Random& random, Bytes& bytes) {
  const auto place = [&] {
    return static_cast<std::size_t>(random.between(0, std::ssize(bytes) - 1));
  };
  const std::int64_t interesting[] = {0, 1, -1, 8, 9, INT64_MAX, INT64_MIN, 1LL << 32, 4096};
  switch (random.between(0, 3)) {
    case 0: bytes[place()] ^= static_cast<std::byte>(1 << random.between(0, 7)); break;
    case 1: {
      const std::int64_t value = interesting[random.between(0, 8)];
      for (std::size_t at = place() / 8 * 8, i = 0; i < 8 && at + i < bytes.size(); ++i)
        bytes[at + i] = static_cast<std::byte>(value >> (8 * i));
      break;
    }
    case 2: bytes.resize(place() + 1); break;
    default: bytes.insert(bytes.end(), 9, std::byte{0x41}); break;
  }
}

TEST(HostileMetadata, IsRefusedOrInOrderWhateverItSays) {
  const detail::DiskLayout layout(ElementType::float64, {10, 10}, {4, 5});
  detail::CheckpointManifest manifest{4, 9, 0, 0, {{"alpha", false}, {"beta", true}}};
  manifest.describe_state("state");
  detail::CheckpointManifest beside_unread = manifest;
  beside_unread.older_unread = {{1, 77}, {3, 78}};
  const Bytes seeds[] = {detail::encode(detail::DiskDescription{layout, "array"}),
                         detail::encode(detail::DiskCommit{3, std::vector<std::uint32_t>(6, 5)}),
                         detail::encode(detail::JournalBlock{{3, 5}, 4, {{0, 1}, {5, 2}}}),
                         detail::encode(manifest), detail::encode(beside_unread)};
  Random random(static_cast<std::uint64_t>(world().rank()) + 1);
  for (const Bytes& seed : seeds)
    for (int round = 0; round < 3000; ++round) {
      Bytes bytes = seed;
      for (std::int64_t i = random.between(1, 4); i > 0 && !bytes.empty(); --i)
        mutate(random, bytes);
      parse_metadata(bytes);
    }
  parse_metadata({});
  const auto read = detail::decode_manifest(detail::encode(beside_unread));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->older_unread, beside_unread.older_unread);
}

}  // namespace
}  // namespace lagoon::atoll::test
