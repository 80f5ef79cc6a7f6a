// Starts and stops are counted, so that GA and TCGMSG may begin and end in any order.
#include "compat/tcgmsg/session.hpp"

#include <chrono>
#include <memory>

#include "atoll/error.hpp"
#include "compat/shared_world.hpp"
#include "mpi/face.hpp"

namespace lagoon::atoll::tcgmsg {

namespace {

struct State {
  std::unique_ptr<Session> session;
  int starts = 0;
  bool program_began = false, program_started_mpi = false;
  int last_rank = 0, last_size = 0;  // of the last session; 0 processes: there was none
};

State& state() {
  static State& instance = *new State;  // not ended by exit(): the other ranks may not leave
  return instance;
}

}  // namespace

Session& Session::get() {
  if (!running())
    throw Error(ErrorKind::state, "TCGMSG is not running: call pbeginf or ga_initialize first");
  return *state().session;
}

bool Session::running() noexcept { return state().session != nullptr; }

void Session::start() {
  if (state().starts++ > 0) return;
  (void)seconds();
  state().session.reset(new Session(compat::claim_world()));
}

void Session::stop() {
  if (state().starts == 0) return;
  --state().starts;
  if (state().starts > 0) return;
  state().last_rank = state().session->world.rank();
  state().last_size = state().session->world.size();
  state().session.reset();
  compat::release_world();
}

void Session::begin_program() {
  if (state().program_began) return;
  state().program_began = true;
  int initialized = 0;
  mpi::initialized(&initialized);
  state().program_started_mpi = initialized == 0;
  start();
}

void Session::end_program() {
  if (!state().program_began) return;
  state().program_began = false;
  stop();
  if (state().program_started_mpi) compat::end_mpi();
}

int process_number() {
  if (!World::running() && state().last_size > 0) return state().last_rank;
  return running_world().rank();
}

int process_count() {
  if (!World::running() && state().last_size > 0) return state().last_size;
  return running_world().size();
}

World& running_world() { return World::running() ? World::current() : Session::get().world; }

double seconds() {
  using Clock = std::chrono::steady_clock;
  static const Clock::time_point start = Clock::now();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace lagoon::atoll::tcgmsg
