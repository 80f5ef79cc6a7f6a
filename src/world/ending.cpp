// The last line of a run.
#include "world/ending.hpp"

#include <mpi.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <stdexcept>

#include "world/forked_child.hpp"
#include "world/last_reserve.hpp"
#include "world/process.hpp"
#include "world/world_state.hpp"

namespace lagoon::atoll::detail {

namespace {

class Line {
 public:
  void add(std::string_view word) noexcept {
    const std::size_t length = std::min(word.size(), text_.size() - 1 - used_);
    std::copy_n(word.begin(), length, text_.begin() + static_cast<std::ptrdiff_t>(used_));
    used_ += length;
  }
  void end() noexcept { text_[used_++] = '\n'; }
  std::string_view text() const noexcept { return {text_.data(), used_}; }

 private:
  std::array<char, 4096> text_;  // NOLINT: so much of it as is in use
  std::size_t used_ = 0;
};

/// MPI_COMM_WORLD where that is all of the world: of a copy, MPICH ends this process alone, and
/// lets its launcher kill the others, which now and then takes their 9 for the status of the run.
MPI_Comm who_ends_with_us() noexcept {
  const WorldState* const world = WorldState::running;
  if (world == nullptr) return MPI_COMM_WORLD;
  int likeness = MPI_UNEQUAL;
  MPI_Comm_compare(world->communicator, MPI_COMM_WORLD, &likeness);
  return likeness == MPI_UNEQUAL ? world->communicator : MPI_COMM_WORLD;
}

/// Until the launcher has read what this rank wrote to a pipe: MPICH's ends with an MPI_Abort of
/// MPI_COMM_WORLD, and what is still in the pipe is lost. Not for long, as nobody may read.
void let_output_be_read(int file) noexcept {
  constexpr int most = 500;
  struct stat status{};
  if (fstat(file, &status) != 0 || !S_ISFIFO(status.st_mode)) return;
  int unread = 0;
  for (int i = 0; i < most && ioctl(file, FIONREAD, &unread) == 0 && unread > 0; ++i) usleep(1000);
}

}  // namespace

void end_run(std::initializer_list<std::string_view> words, int code) noexcept {
  give_up_last_reserve();
  Line line;
  line.add("atoll: ");
  if (const int rank = process_rank(); rank >= 0) {  // else there is no world yet
    std::array<char, 32> who{};
    std::snprintf(who.data(), who.size(), "rank %d: ", rank);
    line.add(who.data());
  }
  for (const std::string_view word : words) line.add(word);
  line.end();
  // One write: newer C libraries cut what fprintf formats for stderr into 128 bytes, and ranks'
  // lines would mix.
  std::fwrite(line.text().data(), 1, line.text().size(), stderr);
  std::fflush(stdout);
  std::fflush(stderr);
  if (is_forked_child()) std::_Exit(code);  // alone
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  let_output_be_read(STDOUT_FILENO);
  let_output_be_read(STDERR_FILENO);
  if (initialized != 0 && finalized == 0) MPI_Abort(who_ends_with_us(), code);
  std::_Exit(code);
}

void cannot_go_on(std::string_view operation, const std::exception& error) noexcept {
  const bool memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr ||
                      dynamic_cast<const std::length_error*>(&error) != nullptr;
  end_run({operation, " cannot go on, and the others wait for it: ",
           memory ? std::string_view("out of memory") : std::string_view(error.what())},
          1);
}

void cannot_go_on(std::string_view operation) noexcept {
  try {
    throw;
  } catch (const std::exception& error) {
    cannot_go_on(operation, error);
  } catch (...) {
    end_run({operation, " cannot go on, and the others wait for it: an exception of another kind"},
            1);
  }
}

}  // namespace lagoon::atoll::detail
