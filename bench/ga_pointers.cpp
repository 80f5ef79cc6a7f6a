// ga: global pointer arrays (GP), whose objects lie in an Atoll Memory.
#include <cstring>

#include "ga/gp.h"
#include "ga_calls.hpp"

namespace bench {

namespace {

constexpr int objects = 100;  // of each rank
constexpr int object_bytes = 64;

/// An array of pointers to objects of all ranks.
struct Pointers {
  Pointers() {
    GP_Initialize();
    handle = GP_Create_handle();
    int dims[] = {objects * GA_Nnodes()};
    GP_Set_dimensions(handle, 1, dims);
    GP_Allocate(handle);
    int lo = 0, hi = 0;
    GP_Distribution(handle, GA_Nodeid(), &lo, &hi);
    for (int at = lo; at <= hi; ++at) {
      void* const object = GP_Malloc(object_bytes);
      std::memset(object, 1, object_bytes);
      GP_Assign_local_element(handle, &at, object, object_bytes);
    }
    GP_Distribution(handle, 1, &first, &last);
    GP_Sync();
  }
  Pointers(const Pointers&) = delete;
  Pointers& operator=(const Pointers&) = delete;
  ~Pointers() {
    GP_Sync();
    GP_Destroy(handle);
    GP_Terminate();
  }
  int handle = 0, first = 0, last = 0;  // the neighbour's elements
};

/// The same with an array of offsets and sizes, and memory.
struct Plain {
  explicit Plain(const atoll::Group& group)
      : table(group, {objects * group.size(), 2}), memory(group, bytes) {
    first = table.distribution().patches(1).front().lo[0];
    const atoll::Patch mine = table.local().patch;
    for (std::int64_t i = mine.lo[0]; i < mine.hi[0]; ++i) {
      const std::int64_t entry[] = {(i - mine.lo[0]) * object_bytes, object_bytes};
      table.put({{i, 0}, {i + 1, 2}}, entry);
    }
    group.sync();
  }
  void find(std::int64_t count) { table.get({{first, 0}, {first + count, 2}}, found.data()); }
  void get(std::int64_t count, std::byte* to) {
    find(count);
    for (std::int64_t i = 0; i < count; ++i, to += object_bytes) {
      const auto k = static_cast<std::size_t>(2 * i);
      memory.get({.rank = 1, .offset = found[k], .shape = {found[k + 1]}}, to);
    }
  }

  static constexpr std::int64_t bytes = std::int64_t{objects} * object_bytes;
  atoll::Array<std::int64_t> table;
  atoll::Memory memory;
  std::int64_t first = 0;  // of the neighbour's elements
  std::vector<std::int64_t> found = std::vector<std::int64_t>(2 * objects);
};

void time_get(Calls& calls, Pointers& p, Plain& plain) {
  std::vector<std::byte> buffer(Plain::bytes);
  void* places[objects];
  int sizes[objects], no_leading[1] = {}, total = 0;
  const auto get_objects = [&](int last) {
    GP_Get(p.handle, &p.first, &last, buffer.data(), places, no_leading, sizes, no_leading, &total,
           0);
  };
  for (const int count : {1, objects})
    calls.alone(
        "GP_Get of " + std::to_string(count) + " times 64 B",
        {way("GP_Get", [&, count] { get_objects(p.first + count - 1); }),
         way("Array::get, Memory::get of each", [&, count] { plain.get(count, buffer.data()); })});
}

void time_access(Calls& calls, Pointers& p, Plain& plain) {
  void* place = nullptr;
  int size = 0;
  calls.alone("GP_Access_element, GP_Release_element",
              {way("GP_Access_element",
                   [&] {
                     GP_Access_element(p.handle, &p.first, static_cast<void*>(&place), &size);
                     touch(place);
                     GP_Release_element(p.handle, &p.first);
                   }),
               way("Array::get, Memory::address", [&] {
                 plain.find(1);
                 touch(plain.memory.address(1) + plain.found[0]);
               })});
}

}  // namespace

void ga_pointers(Calls& calls) {
  Pointers pointers;
  Plain plain(calls.world());
  time_get(calls, pointers, plain);
  time_access(calls, pointers, plain);
}

}  // namespace bench
