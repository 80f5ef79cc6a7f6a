// disk-array: a section of 5000 x 5000 doubles of a disk array of 10000 x 10000, written and read
// by all ranks (paper 004, figure 6): where tiles begin, shifted, and transposed; checksums on,
// nothing forced to the device. Beside plain pwrite and pread of as many bytes of memory in
// requests of 2 MiB, by the same ranks in the same folder, over what was written before. In memory
// (/dev/shm) and in ATOLL_SCRATCH. Also read after it was closed and opened again.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "atoll/atoll.hpp"
#include "pair.hpp"
#include "workloads.hpp"

namespace bench {

namespace {

/// A rank's part of a plain file of as many bytes as the section.
class PlainPart {
 public:
  PlainPart(const std::string& folder, std::int64_t bytes)
      : descriptor_(open(folder.c_str(), O_TMPFILE | O_RDWR, 0600)),
        bytes_(bytes),
        memory_(static_cast<std::size_t>(bytes), std::byte{1}) {
    if (descriptor_ < 0) throw std::runtime_error("cannot open a file in " + folder);
    write();
  }
  PlainPart(const PlainPart&) = delete;
  PlainPart& operator=(const PlainPart&) = delete;
  ~PlainPart() { close(descriptor_); }
  void write() {
    for_each_request([&](std::byte* data, std::size_t size, std::int64_t offset) {
      return pwrite(descriptor_, data, size, offset);
    });
  }
  void read() {
    for_each_request([&](std::byte* data, std::size_t size, std::int64_t offset) {
      return pread(descriptor_, data, size, offset);
    });
  }

 private:
  static constexpr std::int64_t request = std::int64_t{2} << 20;
  template <class Call>
  void for_each_request(Call&& call) {
    for (std::int64_t at = 0; at < bytes_; at += request) {
      const auto size = static_cast<std::size_t>(std::min(request, bytes_ - at));
      if (call(memory_.data() + at, size, at) != static_cast<ssize_t>(size))
        throw std::runtime_error("a plain transfer is short");
    }
  }
  int descriptor_;
  std::int64_t bytes_;
  std::vector<std::byte> memory_;
};

void measure(Context& context, const std::string& folder) {
  const atoll::World& world = context.world;
  const std::int64_t n = context.settings.quick ? 1000 : 5000, shift = n / 3 + 1;
  const std::int64_t bytes = n * n * 8;
  const std::string path = folder + "/atoll-bench.zarr";
  atoll::DiskArray disk =
      atoll::DiskArray::create(world, path, {2 * n, 2 * n}, atoll::ElementType::float64,
                               {.request = {n, n}, .durability = atoll::Durability::scratch});
  atoll::Array<double> array(world, {n, n});
  atoll::fill(array, 0.5);
  PlainPart plain(folder, bytes / world.size());
  const atoll::Patch all = atoll::whole({n, n});
  const atoll::Patch shifted{{shift, shift}, {shift + n, shift + n}, {}};
  const auto repeat = [&world](auto&& f) {
    return [&world, f](std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) f();
      world.barrier();
    };
  };
  disk.write(array, all, shifted);  // all tiles are there
  disk.write(array, all, all);
  Pair pair(world.communicator(),
            {repeat([&] { disk.write(array, all, all); }),
             repeat([&] { disk.write(array, all, shifted); }),
             repeat([&] { disk.write(array, all, all, atoll::Transpose::yes); }),
             repeat([&] { plain.write(); }), repeat([&] { disk.read(array, all, all); }),
             repeat([&] { disk.read(array, all, shifted); }),
             repeat([&] { disk.read(array, all, all, atoll::Transpose::yes); }),
             repeat([&] { plain.read(); }), repeat([&] {
               disk.close();
               disk = atoll::DiskArray::open(world, path, true, atoll::Durability::scratch);
               disk.read(array, all, all);
             })});
  pair.run([&] {
    const auto s = race(context.settings, pair.contenders(), paired_batch);
    const std::string name = "disk array " + folder;
    context.report.bandwidth(name + " write", bytes, s[0],
                             {{"shifted", s[1]}, {"transposed", s[2]}, {"pwrite", s[3]}});
    context.report.bandwidth(name + " read", bytes, s[4],
                             {{"shifted", s[5]},
                              {"transposed", s[6]},
                              {"closed and opened before", s[8]},
                              {"pread", s[7]}});
  });
  disk.close();
  if (world.rank() == 0) atoll::DiskArray::remove(path);
  world.barrier();
}

}  // namespace

void disk_array(Context& context) {
  const char* const scratch = std::getenv("ATOLL_SCRATCH");
  measure(context, "/dev/shm");
  measure(context, scratch != nullptr ? scratch : "/tmp");
}

}  // namespace bench
