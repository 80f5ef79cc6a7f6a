// NodeBoard: reductions and broadcasts of a group whose members share a node, by shared memory.
//
// Every member has a place on the board. It writes there, and then says how many turns it has
// taken: whoever waits for that number may read. Two pages a place, used in turn, so that nobody
// waits for readers: who begins a turn has read everything of the one before. What is long goes
// through memory of the node that is taken for the call, a part in the caches at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "atoll/types.hpp"
#include "world/waiting.hpp"

namespace lagoon::atoll::detail {

class WorldState;

class NodeBoard {
 public:
  static constexpr std::size_t page_bytes = 1024;
  /// Of a member. Zero-initialised memory is a valid one.
  struct Place {
    alignas(64) Bell turns;
    alignas(64) std::byte pages[2][page_bytes];
  };

  /// Not collective; all members give the same memory.
  NodeBoard(WorldState& world, Place* places, int members, int me) noexcept
      : world_(&world), places_(places), members_(members), me_(me) {}

  /// Collective. In the order of the members, so that all get the same bits. False, and nothing
  /// done, on all where the node lacks the memory.
  bool reduce(std::span<std::byte> data, ElementType type, Reduction op);
  bool broadcast(std::span<std::byte> data, int root);

 private:
  class Room;
  std::byte* page(int member) const noexcept { return places_[member].pages[turn_ % 2]; }
  void wait_for(int member, std::uint32_t turn);
  void wait_for_all(std::uint32_t turn);
  /// Of `places` that are used in turn.
  void write(std::byte* there, std::span<const std::byte> data, std::uint32_t places);
  void tell() noexcept { places_[me_].turns.ring(turn_); }
  void meet();
  void reduce_page(std::span<std::byte> data, ElementType type, Reduction op);
  void broadcast_part(std::byte* there, std::span<std::byte> data, int root, std::uint32_t places);
  void broadcast_page(std::span<std::byte> data, int root);

  WorldState* world_;
  Place* places_;
  int members_, me_;
  std::uint32_t turn_ = 0;  // that I have begun
};

}  // namespace lagoon::atoll::detail
