// Shared files: what any rank reads of what all have written; limits; what is left. Collective.
#include "atoll/shared_file.hpp"

#include <cerrno>
#include <cstring>

#include "file_support.hpp"
#include "world/topology.hpp"
#include "world/world_state.hpp"

namespace lagoon::atoll::test {
namespace {

constexpr std::int64_t block = 3000;

/// The bytes of a block that no other has.
Bytes marked(std::int64_t number) {
  Random random(static_cast<std::uint64_t>(number));
  return random_bytes(random, block);
}

void expect_errno(const std::function<void()>& call, int expected) {
  try {
    call();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::file) << error.what();
    EXPECT_EQ(error.error_number(), expected) << error.what();
  }
}

TEST(SharedFiles, EveryRankReadsWhatAllHaveWritten) {
  const Folder folder;
  constexpr std::int64_t blocks = 24;
  for (const bool hints : {false, true}) {
    SharedFile file(world(), folder / "file",
                    {.soft_limit = blocks * block,
                     .request_size = block,
                     .read_ahead = hints,
                     .write_behind = hints});
    std::vector<Bytes> memory;
    std::vector<FileRequest> requests;
    for (std::int64_t i = world().rank(); i < blocks; i += world().size()) {
      memory.push_back(marked(i));
      if (i % 5 == 0)
        file.write(i * block, memory.back());
      else
        requests.push_back(file.write_async(i * block, memory.back()));
    }
    wait_all_files(requests);
    world().barrier();
    EXPECT_EQ(file.length(), blocks * block);
    Bytes back(static_cast<std::size_t>(block));
    for (std::int64_t i = 0; i < blocks; ++i) {
      if (i % 2 == 0)
        file.read(i * block, back);
      else
        EXPECT_EQ(file.read_async(i * block, back).wait(), block);
      EXPECT_TRUE(back == marked(i)) << i;
    }
    file.sync();
    file.close();
    EXPECT_EQ(entries_of(folder.path()), 0U);
    world().barrier();
  }
}

TEST(SharedFiles, WhatNobodyWroteIsZeroAndBeyondTheEndIsAnError) {
  const Folder folder;
  SharedFile file(world(), folder / "file");
  if (world().rank() == world().size() - 1) file.write(5000, marked(1));
  world().barrier();
  Bytes back(6000, std::byte{1});
  file.read(0, back);
  Bytes expected(6000);
  const Bytes written = marked(1);
  std::copy_n(written.begin(), 1000, expected.begin() + 5000);
  EXPECT_TRUE(back == expected);
  for (const bool async : {false, true})
    EXPECT_TRUE(throws_error(
        [&] {
          if (async)
            file.read_async(2001, back).wait();
          else
            file.read(2001, back);
        },
        ErrorKind::index, {"read 6000 bytes at 2001", "8000 bytes"}));
  file.read(2000, back);
  file.read(8000, {});
  EXPECT_EQ(file.statistics().reads, 3);
  file.close();
}

TEST(SharedFiles, TheHardLimitIsNeverExceeded) {
  const Folder folder;
  SharedFile file(world(), folder / "file", {.hard_limit = 4000, .soft_limit = 1000});
  const Bytes data(1000);
  file.write(3000, data);
  expect_errno([&] { file.write(3001, data); }, EFBIG);
  expect_errno([&] { (void)file.write_async(4000, data); }, EFBIG);
  world().barrier();
  EXPECT_EQ(file.length(), 4000);
  file.close();
}

TEST(SharedFiles, ScratchLosesItsNameAtOnceAndOthersStay) {
  const Folder folder;
  SharedFile scratch(world(), folder / "scratch"), kept(world(), folder / "kept", {.keep = true});
  const bool one_host = detail::WorldState::get().topology.one_host;
  EXPECT_EQ(std::filesystem::exists(folder / "scratch"), !one_host);
  if (world().rank() == 0) kept.write(0, marked(3));
  scratch.close();
  kept.close();
  EXPECT_FALSE(std::filesystem::exists(folder / "scratch"));
  EXPECT_TRUE(contents_of(folder / "kept") == marked(3));

  SharedFile again(world(), folder / "kept", {.keep = true, .opening = FileOpening::existing});
  again.write(block + world().rank() * block, marked(10 + world().rank()));
  world().barrier();
  again.set_read_only();
  EXPECT_TRUE(throws_error([&] { again.write(0, Bytes(1)); }, ErrorKind::state, {"read-only"}));
  Bytes back(static_cast<std::size_t>(block));
  for (int rank = 0; rank < world().size(); ++rank) {
    again.read(block + rank * block, back);
    EXPECT_TRUE(back == marked(10 + rank));
  }
  again.close();
  EXPECT_TRUE(throws_error([&] { again.close(); }, ErrorKind::state, {"closed"}));
}

TEST(SharedFiles, WithoutAPathTheyAreScratchOfTheirOwn) {
  SharedFile one(world(), ""), other(world(), "");
  EXPECT_NE(one.path(), other.path());
  if (world().rank() == 0) one.write(0, marked(1));
  world().barrier();
  EXPECT_EQ(other.length(), 0);
  EXPECT_EQ(one.length(), block);
  one.close();
  other.close();
}

TEST(SharedFiles, WhatOneRankCannotDoIsAnErrorOfAll) {
  const Folder folder;
  const auto all_refused = [&](const std::function<void()>& call, int expected) {
    EXPECT_TRUE(all_throw_error(world(), call, ErrorKind::file, {"open shared file"}));
    expect_errno(call, expected);
  };
  {
    SharedFile file(world(), folder / "there", {.keep = true});
  }
  all_refused([&] { SharedFile(world(), folder / "there"); }, EEXIST);
  EXPECT_TRUE(std::filesystem::exists(folder / "there"));
  all_refused([&] { SharedFile(world(), folder / "no/folder"); }, ENOENT);
  all_refused(
      [&] {
        SharedFile(world(), folder / "missing", {.keep = true, .opening = FileOpening::existing});
      },
      ENOENT);
  // The last rank cannot open what the first has made: then it goes again.
  const int last = world().size() - 1;
  std::atomic<int> opened{0};
  const Faults faults([&](detail::FileCall call, std::int64_t, std::size_t) -> detail::FileFault {
    const bool mine = call == detail::FileCall::open && world().rank() == last;
    return {.error = mine && opened++ >= 0 ? EACCES : 0};
  });
  all_refused([&] { SharedFile(world(), folder / "new", {.keep = true}); }, EACCES);
  world().barrier();
  EXPECT_FALSE(std::filesystem::exists(folder / "new"));
}

TEST(SharedFiles, NothingStaysWhereTheLastStepOfOpeningFails) {
  if (!detail::WorldState::get().topology.one_host) GTEST_SKIP() << "files keep their names here";
  const Folder folder;
  std::atomic<int> removals{0};
  const Faults faults([&](detail::FileCall call, std::int64_t, std::size_t) -> detail::FileFault {
    return {.error = call == detail::FileCall::remove && removals++ == 0 ? EIO : 0};
  });
  EXPECT_TRUE(all_throw_error(world(), [&] { SharedFile(world(), folder / "file"); },
                              ErrorKind::file, {"open shared file", "Input/output error"}));
  world().barrier();
  EXPECT_EQ(entries_of(folder.path()), 0U);
}

TEST(SharedFiles, ADiskThatWillBeFullIsFoundAtTheStart) {
  const Folder folder;
  const Faults faults([](detail::FileCall call, std::int64_t, std::size_t) -> detail::FileFault {
    return {.error = call == detail::FileCall::reserve ? ENOSPC : 0};
  });
  expect_errno([&] { SharedFile(world(), folder / "file", {.soft_limit = 1 << 20}); }, ENOSPC);
  world().barrier();
  EXPECT_EQ(entries_of(folder.path()), 0U);
}

TEST(SharedFiles, BadArgumentsAreRefusedByAll) {
  const Folder folder;
  const auto refused = [&](const SharedFileOptions& options, const std::string& text) {
    EXPECT_TRUE(all_throw_error(world(), [&] { SharedFile(world(), folder / "file", options); },
                                ErrorKind::value, {"open shared file", text}));
  };
  refused({.hard_limit = -1}, "options.hard_limit is -1");
  refused({.hard_limit = 10, .soft_limit = 11}, "above the hard limit of 10");
  refused({.opening = FileOpening::open_or_create}, "keep = true");
  if (world().size() > 1) {
    EXPECT_TRUE(all_throw_error(
        world(), [&] { SharedFile(world(), folder / ("file" + std::to_string(world().rank()))); },
        ErrorKind::mismatch, {"open shared file"}));
  }
  EXPECT_EQ(entries_of(folder.path()), 0U);
}

}  // namespace
}  // namespace lagoon::atoll::test
