// checkpoint: all of a distributed array of 400 MB saved as a checkpoint, on the device, beside
// pwrite past the page cache (O_DIRECT) of as many bytes in requests of 1 MiB by the same ranks, to
// a new file that is brought to the device, too. In ATOLL_SCRATCH.
//
// disk-overlap: a section written and read while the program computes for some three times as long:
// how long `wait` takes then, beside the whole transfer. In /dev/shm and in ATOLL_SCRATCH.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "atoll/atoll.hpp"
#include "pair.hpp"
#include "work.hpp"
#include "workloads.hpp"

namespace bench {

namespace {

std::string scratch() {
  const char* const folder = std::getenv("ATOLL_SCRATCH");
  return folder != nullptr ? folder : "/tmp";
}

/// A rank's part, written past the page cache to a file of its own.
class DirectPart {
 public:
  DirectPart(std::string folder, std::int64_t bytes)
      : folder_(std::move(folder)),
        requests_(bytes / request),
        memory_(static_cast<std::byte*>(std::aligned_alloc(4096, std::size_t{request})),
                &std::free) {
    std::fill_n(memory_.get(), request, std::byte{1});
  }
  void write() {
    const int descriptor = open(folder_.c_str(), O_TMPFILE | O_RDWR | O_DIRECT, 0600);
    if (descriptor < 0) throw std::runtime_error("cannot open a file in " + folder_);
    for (std::int64_t i = 0; i < requests_; ++i)
      if (pwrite(descriptor, memory_.get(), request, i * request) != static_cast<ssize_t>(request))
        throw std::runtime_error("a plain write is short");
    if (fdatasync(descriptor) != 0) throw std::runtime_error("fdatasync failed");
    close(descriptor);
  }

 private:
  static constexpr std::int64_t request = std::int64_t{1} << 20;
  std::string folder_;
  std::int64_t requests_;
  std::unique_ptr<std::byte, void (*)(void*)> memory_;
};

}  // namespace

void checkpoint(Context& context) {
  const atoll::World& world = context.world;
  const std::int64_t n = context.settings.quick ? 2048 : 7168, bytes = n * n * 8;
  atoll::Array<double> array(world, {n, n});
  atoll::fill(array, 0.5);
  const std::string folder = scratch() + "/atoll-bench-checkpoints";
  DirectPart direct(scratch(), bytes / world.size());
  const atoll::NamedArray arrays[] = {{"array", &array}};
  Pair pair(world.communicator(), {[&](std::int64_t count) {
                                     for (std::int64_t i = 0; i < count; ++i)
                                       atoll::save_checkpoint(world, folder, arrays, "state",
                                                              {.keep = 1});
                                   },
                                   [&](std::int64_t count) {
                                     for (std::int64_t i = 0; i < count; ++i) direct.write();
                                     world.barrier();
                                   }});
  pair.run([&] {
    const auto s = race(context.settings, pair.contenders(), paired_batch);
    context.report.bandwidth("checkpoint " + scratch(), bytes, s[0], {{"O_DIRECT", s[1]}});
  });
  world.barrier();
  if (world.rank() == 0) std::filesystem::remove_all(folder);
  world.barrier();
}

namespace {

void measure_overlap(Context& context, const std::string& folder) {
  const atoll::World& world = context.world;
  const std::int64_t n = context.settings.quick ? 1024 : 4096, bytes = n * n * 8;
  const std::string path = folder + "/atoll-bench.zarr";
  atoll::DiskArray disk = atoll::DiskArray::create(world, path, {n, n}, atoll::ElementType::float64,
                                                   {.durability = atoll::Durability::scratch});
  atoll::Array<double> array(world, {n, n});
  atoll::fill(array, 0.5);
  disk.write(array);
  Work work;
  const std::int64_t portions = work.portions_of(3.0 * static_cast<double>(bytes) / 3e9);
  std::vector<double> waits;  // of requests, as the first rank saw them
  const auto hidden = [&](const std::function<atoll::DiskRequest()>& begin) {
    return [&, begin](std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) {
        atoll::DiskRequest request = begin();
        work.run(portions);
        world.barrier();  // that ranks compute for unequal times is another matter
        const double start = now();
        request.wait();
        waits.push_back(now() - start);
      }
    };
  };
  const auto repeat = [&](auto&& f) {
    return [&, f](std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) f();
    };
  };
  Pair pair(world.communicator(),
            {repeat([&] { disk.write(array); }), repeat([&] { disk.read(array); }),
             hidden([&] { return disk.write_async(array); }),
             hidden([&] { return disk.read_async(array); })});
  pair.run([&] {
    auto contenders = pair.contenders();
    for (const bool reads : {false, true}) {
      const std::size_t which = reads ? 1 : 0;
      const Samples blocking = race(context.settings, {contenders[which]}, paired_batch)[0];
      waits.clear();
      (void)race(context.settings, {contenders[which + 2]}, paired_batch);
      context.report.latency(
          "disk " + std::string(reads ? "read " : "write ") + folder + ", wait after computing",
          Samples(waits), {{"blocking", blocking}});
    }
  });
  disk.close();
  if (world.rank() == 0) atoll::DiskArray::remove(path);
  world.barrier();
}

}  // namespace

void disk_overlap(Context& context) {
  measure_overlap(context, "/dev/shm");
  measure_overlap(context, scratch());
}

}  // namespace bench
