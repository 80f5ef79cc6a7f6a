#include "world/domains.hpp"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <utility>

namespace lagoon::atoll::detail {

namespace {

bool has_all(const Cores& all, const Cores& some) noexcept {
  return std::ranges::includes(all, some);
}

}  // namespace

Cores read_cores(std::string_view list) {
  Cores cores;
  while (!list.empty() && list.back() == '\n') list.remove_suffix(1);
  const char* const end = list.data() + list.size();
  for (const char* next = list.data(); next < end; ++next) {  // over a comma
    int first = 0;
    auto [after, error] = std::from_chars(next, end, first);
    int last = first;
    if (error == std::errc() && after < end && *after == '-') {
      const auto range = std::from_chars(after + 1, end, last);
      after = range.ptr;
      error = range.ec;
    }
    if (error != std::errc() || (after < end && *after != ',') || last >= CPU_SETSIZE) return {};
    for (int core = first; core <= last; ++core) cores.push_back(core);
    next = after;
  }
  std::ranges::sort(cores);
  return cores;
}

std::vector<Cores> domains_of_host(const std::string& folder) {
  std::vector<Cores> domains;
  std::string line;
  std::ifstream online(folder + "/online");
  if (!std::getline(online, line)) return domains;
  for (const int number : read_cores(line)) {
    std::ifstream file(folder + "/node" + std::to_string(number) + "/cpulist");
    if (!std::getline(file, line)) continue;
    if (Cores cores = read_cores(line); !cores.empty()) domains.push_back(std::move(cores));
  }
  return domains;
}

Cores my_cores() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  Cores cores;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &mask)) cores.push_back(core);
  return cores;
}

void bind_to(const Cores& cores) noexcept {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  for (const int core : cores) CPU_SET(core, &mask);
  sched_setaffinity(0, sizeof mask, &mask);
}

std::int32_t domain_of(const std::vector<Cores>& domains, const Cores& cores) noexcept {
  if (domains.size() < 2 || cores.empty()) return any_domain;
  for (std::size_t d = 0; d < domains.size(); ++d)
    if (has_all(domains[d], cores)) return static_cast<std::int32_t>(d);
  return any_domain;
}

Service share_out(const std::vector<std::int32_t>& ranks, std::vector<std::int32_t> agents) {
  struct Domain {
    int ranks = 0;
    std::vector<std::int32_t> agents;
    std::size_t next = 0;
  };
  std::map<std::int32_t, Domain> domains;
  for (const std::int32_t domain : ranks)
    if (domain != any_domain) ++domains[domain].ranks;
  const auto serve = [&](std::size_t agent) {
    domains[agents[agent]].agents.push_back(static_cast<std::int32_t>(agent));
  };
  for (std::size_t a = 0; a < agents.size(); ++a)
    if (agents[a] != any_domain) serve(a);
  for (std::size_t a = 0; a < agents.size(); ++a) {
    if (agents[a] != any_domain) continue;
    const auto waits_less = [](const auto& one, const auto& other) {
      const auto [here, there] = std::pair(one.second.ranks, other.second.ranks);
      const auto less = static_cast<std::size_t>(here) * other.second.agents.size();
      const auto more = static_cast<std::size_t>(there) * one.second.agents.size();
      return less != more ? less < more : here < there;
    };
    const auto most = std::ranges::max_element(domains, waits_less);
    if (most == domains.end() || most->second.ranks == 0) continue;
    agents[a] = most->first;
    serve(a);
  }
  Service service{agents, {}};
  std::size_t turn = 0;
  for (const std::int32_t domain : ranks) {
    const auto found = domains.find(domain);
    if (found == domains.end() || found->second.agents.empty()) {
      service.agent_of_rank.push_back(static_cast<std::int32_t>(turn % agents.size()));
    } else {
      Domain& near = found->second;
      service.agent_of_rank.push_back(near.agents[near.next++ % near.agents.size()]);
    }
    ++turn;
  }
  return service;
}

Cores cores_to_serve(const std::vector<Cores>& domains, std::int32_t domain, const Cores& mine) {
  if (domain == any_domain || domains.size() < 2) return {};
  const Cores& there = domains[static_cast<std::size_t>(domain)];
  const bool narrower = !has_all(mine, there) || mine.size() == there.size();
  return narrower ? Cores() : there;
}

}  // namespace lagoon::atoll::detail
