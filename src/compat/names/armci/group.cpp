// The C names of groups, and of domains: nodes.
#include <span>

#include "compat/armci/arguments.hpp"
#include "compat/armci/session.hpp"
#include "compat/failure.hpp"

using lagoon::atoll::armci::checked;
using lagoon::atoll::armci::given;
using lagoon::atoll::armci::Groups;
using lagoon::atoll::armci::not_negative;
using lagoon::atoll::armci::refuse;
using lagoon::atoll::armci::Session;
using lagoon::atoll::compat::guarded;

namespace {

void create(int count, const int* processes, ARMCI_Group* made, int parent) {
  const auto size = static_cast<std::size_t>(not_negative("n", count));
  if (size > 0) (void)given("pid_list", processes);
  given("group_out", made) = Session::get().groups.create(std::span(processes, size), parent);
}

/// The processes of a node, in order; -1 is mine.
std::vector<int> processes_of(int node) {
  const Session& session = Session::get();
  if (node == -1) return session.world.node_ranks();
  (void)checked("id", node, session.world.nodes());
  std::vector<int> result;
  for (int process = 0; process < session.world.size(); ++process)
    if (session.world.node_of(process) == node) result.push_back(process);
  return result;
}

void check_domain(armci_domain_t domain) {
  if (domain != ARMCI_DOMAIN_SMP)
    refuse("the domain " + std::to_string(domain) + " is not ARMCI_DOMAIN_SMP");
}

template <class Body>
int of_domain(const char* routine, armci_domain_t domain, Body&& body) {
  return guarded(routine, [&]() -> int {
    check_domain(domain);
    return body(Session::get());
  });
}

int same_node(const Session& session, int process) {
  return session.world.same_node(session.process(process)) ? 1 : 0;
}

}  // namespace

extern "C" {

void ARMCI_Group_create(int n, int* pid_list, ARMCI_Group* group_out) {
  guarded("ARMCI_Group_create",
          [&] { create(n, pid_list, group_out, Session::get().groups.default_number()); });
}

void ARMCI_Group_create_child(int n, int* pid_list, ARMCI_Group* group_out,
                              ARMCI_Group* group_parent) {
  guarded("ARMCI_Group_create_child",
          [&] { create(n, pid_list, group_out, given("group_parent", group_parent)); });
}

void ARMCI_Group_free(ARMCI_Group* group) {
  guarded("ARMCI_Group_free", [&] { Session::get().groups.free(given("group", group)); });
}

int ARMCI_Group_rank(ARMCI_Group* group, int* rank) {
  return guarded("ARMCI_Group_rank", [&] {
    given("rank", rank) = Session::get().groups.rank(given("group", group));
    return *rank < 0 ? -1 : 0;
  });
}

void ARMCI_Group_size(ARMCI_Group* group, int* size) {
  guarded("ARMCI_Group_size", [&] {
    const auto& members = Session::get().groups.world_ranks(given("group", group));
    given("size", size) = static_cast<int>(members.size());
  });
}

void ARMCI_Group_get_default(ARMCI_Group* group_out) {
  guarded("ARMCI_Group_get_default",
          [&] { given("group_out", group_out) = Session::get().groups.default_number(); });
}

void ARMCI_Group_set_default(ARMCI_Group* group) {
  guarded("ARMCI_Group_set_default",
          [&] { Session::get().groups.set_default(given("group", group)); });
}

void ARMCI_Group_get_world(ARMCI_Group* group_out) {
  guarded("ARMCI_Group_get_world", [&] { given("group_out", group_out) = Groups::world; });
}

int ARMCI_Absolute_id(ARMCI_Group* group, int group_rank) {
  return guarded("ARMCI_Absolute_id", [&] {
    const auto& members = Session::get().groups.world_ranks(given("group", group));
    return members[static_cast<std::size_t>(
        checked("group_rank", group_rank, static_cast<int>(members.size())))];
  });
}

int armci_domain_count(armci_domain_t domain) {
  return of_domain("armci_domain_count", domain,
                   [](const Session& session) { return session.world.nodes(); });
}

int armci_domain_id(armci_domain_t domain, int glob_proc_id) {
  return of_domain("armci_domain_id", domain, [&](const Session& session) {
    return session.world.node_of(session.process(glob_proc_id));
  });
}

int armci_domain_my_id(armci_domain_t domain) {
  return of_domain("armci_domain_my_id", domain,
                   [](const Session& session) { return session.world.node(); });
}

int armci_domain_nprocs(armci_domain_t domain, int id) {
  return of_domain("armci_domain_nprocs", domain,
                   [&](const Session&) { return static_cast<int>(processes_of(id).size()); });
}

int armci_domain_glob_proc_id(armci_domain_t domain, int id, int loc_proc_id) {
  return of_domain("armci_domain_glob_proc_id", domain, [&](const Session&) {
    const std::vector<int> processes = processes_of(id);
    return processes[static_cast<std::size_t>(
        checked("loc_proc_id", loc_proc_id, static_cast<int>(processes.size())))];
  });
}

int armci_domain_same_id(armci_domain_t domain, int proc) {
  return of_domain("armci_domain_same_id", domain,
                   [&](const Session& session) { return same_node(session, proc); });
}

int ARMCI_Same_node(int proc) {
  return guarded("ARMCI_Same_node", [&] { return same_node(Session::get(), proc); });
}

}  // extern "C"
