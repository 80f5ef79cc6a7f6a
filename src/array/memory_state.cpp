// MemoryState: creation, checks, and moving sections.
#include "array/memory_state.hpp"

#include <cstring>
#include <utility>

#include "array/calls.hpp"
#include "atoll/error.hpp"
#include "mpi/face.hpp"
#include "world/collective.hpp"

namespace lagoon::atoll::detail {

namespace {

constexpr const char* creating = "create memory";

Index packed_bytes(const Index& shape, ElementType type) {
  Index strides = packed_strides(shape);
  for (std::int64_t& stride : strides) stride *= static_cast<std::int64_t>(size_of(type));
  return strides;
}

/// Every member's number. Collective.
std::vector<std::int64_t> gather(const Group& group, std::int64_t mine) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(group.size()));
  mpi::Request request = mpi::request_null;
  check_mpi(mpi::iallgather(&mine, 1, mpi::type_int64, all.data(), 1, mpi::type_int64,
                            group.state()->communicator(), &request),
            "MPI_Iallgather");
  group.state()->world().wait(request);
  return all;
}

}  // namespace

MemoryState::MemoryState(const Group& members, std::int64_t own_bytes, const std::string& text)
    : Blocks(kind, members, text) {
  named(
      creating,
      [&] {
        enter_collective(group, creating, 0, [&] {
          if (own_bytes < 0)
            throw Error(ErrorKind::value, std::to_string(own_bytes) + " bytes are fewer than none");
        });
        bytes = gather(group, own_bytes);
        segment =
            std::make_shared<Segment>(group.state(), creating, 0, bytes_here(), true, nullptr);
      },
      name);
}

MemoryState::MemoryState(const Group& members, std::vector<std::int64_t> bytes_of_all,
                         const std::string& text, const Segment::Prepare& prepare)
    : Blocks(kind, members, text), bytes(std::move(bytes_of_all)) {
  named(
      creating,
      [&] {
        segment = std::make_shared<Segment>(group.state(), creating, 0, bytes_here(), true, nullptr,
                                            prepare);
      },
      name);
}

std::vector<std::uint64_t> MemoryState::bytes_here() const {
  std::vector<std::uint64_t> here;
  for (const int rank : group.node_ranks())
    here.push_back(static_cast<std::uint64_t>(bytes[static_cast<std::size_t>(rank)]));
  return here;
}

void MemoryState::check_range(int rank, std::int64_t lowest, std::int64_t end) const {
  (void)group.world_rank(rank);
  const std::int64_t there = bytes[static_cast<std::size_t>(rank)];
  if (lowest < 0 || end > there)
    fail(ErrorKind::index, "bytes " + std::to_string(lowest) + " to " + std::to_string(end) +
                               " leave the " + std::to_string(there) + " bytes of rank " +
                               std::to_string(rank));
}

void MemoryState::check_alignment(ElementType type, std::int64_t offset) const {
  const auto size = static_cast<std::int64_t>(size_of(type));
  if (offset % size != 0)
    fail(ErrorKind::value, "offset or stride " + std::to_string(offset) +
                               " is no multiple of the " + std::to_string(size) + " bytes of " +
                               std::string(name_of(type)));
}

bool MemoryState::check(const MemorySection& section, const Index& section_strides,
                        const void* data, const Index& strides) const {
  const int n = section.shape.size();
  if (section_strides.size() != n || strides.size() != n)
    fail(ErrorKind::value, "strides " + section_strides.to_string() + " or " + strides.to_string() +
                               " do not have the dimensions of the shape " +
                               section.shape.to_string());
  bool nothing = false;
  std::int64_t lowest = section.offset, end = section.offset;
  bool overflow =
      __builtin_add_overflow(end, static_cast<std::int64_t>(size_of(section.type)), &end);
  for (int d = 0; d < n; ++d) {
    if (section.shape[d] < 0)
      fail(ErrorKind::value,
           "shape " + section.shape.to_string() + " is negative in dimension " + std::to_string(d));
    nothing = nothing || section.shape[d] == 0;
    std::int64_t reach = 0;
    overflow = __builtin_mul_overflow(section.shape[d] - 1, section_strides[d], &reach) || overflow;
    std::int64_t& side = reach < 0 ? lowest : end;
    overflow = __builtin_add_overflow(side, reach, &side) || overflow;
  }
  if (nothing) return false;
  if (overflow)
    fail(ErrorKind::index, "the section of shape " + section.shape.to_string() + " and strides " +
                               section_strides.to_string() + " has more than 2^63 bytes");
  check_range(section.rank, lowest, end);
  if (data == nullptr) fail(ErrorKind::value, "the buffer is a null pointer");
  return true;
}

void MemoryState::transfer(Action action, const MemorySection& section, std::byte* data,
                           const Index& strides, const void* alpha, Operation& operation) {
  const Index packed = packed_bytes(section.shape, section.type);
  const Index& there = section.strides.empty() ? packed : section.strides;
  const Index& mine = strides.empty() ? packed : strides;
  if (!check(section, there, data, mine)) return;
  if (action == Action::accumulate) {
    check_alignment(section.type, section.offset);
    for (int d = 0; d < there.size(); ++d)
      if (section.shape[d] > 1) check_alignment(section.type, there[d]);
  }
  (void)transfer_at(action, section.type, section.rank, section.offset, there, {data, mine},
                    section.shape, alpha, operation);
}

void MemoryState::update(int rank, const UpdateKind& how, std::span<const UpdateRun> runs,
                         const std::byte* operands, std::byte* old, Operation& operation) {
  const UpdateReach reach = reach_of(runs, how.element_bytes);
  check_range(rank, reach.first, reach.end);
  if (reach.end > reach.first) update_at(rank, how, runs, operands, old, operation);
}

std::int64_t MemoryState::fetch(Action action, ElementType type, int rank, std::int64_t offset,
                                std::int64_t operand) {
  if (!can_count(type))
    fail(ErrorKind::type,
         "needs " + element_names(can_count) + ", not " + std::string(name_of(type)));
  check_operand(type, operand);
  std::int64_t end = 0;
  if (__builtin_add_overflow(offset, static_cast<std::int64_t>(size_of(type)), &end))
    fail(ErrorKind::index, "offset " + std::to_string(offset) + " is beyond all memory");
  check_range(rank, offset, end);
  check_alignment(type, offset);
  return fetch_at(action, type, rank, offset, operand);
}

}  // namespace lagoon::atoll::detail
