// races: programs with and without races, in C++, for tests/runs/test_races.py. With
// ATOLL_CHECK=race rank 0 prints a line a case: its name, what it is, and what the detector found.
// Three ranks.
#include "atoll/races.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "atoll/atoll.hpp"

namespace {

using atoll::Array;
using atoll::Patch;

constexpr std::int64_t rows = 12, columns = 6;
Patch element(std::int64_t i, std::int64_t j) { return {{i, j}, {i + 1, j + 1}, {}}; }
Patch row(std::int64_t i) { return {{i, 0}, {i + 1, columns}, {}}; }

/// What a case works on.
struct Setting {
  const atoll::Group& all;
  Array<double>& a;
  int rank;
  atoll::Mutexes& mutexes;
  std::vector<double> buffer = std::vector<double>(columns, 1.0);
};

void put(Setting& s, int rank, const Patch& patch) {
  if (s.rank == rank) s.a.put(patch, s.buffer.data());
}
void get(Setting& s, int rank, const Patch& patch) {
  if (s.rank == rank) s.a.get(patch, s.buffer.data());
}

struct Case {
  const char* name;
  bool races;
  std::function<void(Setting&)> run;
};

// Each line of a case is a line of its own: the detector tells two lines of a program once.
const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"put_and_get", true,
       [](Setting& s) {
         if (s.rank == 0) s.a.put(row(3), s.buffer.data());
         if (s.rank == 1) s.a.get(element(3, 2), s.buffer.data());
       }},
      {"put_broadcast_get", true,
       [](Setting& s) {
         if (s.rank == 0) s.a.put(row(3), s.buffer.data());
         s.all.broadcast(std::span(s.buffer), 0);
         if (s.rank == 1) s.a.get(element(3, 2), s.buffer.data());
       }},
      {"put_fence_broadcast_get", false,
       [](Setting& s) {
         put(s, 0, row(3));
         s.all.fence();
         s.all.broadcast(std::span(s.buffer), 0);
         get(s, 1, element(3, 2));
       }},
      {"put_fence_broadcast_of_another_get", true,
       [](Setting& s) {
         if (s.rank == 0) s.a.put(row(3), s.buffer.data());
         s.all.fence();
         s.all.broadcast(std::span(s.buffer), 2);
         if (s.rank == 1) s.a.get(element(3, 2), s.buffer.data());
       }},
      {"put_fence_reduce_get", false,
       [](Setting& s) {
         put(s, 0, row(3));
         s.all.fence();
         s.all.reduce(std::span(s.buffer));
         get(s, 1, element(3, 2));
       }},
      {"put_reduce_get", true,
       [](Setting& s) {
         if (s.rank == 0) s.a.put(row(3), s.buffer.data());
         s.all.reduce(std::span(s.buffer));
         if (s.rank == 1) s.a.get(element(3, 2), s.buffer.data());
       }},
      {"strided_buffers", true,
       [](Setting& s) {
         std::vector<double> wide(2 * columns, 1.0);
         if (s.rank == 2) s.a.put(row(7), wide.data(), {columns, 2});
         if (s.rank == 1) s.a.accumulate(row(7), s.buffer.data());
       }},
      {"a_mutex_on_both_sides", false,
       [](Setting& s) {
         s.mutexes.lock(0, 1);
         s.a.put(row(8), s.buffer.data());
         s.mutexes.unlock(0, 1);
       }},
      {"a_mutex_on_one_side", true,
       [](Setting& s) {
         if (s.rank != 2) s.mutexes.lock(0, 1);
         s.a.put(row(8), s.buffer.data());
         if (s.rank != 2) s.mutexes.unlock(0, 1);
       }},
      {"a_store_by_pointer", true,
       [](Setting& s) {
         if (s.rank == 1) *s.a.local().data += 5.0;
         if (s.rank == 2) s.a.get(row(4), s.buffer.data());
       }},
      {"a_store_by_pointer_and_sync", false,
       [](Setting& s) {
         *s.a.local().data += 5.0;
         s.all.sync();
         get(s, 2, row(4));
       }},
      {"reading_by_pointer_and_a_put", true,
       [](Setting& s) {
         if (s.rank == 1) s.buffer[0] = *static_cast<const double*>(s.a.readable_block(1).data);
         if (s.rank == 2) s.a.put(row(4), s.buffer.data());
       }},
      {"reading_by_pointer_and_a_get", false,
       [](Setting& s) {
         s.buffer[0] = *static_cast<const double*>(s.a.readable_block(s.rank).data);
         get(s, 2, row(4));
       }},
      {"two_fields_of_an_element", false,
       [](Setting& s) {
         const atoll::Field field{4 * (s.rank % 2), 4};
         if (s.rank != 2) atoll::put_field_async(s.a, row(1), field, s.buffer.data()).wait();
       }},
      {"one_field_of_an_element", true,
       [](Setting& s) {
         if (s.rank == 0) atoll::put_field_async(s.a, row(1), {0, 4}, s.buffer.data()).wait();
         if (s.rank == 1) atoll::put_field_async(s.a, row(1), {2, 4}, s.buffer.data()).wait();
       }},
      {"a_buffer_used_again", true,
       [](Setting& s) {
         if (s.rank != 0) return;
         atoll::Handle handle = s.a.get_async(row(1), s.buffer.data());
         s.a.put(row(2), s.buffer.data());
         handle.wait();
       }},
  };
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  atoll::World world(argc, argv);
  atoll::Mutexes mutexes(world, 1);
  for (const Case& each : cases()) {
    atoll::Layout whole_rows;
    whole_rows.block = {0, columns};
    Array<double> a(world, {rows, columns}, {.layout = whole_rows, .name = each.name});
    Setting setting{world, a, world.rank(), mutexes};
    const std::size_t before = atoll::races().size();
    each.run(setting);
    world.sync();
    const std::vector<atoll::Race> found = atoll::races();
    if (world.rank() == 0)
      std::printf("%s %s %s\n", each.name, each.races ? "race" : "clean",
                  found.size() > before ? "race" : "clean");
    a.destroy();
  }
  return 0;
}
