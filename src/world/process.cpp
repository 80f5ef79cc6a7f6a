// The process's rank and last error.
#include "world/process.hpp"

namespace lagoon::atoll::detail {

namespace {
int current_rank = -1;
}

int process_rank() noexcept { return current_rank; }
void set_process_rank(int rank) noexcept { current_rank = rank; }

std::string& last_error() noexcept {
  thread_local std::string text;
  return text;
}

}  // namespace lagoon::atoll::detail
