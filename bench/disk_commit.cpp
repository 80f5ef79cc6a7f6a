// disk-commit: a tile of 4 KiB of a disk array of four million tiles is written, in place, so that
// it and its checksum are on the device; beside the same in an array of a thousand tiles, and
// beside pwrite and fdatasync of two files. Then the large array is opened. In memory (/dev/shm)
// and in ATOLL_SCRATCH.
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "atoll/atoll.hpp"
#include "pair.hpp"
#include "workloads.hpp"

namespace bench {

namespace {

constexpr std::int64_t tile_bytes = 4096;

/// An array of so many tiles, of which one is written.
class OneTile {
 public:
  OneTile(const atoll::World& world, std::string path, std::int64_t tiles)
      : world_(world),
        path_(std::move(path)),
        disk_(atoll::DiskArray::create(world, path_, {tiles, tile_bytes}, atoll::ElementType::uint8,
                                       {.tile = {1, tile_bytes}, .sparse = true})),
        row_(world, {1, tile_bytes}) {
    atoll::fill(row_, 7);
  }
  OneTile(const OneTile&) = delete;
  OneTile& operator=(const OneTile&) = delete;
  ~OneTile() {
    disk_.close();
    if (world_.rank() == 0) atoll::DiskArray::remove(path_);
    world_.barrier();
  }
  void write() {
    constexpr std::int64_t different = 64;  // all over the array; their space is taken soon
    const std::int64_t tile = next_++ % different * (disk_.shape()[0] / different);
    disk_.write(row_, atoll::whole({1, tile_bytes}), {{tile, 0}, {tile + 1, tile_bytes}, {}});
  }
  void open() { atoll::DiskArray::open(world_, path_, false).close(); }

 private:
  const atoll::World& world_;
  std::string path_;
  atoll::DiskArray disk_;
  atoll::Array<std::uint8_t> row_;
  std::int64_t next_ = 0;
};

/// What forcing a tile, and a page about it, to the device takes at least.
class TwoFiles {
 public:
  TwoFiles(const std::string& folder, bool mine) : mine_(mine), memory_(tile_bytes) {
    for (int& descriptor : descriptors_)
      if (descriptor = open(folder.c_str(), O_TMPFILE | O_RDWR, 0600); descriptor < 0)
        throw std::runtime_error("cannot open a file in " + folder);
  }
  TwoFiles(const TwoFiles&) = delete;
  TwoFiles& operator=(const TwoFiles&) = delete;
  ~TwoFiles() {
    for (const int descriptor : descriptors_) close(descriptor);
  }
  void write() {
    if (!mine_) return;
    for (const int descriptor : descriptors_)
      if (pwrite(descriptor, memory_.data(), memory_.size(), 0) != tile_bytes ||
          fdatasync(descriptor) != 0)
        throw std::runtime_error("a plain transfer is short");
  }

 private:
  bool mine_;
  int descriptors_[2]{};
  std::vector<std::byte> memory_;
};

void measure(Context& context, const std::string& folder) {
  const atoll::World& world = context.world;
  const std::int64_t tiles = context.settings.quick ? 100'000 : 4'000'000;
  OneTile large(world, folder + "/atoll-bench-large.zarr", tiles);
  OneTile small(world, folder + "/atoll-bench-small.zarr", 1000);
  TwoFiles plain(folder, world.rank() == 0);
  const auto repeat = [&world](auto&& f) {
    return [&world, f](std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) f();
      world.barrier();
    };
  };
  Pair pair(world.communicator(), {repeat([&] { large.write(); }), repeat([&] { small.write(); }),
                                   repeat([&] { plain.write(); }), repeat([&] { large.open(); })});
  pair.run([&] {
    const auto s = race(context.settings, pair.contenders(), paired_batch);
    const std::string name = "disk array of " + std::to_string(tiles) + " tiles, " + folder;
    context.report.latency(name + ": write one", s[0],
                           {{"of 1000", s[1]}, {"pwrite, fdatasync", s[2]}});
    context.report.latency(name + ": open", s[3], {});
  });
}

}  // namespace

void disk_commit(Context& context) {
  const char* const scratch = std::getenv("ATOLL_SCRATCH");
  measure(context, "/dev/shm");
  measure(context, scratch != nullptr ? scratch : "/tmp");
}

}  // namespace bench
