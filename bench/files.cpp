// small-requests: requests of 72 bytes to 64 KiB that are begun and waited for at once, beside
// pwrite and pread. private-file, shared-file: records written and read by all ranks at once,
// beside plain pwrite and pread of the same records of the same file, in the same order. Private:
// records of 1.6 KB to 1.6 MB at random, one file a rank (paper 004, section 5.3). Shared: requests
// of 32 to 128 KB round robin, one file of all ranks (section 5.4). In memory (/dev/shm) and in
// ATOLL_SCRATCH. All records have been written once before. Any number of ranks.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "atoll/atoll.hpp"
#include "pair.hpp"
#include "workloads.hpp"

namespace bench {

namespace {

constexpr std::int64_t records_bytes = 80'000'000;  // of all records of a rank, as in the paper
constexpr std::size_t outstanding = 4;

/// The same file without Atoll.
class PlainFile {
 public:
  explicit PlainFile(const std::string& path) : descriptor_(open(path.c_str(), O_RDWR)) {
    if (descriptor_ < 0) throw std::runtime_error("cannot open " + path);
  }
  PlainFile(const PlainFile&) = delete;
  PlainFile& operator=(const PlainFile&) = delete;
  ~PlainFile() { close(descriptor_); }
  void write(std::int64_t offset, std::span<const std::byte> data) const {
    check(pwrite(descriptor_, data.data(), data.size(), offset), data.size());
  }
  void read(std::int64_t offset, std::span<std::byte> data) const {
    check(pread(descriptor_, data.data(), data.size(), offset), data.size());
  }

 private:
  static void check(ssize_t moved, std::size_t bytes) {
    if (moved != static_cast<ssize_t>(bytes)) throw std::runtime_error("a plain transfer is short");
  }
  int descriptor_;
};

/// Records of one size in the order in which a rank goes through them, again and again.
class Records {
 public:
  Records(std::int64_t bytes, std::vector<std::int64_t> offsets)
      : bytes_(bytes), offsets_(std::move(offsets)) {
    for (auto& buffer : buffers_) buffer.resize(static_cast<std::size_t>(bytes), std::byte{3});
  }
  std::int64_t next() { return offsets_[at_++ % offsets_.size()]; }
  std::int64_t bytes() const { return bytes_; }
  std::size_t count() const { return offsets_.size(); }
  std::span<std::byte> buffer(std::size_t i = 0) { return buffers_[i % outstanding]; }

 private:
  std::int64_t bytes_;
  std::vector<std::int64_t> offsets_;
  std::size_t at_ = 0;
  std::array<std::vector<std::byte>, outstanding> buffers_;
};

template <class File>
void write_records(File& file, Records& records, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) file.write(records.next(), records.buffer());
}
template <class File>
void read_records(File& file, Records& records, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) file.read(records.next(), records.buffer());
}
template <class Begin>
void run_async(Records& records, std::int64_t count, Begin&& begin) {
  std::array<atoll::FileRequest, outstanding> requests;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    atoll::FileRequest& request = requests[i % outstanding];
    (void)request.wait();
    request = begin(records.next(), records.buffer(i));
  }
  atoll::wait_all_files(requests);
}

template <class File>
void race_files(Context& context, const std::string& name, File& file, const PlainFile& plain,
                Records& records) {
  const auto count = static_cast<std::int64_t>(records.count());
  write_records(file, records, count);
  const auto met = [&](auto&& task) {
    return [&context, task](std::int64_t n) {
      task(n);
      context.world.barrier();
    };
  };
  Pair pair(
      context.world.communicator(),
      {met([&](std::int64_t n) { write_records(file, records, n); }),
       met([&](std::int64_t n) { write_records(plain, records, n); }), met([&](std::int64_t n) {
         run_async(records, n, [&](std::int64_t offset, std::span<std::byte> data) {
           return file.write_async(offset, data);
         });
       }),
       met([&](std::int64_t n) { read_records(file, records, n); }),
       met([&](std::int64_t n) { read_records(plain, records, n); }), met([&](std::int64_t n) {
         run_async(records, n, [&](std::int64_t offset, std::span<std::byte> data) {
           return file.read_async(offset, data);
         });
       })});
  pair.run([&] {
    const auto s = race(context.settings, pair.contenders(), paired_batch);
    const std::int64_t bytes = records.bytes() * context.world.size();
    context.report.bandwidth(name + " write", bytes, s[0],
                             {{"pwrite", s[1]}, {"four under way", s[2]}});
    context.report.bandwidth(name + " read", bytes, s[3],
                             {{"pread", s[4]}, {"four under way", s[5]}});
  });
}

/// Requests that are begun and waited for at once, beside the plain calls.
template <class File>
void race_requests(Context& context, const std::string& name, File& file, const PlainFile& plain,
                   Records& records) {
  write_records(file, records, static_cast<std::int64_t>(records.count()));
  const auto loop = [&](auto body) {
    return [&, body](std::int64_t times) {
      for (std::int64_t i = 0; i < times; ++i) body(records.next(), records.buffer());
      context.world.barrier();
    };
  };
  using Buffer = std::span<std::byte>;
  Pair pair(context.world.communicator(),
            {loop([&](std::int64_t at, Buffer data) { (void)file.write_async(at, data).wait(); }),
             loop([&](std::int64_t at, Buffer data) { plain.write(at, data); }),
             loop([&](std::int64_t at, Buffer data) { (void)file.read_async(at, data).wait(); }),
             loop([&](std::int64_t at, Buffer data) { plain.read(at, data); })});
  pair.run([&] {
    const auto s = race(context.settings, pair.contenders(), paired_batch);
    context.report.latency(name + " write_async, wait", s[0], {{"pwrite", s[1]}});
    context.report.latency(name + " read_async, wait", s[2], {{"pread", s[3]}});
  });
}

std::vector<std::string> folders() {
  const char* const scratch = std::getenv("ATOLL_SCRATCH");
  return {"/dev/shm", scratch != nullptr ? scratch : "/tmp"};
}

std::string text_of(std::int64_t bytes) {
  return bytes < 1'000'000 ? std::to_string(bytes) + " B" : std::to_string(bytes / 1000) + " KB";
}

}  // namespace

void private_file(Context& context) {
  const std::int64_t total = context.settings.quick ? records_bytes / 10 : records_bytes;
  for (const std::string& folder : folders())
    for (const std::int64_t bytes : {1'600, 16'000, 160'000, 1'600'000}) {
      std::vector<std::int64_t> offsets(static_cast<std::size_t>(total / bytes));
      std::iota(offsets.begin(), offsets.end(), 0);
      std::mt19937 random(7);  // NOLINT(bugprone-random-generator-seed): the same in all runs
      std::shuffle(offsets.begin(), offsets.end(), random);
      for (std::int64_t& offset : offsets) offset *= bytes;
      Records records(bytes, std::move(offsets));
      const std::string name = "atoll-bench-" + std::to_string(context.world.rank());
      atoll::PrivateFile file({.directories = {folder}, .name = name});
      const PlainFile plain(std::string(folder).append("/").append(name));
      race_files(context, "private " + folder + " " + text_of(bytes), file, plain, records);
      file.remove();
    }
}

void shared_file(Context& context) {
  const atoll::World& world = context.world;
  const std::int64_t total = context.settings.quick ? records_bytes / 10 : records_bytes;
  for (const std::string& folder : folders())
    for (const std::int64_t bytes : {32 << 10, 64 << 10, 128 << 10}) {
      std::vector<std::int64_t> offsets;
      for (std::int64_t i = 0; i < total / bytes; ++i)
        offsets.push_back((i * world.size() + world.rank()) * bytes);
      Records records(bytes, std::move(offsets));
      const std::string path = folder + "/atoll-bench-shared";
      atoll::SharedFile file(world, path,
                             {.keep = true, .opening = atoll::FileOpening::open_or_create});
      const PlainFile plain(path);
      race_files(context, "shared " + folder + " " + text_of(bytes), file, plain, records);
      file.close();
      if (world.rank() == 0) unlink(path.c_str());
      world.barrier();
    }
}

namespace {

/// A section of one tile of a disk array; collective, with its checksum.
void race_sections(Context& context, const std::string& folder) {
  constexpr std::int64_t elements = 4096, bytes = elements * 8;
  const std::string path = folder + "/atoll-bench.zarr", beside = path + "-plain";
  atoll::Array<double> array(context.world, {elements});
  atoll::DiskArray disk =
      atoll::DiskArray::create(context.world, path, {elements}, atoll::ElementType::float64,
                               {.tile = {elements}, .durability = atoll::Durability::scratch});
  if (context.world.rank() == 0) close(open(beside.c_str(), O_RDWR | O_CREAT, 0600));
  context.world.barrier();
  const PlainFile plain(beside);
  std::vector<std::byte> buffer(bytes);
  const auto loop = [](auto body) {
    return [body](std::int64_t times) {
      for (std::int64_t i = 0; i < times; ++i) body();
    };
  };
  Pair pair(context.world.communicator(),
            {loop([&] { disk.write_async(array).wait(); }), loop([&] { disk.write(array); }),
             loop([&] { plain.write(0, buffer); }), loop([&] { disk.read_async(array).wait(); }),
             loop([&] { disk.read(array); }), loop([&] { plain.read(0, buffer); })});
  pair.run([&] {
    const auto s = race(context.settings, pair.contenders(), paired_batch);
    const std::string name = "disk array " + folder + " 32 KiB ";
    context.report.latency(name + "write_async, wait", s[0], {{"write", s[1]}, {"pwrite", s[2]}});
    context.report.latency(name + "read_async, wait", s[3], {{"read", s[4]}, {"pread", s[5]}});
  });
  disk.close();
  if (context.world.rank() == 0) {
    atoll::DiskArray::remove(path);
    unlink(beside.c_str());
  }
  context.world.barrier();
}

}  // namespace

void small_requests(Context& context) {
  const atoll::World& world = context.world;
  for (const std::string& folder : folders()) race_sections(context, folder);
  constexpr std::int64_t total = 8'000'000;
  for (const std::string& folder : folders())
    for (const std::int64_t bytes : {72, 4096, 30'000, 65'536}) {
      std::vector<std::int64_t> mine, theirs;
      for (std::int64_t i = 0; i < total / bytes; ++i) {
        mine.push_back(i * bytes);
        theirs.push_back((i * world.size() + world.rank()) * bytes);
      }
      const std::string text = " " + folder + " " + std::to_string(bytes) + " B";
      const std::string name = "atoll-bench-" + std::to_string(world.rank());
      {
        Records records(bytes, std::move(mine));
        atoll::PrivateFile file({.directories = {folder}, .name = name});
        const PlainFile plain(std::string(folder).append("/").append(name));
        race_requests(context, "private" + text, file, plain, records);
        file.remove();
      }
      const std::string path = folder + "/atoll-bench-shared";
      Records records(bytes, std::move(theirs));
      atoll::SharedFile file(world, path,
                             {.keep = true, .opening = atoll::FileOpening::open_or_create});
      const PlainFile plain(path);
      race_requests(context, "shared" + text, file, plain, records);
      file.close();
      if (world.rank() == 0) unlink(path.c_str());
      world.barrier();
    }
}

}  // namespace bench
