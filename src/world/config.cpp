// Reading the environment. A variable that nobody reads is a typing error that would go unnoticed
// for weeks, so unknown ATOLL_* names are errors.
#include "world/config.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

#include "atoll/error.hpp"

extern char** environ;  // NOLINT: POSIX

namespace lagoon::atoll::detail {

namespace {

[[noreturn]] void malformed(std::string_view name, std::string_view value,
                            std::string_view expected) {
  throw Error(ErrorKind::value, "environment variable " + std::string(name) + "=" +
                                    std::string(value) + ": expected " + std::string(expected));
}

bool parse_integer(std::string_view text, std::uint64_t& number) {
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  return status == std::errc() && end == text.data() + text.size();
}

std::uint64_t parse_bytes(std::string_view name, std::string_view value) {
  constexpr std::string_view expected =
      "a number of bytes, 64k at least, with suffix k, M, G or T if you like";
  constexpr std::uint64_t least = std::uint64_t{64} << 10;  // the arena's own words, and a group's
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
    malformed(name, value, expected);
  return number << shift;
}

constexpr std::pair<std::string_view, ProgressMode> progress_modes[] = {
    {"thread", ProgressMode::thread}, {"rank", ProgressMode::rank}, {"none", ProgressMode::none}};
constexpr std::pair<std::string_view, TransportMode> transport_modes[] = {
    {"auto", TransportMode::automatic},
    {"shared", TransportMode::shared},
    {"message", TransportMode::message},
    {"rma", TransportMode::rma}};

constexpr std::pair<std::string_view, DeviceKind> device_kinds[] = {
    {"auto", DeviceKind::automatic},
    {"uring", DeviceKind::uring},
    {"threads", DeviceKind::threads}};

/// Folders with colons between them.
std::vector<std::string> parse_folders(std::string_view name, std::string_view value) {
  std::vector<std::string> folders;
  for (std::size_t begin = 0; begin <= value.size();) {
    const std::size_t end = std::min(value.find(':', begin), value.size());
    if (end == begin) malformed(name, value, "folders with a colon between two");
    folders.emplace_back(value.substr(begin, end - begin));
    begin = end + 1;
  }
  return folders;
}

template <class Mode, std::size_t N>
Mode choose(std::string_view variable, std::string_view value,
            const std::pair<std::string_view, Mode> (&modes)[N]) {
  std::string expected;
  for (std::size_t i = 0; i < N; ++i) {
    if (modes[i].first == value) return modes[i].second;
    expected += (i == 0 ? "" : i + 1 == N ? " or " : ", ") + std::string(modes[i].first);
  }
  malformed(variable, value, expected);
}

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

using Setter = std::function<void(Config&, std::string_view name, std::string_view value)>;

const std::map<std::string_view, Setter>& setters() {
  static const std::map<std::string_view, Setter> table = {
      {"ATOLL_NODES",
       [](Config& config, std::string_view name, std::string_view value) {
         std::uint64_t number = 0;
         if (!parse_integer(value, number) || number < 1 || number > 4096)
           malformed(name, value, "a number of virtual nodes from 1 to 4096");
         config.nodes = static_cast<int>(number);
       }},
      {"ATOLL_CHECK",
       [](Config& config, std::string_view name, std::string_view value) {
         if (value != "0" && value != "1") malformed(name, value, "0 or 1");
         config.check = value == "1";
       }},
      {"ATOLL_PROGRESS",
       [](Config& config, std::string_view name, std::string_view value) {
         config.progress = choose(name, value, progress_modes);
       }},
      {"ATOLL_PROGRESS_RANKS",
       [](Config& config, std::string_view name, std::string_view value) {
         std::uint64_t number = 0;
         if (!parse_integer(value, number) || number < 1 || number > 1024)
           malformed(name, value, "a number of progress ranks a node from 1 to 1024");
         config.progress_ranks = static_cast<int>(number);
       }},
      {"ATOLL_TRANSPORT",
       [](Config& config, std::string_view name, std::string_view value) {
         config.transport = choose(name, value, transport_modes);
       }},
      {"ATOLL_MEMORY", [](Config& config, std::string_view name,
                          std::string_view value) { config.memory = parse_bytes(name, value); }},
      {"ATOLL_SCALAPACK",
       [](Config& config, std::string_view name, std::string_view value) {
         if (value != "auto" && value != "off") malformed(name, value, "auto or off");
         config.scalapack = value == "auto";
       }},
      {"ATOLL_DISK",
       [](Config& config, std::string_view name, std::string_view value) {
         config.disk = choose(name, value, device_kinds);
       }},
      {"ATOLL_SCRATCH",
       [](Config& config, std::string_view name, std::string_view value) {
         config.scratch = parse_folders(name, value);
       }},
      {"ATOLL_PROFILE",
       [](Config& config, std::string_view name, std::string_view value) {
         if (value.empty()) malformed(name, value, "the name of a file to write");
         config.profile = value;
       }},
  };
  return table;
}

}  // namespace

Config Config::from_environment() {
  Config config;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!text.starts_with("ATOLL_")) continue;
    const auto equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    const std::string_view value = equals == text.npos ? "" : text.substr(equals + 1);
    const auto setter = setters().find(name);
    if (setter == setters().end()) {
      std::string known;
      for (const auto& [key, unused] : setters())
        known += (known.empty() ? "" : ", ") + std::string(key);
      throw Error(ErrorKind::value, "environment variable " + std::string(name) +
                                        " is unknown; the known ones are " + known);
    }
    setter->second(config, name, value);
  }
  if (config.scratch.empty()) {
    const char* const folder = std::getenv("TMPDIR");
    config.scratch = {folder != nullptr && *folder != '\0' ? folder : "/tmp"};
  }
  return config;
}

std::vector<std::string> Config::common() const {
  return {
      "ATOLL_NODES=" + std::to_string(nodes),
      std::string("ATOLL_CHECK=") + (check ? "1" : "0"),
      "ATOLL_PROGRESS=" + name_of(progress, progress_modes),
      "ATOLL_PROGRESS_RANKS=" + std::to_string(progress_ranks) +
          (progress == ProgressMode::rank ? "" : " (unused)"),
      "ATOLL_TRANSPORT=" + name_of(transport, transport_modes),
      "ATOLL_MEMORY=" + (memory == 0 ? std::string("(physical memory)") : std::to_string(memory)),
      std::string("ATOLL_SCALAPACK=") + (scalapack ? "auto" : "off"),
      "ATOLL_PROFILE=" + (profile.empty() ? std::string("(none)") : profile)};
}

std::vector<std::string> Config::describe() const {
  std::vector<std::string> all = common();
  all.push_back("ATOLL_DISK=" + name_of(disk, device_kinds));
  all.push_back("ATOLL_SCRATCH=" + joined(scratch));
  return all;
}

}  // namespace lagoon::atoll::detail
