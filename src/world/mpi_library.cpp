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

/// The first line of what libmpi says of itself: "MPICH Version:      5.0.2" as "MPICH 5.0.2".
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

/// Whether a library that says so cannot be of the family; of names unknown here we believe it.
bool is_foreign(std::string_view library) {
  const auto says = [&](std::string_view name) { return library.find(name) != library.npos; };
  const bool open_mpi = says("Open MPI") || says("Spectrum MPI");
  const bool mpich = says("MPICH") || says("Intel(R) MPI") || says("MVAPICH");
  return (ours.family == MpiFamily::mpich && open_mpi) ||
         (ours.family == MpiFamily::open_mpi && mpich && !open_mpi);
}

}  // namespace

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
