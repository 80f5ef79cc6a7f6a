// WorldState: bringing up memory and topology in order, and taking them down.
#include "world/world_state.hpp"

#include <fstream>
#include <string>
#include <utility>

#include "atoll/error.hpp"
#include "mpi/face.hpp"
#include "world/forked_child.hpp"
#include "world/group_state.hpp"
#include "world/let_go.hpp"
#include "world/mpi_files.hpp"
#include "world/process.hpp"
#include "world/race/detector.hpp"
#include "world/race/wanted.hpp"
#include "world/thread_rule.hpp"

namespace lagoon::atoll::detail {

WorldState* WorldState::running = nullptr;

namespace {

std::uint64_t worlds_started = 0;

}  // namespace

WorldState& WorldState::get() {
  if (running == nullptr) refuse_forked_child();
  if (running == nullptr) throw Error(ErrorKind::state, "no World is running");
  return *running;
}

WorldState::WorldState(std::unique_ptr<const Roles> parts, const Config& settings)
    : Engine(parts->compute, settings.progress == ProgressMode::none),
      config(settings),
      roles(std::move(parts)),
      communicator(roles->compute),
      topology(roles->topology),
      number(++worlds_started) {
  try {
    set_process_rank(topology.rank);
    ThreadRule::start();
    running = this;
    // Several agents a host count as threads beside the ranks.
    const bool agents = topology.nodes > 1 && config.progress == ProgressMode::thread;
    set_oversubscribed(topology.is_oversubscribed(agents ? config.nodes : 0));
    // Each step may fail on some ranks only: everybody knows before the next, as in `serve_node`.
    agree_to_start(roles->everybody, attempt_with_others("the start of Atoll", [&] {
                     node_memory_ = std::make_unique<NodeMemory>(roles->node, config);
                     start_profile();
                   }));
    agree_to_start(roles->everybody, attempt([&] {
                     mpi::Comm own = mpi::comm_null;
                     check_mpi(mpi::comm_dup(communicator, &own), "MPI_Comm_dup");
                     all = Group(GroupState::make(*this, own));
                   }));
    default_group = all;
    // Progress ranks wait for the transport's end, also on a single node.
    if (topology.nodes > 1 || config.progress == ProgressMode::rank)
      progress = make_progress(*this);
    if (config.timeout != 0) {
      watchdog = std::make_unique<Watchdog>(*this, config.timeout);
      // Of the compute ranks: progress ranks serve by now.
      agree_to_start(communicator, attempt([&] { watchdog->start(); }));
    }
    if (race::wanted) race::Detector::start(*this);
    check_mpi(mpi::barrier(communicator), "MPI_Barrier");
    // Only when all of MPI_COMM_WORLD is here, so that nobody is still inside MPI_Init.
    int here = 0, everybody = 0;
    mpi::comm_size(roles->everybody, &here);
    mpi::comm_size(mpi::comm_world, &everybody);
    if (topology.leader() && here == everybody) unlink_mpi_files();
  } catch (...) {
    end();
    throw;
  }
}

/// A name that cannot be written is better told now than at the end of a day's run.
void WorldState::start_profile() {
  // With a profile arrays take no short cuts past the detector either.
  if (config.profile.empty() && config.timeout == 0 && !race::wanted) return;
  if (!config.profile.empty() && topology.rank == 0 &&
      !std::ofstream(config.profile, std::ios::app).good())
    throw Error(ErrorKind::value, "environment variable ATOLL_PROFILE=" + config.profile +
                                      ": expected a file that can be written");
  profile = std::make_unique<Profile>(config.profile);
}

WorldState::~WorldState() { end(); }

void WorldState::end() noexcept {
  watchdog.reset();
  race::Detector::stop();
  chores.clear();
  default_group = Group();
  all = Group();
  take_in_what_was_let_go(*this);
  // Of the retired only the world's own group, the first there was: the others are still held on
  // some rank, and end with the world.
  std::erase_if(retired, [](const auto& group) { return group->number() == 0; });
  progress.reset();
  running = nullptr;
  set_process_rank(-1);
}

}  // namespace lagoon::atoll::detail
