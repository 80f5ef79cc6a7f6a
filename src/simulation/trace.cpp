// The trace goes into one file of all ranks, a line in a write.
#include "simulation/trace.hpp"

#include <execinfo.h>
#include <unistd.h>

#include <array>
#include <cstdarg>
#include <cstdio>

namespace lagoon::atoll::simulation {

void trace(Kind kind, std::uint64_t one, std::uint64_t two, std::uint64_t three) noexcept {
  std::uint64_t& hash = head().ended.hash;
  const Scheduler& s = scheduler();
  const auto who = static_cast<std::uint64_t>(s.running);
  hash = mixed(hash ^ (static_cast<std::uint64_t>(kind) << 56U) ^ (who << 40U) ^
               static_cast<std::uint64_t>(s.now));
  hash = mixed(hash + one);
  if (two != 0 || three != 0) hash = mixed(mixed(hash + two) + three);
  if (head().asked.all_steps == s.steps && s.steps > 1) {
    std::array<void*, 64> stack{};
    backtrace_symbols_fd(stack.data(), backtrace(stack.data(), stack.size()), STDERR_FILENO);
  }
  if (head().asked.all_steps != 0)
    trace_line("kind %d: %llx %llx %llx", static_cast<int>(kind),
               static_cast<unsigned long long>(one), static_cast<unsigned long long>(two),
               static_cast<unsigned long long>(three));
}

bool tracing() noexcept { return head().asked.trace >= 0; }

void trace_line(const char* format, ...) noexcept {
  if (!tracing()) return;
  char line[512];
  const Scheduler& s = scheduler();
  const Thread& thread = s.all[static_cast<std::size_t>(s.running)];
  int length =
      std::snprintf(line, sizeof line, "%lld\t%lld\t%d\t%d\t", static_cast<long long>(s.steps),
                    static_cast<long long>(s.now), thread.rank, thread.number);
  std::va_list arguments;
  va_start(arguments, format);
  length += std::vsnprintf(line + length, sizeof line - static_cast<std::size_t>(length) - 1,
                           format, arguments);
  va_end(arguments);
  if (length > static_cast<int>(sizeof line) - 2) length = static_cast<int>(sizeof line) - 2;
  line[length++] = '\n';
  (void)!::write(static_cast<int>(head().asked.trace), line, static_cast<std::size_t>(length));
}

}  // namespace lagoon::atoll::simulation
