// Checkpoints: what was saved comes back on any ranks, the one before stays whole whatever fails,
// damage is told. Collective.
#include "atoll/checkpoint.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <numeric>
#include <optional>

#include "atoll/algebra.hpp"
#include "atoll/disk_array.hpp"
#include "disk/checkpoint_folder.hpp"
#include "file_support.hpp"
#include "mirror_support.hpp"

namespace lagoon::atoll::test {
namespace {

template <Element T>
std::vector<T> numbers(std::int64_t count) {
  std::vector<T> values(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) values[static_cast<std::size_t>(i)] = value_of<T>(1, i);
  return values;
}

template <Element T>
void fill_numbers(Array<T>& array) {
  if (world().rank() == 0) array.put(whole(array.shape()), numbers<T>(array.elements()).data());
  world().sync();
}

/// What a loaded array holds, checked by the ranks that loaded it.
template <Element T>
bool holds_numbers(const AnyArray& array) {
  std::vector<T> found(static_cast<std::size_t>(array.elements()));
  array.get(whole(array.shape()), found.data());
  return found == numbers<T>(array.elements());
}

template <class T>
class CheckpointsOf : public testing::Test {};
TYPED_TEST_SUITE(CheckpointsOf, AllTypes);

TYPED_TEST(CheckpointsOf, AreLoadedByFewerRanksWithOtherDistributions) {
  using T = TypeParam;
  const Folder folder;
  const Index shape{13, 17}, long_shape{301};
  Array<T> matrix(world(), shape), vector(world(), long_shape, mirrored), none(world(), {0, 4});
  fill_numbers(matrix);
  vector.put(whole(long_shape), numbers<T>(301).data());
  vector.group().sync();
  declare_equal(vector);
  const NamedArray arrays[] = {{"matrix", &matrix}, {"vector-1.x", &vector}, {"none", &none}};
  const std::string state("a\0b{\"iteration\": 7}", 19);
  save_checkpoint(world(), folder / "c", arrays, state, {.step = 7});
  world().barrier();
  for (int size = 1; size <= world().size(); ++size) {
    std::vector<int> ranks(static_cast<std::size_t>(size));
    std::iota(ranks.begin(), ranks.end(), 0);
    const Group group = world().create(ranks);
    if (!group) continue;
    const Checkpoint found = Checkpoint::open(group, folder / "c");
    EXPECT_EQ(found.step(), 7);
    EXPECT_EQ(found.state(), state);
    EXPECT_EQ(found.names(), (std::vector<std::string>{"matrix", "vector-1.x", "none"}));
    const AnyArray loaded = found.load("matrix");
    EXPECT_TRUE(holds_numbers<T>(loaded));
    Array<T> columns(group, shape, {.layout = Layout::block_cyclic({13, 1})});
    found.read("matrix", columns);
    EXPECT_TRUE(holds_numbers<T>(columns));
    const AnyArray copies = found.load("vector-1.x");
    EXPECT_TRUE(copies.mirrored());
    EXPECT_TRUE(holds_numbers<T>(copies));
    EXPECT_EQ(found.load("none").shape(), (Index{0, 4}));
    EXPECT_TRUE(all_throw_error(group, [&] { (void)found.load("matrices"); }, ErrorKind::value,
                                {"'matrices'", "matrix, vector-1.x, none"}));
    group.sync();
  }
  world().barrier();
}

TEST(Checkpointing, KeepsTheLastThatWereSavedWhateverTheirNumbers) {
  const Folder folder;
  const std::string path = folder / "c";
  Array<double> a(world(), {6});
  const NamedArray arrays[] = {{"a", &a}};
  const auto save = [&](std::int64_t step, double value) {
    fill(a, value);
    save_checkpoint(world(), path, arrays, std::to_string(value), {.step = step, .keep = 2});
  };
  const auto steps = [&] {
    world().barrier();
    const auto found = checkpoint_steps(path);
    world().barrier();
    return found;
  };
  EXPECT_EQ(error_number_of([&] { Checkpoint::open(world(), path); }), ENOENT);
  save(-1, 1);
  EXPECT_EQ(steps(), (std::vector<std::int64_t>{0}));
  save(30, 2);
  save(20, 3);  // the run went back
  EXPECT_EQ(steps(), (std::vector<std::int64_t>{30, 20}));
  EXPECT_EQ(Checkpoint::open(world(), path).state(), std::to_string(3.0));
  save(30, 4);
  EXPECT_EQ(steps(), (std::vector<std::int64_t>{20, 30}));
  EXPECT_EQ(Checkpoint::open(world(), path).state(), std::to_string(4.0));
  EXPECT_EQ(Checkpoint::open(world(), path, 20).state(), std::to_string(3.0));
  EXPECT_EQ(error_number_of([&] { Checkpoint::open(world(), path, 0); }), ENOENT);
  EXPECT_EQ(entries_of(path), 2U);
  world().barrier();
}

TEST(Checkpointing, SavesWhatArraysHeldWhenItBeganWhileTheyChange) {
  const Folder folder;
  Array<double> a(world(), {500, 300}), copies(world(), {40, 40}, mirrored);
  fill(a, 1);
  fill(copies, 1);
  const NamedArray arrays[] = {{"a", &a}, {"copies", &copies}};
  CheckpointRequest first = save_checkpoint_async(world(), folder / "c", arrays, "1");
  fill(a, 2);
  fill(copies, 2);
  CheckpointRequest second = save_checkpoint_async(world(), folder / "c", arrays, "2");
  EXPECT_EQ(first.step(), 0);
  EXPECT_EQ(second.step(), 1);
  fill(a, 3);
  fill(copies, 3);
  EXPECT_TRUE(all_throw_error(
      world(), [&] { (void)save_checkpoint_async(world(), folder / "c", arrays, {}, {.step = 1}); },
      ErrorKind::state, {"step 1 is being saved already"}));
  second.wait();
  first.wait();
  EXPECT_TRUE(first.test());
  first.wait();  // harmless
  for (const std::int64_t step : {0, 1}) {
    const Checkpoint found = Checkpoint::open(world(), folder / "c", step);
    EXPECT_EQ(found.state(), std::to_string(step + 1));
    for (const char* const name : {"a", "copies"}) {
      const AnyArray loaded = found.load(name);
      std::vector<double> values(static_cast<std::size_t>(loaded.elements()));
      loaded.get(whole(loaded.shape()), values.data());
      EXPECT_EQ(values, std::vector<double>(values.size(), static_cast<double>(step + 1)));
      world().sync();
    }
  }
}

TEST(Checkpointing, LeavesTheOneBeforeWholeWhicheverCallFails) {
  const Folder folder(in_memory);
  Array<std::int32_t> a(world(), {5, 6}), back(world(), {5, 6});
  const NamedArray arrays[] = {{"a", &a}};
  for (const int error : {EIO, ENOSPC, EDQUOT, EINVAL})
    for (int nth = 0;; ++nth) {
      ASSERT_LT(nth, 150);
      const std::string path = folder / (std::to_string(error) + "-" + std::to_string(nth));
      fill(a, 1);
      save_checkpoint(world(), path, arrays, "1", {.step = 0, .keep = 1});
      fill(a, 2);
      bool happened = false;
      int told = 0;
      {
        const FailNth failing(nth, error);
        told = error_number_of([&] {
          // A new one, or the same again.
          save_checkpoint(world(), path, arrays, "2", {.step = error == EINVAL ? 0 : 1, .keep = 1});
        });
        happened = !everywhere(!failing.happened(nth));
      }
      EXPECT_TRUE(happened || told == 0) << nth;
      world().barrier();
      const Checkpoint found = Checkpoint::open(world(), path);
      found.read("a", back);
      const int value = std::stoi(found.state());
      EXPECT_TRUE(holds(back, std::vector<std::int32_t>(30, value))) << nth;
      EXPECT_TRUE(value == 2 || (value == 1 && told == error)) << nth;
      world().sync();
      save_checkpoint(world(), path, arrays, "3", {.keep = 1});
      EXPECT_EQ(entries_of(path), 1U) << nth;  // nothing is left of what failed
      world().barrier();
      if (!happened) break;
    }
}

TEST(Checkpointing, TellsDamageOfItsManifestAndStateByteByByte) {
  const Folder folder;
  const std::string path = folder / "c";
  Array<double> a(world(), {6});
  const NamedArray arrays[] = {{"a", &a}};
  save_checkpoint(world(), path, arrays, "old");
  save_checkpoint(world(), path, arrays, "new state");
  const std::string step = path + "/000000000001";
  for (const std::string name : {"/manifest", "/state"}) {
    const auto length = static_cast<std::int64_t>(std::filesystem::file_size(step + name));
    world().barrier();
    for (std::int64_t at = 0; at < length; ++at) {
      flip(step + name, at);
      EXPECT_EQ(error_number_of([&] { Checkpoint::open(world(), path); }), EBADMSG) << at;
      EXPECT_EQ(Checkpoint::open(world(), path, 0).state(), "old");
      flip(step + name, at);
    }
    for (std::int64_t cut = 0; cut < length; cut += 7) {
      const Bytes before = contents_of(step + name);
      world().barrier();
      if (world().rank() == 0)
        std::filesystem::resize_file(step + name, static_cast<std::uintmax_t>(cut));
      world().barrier();
      EXPECT_EQ(error_number_of([&] { Checkpoint::open(world(), path, 1); }), EBADMSG) << cut;
      world().barrier();
      if (world().rank() == 0)
        std::ofstream(step + name, std::ios::binary)
            .write(reinterpret_cast<const char*>(before.data()), std::ssize(before));
      world().barrier();
    }
  }
  EXPECT_EQ(Checkpoint::open(world(), path).state(), "new state");
  world().barrier();
}

/// Lets this process map no more than so many bytes beside what it has, while it lives.
class LittleMemory {
 public:
  explicit LittleMemory(std::uint64_t bytes) {
    getrlimit(RLIMIT_AS, &before_);
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlimit limit{pages * static_cast<std::uint64_t>(getpagesize()) + bytes, before_.rlim_max};
    setrlimit(RLIMIT_AS, &limit);
  }
  LittleMemory(const LittleMemory&) = delete;
  LittleMemory& operator=(const LittleMemory&) = delete;
  ~LittleMemory() { setrlimit(RLIMIT_AS, &before_); }

 private:
  rlimit before_{};
};

TEST(Checkpointing, TakesNoMemoryForAStateThatOnlyClaimsToBeLarge) {
  const Folder folder;
  const std::string path = folder / "c", step = path + "/000000000000";
  Array<double> a(world(), {6});
  const NamedArray arrays[] = {{"a", &a}};
  save_checkpoint(world(), path, arrays, "state");
  // Files of holes, which take no space, and a manifest that goes with them but for the checksum.
  const auto claim = [&](std::uint64_t bytes) {
    if (world().rank() == 0) {
      auto manifest = detail::decode_manifest(contents_of(step + "/manifest"));
      ASSERT_TRUE(manifest);
      manifest->state_bytes = bytes;
      const Bytes encoded = detail::encode(*manifest);
      std::ofstream(step + "/manifest", std::ios::binary)
          .write(reinterpret_cast<const char*>(encoded.data()), std::ssize(encoded));
      std::filesystem::resize_file(step + "/state", bytes);
    }
    world().barrier();
  };
  claim(std::uint64_t{1} << 30);
  {
    const LittleMemory little(std::uint64_t{256} << 20);
    EXPECT_EQ(error_number_of([&] { Checkpoint::open(world(), path); }), EBADMSG);
  }
  claim(std::uint64_t{1} << 43);
  EXPECT_TRUE(throws_error([&] { Checkpoint::open(world(), path); }, ErrorKind::memory,
                           {"the state of checkpoint", "8796093022208 bytes, more than"}));
  world().barrier();
}

TEST(Checkpointing, IsNotDisturbedByWhatElseLiesInTheFolder) {
  const Folder folder;
  const std::string path = folder / "c";
  Array<double> a(world(), {6});
  const NamedArray arrays[] = {{"a", &a}};
  save_checkpoint(world(), path + "/", arrays, "kept", {.step = 3});
  if (world().rank() == 0) {
    std::ofstream(path + "/000000000009") << "a file";
    std::filesystem::create_directory(path + "/9223372036854775807");
    std::filesystem::create_directory(path + "/000000000007");  // damaged
    std::filesystem::create_symlink("/etc/passwd", path + "/000000000007/manifest");
    std::filesystem::create_directory(path + "/notes");
    std::filesystem::create_directory(path + "/.new-000000000005");  // of a run that ended
    std::filesystem::create_directory(path + "/.gone-000000000001");
  }
  world().barrier();
  EXPECT_EQ(checkpoint_steps(path), (std::vector<std::int64_t>{3}));
  EXPECT_EQ(Checkpoint::open(world(), path, 3).state(), "kept");
  EXPECT_EQ(error_number_of([&] { Checkpoint::open(world(), path); }), EBADMSG);
  world().barrier();
  save_checkpoint(world(), path, arrays, "next");
  EXPECT_EQ(checkpoint_steps(path), (std::vector<std::int64_t>{3, 8}));
  // What was damaged before is not the last.
  EXPECT_EQ(Checkpoint::open(world(), path).state(), "next");
  EXPECT_FALSE(std::filesystem::exists(path + "/.new-000000000005"));
  EXPECT_FALSE(std::filesystem::exists(path + "/.gone-000000000001"));
  world().barrier();
}

TEST(Checkpointing, IsNotBlockedByOneThatCannotBeRead) {
  const Folder folder;
  const std::string path = folder / "c", bad = path + "/000000000001/manifest";
  Array<double> a(world(), {6});
  const NamedArray arrays[] = {{"a", &a}};
  const auto save = [&](const std::string& state) {
    save_checkpoint(world(), path, arrays, state, {.keep = 3});
    world().barrier();
  };
  const auto by_first = [&](const std::function<void()>& work) {
    world().barrier();
    if (world().rank() == 0) work();
    world().barrier();
  };
  save("0");
  save("1");
  by_first([&] {
    std::filesystem::rename(bad, folder / "manifest");
    std::filesystem::create_directory(bad);  // EINVAL
  });
  EXPECT_EQ(checkpoint_steps(path), (std::vector<std::int64_t>{0}));
  // It may be the last.
  EXPECT_EQ(error_number_of([&] { Checkpoint::open(world(), path); }), EBADMSG);
  save("2");
  save("3");
  EXPECT_EQ(checkpoint_steps(path), (std::vector<std::int64_t>{0, 2, 3}));
  EXPECT_EQ(Checkpoint::open(world(), path).state(), "3");
  // Readable again it is older than those that have been saved since.
  by_first([&] {
    std::filesystem::remove(bad);
    std::filesystem::rename(folder / "manifest", bad);
  });
  EXPECT_EQ(checkpoint_steps(path), (std::vector<std::int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(Checkpoint::open(world(), path).state(), "3");
  // Another one under its number may be the last: nobody is to load an older one without a word.
  by_first([&] {
    std::filesystem::remove(bad);
    std::filesystem::create_directory(bad);
  });
  save("4");
  save_checkpoint(world(), path, arrays, "5", {.step = 1, .keep = 3});
  EXPECT_EQ(Checkpoint::open(world(), path).state(), "5");
  flip(bad, 20);
  EXPECT_EQ(error_number_of([&] { Checkpoint::open(world(), path); }), EBADMSG);
}

TEST(Checkpointing, GoesOnWhenTheSystemRefusesToReadAnOldOne) {
  const Folder folder;
  const std::string path = folder / "c";
  Array<double> a(world(), {6});
  const NamedArray arrays[] = {{"a", &a}};
  save_checkpoint(world(), path, arrays, "old");
  for (const int error : {EIO, EACCES}) {
    // Of manifests; records of arrays are read elsewhere.
    const Faults faults([&](detail::FileCall call, std::int64_t at, std::size_t) {
      return detail::FileFault{.error = call == detail::FileCall::read && at == 0 ? error : 0};
    });
    save_checkpoint(world(), path, arrays, std::to_string(error));
    EXPECT_TRUE(checkpoint_steps(path).empty());
    world().barrier();
  }
  EXPECT_EQ(Checkpoint::open(world(), path).state(), std::to_string(EACCES));
  EXPECT_EQ(Checkpoint::open(world(), path, 0).state(), "old");
  world().barrier();
}

TEST(Checkpointing, FinishesWhatNobodyHasWaitedForWithTheNextSave) {
  const Folder folder;
  const std::string path = folder / "c";
  Array<double> a(world(), {60, 40}), back(world(), {60, 40});
  const NamedArray arrays[] = {{"a", &a}};
  fill(a, 1);
  (void)CheckpointRequest(save_checkpoint_async(world(), path, arrays, "1"));
  fill(a, 2);
  CheckpointRequest kept = save_checkpoint_async(world(), path, arrays, "2");
  const auto steps = [&] {
    world().barrier();
    auto found = checkpoint_steps(path);
    world().barrier();
    return found;
  };
  EXPECT_EQ(steps(), (std::vector<std::int64_t>{0}));
  const Checkpoint found = Checkpoint::open(world(), path);
  EXPECT_EQ(found.state(), "1");
  found.read("a", back);
  EXPECT_TRUE(holds(back, std::vector<double>(60 * 40, 1.0)));
  world().sync();
  // One that is held by any rank is not dropped.
  std::optional<CheckpointRequest> held(save_checkpoint_async(world(), path, arrays, "3"));
  if (world().rank() > 0) held.reset();
  save_checkpoint(world(), path, arrays, "4", {.keep = 9});
  EXPECT_EQ(steps(), (std::vector<std::int64_t>{0, 3}));
  if (held) held->test();
  held.reset();
  kept.wait();
  EXPECT_EQ(checkpoint_steps(path).back(), 3);
  world().barrier();
  save_checkpoint(world(), path, arrays, "5", {.keep = 9});
  // Each keeps two, in the order in which they were begun; the last one more.
  EXPECT_EQ(steps(), (std::vector<std::int64_t>{2, 3, 4}));
}

TEST(Checkpointing, TellsThatAnotherOneWasSavedUnderTheNumberOfTheOneThatIsRead) {
  const Folder folder;
  const std::string path = folder / "c";
  Array<double> a(world(), {6});
  const NamedArray arrays[] = {{"a", &a}};
  save_checkpoint(world(), path, arrays, "1", {.step = 4});
  const Checkpoint found = Checkpoint::open(world(), path);
  found.verify();
  save_checkpoint(world(), path, arrays, "2", {.step = 4});
  EXPECT_EQ(error_number_of([&] { found.read("a", a); }), ESTALE);
  Checkpoint::open(world(), path).read("a", a);
}

TEST(Checkpointing, VerifiesThatAllItsArraysAreThereAndWhole) {
  const Folder folder;
  const std::string path = folder / "c";
  Array<double> a(world(), {6});
  const NamedArray arrays[] = {{"a", &a}, {"b", &a}};
  save_checkpoint(world(), path, arrays);
  const Checkpoint found = Checkpoint::open(world(), path);
  found.verify();
  const std::string array = path + "/000000000000/b.zarr";
  flip(array + "/c/0", 2 * 4096 + 3);
  EXPECT_EQ(error_number_of([&] { found.verify(); }), EBADMSG);
  if (world().rank() == 0) std::filesystem::remove_all(array);
  world().barrier();
  EXPECT_EQ(error_number_of([&] { found.verify(); }), ENOENT);
}

TEST(Checkpointing, DoesNotLetGoOfArraysThatAreBeingWrittenWhenItFails) {
  const Folder folder(in_memory);
  for (int nth = 20; nth < 60; ++nth) {
    Array<double> first(world(), {400, 300}), second(world(), {300, 400});
    const NamedArray arrays[] = {{"first", &first}, {"second", &second}};
    {
      const FailNth failing(nth, ENOSPC);
      try {
        save_checkpoint(world(), folder / "c", arrays);
      } catch (const Error&) {
        // The arrays go at once.
      }
    }
    first.destroy();
    second.destroy();
  }
}

TEST(Checkpointing, RefusesBadArgumentsOnAllRanks) {
  const Folder folder;
  Array<double> a(world(), {6});
  const auto refused = [&](const std::string& name, CheckpointOptions options,
                           const std::string& text) {
    const NamedArray arrays[] = {{name, &a}, {"b", &a}};
    EXPECT_TRUE(all_throw_error(
        world(), [&] { save_checkpoint(world(), folder / "c", arrays, {}, options); },
        ErrorKind::value, {text}));
  };
  refused("", {}, "''");
  refused("../x", {}, "'../x'");
  refused(".x", {}, "'.x'");
  refused("b", {}, "two arrays are named 'b'");
  refused("a", {.step = -2}, "step is -2");
  refused("a", {.keep = 0}, "keep is 0");
  EXPECT_EQ(entries_of(folder.path()), 0U);
  world().barrier();
}

}  // namespace
}  // namespace lagoon::atoll::test
