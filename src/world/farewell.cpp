// Questions of those who wait, and what becomes of them.
#include "world/farewell.hpp"

#include <algorithm>
#include <string>

#include "atoll/error.hpp"
#include "atoll/world.hpp"
#include "world/group_state.hpp"
#include "world/thread_rule.hpp"
#include "world/world_state.hpp"

namespace lagoon::atoll::detail {

namespace {

constexpr int question_tag = 1000;  // of the world's communicator; others: barrier.cpp, profile.cpp
constexpr std::chrono::milliseconds patience{500};

}  // namespace

void Question::consider(const CollectiveCall& call, MPI_Comm communicator) {
  const std::array<std::uint64_t, 2> words{call.group, call.number};
  const auto now = std::chrono::steady_clock::now();
  if (words != words_) {
    if (request_ != MPI_REQUEST_NULL) {  // of a call before, and still on its way
      int sent = 0;
      check_mpi(MPI_Test(&request_, &sent, MPI_STATUS_IGNORE), "MPI_Test");
      if (sent == 0) return;
    }
    words_ = words;
    since_ = now;
    asked_ = false;
  }
  if (asked_ || now - since_ < patience) return;
  asked_ = true;
  check_mpi(MPI_Isend(words_.data(), static_cast<int>(words_.size()), MPI_UINT64_T, call.next,
                      question_tag, communicator, &request_),
            "MPI_Isend");
}

Question::~Question() {
  if (request_ != MPI_REQUEST_NULL) MPI_Request_free(&request_);
}

OneCollective::OneCollective(Engine& engine) : engine_(engine) {
  ThreadRule::check();
  if (!engine.collective.try_enter())
    throw Error(ErrorKind::state,
                "another thread of this process is inside a collective call: one thread at a time "
                "may make them");
}

class Farewell::Answers final : public Chore {
 public:
  explicit Answers(WorldState& world) : world_(world) {}
  bool poll() override;
  bool done() const noexcept override { return over; }
  bool over = false;

 private:
  bool is_missed(std::uint64_t group, std::uint64_t call) const;
  WorldState& world_;
};

bool Farewell::Answers::poll() {
  if (over) return false;
  int found = 0;
  MPI_Status status;
  check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, question_tag, world_.communicator, &found, &status),
            "MPI_Iprobe");
  if (found == 0) return false;
  std::array<std::uint64_t, 2> words{};
  check_mpi(MPI_Recv(words.data(), static_cast<int>(words.size()), MPI_UINT64_T, status.MPI_SOURCE,
                     question_tag, world_.communicator, MPI_STATUS_IGNORE),
            "MPI_Recv");
  if (is_missed(words[0], words[1]))
    World::abort("has come to the end of the program, while rank " +
                     std::to_string(status.MPI_SOURCE) +
                     " waits for it in a collective call; the run ends",
                 1);
  return true;
}

bool Farewell::Answers::is_missed(std::uint64_t group, std::uint64_t call) const {
  const auto misses = [&](const auto& mine) {
    // The end itself is the last of this rank's calls of the world's group.
    const bool of_world = &*mine == world_.all.state().get();
    return mine->number() == group && mine->calls() - (of_world ? 1 : 0) < call;
  };
  return std::ranges::any_of(world_.groups, misses) || std::ranges::any_of(world_.retired, misses);
}

Farewell::Farewell(WorldState& world) : answers_(std::make_shared<Answers>(world)) {
  world.chores.push_back(answers_);
  world.at_the_end = true;
}

Farewell::~Farewell() { answers_->over = true; }

}  // namespace lagoon::atoll::detail
