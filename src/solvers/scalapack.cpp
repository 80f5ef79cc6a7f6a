// Finding ScaLAPACK at run time, and the BLACS by their Fortran names.
#include "solvers/scalapack.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <string_view>

#include "atoll/error.hpp"

namespace lagoon::atoll::detail {

namespace {

// What CMake found (cmake/AtollScalapack.cmake); empty: nothing.
constexpr std::string_view built_for = ATOLL_SCALAPACK_LIBRARY;

/// ScaLAPACK is to find the MPI that we use in the process, not one that it was linked with: the
/// libraries of the MPICH family go by several names (libmpi.so.12, libmpich.so.12), and loaded by
/// Python as part of a module ours is not seen by libraries that come later.
void show_our_mpi() {
  Dl_info found{};
  if (dladdr(reinterpret_cast<void*>(&MPI_Init_thread), &found) != 0 && found.dli_fname != nullptr)
    dlopen(found.dli_fname, RTLD_NOLOAD | RTLD_LAZY | RTLD_GLOBAL);
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
  show_our_mpi();
  handle_ = load(file_);
  if (handle_ == nullptr) {
    const char* text = dlerror();
    why_not_ = "ScaLAPACK cannot be loaded: " + std::string(text == nullptr ? file_ : text);
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

BlacsGrid::BlacsGrid(MPI_Comm communicator, int rows, int columns) {
  const Scalapack& library = Scalapack::get();
  // BLACS looks at no status: errors on its communicators, which inherit from this one, end the
  // run.
  MPI_Comm_set_errhandler(communicator, MPI_ERRORS_ARE_FATAL);
  const MPI_Fint fortran = MPI_Comm_c2f(communicator);
  system_ = library.routine<int(const MPI_Fint*)>("sys2blacs_handle")(&fortran);
  context_ = system_;
  library.routine<void(int*, const char*, const int*, const int*, std::size_t)>("blacs_gridinit")(
      &context_, "C", &rows, &columns, 1);
  MPI_Comm_set_errhandler(communicator, MPI_ERRORS_RETURN);
}

BlacsGrid::~BlacsGrid() {
  const Scalapack& library = Scalapack::get();
  if (context_ >= 0) library.routine<void(const int*)>("blacs_gridexit")(&context_);
  library.routine<void(const int*)>("free_blacs_system_handle")(&system_);
}

}  // namespace lagoon::atoll::detail
