// The families of MPI: of the program, of the library that it runs with, and ours.
#include "world/mpi_library.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "atoll/error.hpp"

namespace lagoon::atoll::detail {

namespace {

constexpr MpiHeader ours{};

std::string in_words(const MpiHeader& header) {
  switch (header.family) {
    case MpiFamily::mpich: return "MPICH";
    case MpiFamily::open_mpi: return "Open MPI";
    case MpiFamily::standard: return "MPI's standard binary interface";
    case MpiFamily::other: break;
  }
  return "an MPI with handles of " + std::to_string(header.handle_bytes) + " bytes";
}

/// Whether the library cannot be used in the place of the one that was compiled for.
bool is_foreign(std::string_view library) {
  const MpiFamily family = family_of(library);
  return (ours.family == MpiFamily::mpich && family == MpiFamily::open_mpi) ||
         (ours.family == MpiFamily::open_mpi && family == MpiFamily::mpich);
}

}  // namespace

bool mpi_is_active() noexcept {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  return initialized != 0 && finalized == 0;
}

// Of the first line "MPICH Version:      5.0.2" is "MPICH 5.0.2".
std::string running_library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);  // takes no handle, and is allowed before MPI_Init
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
  return ours.family;
}

void require_our_mpi(const MpiHeader& of_program) {
  const std::string remedy =
      "; compile and link the program with the MPI that Atoll was built with "
      "(docs/install.md, \"In a program of one's own\")";
  if (of_program != ours)
    throw Error(ErrorKind::communication,
                "the program was compiled for " + in_words(of_program) +
                    " (by the mpi.h that it includes), but this Atoll was built for " +
                    in_words(ours) + remedy);
  const std::string library = running_library();
  if (is_foreign(library))
    throw Error(ErrorKind::communication, "the program runs with " + library +
                                              ", but this Atoll was built for " + in_words(ours) +
                                              remedy);
}

}  // namespace lagoon::atoll::detail
