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

void time_get(Calls& calls, Pointers& p) {
  atoll::Memory memory(calls.world(), std::int64_t{objects} * object_bytes);
  std::vector<std::byte> buffer(std::size_t{objects} * object_bytes);
  void* places[objects];
  int sizes[objects], no_leading[1] = {}, total = 0;
  const auto get_objects = [&](int last) {
    GP_Get(p.handle, &p.first, &last, buffer.data(), places, no_leading, sizes, no_leading, &total,
           0);
  };
  const auto get_bytes = [&](int count) {
    for (std::int64_t i = 0; i < count; ++i)
      memory.get({.rank = 1, .offset = i * object_bytes, .shape = {object_bytes}},
                 &buffer[static_cast<std::size_t>(i * object_bytes)]);
  };
  calls.alone("GP_Get 1 object of 64 B", {way("GP_Get", [&] { get_objects(p.first); }),
                                          way("Memory::get", [&] { get_bytes(1); })});
  calls.alone("GP_Get 100 objects of 64 B",
              {way("GP_Get", [&] { get_objects(p.last); }),
               way("Memory::get of each", [&] { get_bytes(objects); })});
}

void time_access(Calls& calls, Pointers& p) {
  const atoll::Memory memory(calls.world(), object_bytes);
  void* place = nullptr;
  int size = 0;
  calls.alone("GP_Access_element, GP_Release_element",
              {way("GP_Access_element",
                   [&] {
                     GP_Access_element(p.handle, &p.first, static_cast<void*>(&place), &size);
                     touch(place);
                     GP_Release_element(p.handle, &p.first);
                   }),
               way("Memory::address", [&] { touch(memory.address(1)); })});
}

}  // namespace

void ga_pointers(Calls& calls) {
  Pointers pointers;
  time_get(calls, pointers);
  time_access(calls, pointers);
}

}  // namespace bench
