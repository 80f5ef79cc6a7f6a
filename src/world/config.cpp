// Reading the environment. A variable that nobody reads is a typing error that would go unnoticed
// for weeks, so unknown ATOLL_* names are errors.
#include "world/config.hpp"

#include <charconv>
#include <functional>
#include <map>
#include <string_view>

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
  constexpr std::string_view expected = "a number of bytes, with suffix k, M, G or T if you like";
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
  if (!parse_integer(digits, number) || number == 0 || number > (UINT64_MAX >> shift >> 2))
    malformed(name, value, expected);
  return number << shift;
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
         if (value == "thread")
           config.progress = ProgressMode::thread;
         else if (value == "none")
           config.progress = ProgressMode::none;
         else
           malformed(name, value, "thread or none");
       }},
      {"ATOLL_MEMORY", [](Config& config, std::string_view name,
                          std::string_view value) { config.memory = parse_bytes(name, value); }},
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
  return config;
}

std::vector<std::string> Config::describe() const {
  return {
      "ATOLL_NODES=" + std::to_string(nodes), std::string("ATOLL_CHECK=") + (check ? "1" : "0"),
      std::string("ATOLL_PROGRESS=") + (progress == ProgressMode::thread ? "thread" : "none"),
      "ATOLL_MEMORY=" + (memory == 0 ? std::string("(physical memory)") : std::to_string(memory)),
      "ATOLL_PROFILE=" + (profile.empty() ? std::string("(none)") : profile)};
}

}  // namespace lagoon::atoll::detail
