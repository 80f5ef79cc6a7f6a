// Domains: the parts of a host's memory that are near to some of its cores (NUMA), as the system
// tells them, and which of a node's progress ranks serves which of them. Functions of what they are
// given, but for those that ask the system.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lagoon::atoll::detail {

/// Numbers of cores, ascending.
using Cores = std::vector<int>;

/// Of a list as the kernel writes it: "0-3,8,10-11". None where it is not one.
Cores read_cores(std::string_view list);
/// The cores of every domain that has any, by the domains' numbers; none where the system does not
/// tell.
std::vector<Cores> domains_of_host(const std::string& folder = "/sys/devices/system/node");
/// Those that the calling process may run on.
Cores my_cores();
/// Lets the calling thread run on these alone; where the system refuses, all is as before.
void bind_to(const Cores& cores) noexcept;

/// Not bound to one domain, or there is only one.
inline constexpr std::int32_t any_domain = -1;
/// The domain that has all of `cores`.
std::int32_t domain_of(const std::vector<Cores>& domains, const Cores& cores) noexcept;

/// Who serves whom on a node.
struct Service {
  std::vector<std::int32_t>
      domain_of_agent;  // of those that are `any_domain` first: what they serve
  std::vector<std::int32_t> agent_of_rank;
};
/// Agents that are bound serve their domain. The others go, one after the other, where there is
/// none yet, or where most ranks share one. A rank whose domain has several takes turns with the
/// others there; one of no domain, or of one without an agent, with all. `ranks` and `agents` are
/// their domains.
Service share_out(const std::vector<std::int32_t>& ranks, std::vector<std::int32_t> agents);

/// What an agent of a domain is to be bound to: the domain, where it may run on all of that and on
/// more. None: it stays as it is.
Cores cores_to_serve(const std::vector<Cores>& domains, std::int32_t domain, const Cores& mine);

}  // namespace lagoon::atoll::detail
