// disk_writer write FOLDER VICTIM CALL: makes a disk array of ones, then writes twos to all rows
// but the first; rank VICTIM kills itself at the CALL-th call to the system of that write, counted
// from 0. Prints "calls: N" by the victim if it lives. disk_writer check FOLDER: opens it and
// prints a line for each tile: "old", "new", "damaged" or, which must never be, "wrong".
// disk_writer replace FOLDER VICTIM CALL and disk_writer check-replaced FOLDER: the same of an
// array that takes the place of another one. disk_writer save FOLDER VICTIM CALL and disk_writer
// load FOLDER: the same of checkpoints, of which one is kept; prints "old", "new" or "wrong".
// disk_writer make FOLDER VICTIM CALL and disk_writer check-made FOLDER: the same of a new array,
// whose tiles are "old" while they are zeros; prints "absent" where there is none.
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

/// While it lives the victim is killed at that call.
class Killing {
 public:
  Killing(const atoll::World& world, int victim, int call) : mine_(world.rank() == victim) {
    if (!mine_) return;
    atoll::detail::set_file_fault_hook(
        [call](atoll::detail::FileCall, std::int64_t, std::size_t) -> atoll::detail::FileFault {
          if (calls++ == call) kill(getpid(), SIGKILL);
          return {};
        });
  }
  Killing(const Killing&) = delete;
  Killing& operator=(const Killing&) = delete;
  ~Killing() {
    if (!mine_) return;
    atoll::detail::set_file_fault_hook({});
    std::printf("calls: %d\n", calls.load());
  }

 private:
  static inline std::atomic<int> calls{0};
  bool mine_;
};

void write_rows(const atoll::World& world, const char* folder, int victim, int call) {
  const atoll::Index shape{rows, columns};
  atoll::Array<std::int32_t> values(world, shape);
  atoll::fill(values, 1);
  atoll::DiskArray disk = atoll::DiskArray::create(world, folder, shape, atoll::ElementType::int32,
                                                   {.tile = {tile_rows, tile_columns}});
  disk.write(values);
  atoll::fill(values, 2);
  const Killing killing(world, victim, call);
  const atoll::Patch all_but_first{{1, 0}, shape, {}};
  disk.write(values, all_but_first, all_but_first);
}

void make(const atoll::World& world, const char* folder, int victim, int call) {
  atoll::Array<std::int32_t> values(world, {rows, columns});
  atoll::fill(values, 2);
  const Killing killing(world, victim, call);
  atoll::DiskArray disk =
      atoll::DiskArray::create(world, folder, {rows, columns}, atoll::ElementType::int32,
                               {.tile = {tile_rows, tile_columns}});
  disk.write(values);
  disk.close();
}

void replace(const atoll::World& world, const char* folder, int victim, int call) {
  atoll::Array<std::int32_t> values(world, {rows, columns});
  const auto make = [&](int value) {
    atoll::fill(values, value);
    atoll::DiskArray disk = atoll::DiskArray::create(
        world, folder, {rows, columns}, atoll::ElementType::int32,
        {.tile = {tile_rows, tile_columns}, .durability = atoll::Durability::checkpoint});
    disk.write(values);
    disk.close();
  };
  make(1);
  const Killing killing(world, victim, call);
  make(2);
}

void save(const atoll::World& world, const char* folder, int victim, int call) {
  atoll::Array<std::int32_t> values(world, {rows, columns});
  const atoll::NamedArray arrays[] = {{"values", &values}};
  const auto save_value = [&](int value) {
    atoll::fill(values, value);
    atoll::save_checkpoint(world, folder, arrays, std::to_string(value), {.keep = 1});
  };
  save_value(1);
  const Killing killing(world, victim, call);
  save_value(2);
}

void load(const atoll::World& world, const char* folder) {
  const atoll::Checkpoint found = atoll::Checkpoint::open(world, folder);
  const atoll::AnyArray values = found.load("values");
  std::vector<std::int32_t> all(rows * columns);
  values.get(atoll::whole(values.shape()), all.data());
  const auto holds = [&](int value) {
    return found.state() == std::to_string(value) &&
           std::all_of(all.begin(), all.end(), [&](std::int32_t one) { return one == value; });
  };
  if (world.rank() == 0) std::printf("%s\n", holds(1) ? "old" : holds(2) ? "new" : "wrong");
}

const char* state_of(atoll::DiskArray& disk, const atoll::Patch& patch, std::int64_t old_rows,
                     std::int32_t old_value) {
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
      old = old && value == old_value;
      fresh = fresh && value == (row < old_rows ? old_value : 2);
    }
  return old ? "old" : fresh ? "new" : "wrong";
}

/// A new array has the old value in so many rows.
void check(const atoll::World& world, const char* folder, std::int64_t old_rows,
           std::int32_t old_value) {
  atoll::DiskArray disk = atoll::DiskArray::open(world, folder);
  for (std::int64_t row = 0; row < rows; row += tile_rows)
    for (std::int64_t column = 0; column < columns; column += tile_columns) {
      const atoll::Patch patch{
          {row, column},
          {std::min(row + tile_rows, rows), std::min(column + tile_columns, columns)},
          {}};
      const char* const state = state_of(disk, patch, old_rows, old_value);
      if (world.rank() == 0) std::printf("%s\n", state);
    }
}

void check_made(const atoll::World& world, const char* folder) {
  try {
    check(world, folder, 0, 0);
  } catch (const atoll::Error& error) {
    // One that was not completed is none.
    if (error.error_number() != ENOENT && error.error_number() != EBADMSG) throw;
    if (world.rank() == 0) std::printf("absent\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  atoll::World world(argc, argv);
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (argc == 5 &&
      (command == "write" || command == "replace" || command == "save" || command == "make")) {
    const auto run = command == "write"     ? write_rows
                     : command == "replace" ? replace
                     : command == "save"    ? save
                                            : make;
    run(world, argv[2], std::atoi(argv[3]), std::atoi(argv[4]));
  } else if (argc == 3 && (command == "check" || command == "check-replaced")) {
    check(world, argv[2], command == "check" ? 1 : 0, 1);
  } else if (argc == 3 && command == "check-made") {
    check_made(world, argv[2]);
  } else if (argc == 3 && command == "load") {
    load(world, argv[2]);
  } else {
    return 2;
  }
}
