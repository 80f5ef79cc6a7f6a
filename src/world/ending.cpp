// The last line of a run.
#include "world/ending.hpp"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <stdexcept>

#include "mpi/face.hpp"
#include "world/forked_child.hpp"
#include "world/last_reserve.hpp"
#include "world/mpi_library.hpp"
#include "world/process.hpp"
#include "world/world_state.hpp"

namespace lagoon::atoll::detail {

namespace {

/// "atoll: rank 1: WORDS" in one write, as ranks' lines would mix else: newer C libraries cut what
/// fprintf formats for stderr into 128 bytes.
void write_line(std::initializer_list<std::string_view> words) noexcept {
  std::array<char, 32> who{"atoll: "};
  if (const int rank = process_rank(); rank >= 0)  // else there is no world yet
    std::snprintf(who.data(), who.size(), "atoll: rank %d: ", rank);
  constexpr std::size_t most_words = 8;
  std::array<iovec, most_words + 2> pieces{};
  std::size_t count = 0;
  const auto add = [&](std::string_view piece) {
    // writev does not write there.
    pieces[count++] = {const_cast<char*>(piece.data()), piece.size()};
  };
  add(who.data());
  for (const std::string_view word : words)
    if (count <= most_words) add(word);
  add("\n");
  std::fflush(stdout);
  std::fflush(stderr);
  (void)!::writev(STDERR_FILENO, pieces.data(), static_cast<int>(count));
}

/// MPI_COMM_WORLD where that is all of the world: of a copy, MPICH ends this process alone, and
/// lets its launcher kill the others, which now and then takes their 9 for the status of the run.
mpi::Comm who_ends_with_us() noexcept {
  const WorldState* const world = WorldState::running;
  if (world == nullptr) return mpi::comm_world;
  mpi::Likeness likeness = mpi::Likeness::unequal;
  mpi::comm_compare(world->communicator, mpi::comm_world, &likeness);
  return likeness == mpi::Likeness::unequal ? world->communicator : mpi::comm_world;
}

}  // namespace

void let_output_be_read(int file) noexcept {
  constexpr int most = 500;
  struct stat status{};
  if (fstat(file, &status) != 0 || !S_ISFIFO(status.st_mode)) return;
  int unread = 0;
  for (int i = 0; i < most && ioctl(file, FIONREAD, &unread) == 0 && unread > 0; ++i) usleep(1000);
}

void end_run(std::initializer_list<std::string_view> words, int code) noexcept {
  give_up_last_reserve();
  write_line(words);
  if (is_forked_child()) std::_Exit(code);  // alone
  let_output_be_read(STDOUT_FILENO);
  let_output_be_read(STDERR_FILENO);
  if (mpi_is_active()) mpi::abort(who_ends_with_us(), code);
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
