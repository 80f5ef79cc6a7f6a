// Finding ScaLAPACK at run time, and the BLACS by their Fortran names.
#include "solvers/scalapack.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <string_view>

#include "atoll/error.hpp"
#include "mpi/face.hpp"
#include "mpi/library.hpp"

namespace lagoon::atoll::detail {

namespace {

// What CMake found (cmake/AtollScalapack.cmake); empty: nothing.
constexpr std::string_view built_for = ATOLL_SCALAPACK_LIBRARY;
constexpr MpiFamily family_of_it = MpiFamily::ATOLL_SCALAPACK_FAMILY;

/// Its counterpart for the MPI in use, where the names tell which is which, as Debian's do: one
/// build runs with both. Nothing where they do not.
std::string for_our_mpi(std::string file) {
  const MpiFamily ours = mpi::library().family;
  if (ours == family_of_it) return file;
  constexpr std::string_view mpich = "-mpich", open_mpi = "-openmpi";
  const std::string_view theirs = family_of_it == MpiFamily::mpich ? mpich : open_mpi;
  const std::size_t at = file.rfind(theirs);
  const bool both_are_named = (ours == MpiFamily::mpich || ours == MpiFamily::open_mpi) &&
                              at != file.npos && at > file.rfind('/');
  if (!both_are_named) return {};
  return file.replace(at, theirs.size(), ours == MpiFamily::mpich ? mpich : open_mpi);
}

/// ScaLAPACK is to find the MPI that we use in the process, not one that it was linked with: the
/// libraries of the MPICH family go by several names (libmpi.so.12, libmpich.so.12), and loaded by
/// Python as part of a module ours is not seen by libraries that come later.
void show_our_mpi() {
  const std::string& file = mpi::library().file;
  if (!file.empty()) dlopen(file.c_str(), RTLD_NOLOAD | RTLD_LAZY | RTLD_GLOBAL);
}

/// The file where CMake saw it, else, if its name tells its MPI, what the loader finds by that
/// name.
void* load(const std::string& file) {
  if (void* handle = dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL)) return handle;
  const std::string name = file.substr(file.rfind('/') + 1);
  return name.find("mpi") == name.npos ? nullptr : dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
}

}  // namespace

const Scalapack& Scalapack::get() {
  static const Scalapack library;
  return library;
}

Scalapack::Scalapack() : file_(built_for) {
  if (file_.empty()) {
    why_not_ = "Atoll was built without ScaLAPACK";
    return;
  }
  file_ = for_our_mpi(file_);
  if (file_.empty()) {
    why_not_ = std::string(built_for) + " is for " + mpi::in_words(family_of_it) +
               ", and this program runs with " + mpi::in_words(mpi::library().family);
    return;
  }
  show_our_mpi();
  handle_ = load(file_);
  if (handle_ == nullptr) {
    const char* text = dlerror();
    why_not_ = "ScaLAPACK cannot be loaded: " + std::string(text == nullptr ? file_ : text);
    if (file_ != built_for) file_.clear();  // the build has seen the other one alone
    return;
  }
  // Some come without the BLACS, as a library that has to be chosen besides.
  for (const char* name : {"sys2blacs_handle_", "free_blacs_system_handle_", "blacs_gridinit_",
                           "blacs_gridexit_", "pdgemm_", "pdsyevd_"})
    if (dlsym(handle_, name) == nullptr) {
      why_not_ = file_ + " has no " + name;
      return;
    }
}

void* Scalapack::address(const std::string& name) const {
  void* found = handle_ == nullptr ? nullptr : dlsym(handle_, (name + "_").c_str());
  if (found == nullptr)
    throw Error(ErrorKind::unsupported, available() ? file_ + " has no routine " + name : why_not_);
  return found;
}

BlacsGrid::BlacsGrid(mpi::Comm communicator, int rows, int columns) {
  const Scalapack& library = Scalapack::get();
  // BLACS looks at no status: errors on its communicators, which inherit from this one, end the
  // run.
  mpi::comm_set_errhandler(communicator, mpi::errors_are_fatal);
  const int fortran = mpi::comm_c2f(communicator);
  system_ = library.routine<int(const int*)>("sys2blacs_handle")(&fortran);
  context_ = system_;
  library.routine<void(int*, const char*, const int*, const int*, std::size_t)>("blacs_gridinit")(
      &context_, "C", &rows, &columns, 1);
  mpi::comm_set_errhandler(communicator, mpi::errors_return);
}

BlacsGrid::~BlacsGrid() {
  const Scalapack& library = Scalapack::get();
  if (context_ >= 0) library.routine<void(const int*)>("blacs_gridexit")(&context_);
  library.routine<void(const int*)>("free_blacs_system_handle")(&system_);
}

}  // namespace lagoon::atoll::detail
