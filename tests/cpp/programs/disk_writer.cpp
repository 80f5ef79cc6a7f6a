// disk_writer write FOLDER VICTIM CALL: makes a disk array of ones, then writes twos to all rows
// but the first; rank VICTIM kills itself at the CALL-th call to the system of that write, counted
// from 0. Prints "calls: N" by the victim if it lives. disk_writer check FOLDER: opens it and
// prints a line for each tile: "old", "new", "damaged" or, which must never be, "wrong".
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "atoll/atoll.hpp"
#include "disk/file_fault.hpp"

namespace {

constexpr std::int64_t rows = 7, columns = 6, tile_rows = 2, tile_columns = 4;

void write(const atoll::World& world, const char* folder, int victim, int call) {
  const atoll::Index shape{rows, columns};
  atoll::Array<std::int32_t> values(world, shape);
  atoll::fill(values, 1);
  atoll::DiskArray disk = atoll::DiskArray::create(world, folder, shape, atoll::ElementType::int32,
                                                   {.tile = {tile_rows, tile_columns}});
  disk.write(values);
  atoll::fill(values, 2);
  static std::atomic<int> calls{0};
  if (world.rank() == victim)
    atoll::detail::set_file_fault_hook(
        [call](atoll::detail::FileCall, std::int64_t, std::size_t) -> atoll::detail::FileFault {
          if (calls++ == call) kill(getpid(), SIGKILL);
          return {};
        });
  const atoll::Patch all_but_first{{1, 0}, shape, {}};
  disk.write(values, all_but_first, all_but_first);
  if (world.rank() == victim) std::printf("calls: %d\n", calls.load());
}

const char* state_of(atoll::DiskArray& disk, const atoll::Patch& patch) {
  atoll::Array<std::int32_t> values(atoll::World::current(), {rows, columns});
  try {
    disk.read(values, patch, patch);
  } catch (const atoll::Error& error) {
    return error.error_number() == EBADMSG ? "damaged" : "wrong";
  }
  bool old = true, fresh = true;
  for (std::int64_t row = patch.lo[0]; row < patch.hi[0]; ++row)
    for (std::int64_t column = patch.lo[1]; column < patch.hi[1]; ++column) {
      std::int32_t value = 0;
      values.get({{row, column}, {row + 1, column + 1}, {}}, &value);
      old = old && value == 1;
      fresh = fresh && value == (row == 0 ? 1 : 2);
    }
  return old ? "old" : fresh ? "new" : "wrong";
}

void check(const atoll::World& world, const char* folder) {
  atoll::DiskArray disk = atoll::DiskArray::open(world, folder);
  for (std::int64_t row = 0; row < rows; row += tile_rows)
    for (std::int64_t column = 0; column < columns; column += tile_columns) {
      const atoll::Patch patch{
          {row, column},
          {std::min(row + tile_rows, rows), std::min(column + tile_columns, columns)},
          {}};
      const char* const state = state_of(disk, patch);
      if (world.rank() == 0) std::printf("%s\n", state);
    }
}

}  // namespace

int main(int argc, char** argv) {
  atoll::World world(argc, argv);
  if (argc == 5 && std::string_view(argv[1]) == "write")
    write(world, argv[2], std::atoi(argv[3]), std::atoi(argv[4]));
  else if (argc == 3 && std::string_view(argv[1]) == "check")
    check(world, argv[2]);
  else
    return 2;
}
