// Domains of memory, on made-up hosts.
#include "world/domains.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "support.hpp"

namespace lagoon::atoll::test {
namespace {

using detail::any_domain;
using detail::Cores;
using detail::cores_to_serve;
using detail::domain_of;
using detail::domains_of_host;
using detail::read_cores;
using detail::Service;
using detail::share_out;
using Numbers = std::vector<std::int32_t>;

std::vector<Cores> two() { return {{0, 1, 2, 3}, {4, 5, 6, 7}}; }

Cores cores(int first, int count) {
  Cores all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), first);
  return all;
}

TEST(Domains, CoresAreReadAsTheKernelWritesThem) {
  EXPECT_EQ(read_cores("0-2,5,8-9\n"), (Cores{0, 1, 2, 5, 8, 9}));
  EXPECT_EQ(read_cores("7"), Cores{7});
  for (const char* none : {"", "\n", "a", "1-", "3;4", "0-99999999"})
    EXPECT_EQ(read_cores(none), Cores()) << none;
}

TEST(Domains, AHostHasThoseThatHaveCores) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("atoll_domains_" + std::to_string(getpid()));
  std::filesystem::remove_all(folder);
  EXPECT_TRUE(domains_of_host(folder).empty());
  for (const auto& [name, list] :
       {std::pair{"node0", "0-3"}, std::pair{"node1", ""}, std::pair{"node3", "4-7"}}) {
    std::filesystem::create_directories(folder / name);
    std::ofstream(folder / name / "cpulist") << list << "\n";
  }
  std::ofstream(folder / "online") << "0-1,3\n";
  EXPECT_EQ(domains_of_host(folder), two());
  std::filesystem::remove_all(folder);
}

TEST(Domains, AProcessBelongsToTheOneThatHasAllItsCores) {
  EXPECT_EQ(domain_of(two(), {1, 2}), 0);
  EXPECT_EQ(domain_of(two(), cores(4, 4)), 1);
  EXPECT_EQ(domain_of(two(), {3, 4}), any_domain);
  EXPECT_EQ(domain_of(two(), {}), any_domain);
  EXPECT_EQ(domain_of({cores(0, 8)}, {1}), any_domain);
}

TEST(Domains, AgentsGoWhereTheRanksAreAndRanksToTheirAgents) {
  const Service even = share_out({0, 0, 1, 1}, {any_domain, any_domain});
  EXPECT_EQ(even.domain_of_agent, (Numbers{0, 1}));
  EXPECT_EQ(even.agent_of_rank, (Numbers{0, 0, 1, 1}));
  const Service uneven = share_out({1, 0, 1, 1, 1}, {any_domain, any_domain, any_domain});
  EXPECT_EQ(uneven.domain_of_agent, (Numbers{1, 0, 1}));
  EXPECT_EQ(uneven.agent_of_rank, (Numbers{0, 1, 2, 0, 2}));
}

TEST(Domains, ABoundAgentServesItsOwn) {
  const Service service = share_out({0, 0, 0, 1}, {1, any_domain});
  EXPECT_EQ(service.domain_of_agent, (Numbers{1, 0}));
  EXPECT_EQ(service.agent_of_rank, (Numbers{1, 1, 1, 0}));
}

TEST(Domains, RanksOfNoDomainTakeTurnsAndBindNobody) {
  const Service service = share_out(Numbers(5, any_domain), {any_domain, any_domain});
  EXPECT_EQ(service.domain_of_agent, (Numbers{any_domain, any_domain}));
  EXPECT_EQ(service.agent_of_rank, (Numbers{0, 1, 0, 1, 0}));
}

TEST(Domains, ADomainWithoutAnAgentIsServedByAll) {
  const Service service = share_out({0, 0, 1, 2}, {any_domain});
  EXPECT_EQ(service.domain_of_agent, Numbers{0});
  EXPECT_EQ(service.agent_of_rank, (Numbers{0, 0, 0, 0}));
}

TEST(Domains, AnAgentIsBoundOnlyWhereItMayRunOnMore) {
  EXPECT_EQ(cores_to_serve(two(), 1, cores(0, 8)), cores(4, 4));
  EXPECT_EQ(cores_to_serve(two(), 1, cores(4, 4)), Cores());
  EXPECT_EQ(cores_to_serve(two(), 1, {0, 1, 4, 5}), Cores());
  EXPECT_EQ(cores_to_serve(two(), any_domain, cores(0, 8)), Cores());
  EXPECT_EQ(cores_to_serve({cores(0, 8)}, 0, cores(0, 8)), Cores());
}

}  // namespace
}  // namespace lagoon::atoll::test
