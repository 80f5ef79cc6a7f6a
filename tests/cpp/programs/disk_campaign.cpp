// disk_campaign fail FOLDER EVERY: a campaign of failing calls. Disk arrays are created, written in
// place, closed in the place of others, and checkpoints saved, by a caller that ignores errors; at
// each call to the system of each rank in turn the system refuses, with each of some errors, once
// or from then on. Afterwards every tile must hold what was there before or what was written, and
// what took a place be there as a whole, or not at all. Of the cases every EVERY-th is tried.
// Prints a line for each operation, "write: 120 cases, 0 lost", and one of what is lost.
//
// disk_campaign replace FOLDER COUNT: an array, and a checkpoint, are replaced as often.
// disk_campaign read FOLDER: opens and reads both until the first one is over ("over" in FOLDER);
// prints "N reads, 0 damaged", and what else went wrong.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/atoll.hpp"
#include "disk/file_fault.hpp"

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t rows = 7, columns = 6, tile_rows = 2, tile_columns = 4;

atoll::Index shape() { return {rows, columns}; }
atoll::Index tile() { return {tile_rows, tile_columns}; }

/// While it lives the victim's calls are refused, from a number on.
class Refusing {
 public:
  Refusing(bool mine, int call, int error, bool once) : mine_(mine) {
    calls = 0;
    if (!mine_) return;
    atoll::detail::set_file_fault_hook([=](atoll::detail::FileCall, std::int64_t, std::size_t) {
      const int now = calls++;
      return atoll::detail::FileFault{.error = now == call || (!once && now > call) ? error : 0};
    });
  }
  Refusing(const Refusing&) = delete;
  Refusing& operator=(const Refusing&) = delete;
  ~Refusing() {
    if (mine_) atoll::detail::set_file_fault_hook({});
  }
  static inline std::atomic<int> calls{0};

 private:
  bool mine_;
};

void ignoring(const std::function<void()>& step) {
  try {
    step();
  } catch (const atoll::Error&) {
    // As somebody does who does not look.
  }
}

/// All of a disk array: 1, 2, or 0 for zeros, by tile; -1 where it cannot be read, or is anything
/// else.
std::vector<int> tiles_of(const atoll::World& world, const atoll::DiskArray& disk) {
  std::vector<int> found;
  for (std::int64_t row = 0; row < rows; row += tile_rows)
    for (std::int64_t column = 0; column < columns; column += tile_columns) {
      const atoll::Patch patch{
          {row, column},
          {std::min(row + tile_rows, rows), std::min(column + tile_columns, columns)},
          {}};
      atoll::Array<std::int32_t> values(world, shape());
      int state = -1;
      try {
        disk.read(values, patch, patch);
        std::vector<std::int32_t> all(static_cast<std::size_t>(patch.elements()));
        values.get(patch, all.data());
        if (std::all_of(all.begin(), all.end(), [&](std::int32_t v) { return v == all.front(); }))
          state = all.front();
      } catch (const atoll::Error&) {
        state = -1;
      }
      found.push_back(state);
    }
  world.sync();
  return found;
}

class Campaign {
 public:
  Campaign(const atoll::World& world, std::string folder, int every)
      : world_(world), path_(folder + "/a"), every_(every), values_(world, shape()) {}

  void run() {
    operation(
        "create", [&] {}, [&] { create(atoll::Durability::in_place, 2); },
        [&] { return is_absent_or({0, 2}, false); });
    operation(
        "write", [&] { create(atoll::Durability::in_place, 1); }, [&] { write_twos(); },
        [&] { return holds({1, 2}, false); });
    operation(
        "close", [&] { create(atoll::Durability::checkpoint, 1); },
        [&] { create(atoll::Durability::checkpoint, 2); }, [&] { return holds({1, 2}, true); });
    operation("save", [&] { save(1); }, [&] { save(2); }, [&] { return is_saved(); });
  }

 private:
  void operation(const char* name, const std::function<void()>& before,
                 const std::function<void()>& step, const std::function<bool()>& is_right) {
    int cases = 0, lost = 0, number = 0;
    for (int victim = 0; victim < world_.size(); ++victim)
      for (const int error : {EIO, ENOSPC, EDQUOT})
        for (const bool once : {true, false})
          for (int call = 0;; ++call) {
            const bool tried = number++ % every_ == 0 || call % 16 == 0;  // also: is it over?
            if (!tried) continue;
            before();
            int calls = 0;
            {
              const Refusing refusing(world_.rank() == victim, call, error, once);
              ignoring(step);
              calls = Refusing::calls;
            }
            const bool right = is_right();
            clear();
            if (world_.reduce(calls, atoll::Reduction::maximum) <= call) break;
            ++cases;
            if (right) continue;
            ++lost;
            if (world_.rank() == 0)
              std::printf("lost: %s, rank %d, call %d, error %d %s\n", name, victim, call, error,
                          once ? "once" : "from then on");
          }
    if (world_.rank() == 0) std::printf("%s: %d cases, %d lost\n", name, cases, lost);
  }

  void create(atoll::Durability durability, int value) {
    atoll::fill(values_, value);
    atoll::DiskArray disk =
        atoll::DiskArray::create(world_, path_, shape(), atoll::ElementType::int32,
                                 {.tile = tile(), .durability = durability});
    ignoring([&] { disk.write(values_); });
    ignoring([&] { disk.close(); });
  }
  void write_twos() {
    atoll::fill(values_, 2);
    atoll::DiskArray disk = atoll::DiskArray::open(world_, path_);
    const atoll::Patch lower{{2, 0}, shape(), {}};
    ignoring([&] { disk.write(values_, lower, lower); });
    ignoring([&] { disk.write(values_); });
    ignoring([&] { disk.close(); });
  }
  void save(int value) {
    atoll::fill(values_, value);
    const atoll::NamedArray arrays[] = {{"values", &values_}};
    atoll::save_checkpoint(world_, path_, arrays, std::to_string(value), {.keep = 1});
  }
  /// Whether each tile holds one of these, or all the same one.
  bool holds(const std::vector<int>& expected, bool all_alike) {
    try {
      const auto found = tiles_of(world_, atoll::DiskArray::open(world_, path_, false));
      return std::all_of(found.begin(), found.end(), [&](int one) {
        return (!all_alike || one == found.front()) &&
               std::find(expected.begin(), expected.end(), one) != expected.end();
      });
    } catch (const atoll::Error&) {
      return false;
    }
  }
  bool is_absent_or(const std::vector<int>& expected, bool all_alike) {
    world_.barrier();  // who makes it removes what is left of it after it has told the others
    const std::int32_t there = world_.rank() == 0 && fs::exists(path_) ? 1 : 0;
    return world_.reduce(there) == 0 || holds(expected, all_alike);
  }
  bool is_saved() {
    try {
      const atoll::Checkpoint found = atoll::Checkpoint::open(world_, path_);
      atoll::Array<std::int32_t> values(world_, shape());
      found.read("values", values);
      const auto least = atoll::minimum_element(values).value.as<std::int64_t>(),
                 most = atoll::maximum_element(values).value.as<std::int64_t>();
      return least == most && found.state() == std::to_string(least) && (least == 1 || least == 2);
    } catch (const atoll::Error&) {
      return false;
    }
  }
  void clear() {
    world_.barrier();
    if (world_.rank() == 0)
      for (const auto& entry : fs::directory_iterator(fs::path(path_).parent_path()))
        fs::remove_all(entry);
    world_.barrier();
  }

  const atoll::World& world_;
  const std::string path_;
  const int every_;
  atoll::Array<std::int32_t> values_;
};

void replace(const atoll::World& world, const std::string& folder, int count) {
  atoll::Array<std::int32_t> values(world, shape());
  const atoll::NamedArray arrays[] = {{"values", &values}};
  for (int i = 1; i <= count; ++i) {
    atoll::fill(values, i);
    atoll::DiskArray disk =
        atoll::DiskArray::create(world, folder + "/a", shape(), atoll::ElementType::int32,
                                 {.tile = tile(), .durability = atoll::Durability::checkpoint});
    disk.write(values);
    disk.close();
    atoll::save_checkpoint(world, folder + "/c", arrays, std::to_string(i), {.step = 7, .keep = 1});
  }
  if (world.rank() == 0) std::ofstream(folder + "/over").flush();
}

/// Reads until the writer is over, and once more.
void read(const atoll::World& world, const std::string& folder) {
  atoll::Array<std::int32_t> values(world, shape());
  int arrays = 0, checkpoints = 0, damaged = 0;
  const auto attempt = [&](const char* what, int& reads, const std::function<void()>& step) {
    try {
      step();
      const auto least = atoll::minimum_element(values).value.as<std::int64_t>();
      if (least < 1 || least != atoll::maximum_element(values).value.as<std::int64_t>()) ++damaged;
      ++reads;
    } catch (const atoll::Error& error) {
      if (error.error_number() == ENOENT && reads == 0) return;  // the first one is not there yet
      ++damaged;
      if (world.rank() == 0) std::printf("%s: %s\n", what, error.what());
    }
  };
  for (bool over = false; !over;) {
    over = world.reduce(std::int32_t{fs::exists(folder + "/over") ? 1 : 0}) == world.size();
    attempt("array", arrays,
            [&] { atoll::DiskArray::open(world, folder + "/a", false).read(values); });
    attempt("checkpoint", checkpoints, [&] {
      const atoll::Checkpoint found = atoll::Checkpoint::open(world, folder + "/c");
      try {
        found.read("values", values);
      } catch (const atoll::Error& error) {
        // Another one has taken its place since it was opened, which it says; nothing is damaged.
        if (error.error_number() != ESTALE && error.error_number() != ENOENT) throw;
      }
    });
  }
  if (world.rank() == 0) std::printf("%d reads, %d damaged\n", arrays + checkpoints, damaged);
}

}  // namespace

int main(int argc, char** argv) {
  atoll::World world(argc, argv);
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (argc == 4 && command == "fail")
    Campaign(world, argv[2], std::atoi(argv[3])).run();
  else if (argc == 4 && command == "replace")
    replace(world, argv[2], std::atoi(argv[3]));
  else if (argc == 3 && command == "read")
    read(world, argv[2]);
  else
    return 2;
}
