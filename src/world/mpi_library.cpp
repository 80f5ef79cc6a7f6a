// The families of MPI: of the program, and of the library that it runs with.
#include "world/mpi_library.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "atoll/error.hpp"
#include "mpi/face.hpp"
#include "mpi/library.hpp"

namespace lagoon::atoll::detail {

namespace {

/// The answer of MPI; false where there is none, or none that can be used.
bool asked(int (*ask)(int*)) noexcept try {
  int answer = 0;
  if (mpi::in_process()) ask(&answer);
  return answer != 0;
} catch (...) {
  return false;
}

}  // namespace

bool mpi_was_started() noexcept { return asked(mpi::initialized); }

bool mpi_is_active() noexcept { return mpi_was_started() && !asked(mpi::finalized); }

// Of the first line "MPICH Version:      5.0.2" is "MPICH 5.0.2".
std::string running_library() {
  char text[mpi::max_library_version_string];
  int length = 0;
  mpi::get_library_version(text, &length);  // takes no handle, and is allowed before MPI_Init
  std::string line(text, static_cast<std::size_t>(length));
  line.resize(std::min(line.find_first_of("\n,"), line.size()));
  if (const std::size_t at = line.find(" Version:"); at != std::string::npos)
    line.replace(at, line.find_first_not_of(" \t", at + 9) - at, " ");
  return line;
}

MpiFamily family_of(std::string_view library) {
  const auto says = [&](std::string_view name) { return library.find(name) != library.npos; };
  if (says("Open MPI") || says("Spectrum MPI")) return MpiFamily::open_mpi;
  if (says("MPICH") || says("Intel(R) MPI") || says("MVAPICH")) return MpiFamily::mpich;
  return mpi::library().family;
}

void require_our_mpi(const MpiHeader& of_program) {
  const mpi::Library& library = mpi::library();
  if (of_program.family == MpiFamily::none || of_program.family == library.family) return;
  throw Error(ErrorKind::communication,
              "the program was compiled for " + mpi::in_words(of_program.family) +
                  " (by the mpi.h that it includes), but it runs with " + running_library() + " (" +
                  mpi::in_words(library.family) + ", " + mpi::where(library) +
                  "); compile and link the program with the MPI that it is to run with "
                  "(docs/install.md, \"In a program of one's own\")");
}

void require_one_mpi(const void* function_of_program) {
  if (mpi::is_of_library(function_of_program)) return;
  throw Error(ErrorKind::communication,
              "the program has an MPI of its own (linked statically, or another one) beside " +
                  running_library() + " (" + mpi::where(mpi::library()) +
                  "), which Atoll found: handles of one mean nothing to the other; link the "
                  "program with MPI's shared library (docs/install.md, \"In a program of one's "
                  "own\")");
}

}  // namespace lagoon::atoll::detail
