#include "compat/ga/ghosts/ghosts.hpp"

#include <cstring>
#include <vector>

#include "atoll/periodic.hpp"
#include "compat/ga/pending.hpp"

namespace lagoon::atoll::ga {

namespace {

HaloOptions all_around(const GlobalArray& a) {
  return {.periodic = {true}, .corners = a.plan.ghost_corners, .directions = {}};
}

/// Also with the dimension of an opaque element's bytes, which has no ghosts.
LocalBlock stored_ghost_memory(GlobalArray& a) {
  AnyArray& array = a.array();
  return block_with_halo(array, array.group().rank());
}

std::int64_t width(const GlobalArray& a, int d) { return a.array().distribution().halo()[d]; }

/// All directions to one side of dimension `d` that have ghost cells.
std::vector<Index> directions_to(const GlobalArray& a, int d, std::int64_t side, bool corners) {
  const int n = a.array().dimensions();
  Index count = Index::filled(n, 1);
  for (int e = 0; e < n; ++e)
    if (e != d && corners && width(a, e) > 0) count[e] = 3;
  std::vector<Index> directions;
  Index turn = Index::filled(n, 0);
  do {
    Index direction = turn;
    for (int e = 0; e < n; ++e) direction[e] = count[e] == 3 ? turn[e] - 1 : 0;
    direction[d] = side;
    directions.push_back(direction);
  } while (next_position(turn, count));
  return directions;
}

std::byte* at_offset(const GlobalArray& a, const LocalBlock& memory, const Index& from) {
  std::int64_t offset = 0;
  for (int d = 0; d < from.size(); ++d) offset += from[d] * memory.strides[d];
  return static_cast<std::byte*>(memory.data) + offset * static_cast<std::int64_t>(a.type().bytes);
}

bool inside(const Patch& patch, const Patch& around) {
  for (int d = 0; d < patch.dimensions(); ++d)
    if (patch.lo[d] < around.lo[d] || patch.hi[d] > around.hi[d]) return false;
  return true;
}

}  // namespace

bool has_ghosts(const GlobalArray& a) {
  return std::ranges::any_of(a.plan.ghosts, [](std::int64_t width) { return width > 0; });
}

void update_ghosts(GlobalArray& a) {
  Runtime::get().pending->wait_all();
  update_halo(a.array(), all_around(a));
}

Handle update_ghosts_begin(GlobalArray& a) { return update_halo_begin(a.array(), all_around(a)); }

void update_side(GlobalArray& a, int d, std::int64_t side, bool corners) {
  if (side != -1 && side != 1)
    throw Error(ErrorKind::value,
                "the direction is " + std::to_string(side) + "; expected -1 or 1");
  Runtime::get().pending->wait_all();
  HaloOptions options{.periodic = {true}, .corners = true, .directions = {}};
  if (width(a, d) > 0) options.directions = directions_to(a, d, side, corners);
  if (options.directions.empty())
    a.array().whole_group().sync();
  else
    update_halo(a.array(), options);
}

void fetch_ghosts(GlobalArray& a, const Index& direction) {
  const LocalBlock memory = stored_ghost_memory(a);
  if (memory.data == nullptr) return;
  Patch wanted{memory.patch.lo, memory.patch.hi, {}};
  Index from = Index::filled(a.dimensions(), 0);
  bool anywhere = false;
  for (int d = 0; d < direction.size(); ++d) {
    if (direction[d] < -1 || direction[d] > 1)
      throw Error(ErrorKind::value,
                  "mask is " + direction.to_string() + "; expected entries -1, 0 and 1");
    anywhere = anywhere || direction[d] != 0;
    const std::int64_t low = memory.patch.lo[d] + width(a, d),
                       high = memory.patch.hi[d] - width(a, d);
    wanted.lo[d] = direction[d] == 0 ? low : direction[d] < 0 ? memory.patch.lo[d] : high;
    wanted.hi[d] = direction[d] == 0 ? high : direction[d] < 0 ? low : memory.patch.hi[d];
    from[d] = wanted.lo[d] - memory.patch.lo[d];
  }
  if (!anywhere) return;
  const LocalBlock mine = ghost_memory(a);
  get_periodic(a.array(), wanted, at_offset(a, mine, from), memory.strides);
}

LocalBlock ghost_memory(GlobalArray& a) {
  const LocalBlock memory = stored_ghost_memory(a);
  return {{a.without_bytes(memory.patch.lo), a.without_bytes(memory.patch.hi)},
          memory.data,
          a.element_strides(memory.strides)};
}

void* ghost_element(GlobalArray& a, const LocalBlock& memory, const Index& at) {
  for (int d = 0; d < at.size(); ++d)
    if (at[d] < 0 || at[d] >= memory.patch.hi[d] - memory.patch.lo[d])
      throw Error(ErrorKind::value, "subscript " + at.to_string() +
                                        " from the first ghost cell on lies outside my " +
                                        memory.patch.shape().to_string() + " elements");
  return at_offset(a, memory, at);
}

void get_ghost_patch(GlobalArray& a, const Patch& patch, void* buffer, const Index& strides) {
  const LocalBlock memory = ghost_memory(a);
  if (memory.data == nullptr || !inside(patch, memory.patch)) {
    a.array().get(a.stored(patch), buffer, a.stored_strides(strides));
    return;
  }
  if (patch.empty()) return;
  const auto bytes = static_cast<std::int64_t>(a.type().bytes);
  const Index extent = patch.shape();
  const int last = extent.size() - 1;
  Index rows = extent, turn = Index::filled(extent.size(), 0);
  rows[last] = 1;
  do {
    Index from = turn;
    std::int64_t to = 0;
    for (int d = 0; d <= last; ++d) {
      from[d] += patch.lo[d] - memory.patch.lo[d];
      to += turn[d] * strides[d];
    }
    std::memcpy(static_cast<std::byte*>(buffer) + to * bytes, at_offset(a, memory, from),
                static_cast<std::size_t>(extent[last] * bytes));
  } while (next_position(turn, rows));
}

}  // namespace lagoon::atoll::ga
