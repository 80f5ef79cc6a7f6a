#include "world/domains.hpp"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <map>
#include <utility>

namespace lagoon::atoll::detail {

namespace {

/// Of processors: more than any system has.
constexpr int largest_mask = 1 << 16;

/// As many bits as one asks for: cpu_set_t has 1024, and the kernel refuses what has fewer than it
/// has processors.
class CoreMask {
 public:
  explicit CoreMask(int cores) noexcept
      : bytes_(CPU_ALLOC_SIZE(static_cast<std::size_t>(cores))),
        set_(CPU_ALLOC(static_cast<std::size_t>(cores))) {
    if (set_ != nullptr) CPU_ZERO_S(bytes_, set_);
  }
  CoreMask(const CoreMask&) = delete;
  CoreMask& operator=(const CoreMask&) = delete;
  ~CoreMask() { CPU_FREE(set_); }
  cpu_set_t* get() const noexcept { return set_; }
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  const std::size_t bytes_;
  cpu_set_t* const set_;  // null: no memory
};

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
    if (error != std::errc() || (after < end && *after != ',') || last >= largest_mask) return {};
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
  Cores cores;
  for (int most = CPU_SETSIZE; most <= largest_mask; most *= 2) {
    const CoreMask mask(most);
    if (mask.get() == nullptr) return cores;
    if (sched_getaffinity(0, mask.bytes(), mask.get()) != 0) {
      if (errno == EINVAL) continue;  // the kernel has more processors
      return cores;
    }
    for (int core = 0; core < most; ++core)
      if (CPU_ISSET_S(core, mask.bytes(), mask.get())) cores.push_back(core);
    return cores;
  }
  return cores;
}

void bind_to(const Cores& cores) noexcept {
  if (cores.empty()) return;
  const CoreMask mask(std::max(CPU_SETSIZE, cores.back() + 1));
  if (mask.get() == nullptr) return;
  for (const int core : cores) CPU_SET_S(core, mask.bytes(), mask.get());
  sched_setaffinity(0, mask.bytes(), mask.get());
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
