// Questions of those who wait, and what becomes of them.
#include "world/farewell.hpp"

#include <algorithm>
#include <cassert>
#include <string>

#include "atoll/error.hpp"
#include "atoll/world.hpp"
#include "mpi/face.hpp"
#include "world/group_state.hpp"
#include "world/race/detector.hpp"
#include "world/thread_rule.hpp"
#include "world/unread.hpp"
#include "world/world_state.hpp"

namespace lagoon::atoll::detail {

namespace {

constexpr int question_tag = 1000;  // of the world's communicator; others: barrier.cpp, profile.cpp
static_assert(unread::questions == 1, "a Questions has one request");

}  // namespace

int Questions::patience_ms = 500;

bool Questions::sent() {
  if (request_ == mpi::request_null) return true;
  int done = 0;
  check_mpi(mpi::test(&request_, &done, mpi::status_ignore), "MPI_Test");
  return done != 0;
}

bool Questions::settled() {
  const std::lock_guard lock(mutex_);
  return sent();
}

void Questions::ask(const CollectiveCall& call) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  const Words words{call.group, call.number};
  const auto now = std::chrono::steady_clock::now();
  if (words != words_) {
    words_ = words;
    since_ = now;
    asked_ = false;
  }
  if (asked_ || now - since_ < std::chrono::milliseconds(patience_ms) || !sent()) return;
  asked_ = true;
  under_way_ = words;
  assert(request_ == mpi::request_null);
  check_mpi(mpi::issend(under_way_.data(), static_cast<int>(under_way_.size()), mpi::type_uint64,
                        call.next, question_tag, communicator_, &request_),
            "MPI_Issend");
}

void Questions::read() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  for (;;) {
    int found = 0;
    mpi::Status status;
    check_mpi(mpi::iprobe(mpi::any_source, question_tag, communicator_, &found, &status),
              "MPI_Iprobe");
    if (found == 0) return;
    Words& words = heard_[status.source()];
    check_mpi(mpi::recv(words.data(), static_cast<int>(words.size()), mpi::type_uint64,
                        status.source(), question_tag, communicator_, mpi::status_ignore),
              "MPI_Recv");
  }
}

Questions::~Questions() {
  if (request_ != mpi::request_null) mpi::request_free(&request_);
}

OneCollective::OneCollective(Engine& engine) : engine_(engine) {
  if (!engine.collective.try_enter())
    throw Error(ErrorKind::state,
                "another thread of this process is inside a collective call: one thread at a time "
                "may make them");
  if (race::Detector* const races = race::Detector::running) races->enter_library();
}

OneCollective::~OneCollective() {
  if (race::Detector* const races = race::Detector::running) races->leave_library();
  engine_.collective.leave();
}

InCollectiveCall::InCollectiveCall(Engine& engine, CollectiveCall& call)
    : alone_(engine), engine_(engine), before_(engine.inside) {
  ++call.number;
  engine.inside = &call;
}

InCollectiveCall::~InCollectiveCall() { engine_.inside = before_; }

class Farewell::Answers final : public Chore {
 public:
  explicit Answers(WorldState& world) : world_(world) {}
  bool done() const noexcept override { return over; }
  bool over = false;

 private:
  bool take_turn() override;
  std::string_view name() const noexcept override { return "the end of the program"; }
  bool is_missed(std::uint64_t group, std::uint64_t call) const;
  WorldState& world_;
};

bool Farewell::Answers::take_turn() {
  if (over) return false;
  world_.questions.read();
  const int waits = world_.questions.find(
      [this](std::uint64_t group, std::uint64_t call) { return is_missed(group, call); });
  if (waits >= 0)
    World::abort("has come to the end of the program, while rank " + std::to_string(waits) +
                     " waits for it in a collective call; the run ends",
                 1);
  return false;
}

bool Farewell::Answers::is_missed(std::uint64_t group, std::uint64_t call) const {
  const auto misses = [&](const auto& mine) {
    // The end itself is the last of this rank's calls of the world's group.
    const bool of_world = &*mine == world_.all.state().get();
    return mine->number() == group && mine->calls() - (of_world ? 1 : 0) < call;
  };
  return std::ranges::any_of(world_.groups, misses) || std::ranges::any_of(world_.retired, misses);
}

Farewell::Farewell(WorldState& world) : world_(world), answers_(std::make_shared<Answers>(world)) {
  world.chores.push_back(answers_);
  world.at_the_end = true;
}

// Whoever comes to the barrier has nothing under way; so when all have, nobody has.
void Farewell::settle() {
  world_.wait_until([this] { return world_.questions.settled(); });
  world_.all.state()->barrier();
}

Farewell::~Farewell() { answers_->over = true; }

}  // namespace lagoon::atoll::detail
