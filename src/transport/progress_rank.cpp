// The whole life of a progress rank.
#include <exception>
#include <memory>
#include <string>

#include "atoll/world.hpp"
#include "mpi/face.hpp"
#include "transport/rma_path.hpp"
#include "transport/server.hpp"
#include "world/collective.hpp"
#include "world/looking.hpp"

namespace lagoon::atoll::detail {

// The collective calls here are those of WorldState and Transport, in the same order.
void serve_node(const Roles& roles, const Config& config) {
  std::unique_ptr<NodeMemory> memory;
  agree_to_start(roles.everybody, attempt_with_others("the start of Atoll", [&] {
                   memory = std::make_unique<NodeMemory>(roles.node, config);
                 }));
  agree_to_start(roles.everybody, {});  // the group of the compute ranks
  mpi::Comm communicator = mpi::comm_null;
  check_mpi(mpi::comm_dup(roles.everybody, &communicator), "MPI_Comm_dup");
  std::unique_ptr<RmaPath> rma;
  if (wants_rma_window(config, roles)) {  // as Transport::choose_rma
    rma = std::make_unique<RmaPath>(communicator, roles, *memory);
    if (!agreed_rma_choice(communicator, false)) rma.reset();
  }
  std::unique_ptr<Server> server;
  Failure failure = attempt([&] { server = std::make_unique<Server>(*memory, communicator); });
  failure = attempt([&] { agree_to_start(roles.everybody, failure); });
  if (!failure) {
    try {
      if (!roles.cores.empty()) bind_to(roles.cores);
      prepare_to_serve();
      set_oversubscribed(roles.topology.is_oversubscribed(0));
      Looking looking(!oversubscribed());
      wait_until(
          waiting::agent_policy(rma != nullptr), [&] { return server->stopped(); },
          Work([&]() noexcept {
            return looking.serve([&]() noexcept { return server->poll_for(roles.doorbell.get()); });
          }),
          sleep_at(roles.doorbell.get()));
    } catch (const std::exception& error) {
      World::abort(std::string("progress rank: ") + error.what());
    }
  }
  rma.reset();
  server.reset();
  mpi::comm_free(&communicator);
  if (failure) throw Error(*failure);
}

}  // namespace lagoon::atoll::detail
