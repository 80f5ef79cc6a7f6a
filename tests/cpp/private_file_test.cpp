// Private files: what they hold against a model in memory, striped and not; what is left of them.
#include "atoll/private_file.hpp"

#include <cerrno>
#include <cstring>

#include "disk/striped_file.hpp"
#include "file_support.hpp"

namespace lagoon::atoll::test {
namespace {

/// A file of one process and what it should hold.
class Modelled {
 public:
  explicit Modelled(const PrivateFileOptions& options) : file(options) {}

  void random_step(Random& random) {
    const std::int64_t offset = random.between(0, 5000), bytes = random.between(0, 3000);
    switch (random.between(0, 5)) {
      case 0:
      case 1: write(offset, random_bytes(random, bytes), random.chance(0.5)); break;
      case 2: resize(random.between(0, 8000)); break;
      default: check(offset, bytes, random.chance(0.5));
    }
    ASSERT_EQ(file.length(), std::ssize(model));
  }
  void check_all() { check(0, std::ssize(model) + 10, false); }

  PrivateFile file;
  Bytes model;

 private:
  void write(std::int64_t offset, const Bytes& data, bool async) {
    if (async) {
      FileRequest request = file.write_async(offset, data);
      EXPECT_EQ(request.wait(), std::ssize(data));
      EXPECT_TRUE(request.test());
    } else {
      file.write(offset, data);
    }
    if (data.empty()) return;
    const auto end = static_cast<std::size_t>(offset) + data.size();
    if (end > model.size()) model.resize(end);
    std::copy(data.begin(), data.end(), model.begin() + offset);
  }
  void resize(std::int64_t length) {
    file.resize(length);
    model.resize(static_cast<std::size_t>(length));
  }
  void check(std::int64_t offset, std::int64_t bytes, bool async) {
    Bytes back(static_cast<std::size_t>(bytes), std::byte{99});
    const std::int64_t got = async ? file.read_async(offset, back).wait() : file.read(offset, back);
    Bytes expected = back;
    std::int64_t there = 0;
    for (; there < bytes && offset + there < std::ssize(model); ++there)
      expected[static_cast<std::size_t>(there)] = model[static_cast<std::size_t>(offset + there)];
    EXPECT_EQ(got, there);
    EXPECT_TRUE(back == expected) << bytes << " bytes at " << offset;
  }
};

TEST(PrivateFiles, HoldWhatWasWrittenThroughRandomOperations) {
  const Folder folder;
  for (int round = 0; round < 6; ++round) {
    Random random(5, world().rank() + 10 * round);
    PrivateFileOptions options;
    for (std::int64_t i = random.between(0, 3); i > 0; --i)
      options.directories.push_back(folder.mine("stripe" + std::to_string(i)));
    options.stripe = random.between(1, 700);
    if (random.chance(0.5)) options.name = "file" + std::to_string(round);
    if (!options.name.empty() && options.directories.empty())
      options.directories = {folder.mine("one")};
    Modelled modelled(options);
    for (int step = 0; step < 150; ++step) modelled.random_step(random);
    modelled.check_all();
    if (options.name.empty()) continue;
    const std::int64_t length = modelled.file.length();
    modelled.file.close();
    options.opening = FileOpening::existing;
    modelled.file = PrivateFile(options);
    // What a cut or a last hole left empty in the last directory's part is not known any more.
    EXPECT_LE(modelled.file.length(), length);
    modelled.file.resize(length);
    modelled.check_all();
    modelled.file.remove();
    for (const std::string& directory : options.directories) EXPECT_EQ(entries_of(directory), 0U);
  }
}

TEST(PrivateFiles, RequestsUnderWayTogetherAllArrive) {
  const Folder folder;
  PrivateFile file({.directories = {folder.mine("a"), folder.mine("b")}, .stripe = 1000});
  Random random(3, world().rank());
  const Bytes data = random_bytes(random, 100000);
  std::vector<FileRequest> requests;
  for (std::size_t at = 0; at < data.size(); at += 5000)
    requests.push_back(
        file.write_async(static_cast<std::int64_t>(at), std::span(data).subspan(at, 5000)));
  EXPECT_EQ(file.length(), std::ssize(data));
  wait_all_files(requests);
  Bytes back(data.size());
  requests.clear();
  for (std::size_t at = 0; at < data.size(); at += 4000)
    requests.push_back(
        file.read_async(static_cast<std::int64_t>(at), std::span(back).subspan(at, 4000)));
  wait_all_files(requests);
  EXPECT_TRUE(back == data);
  EXPECT_EQ(file.statistics().writes, 20);
  EXPECT_EQ(file.statistics().reads, 25);
  EXPECT_EQ(file.statistics().bytes_written, 100000);
  EXPECT_EQ(file.statistics().bytes_read, 100000);
}

TEST(PrivateFiles, ScratchHasNoNameAtAnyTime) {
  const Folder folder;
  const std::string mine = folder.mine("scratch");
  PrivateFile file({.directories = {mine}});
  file.write(0, Bytes(1000));
  EXPECT_EQ(entries_of(mine), 0U);
  EXPECT_NE(file.describe().find(mine), std::string::npos);
}

TEST(PrivateFiles, WithANameTheyAreOpenedAsAsked) {
  const Folder folder;
  PrivateFileOptions options{.directories = {folder.mine("named")}, .name = "file"};
  options.opening = FileOpening::existing;
  EXPECT_TRUE(throws_error([&] { PrivateFile{options}; }, ErrorKind::file, {"No such file"}));
  options.opening = FileOpening::create;
  PrivateFile(options).write(3, Bytes(4, std::byte{9}));
  EXPECT_TRUE(throws_error([&] { PrivateFile{options}; }, ErrorKind::file,
                           {"open private file", "File exists", options.directories[0]}));
  options.opening = FileOpening::read_only;
  PrivateFile reader(options);
  EXPECT_EQ(reader.length(), 7);
  EXPECT_TRUE(throws_error([&] { reader.write(0, Bytes(1)); }, ErrorKind::file, {"write"}));
  FileRequest refused = reader.write_async(0, Bytes(1));
  EXPECT_TRUE(throws_error([&] { refused.wait(); }, ErrorKind::file, {"write"}));
  EXPECT_EQ(refused.wait(), 0);
}

TEST(PrivateFiles, NothingNewStaysWhereOneDirectoryRefuses) {
  const Folder folder;
  const std::string good = folder.mine("good");
  const PrivateFileOptions options{
      .directories = {good, good + "/missing"}, .name = "file", .opening = FileOpening::create};
  EXPECT_TRUE(throws_error([&] { PrivateFile{options}; }, ErrorKind::file, {"No such file"}));
  EXPECT_EQ(entries_of(good), 0U);
}

TEST(PrivateFiles, BadArgumentsAreNamed) {
  const Folder folder;
  const std::vector<std::string> here = {folder.mine("here")};
  const auto refused = [](const std::function<void()>& call, ErrorKind kind,
                          const std::string& text) {
    EXPECT_TRUE(throws_error(call, kind, {text}));
  };
  refused([&] { PrivateFile({.directories = here, .stripe = 0}); }, ErrorKind::value,
          "options.stripe is 0");
  refused([&] { PrivateFile({.directories = here, .name = "a/b"}); }, ErrorKind::value,
          "name is 'a/b'");
  refused([&] { PrivateFile({.directories = here, .name = ".."}); }, ErrorKind::value,
          "name is '..'");
  PrivateFile file({.directories = here});
  Bytes one(1);
  refused([&] { file.write(-1, one); }, ErrorKind::value, "offset is -1");
  refused([&] { (void)file.read_async(-5, one); }, ErrorKind::value, "offset is -5");
  refused([&] { file.write(INT64_MAX, one); }, ErrorKind::value, "2^63");
  refused([&] { file.resize(-1); }, ErrorKind::value, "offset is -1");
  file.close();
  refused([&] { file.write(0, one); }, ErrorKind::state, "closed");
}

TEST(PrivateFiles, ErrorsOfTheSystemKeepTheirNumber) {
  const Folder folder;
  PrivateFile file({.directories = {folder.mine("full")}});
  const Bytes data(100);
  const Faults faults([](detail::FileCall call, std::int64_t, std::size_t) -> detail::FileFault {
    return {.error = call == detail::FileCall::write ? ENOSPC : 0};
  });
  for (const bool async : {false, true}) {
    try {
      if (async)
        file.write_async(0, data).wait();
      else
        file.write(0, data);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.error_number(), ENOSPC);
      EXPECT_EQ(error.kind(), ErrorKind::file);
    }
  }
}

TEST(FileSystems, AreKnownByTypeAndSpace) {
  const FileSystem memory = file_system("/dev/shm");
  EXPECT_EQ(memory.type, "tmpfs");
  EXPECT_TRUE(memory.in_memory);
  EXPECT_GT(memory.total, 0);
  EXPECT_LE(memory.available, memory.total);
  EXPECT_FALSE(file_system("/proc").type.empty());
  EXPECT_TRUE(throws_error([] { file_system("/no/such/place"); }, ErrorKind::file,
                           {"/no/such/place", "No such file"}));
}

}  // namespace
}  // namespace lagoon::atoll::test
