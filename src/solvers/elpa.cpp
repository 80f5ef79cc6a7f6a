// Finding ELPA at run time, together with the Fortran library of the MPI in use.
#include "solvers/elpa.hpp"

#include <dlfcn.h>

#include <string_view>

#include "atoll/error.hpp"
#include "mpi/library.hpp"
#include "solvers/scalapack.hpp"

namespace lagoon::atoll::detail {

namespace {

// What CMake found (cmake/AtollScalapack.cmake), and the Fortran library of MPI that it needs.
constexpr std::string_view built_for = ATOLL_ELPA_LIBRARY;
constexpr std::string_view mpi_fortran = ATOLL_ELPA_MPI_FORTRAN;

/// The interface that our calls follow; ELPA keeps older ones.
constexpr int interface_version = 20211125;

std::string loader_says(const std::string& file) {
  const char* text = dlerror();
  return text == nullptr ? file : text;
}

/// The Fortran library that belongs to our MPI, before the loader finds one of another version: it
/// reaches into the MPI library's own structures.
bool load_fortran_of_our_mpi() {
  const std::string& ours = mpi::library().file;
  if (ours.empty()) return false;
  const std::string file = ours.substr(0, ours.rfind('/') + 1) + std::string(mpi_fortran);
  return dlopen(file.c_str(), RTLD_LAZY | RTLD_GLOBAL) != nullptr;
}

}  // namespace

const Elpa& Elpa::get() {
  static const Elpa library;
  return library;
}

Elpa::Elpa() : file_(built_for), why_not_(load()) {}

std::string Elpa::load() {
  if (file_.empty()) return "Atoll was built without ELPA";
  // Its handles are those of the MPI that it was compiled for.
  if (constexpr MpiFamily its = MpiFamily::ATOLL_ELPA_FAMILY; mpi::library().family != its)
    return file_ + " is for " + mpi::in_words(its) + ", and this program runs with " +
           mpi::in_words(mpi::library().family);
  if (!Scalapack::get().available()) return Scalapack::get().why_not();
  if (!mpi_fortran.empty() && !load_fortran_of_our_mpi())
    return "the MPI in use has no " + std::string(mpi_fortran);
  handle_ = dlopen(file_.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (handle_ == nullptr) return "ELPA cannot be loaded: " + loader_says(file_);
  for (const char* name : {"elpa_init", "elpa_allocate", "elpa_deallocate", "elpa_set_integer",
                           "elpa_setup", "elpa_eigenvectors_a_h_a_d", "elpa_eigenvalues_a_h_a_d"})
    if (dlsym(handle_, name) == nullptr) return file_ + " has no " + name;
  if (function<int(int)>("elpa_init")(interface_version) != 0)
    return file_ + " lacks the interface of " + std::to_string(interface_version);
  return {};
}

void* Elpa::address(const std::string& name) const {
  void* found = handle_ == nullptr ? nullptr : dlsym(handle_, name.c_str());
  if (found == nullptr)
    throw Error(ErrorKind::unsupported,
                handle_ == nullptr ? why_not_ : file_ + " has no function " + name);
  return found;
}

}  // namespace lagoon::atoll::detail
