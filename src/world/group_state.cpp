// GroupState: construction, inquiries, and the agreement that every collective call starts with.
#include "world/group_state.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <string>

#include "world/collective.hpp"
#include "world/node_group.hpp"

namespace lagoon::atoll::detail {

namespace {

constexpr std::uint64_t groups_per_rank = std::uint64_t{1} << 32;
constexpr std::uint64_t no_room = UINT64_MAX;

/// What a member says of its call when members disagree. Plain bytes: it travels by MPI.
struct Statement {
  std::array<char, 120> operation;
  std::uint64_t arguments;
  friend auto operator<=>(const Statement&, const Statement&) = default;
};

/// A failed check on its way from the member that has it to the others.
struct Failure {
  std::int32_t kind, error_number;
  std::array<char, 504> text;
};

template <std::size_t N>
void copy_text(std::array<char, N>& target, std::string_view text) noexcept {
  target.fill('\0');
  std::copy_n(text.begin(), std::min(text.size(), N - 1), target.begin());
}

}  // namespace

GroupState::GroupState(WorldState& world, MPI_Comm communicator)
    : world_(&world),
      world_number_(world.number),
      communicator_(communicator),
      communicators_{communicator},
      looked_at_(world.retirements) {
  MPI_Comm_rank(communicator_, &rank_);
  MPI_Comm_size(communicator_, &size_);
  find_members();
  if (nodes() > 1) MPI_Comm_split(communicator_, local_ == 0 ? 0 : MPI_UNDEFINED, rank_, &heads_);
  if (heads_ != MPI_COMM_NULL) adopt(heads_);
  share_control();
}

void GroupState::find_members() {
  const Topology& topology = world_->topology;
  std::vector<std::int32_t> members(static_cast<std::size_t>(size_));
  MPI_Allgather(&topology.rank, 1, MPI_INT32_T, members.data(), 1, MPI_INT32_T, communicator_);
  std::vector<bool> seen(static_cast<std::size_t>(topology.nodes), false);
  bool identity = size_ == topology.size;
  for (int r = 0; r < size_; ++r) {
    const std::int32_t member = members[static_cast<std::size_t>(r)];
    const std::int32_t node = topology.node_of[static_cast<std::size_t>(member)];
    identity = identity && member == r;
    if (!seen[static_cast<std::size_t>(node)]) node_numbers_.push_back(node);
    seen[static_cast<std::size_t>(node)] = true;
    if (node == topology.node) {
      if (r == rank_) local_ = static_cast<int>(node_ranks_.size());
      node_ranks_.push_back(r);
    }
  }
  if (!identity) world_ranks_ = std::move(members);
  contiguous_ =
      node_ranks_.back() - node_ranks_.front() + 1 == static_cast<int>(node_ranks_.size());
}

void GroupState::share_control() {
  Arena& arena = world_->arena();
  std::uint64_t offset = 0;
  if (local_ == 0) {
    const std::uint64_t bytes = GroupControl::bytes(node_ranks_.size());
    offset = arena.allocate(bytes);
    if (offset == Arena::none) {
      offset = no_room;
    } else {
      world_->observe_agent();  // it may have served what was here before
      std::memset(arena.at(offset), 0, bytes);
      reinterpret_cast<GroupControl*>(arena.at(offset))
          ->holders.store(static_cast<std::uint32_t>(node_ranks_.size()));
    }
  }
  // A number that no other group ever had, from the first member; and each head's offset.
  const std::array<std::uint64_t, 2> mine = {
      offset,
      static_cast<std::uint64_t>(world_->topology.rank) * groups_per_rank + world_->next_group++};
  std::vector<std::uint64_t> all(2 * static_cast<std::size_t>(size_));
  MPI_Allgather(mine.data(), 2, MPI_UINT64_T, all.data(), 2, MPI_UINT64_T, communicator_);
  for (int r = 0; r < size_; ++r)
    if (all[2 * static_cast<std::size_t>(r)] == no_room)
      throw Error(ErrorKind::memory,
                  "no shared memory left for a group on the node of rank " + std::to_string(r));
  number_ = all[1];
  control_offset_ = all[2 * static_cast<std::size_t>(node_ranks_.front())];
  control_ = reinterpret_cast<GroupControl*>(arena.at(control_offset_));
  if (nodes() == 1) board_.emplace(*world_, control_->places(node_ranks_.size()), size_, rank_);
}

WorldState& GroupState::world() const {
  if (WorldState::running != world_ || world_->number != world_number_)
    throw Error(ErrorKind::state, "the world that this belongs to has ended");
  return *world_;
}

int GroupState::world_rank(int rank) const {
  if (rank < 0 || rank >= size_)
    throw Error(ErrorKind::value,
                "rank " + std::to_string(rank) + " is not in a group of " + std::to_string(size_));
  return world_ranks_.empty() ? rank : world_ranks_[static_cast<std::size_t>(rank)];
}

int GroupState::rank_of_world(int world) const noexcept {
  if (world_ranks_.empty()) return world >= 0 && world < size_ ? world : -1;
  const auto found = std::find(world_ranks_.begin(), world_ranks_.end(), world);
  return found == world_ranks_.end() ? -1 : static_cast<int>(found - world_ranks_.begin());
}

int GroupState::node_of(int rank) const {
  const auto found = std::find(node_numbers_.begin(), node_numbers_.end(), world_node_of(rank));
  return static_cast<int>(found - node_numbers_.begin());
}

int GroupState::local_of(int rank) const noexcept {
  if (contiguous_) {
    const int place = rank - node_ranks_.front();
    return place >= 0 && place < static_cast<int>(node_ranks_.size()) ? place : -1;
  }
  const auto found = std::lower_bound(node_ranks_.begin(), node_ranks_.end(), rank);
  return found == node_ranks_.end() || *found != rank
             ? -1
             : static_cast<int>(found - node_ranks_.begin());
}

void GroupState::agree_or_throw(std::string_view operation, std::uint64_t arguments,
                                const Error* failure) {
  std::uint64_t hash = arguments;
  for (const char c : operation) hash = mix(hash, static_cast<unsigned char>(c));
  const Agreement agreement = agree(hash, failure != nullptr);
  if (agreement.failed >= 0) throw_failure(agreement.failed, failure);
  if (agreement.mismatch) throw_mismatch(operation, arguments);
  if (agreement.news) reclaim();
}

void GroupState::check(std::string_view operation, std::uint64_t arguments) {
  if (world().config.check) agree_or_throw(operation, arguments, nullptr);
}

void GroupState::throw_failure(int failed, const Error* mine) {
  Failure failure{};
  if (failed == rank_) {
    failure.kind = static_cast<std::int32_t>(mine->kind());
    failure.error_number = mine->error_number();
    copy_text(failure.text, mine->message());
  }
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibcast(&failure, sizeof failure, MPI_BYTE, failed, communicator_, &request),
            "MPI_Ibcast");
  world_->wait(request);
  if (mine != nullptr) throw Error(*mine);
  throw Error(static_cast<ErrorKind>(failure.kind),
              std::string(failure.text.data()) + " [on rank " + std::to_string(failed) + "]",
              failure.error_number);
}

void GroupState::throw_mismatch(std::string_view operation, std::uint64_t arguments) {
  Statement mine{};
  copy_text(mine.operation, operation);
  mine.arguments = arguments;
  std::vector<Statement> all(static_cast<std::size_t>(size_));
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE,
                           communicator_, &request),
            "MPI_Iallgather");
  world_->wait(request);
  std::map<Statement, int> votes;
  for (const Statement& statement : all) ++votes[statement];
  const auto usual = std::max_element(
      votes.begin(), votes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  std::string text = "ranks disagree in a collective call:";
  for (int r = 0; r < size_; ++r) {
    const Statement& statement = all[static_cast<std::size_t>(r)];
    if (statement == usual->first) continue;
    text += " rank " + std::to_string(r) + " calls " + statement.operation.data();
    text += std::strcmp(statement.operation.data(), usual->first.operation.data()) == 0
                ? " with other arguments;"
                : ";";
  }
  text += " the others call " + std::string(usual->first.operation.data());
  throw Error(ErrorKind::mismatch, text);
}

}  // namespace lagoon::atoll::detail
