// What arrays and memories have in common: a segment in which every member of a group has a block,
// and the way of a section to it.
#pragma once

#include <memory>
#include <string>

#include "atoll/group.hpp"
#include "transport/transport.hpp"

namespace lagoon::atoll::detail {

class Blocks {
 public:
  const Group group;  // of a mirrored array, those of my node
  const std::string name;
  std::shared_ptr<Segment> segment;  // with arrays that lie in the same memory; null after destroy

  bool alive() const noexcept {
    return segment != nullptr && group.state()->started_in() != nullptr;
  }
  /// Error(state) unless alive.
  void require_alive() const {
    if (!alive()) fail_ended();
  }
  /// Memory of member `rank` where it is on my node; null elsewhere.
  std::byte* block(int rank) const noexcept;

 protected:
  /// `kind` is what messages call it. Error(state) outside the group or the world.
  Blocks(const char* kind, const Group& members, std::string text);

  /// Get, put or accumulate in memory of my node; strides in bytes.
  void move(Action action, ElementType type, std::byte* memory, const Index& strides,
            const Side& side, const Index& shape, const void* alpha) const;
  /// The same at a byte offset of a member's block, wherever it is; false: it goes by messages.
  bool transfer_at(Action action, ElementType type, int rank, std::int64_t offset,
                   const Index& strides, const Side& side, const Index& shape, const void* alpha,
                   Operation& operation);
  /// Fetch-add or swap there.
  std::int64_t fetch_at(Action action, ElementType type, int rank, std::int64_t offset,
                        std::int64_t operand);
  /// Updates runs of a member's block (transport/update.hpp).
  void update_at(int rank, const UpdateKind& kind, std::span<const UpdateRun> runs,
                 const std::byte* operands, std::byte* old, Operation& operation);
  void check_operand(ElementType type, std::int64_t operand) const {
    // Of uint64 the operand is the bits.
    if (type != ElementType::uint64 && !fits(operand, type)) fail_operand(type, operand);
  }
  /// Whether calls that touch my node's memory serve other nodes, because no agent does.
  bool serves_inside_calls() const noexcept {
    return transport_ != nullptr && transport_->serves_inside_calls();
  }
  void serve_now_and_then() const {
    if (serves_inside_calls()) transport_->serve_now_and_then();
  }
  [[noreturn]] void fail(ErrorKind error, const std::string& message) const;

 private:
  [[noreturn]] void fail_ended() const;
  [[noreturn]] void fail_operand(ElementType type, std::int64_t operand) const;

  const char* kind_;

 protected:
  Stripes stripes_;
  Transport* transport_;
};

}  // namespace lagoon::atoll::detail
