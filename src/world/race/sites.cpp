#include "world/race/sites.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unwind.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <sstream>
#include <string_view>

#include "world/collective.hpp"

extern "C" char** environ;  // NOLINT: POSIX

namespace lagoon::atoll::detail::race {

namespace {

std::uint64_t hash_of(std::string_view text) noexcept {
  std::uint64_t hash = text.size();
  for (const char c : text) hash = mix(hash, static_cast<unsigned char>(c));
  return hash | 1;  // never 0
}

/// A frame as a place in a file of code.
struct CodePlace {
  std::string file, function;
  std::uintptr_t offset = 0;

  explicit CodePlace(void* address) {
    Dl_info info{};
    if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return;
    file = info.dli_fname;
    if (info.dli_sname != nullptr) function = info.dli_sname;
    offset = reinterpret_cast<std::uintptr_t>(address) -
             reinterpret_cast<std::uintptr_t>(info.dli_fbase);
  }
  /// As addr2line counts: programs that are linked to fixed addresses by those.
  std::uintptr_t linked(void* address) const {
    std::array<unsigned char, 18> header{};
    std::ifstream in(file, std::ios::binary);
    in.read(reinterpret_cast<char*>(header.data()), header.size());
    return in && header[16] == ET_EXEC ? reinterpret_cast<std::uintptr_t>(address) : offset;
  }
};

std::string demangled(const std::string& name) {
  int status = -1;
  const std::unique_ptr<char, void (*)(void*)> plain(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? plain.get() : name;
}

/// What a program writes to its output; empty where it cannot be started.
std::string output_of(std::vector<std::string> words) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return {};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 1, 0);
  pid_t child = 0;
  const bool started =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t length = 0; started && (length = read(ends[0], part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<std::size_t>(length));
  close(ends[0]);
  int status = 0;
  if (started) (void)waitpid(child, &status, 0);
  return text;
}

/// Whether a function, or the file that it stands in, is the library's.
bool is_ours(const std::string& function, const std::string& file) {
  constexpr std::string_view space = "lagoon::atoll::";
  const bool in_space =
      function.starts_with(space) || function.find(" " + std::string(space)) != function.npos;
  // Tests of ours are programs that stand in the library's namespace.
  if (in_space && function.find("_Test") == function.npos) return true;
  for (const char* const part : {"NGA_", "GA_", "nga_", "ga_"})
    if (function.starts_with(part)) return true;
  for (const char* const part : {"/include/atoll/", "/src/array/", "/src/world/", "/src/compat/"})
    if (file.find(part) != file.npos) return true;
  return false;
}

bool is_our_library(const std::string& file) {
  const std::string name = std::filesystem::path(file).filename().string();
  return name.starts_with("libatoll") || name.starts_with("_core");
}

/// Of one frame, the first function that is none of ours, its inlined ones first.
std::string line_of(void* address, const CodePlace& place) {
  std::array<char, 24> number{};
  std::snprintf(number.data(), number.size(), "0x%zx", place.linked(address));
  std::istringstream lines(
      output_of({"addr2line", "-C", "-f", "-i", "-e", place.file, number.data()}));
  std::string function, where;
  while (std::getline(lines, function) && std::getline(lines, where)) {
    if (function == "??" && where.starts_with("??")) break;
    if (is_ours(function, where)) continue;
    for (const std::string_view part : {"(anonymous namespace)::", "std::_Function_handler<"})
      for (std::size_t at = 0; (at = function.find(part)) != function.npos;)
        function.erase(at, part.size());
    function = function.substr(0, function.find('('));
    where = where.substr(0, where.find(" (discriminator"));
    // Without lines it still knows functions, and files of some.
    if (where.starts_with("??") || where.ends_with(":?"))
      return function + " of " + std::filesystem::path(place.file).filename().string();
    return function + " at " + std::filesystem::path(where).filename().string();
  }
  return {};
}

struct Walk {
  std::span<void*> frames;
  std::size_t count = 0;
};

_Unwind_Reason_Code note_frame(_Unwind_Context* context, void* data) {
  Walk& walk = *static_cast<Walk*>(data);
  if (walk.count == walk.frames.size()) return _URC_END_OF_STACK;
  // The call stands before the address to which it returns.
  walk.frames[walk.count++] = reinterpret_cast<void*>(_Unwind_GetIP(context) - 1);
  return _URC_NO_REASON;
}

}  // namespace

std::uint64_t Sites::add(const std::string& text) {
  const std::uint64_t site = hash_of(text);
  const std::lock_guard lock(mutex_);
  texts_.try_emplace(site, text);
  return site;
}

std::uint64_t Sites::here() {
  Stack stack;
  Walk walk{stack.frames};
  _Unwind_Backtrace(&note_frame, &walk);
  stack.count = walk.count;
  std::uint64_t addresses = 0;
  for (std::size_t i = 0; i < stack.count; ++i)
    addresses = mix(addresses, reinterpret_cast<std::uintptr_t>(stack.frames[i]));
  const std::lock_guard lock(mutex_);
  if (const auto known = by_addresses_.find(addresses); known != by_addresses_.end())
    return known->second;
  // Libraries lie elsewhere in each process; what is the same is the place in their files.
  std::uint64_t site = 0;
  for (std::size_t i = 0; i < stack.count; ++i) {
    const CodePlace place(stack.frames[i]);
    site = mix(mix(site, hash_of(std::filesystem::path(place.file).filename().string())),
               place.offset);
  }
  site |= 1;
  by_addresses_.emplace(addresses, site);
  stacks_.try_emplace(site, stack);
  return site;
}

std::string Sites::text(std::uint64_t site) {
  const std::lock_guard lock(mutex_);
  if (const auto known = texts_.find(site); known != texts_.end()) return known->second;
  const auto stack = stacks_.find(site);
  if (stack == stacks_.end()) return "?";
  std::string text, fallback = "?";
  for (std::size_t i = 0; i < stack->second.count && text.empty(); ++i) {
    void* const address = stack->second.frames[i];
    const CodePlace place(address);
    if (place.file.empty() || is_our_library(place.file)) continue;
    text = line_of(address, place);
    if (fallback == "?" && !is_ours(demangled(place.function), ""))
      fallback = (place.function.empty() ? "a function" : demangled(place.function)) + " of " +
                 std::filesystem::path(place.file).filename().string();
  }
  return texts_[site] = text.empty() ? fallback : text;
}

}  // namespace lagoon::atoll::detail::race
