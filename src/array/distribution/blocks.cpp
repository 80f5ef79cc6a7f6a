#include "array/distribution/blocks.hpp"

#include "atoll/error.hpp"
#include "world/forked_child.hpp"
namespace lagoon::atoll::detail {

namespace {

WorldState& world_of(const char* kind, const Group& group) {
  if (!group)
    throw Error(ErrorKind::state,
                "create " + std::string(kind) + ": this process is not in the group");
  return group.state()->world();
}

}  // namespace

Blocks::Blocks(const char* kind, const Group& members, std::string text)
    : group(members),
      name(std::move(text)),
      kind_(kind),
      stripes_(stripes(world_of(kind, members).node_memory())),
      transport_(detail::transport(world_of(kind, members))) {}

void Blocks::fail(ErrorKind error, const std::string& message) const {
  throw Error(error, message + (name.empty() ? "" : ", " + std::string(kind_) + " '" + name + "'"));
}

void Blocks::fail_ended() const {
  refuse_forked_child();
  const std::string which = std::string("the ").append(kind_);
  if (segment == nullptr) fail(ErrorKind::state, which + " was destroyed");
  fail(ErrorKind::state, "the world that " + which + " belongs to has ended");
}

std::byte* Blocks::block(int rank) const noexcept {
  const int local = group.state()->local_of(rank);
  return local < 0 ? nullptr : segment->block(local);
}

void Blocks::move(Action action, ElementType type, std::byte* memory, const Index& strides,
                  const Side& side, const Index& shape, const void* alpha) const {
  if (action == Action::get)
    copy_strided(side.data, side.strides, memory, strides, shape, size_of(type));
  else if (action == Action::put)
    copy_strided(memory, strides, side.data, side.strides, shape, size_of(type));
  else
    accumulate_strided(stripes_, {type, alpha, segment->record().atomics_in_use}, memory, strides,
                       side.data, side.strides, shape);
}

bool Blocks::transfer_at(Action action, ElementType type, int rank, std::int64_t offset,
                         const Index& strides, const Side& side, const Index& shape,
                         const void* alpha, Operation& operation) {
  if (std::byte* const memory = block(rank)) {
    serve_now_and_then();
    move(action, type, memory + offset, strides, side, shape, alpha);
    return true;
  }
  transport_->transfer(action, {*segment, rank, offset, strides}, side, shape, type, alpha,
                       operation);
  return false;
}

std::int64_t Blocks::fetch_at(Action action, ElementType type, int rank, std::int64_t offset,
                              std::int64_t operand) {
  std::byte* const memory = block(rank);
  if (memory == nullptr)
    return transport_->fetch(action, {*segment, rank, offset, Index{}}, type, operand);
  serve_now_and_then();
  begin_atomics(segment->record(), stripes_);
  return fetch_in_memory(action, type, memory + offset, operand);
}

void Blocks::update_at(int rank, const UpdateKind& kind, std::span<const UpdateRun> runs,
                       const std::byte* operands, std::byte* old, Operation& operation) {
  if (std::byte* const memory = block(rank)) {
    serve_now_and_then();
    update_in_memory(stripes_, kind, memory, runs, operands, old);
    return;
  }
  transport_->update({*segment, rank, 0, Index{}}, kind, runs, operands, old, operation);
}

void Blocks::fail_operand(ElementType type, std::int64_t operand) const {
  fail(ErrorKind::value,
       "operand " + std::to_string(operand) + " does not fit " + std::string(name_of(type)));
}

}  // namespace lagoon::atoll::detail
