// Placement by sched_setaffinity on every thread of /proc/self/task.
#include "placement.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace bench {

namespace {

std::vector<int> find_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  return cores;
}

// Found at the first call, which is before the first placement.
const std::vector<int>& cores_at_start() {
  static const std::vector<int> cores = find_cores();
  return cores;
}

void bind(pid_t thread, const std::vector<int>& cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(core, &set);
  sched_setaffinity(thread, sizeof set, &set);  // a thread that has just ended: no harm
}

}  // namespace

void take_priority() {
  // Launchers give every rank a session. Where sessions are scheduled as groups, a nice value
  // counts inside one only; this file holds the group's own.
  std::ofstream("/proc/self/autogroup") << -20 << std::flush;
  if (setpriority(PRIO_PROCESS, 0, -20) != 0) return;  // not root: it stays as it is
}

int usable_cores() { return static_cast<int>(cores_at_start().size()); }

void place_threads(Cores cores, int rank) {
  const std::vector<int>& all = cores_at_start();
  const auto count = all.size();
  const auto number = static_cast<std::size_t>(rank);
  const std::size_t half = count / 2;
  std::vector<int> computing = all;
  std::vector<int> others = all;
  if (cores == Cores::own || half == 0) {
    if (cores != Cores::free) computing = others = {all[number % count]};
  } else if (cores == Cores::apart) {
    computing = {all[number % half]};
    others = {all[half + number % (count - half)]};
  }
  const auto self = static_cast<pid_t>(gettid());
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    const std::string name = entry.path().filename();
    pid_t thread = 0;
    std::from_chars(name.data(), name.data() + name.size(), thread);
    bind(thread, thread == self ? computing : others);
  }
}

}  // namespace bench
