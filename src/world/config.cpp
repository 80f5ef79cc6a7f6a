// Reading the environment. A variable that nobody reads is a typing error that would go unnoticed
// for weeks, so unknown ATOLL_* names are errors.
#include "world/config.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "atoll/error.hpp"
#include "mpi/library.hpp"
#include "world/launcher.hpp"
#include "world/race/wanted.hpp"

extern "C" char** environ;  // NOLINT: POSIX

namespace lagoon::atoll::detail {

namespace {

bool parse_integer(std::string_view text, std::uint64_t& number) {
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  return status == std::errc() && end == text.data() + text.size();
}

/// A variable as it stands in the environment.
struct Variable {
  std::string_view name, value;

  [[noreturn]] void fail(std::string_view expected) const {
    throw Error(ErrorKind::value, "environment variable " + std::string(name) + "=" +
                                      std::string(value) + ": expected " + std::string(expected));
  }
  int number(std::uint64_t most, std::string_view of_what) const {
    std::uint64_t number = 0;
    if (!parse_integer(value, number) || number < 1 || number > most)
      fail("a number of " + std::string(of_what) + " from 1 to " + std::to_string(most));
    return static_cast<int>(number);
  }
  std::uint64_t bytes() const {
    constexpr std::uint64_t least = std::uint64_t{64}
                                    << 10;  // the arena's own words, and a group's
    std::string_view digits = value;
    unsigned shift = 0;
    if (!digits.empty()) {
      const auto unit = std::string_view("kMGT").find(digits.back());
      if (unit != std::string_view::npos) {
        shift = 10 * (static_cast<unsigned>(unit) + 1);
        digits.remove_suffix(1);
      }
    }
    std::uint64_t number = 0;
    if (!parse_integer(digits, number) || number > (UINT64_MAX >> shift >> 2) ||
        number << shift < least)
      fail("a number of bytes, 64k at least, with suffix k, M, G or T if you like");
    return number << shift;
  }
  /// Folders with colons between them.
  std::vector<std::string> folders() const {
    std::vector<std::string> found;
    for (std::size_t begin = 0; begin <= value.size();) {
      const std::size_t end = std::min(value.find(':', begin), value.size());
      if (end == begin) fail("folders with a colon between two");
      found.emplace_back(value.substr(begin, end - begin));
      std::error_code ignored;
      if (!std::filesystem::is_directory(found.back(), ignored))
        fail("folders, which '" + found.back() + "' is not");
      begin = end + 1;
    }
    return found;
  }
  template <class Mode, std::size_t N>
  Mode choice(const std::pair<std::string_view, Mode> (&modes)[N]) const {
    std::string expected;
    for (std::size_t i = 0; i < N; ++i) {
      if (modes[i].first == value) return modes[i].second;
      expected += (i == 0 ? "" : i + 1 == N ? " or " : ", ") + std::string(modes[i].first);
    }
    fail(expected);
  }
};

constexpr std::pair<std::string_view, ProgressMode> progress_modes[] = {
    {"thread", ProgressMode::thread}, {"rank", ProgressMode::rank}, {"none", ProgressMode::none}};
constexpr std::pair<std::string_view, TransportMode> transport_modes[] = {
    {"auto", TransportMode::automatic},
    {"shared", TransportMode::shared},
    {"message", TransportMode::message},
    {"rma", TransportMode::rma}};
constexpr std::pair<std::string_view, GhostMode> ghost_modes[] = {
    {"ranks", GhostMode::ranks}, {"thread", GhostMode::thread}, {"off", GhostMode::off}};
constexpr std::pair<std::string_view, DeviceKind> device_kinds[] = {
    {"auto", DeviceKind::automatic},
    {"uring", DeviceKind::uring},
    {"threads", DeviceKind::threads}};
constexpr std::pair<std::string_view, bool> zero_or_one[] = {{"0", false}, {"1", true}};
enum class Check : std::uint8_t { nothing, calls, races };
constexpr std::pair<std::string_view, Check> checks[] = {
    {"0", Check::nothing}, {"1", Check::calls}, {"race", Check::races}};
constexpr std::pair<std::string_view, bool> check_or_ignore[] = {{"check", true},
                                                                 {"ignore", false}};
constexpr std::pair<std::string_view, bool> auto_or_off[] = {{"auto", true}, {"off", false}};

template <class Mode, std::size_t N>
std::string name_of(Mode mode, const std::pair<std::string_view, Mode> (&modes)[N]) {
  for (const auto& [name, value] : modes)
    if (value == mode) return std::string(name);
  return {};
}

std::string joined(const std::vector<std::string>& folders) {
  std::string text;
  for (const std::string& folder : folders) text += (text.empty() ? "" : ":") + folder;
  return text;
}

struct Setting {
  std::string_view name;
  bool common;  // must be the same on all ranks
  void (*set)(Config&, const Variable&);
  std::string (*show)(const Config&);
};

constexpr Setting settings[] = {
    {"ATOLL_NODES", true,
     [](Config& c, const Variable& v) { c.nodes = v.number(4096, "virtual nodes"); },
     [](const Config& c) { return std::to_string(c.nodes); }},
    {"ATOLL_CHECK", true,
     [](Config& c, const Variable& v) {
       const Check check = v.choice(checks);
       c.check = check != Check::nothing;
       race::wanted = check == Check::races;
     },
     [](const Config& c) {
       return name_of(race::wanted ? Check::races
                      : c.check    ? Check::calls
                                   : Check::nothing,
                      checks);
     }},
    {"ATOLL_PROGRESS", true,
     [](Config& c, const Variable& v) { c.progress = v.choice(progress_modes); },
     [](const Config& c) { return name_of(c.progress, progress_modes); }},
    {"ATOLL_PROGRESS_RANKS", true,
     [](Config& c, const Variable& v) {
       c.progress_ranks = v.number(1024, "progress ranks a node");
     },
     [](const Config& c) {
       return std::to_string(c.progress_ranks) +
              (c.progress == ProgressMode::rank ? "" : " (unused)");
     }},
    {"ATOLL_DOORBELL", true,
     [](Config& c, const Variable& v) { c.doorbell = v.choice(auto_or_off); },
     [](const Config& c) { return name_of(c.doorbell, auto_or_off); }},
    {"ATOLL_LAUNCHER", true,
     [](Config&, const Variable& v) { static_cast<void>(v.choice(check_or_ignore)); },
     [](const Config&) { return name_of(launcher_is_checked(), check_or_ignore); }},
    {"ATOLL_MPI", false,  // read before a World starts, and where no MPI is in the process
     [](Config&, const Variable&) {}, [](const Config&) { return mpi::library().file; }},
    {"ATOLL_SIMULATE", false,  // set by `atoll simulate`, and read by mpi/library.cpp
     [](Config&, const Variable&) {},
     [](const Config&) {
       const char* const set = std::getenv("ATOLL_SIMULATE");
       return std::string(set != nullptr ? set : "(no)");
     }},
    {"ATOLL_THREADS", true,  // read by whoever shares cores, before and after a Config is
     [](Config&, const Variable& v) { static_cast<void>(v.number(4096, "threads a rank")); },
     [](const Config&) {
       const char* const set = std::getenv("ATOLL_THREADS");
       return std::string(set != nullptr ? set : "(the rank's share of the cores)");
     }},
    {"ATOLL_TRANSPORT", true,
     [](Config& c, const Variable& v) { c.transport = v.choice(transport_modes); },
     [](const Config& c) { return name_of(c.transport, transport_modes); }},
    {"ATOLL_MEMORY", true, [](Config& c, const Variable& v) { c.memory = v.bytes(); },
     [](const Config& c) {
       return c.memory == 0 ? std::string("(what there is)") : std::to_string(c.memory);
     }},
    {"ATOLL_SCALAPACK", true,
     [](Config& c, const Variable& v) { c.scalapack = v.choice(auto_or_off); },
     [](const Config& c) { return name_of(c.scalapack, auto_or_off); }},
    {"ATOLL_TIMEOUT", true,
     [](Config& c, const Variable& v) { c.timeout = v.number(1'000'000'000, "seconds"); },
     [](const Config& c) {
       return c.timeout == 0 ? std::string("(none)") : std::to_string(c.timeout);
     }},
    {"ATOLL_PROFILE", true,
     [](Config& c, const Variable& v) {
       if (v.value.empty()) v.fail("the name of a file to write");
       c.profile = v.value;
     },
     [](const Config& c) { return c.profile.empty() ? std::string("(none)") : c.profile; }},
    {"ATOLL_GHOST", true, [](Config& c, const Variable& v) { c.ghost = v.choice(ghost_modes); },
     [](const Config& c) {
       return c.ghost == GhostMode::automatic ? std::string("(automatic)")
                                              : name_of(c.ghost, ghost_modes);
     }},
    {"ATOLL_GHOST_RANKS", true,
     [](Config& c, const Variable& v) {
       c.ghost_ranks = v.number(1024, "ghost ranks a node");
       if (c.ghost == GhostMode::automatic) c.ghost = GhostMode::ranks;
     },
     [](const Config& c) { return std::to_string(c.ghost_ranks); }},
    {"ATOLL_GHOST_CHECK", true,
     [](Config& c, const Variable& v) { c.ghost_check = v.choice(zero_or_one); },
     [](const Config& c) { return name_of(c.ghost_check, zero_or_one); }},
    {"ATOLL_DISK", false, [](Config& c, const Variable& v) { c.disk = v.choice(device_kinds); },
     [](const Config& c) { return name_of(c.disk, device_kinds); }},
    {"ATOLL_SCRATCH", false, [](Config& c, const Variable& v) { c.scratch = v.folders(); },
     [](const Config& c) { return joined(c.scratch); }},
};

std::string known_names() {
  std::set<std::string_view> names;
  for (const Setting& setting : settings) names.insert(setting.name);
  std::string text;
  for (const std::string_view name : names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

/// "NAME=value" of all, or of those that must be the same on all ranks.
std::vector<std::string> shown(const Config& config, bool all) {
  std::vector<std::string> lines;
  for (const Setting& setting : settings)
    if (all || setting.common)
      lines.push_back(std::string(setting.name) + '=' + setting.show(config));
  return lines;
}

}  // namespace

void (*Config::adjust)(Config&) = nullptr;

Config Config::from_environment() {
  Config config;
  race::wanted = false;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!text.starts_with("ATOLL_")) continue;
    const auto equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    const std::string_view value = equals == text.npos ? "" : text.substr(equals + 1);
    const auto* const setting = std::ranges::find(settings, name, &Setting::name);
    if (setting == std::end(settings))
      throw Error(ErrorKind::value, "environment variable " + std::string(name) +
                                        " is unknown; the known ones are " + known_names());
    setting->set(config, {name, value});
  }
  if (adjust != nullptr) adjust(config);
  if (config.scratch.empty()) {
    const char* const folder = std::getenv("TMPDIR");
    config.scratch = {folder != nullptr && *folder != '\0' ? folder : "/tmp"};
  }
  return config;
}

std::vector<std::string> Config::common() const { return shown(*this, false); }
std::vector<std::string> Config::describe() const { return shown(*this, true); }

}  // namespace lagoon::atoll::detail
