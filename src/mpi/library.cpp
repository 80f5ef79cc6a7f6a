// Finding the MPI of the process, or bringing one; the table before it is filled.
#include "mpi/library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "atoll/error.hpp"
#include "mpi/adaptor/adaptors.hpp"
#include "mpi/calls.hpp"

namespace lagoon::atoll::mpi {

namespace {

/// A function of the table that fills it, and does then what was asked for.
template <auto Member, class Function>
struct First;

template <auto Member, class R, class... A>
struct First<Member, R (*)(A...)> {
  static R call(A... arguments) {
    library();
    return (calls.*Member)(arguments...);
  }
};

template <auto Member>
constexpr auto first =
    &First<Member, std::remove_reference_t<decltype(std::declval<Calls&>().*Member)>>::call;

}  // namespace

constinit Calls calls{
    .init_thread = first<&Calls::init_thread>,
    .initialized = first<&Calls::initialized>,
    .finalized = first<&Calls::finalized>,
    .finalize = first<&Calls::finalize>,
    .query_thread = first<&Calls::query_thread>,
    .is_thread_main = first<&Calls::is_thread_main>,
    .get_library_version = first<&Calls::get_library_version>,
    .get_processor_name = first<&Calls::get_processor_name>,
    .abort = first<&Calls::abort>,
    .wtime = first<&Calls::wtime>,
    .error_string = first<&Calls::error_string>,
    .call_before_finalize = first<&Calls::call_before_finalize>,
    .comm_size = first<&Calls::comm_size>,
    .comm_rank = first<&Calls::comm_rank>,
    .comm_dup = first<&Calls::comm_dup>,
    .comm_split = first<&Calls::comm_split>,
    .comm_split_type = first<&Calls::comm_split_type>,
    .comm_create_group = first<&Calls::comm_create_group>,
    .comm_group = first<&Calls::comm_group>,
    .comm_free = first<&Calls::comm_free>,
    .comm_compare = first<&Calls::comm_compare>,
    .comm_largest_tag = first<&Calls::comm_largest_tag>,
    .comm_set_errhandler = first<&Calls::comm_set_errhandler>,
    .comm_c2f = first<&Calls::comm_c2f>,
    .comm_f2c = first<&Calls::comm_f2c>,
    .group_incl = first<&Calls::group_incl>,
    .group_translate_ranks = first<&Calls::group_translate_ranks>,
    .group_free = first<&Calls::group_free>,
    .isend = first<&Calls::isend>,
    .issend = first<&Calls::issend>,
    .irecv = first<&Calls::irecv>,
    .recv = first<&Calls::recv>,
    .sendrecv = first<&Calls::sendrecv>,
    .iprobe = first<&Calls::iprobe>,
    .improbe = first<&Calls::improbe>,
    .imrecv = first<&Calls::imrecv>,
    .test = first<&Calls::test>,
    .testsome = first<&Calls::testsome>,
    .wait = first<&Calls::wait>,
    .cancel = first<&Calls::cancel>,
    .request_free = first<&Calls::request_free>,
    .source_of = first<&Calls::source_of>,
    .get_count = first<&Calls::get_count>,
    .get_elements_x = first<&Calls::get_elements_x>,
    .barrier = first<&Calls::barrier>,
    .bcast = first<&Calls::bcast>,
    .allreduce = first<&Calls::allreduce>,
    .allgather = first<&Calls::allgather>,
    .alltoall = first<&Calls::alltoall>,
    .alltoallv = first<&Calls::alltoallv>,
    .ibcast = first<&Calls::ibcast>,
    .iallreduce = first<&Calls::iallreduce>,
    .iallgather = first<&Calls::iallgather>,
    .iallgatherv = first<&Calls::iallgatherv>,
    .reduce_local = first<&Calls::reduce_local>,
    .op_create = first<&Calls::op_create>,
    .op_free = first<&Calls::op_free>,
    .type_contiguous = first<&Calls::type_contiguous>,
    .type_create_struct = first<&Calls::type_create_struct>,
    .type_commit = first<&Calls::type_commit>,
    .type_size = first<&Calls::type_size>,
    .type_free = first<&Calls::type_free>,
    .win_create = first<&Calls::win_create>,
    .win_free = first<&Calls::win_free>,
    .win_set_errhandler = first<&Calls::win_set_errhandler>,
    .win_lock_all = first<&Calls::win_lock_all>,
    .win_unlock_all = first<&Calls::win_unlock_all>,
    .win_flush = first<&Calls::win_flush>,
    .rget = first<&Calls::rget>,
    .rput = first<&Calls::rput>,
    .comm_of_native = first<&Calls::comm_of_native>,
    .native_of_comm = first<&Calls::native_of_comm>,
    .native_of_datatype = first<&Calls::native_of_datatype>,
};

namespace {

constexpr const char* any_function = "MPI_Get_library_version";

/// An MPI in the process, or one that the loader has brought.
struct Candidate {
  Library library;
  void* handle;  // for dlsym
};

struct Interface {
  MpiFamily family;
  const char* setting;                 // ATOLL_MPI says so
  std::array<const char*, 2> files;    // by what the loader finds it
  std::array<const char*, 3> started;  // what its launchers set
};
constexpr std::array<Interface, 3> interfaces{{
    {MpiFamily::mpich,
     "mpich",
     {"libmpi.so.12", "libmpich.so.12"},
     {"PMI_SIZE", "PMI_FD", "PMI_RANK"}},
    {MpiFamily::open_mpi,
     "openmpi",
     {"libmpi.so.40", nullptr},
     {"OMPI_COMM_WORLD_SIZE", nullptr, nullptr}},  // PMIX_RANK may be there for any
    {MpiFamily::standard, "abi", {"libmpi_abi.so.1", "libmpi_abi.so"}, {}},
}};

std::atomic<const Library*> chosen{nullptr};  // never let go: exit() may come in any call
void* chosen_handle = nullptr;
bool is_beside_another = false;  // which somebody has loaded, and we have put aside
std::once_flag choosing;

std::string_view name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

MpiFamily family_of(const std::string& file, void* handle) {
  if (name_of(file).starts_with("libmpi_abi")) return MpiFamily::standard;
  return dlsym(handle, "ompi_mpi_comm_world") != nullptr ? MpiFamily::open_mpi : MpiFamily::mpich;
}

/// What `file`, which is loaded, is; nothing where it only belongs to an MPI.
std::optional<Candidate> candidate(const char* file) {
  void* const handle = dlopen(file, RTLD_NOLOAD | RTLD_LAZY);
  if (handle == nullptr) return {};
  Dl_info place{};
  void* const function = dlsym(handle, any_function);
  if (function == nullptr || dladdr(function, &place) == 0 || place.dli_fname == nullptr ||
      name_of(place.dli_fname) != name_of(file)) {
    dlclose(handle);
    return {};
  }
  return Candidate{{family_of(file, handle), file}, handle};
}

/// All MPIs in the process. Their names begin alike: libmpi.so.12, libmpich.so.12, libmpi_cray.so.
std::vector<Candidate> candidates() {
  std::vector<std::string> files;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* into) {
        if (info->dlpi_name != nullptr && name_of(info->dlpi_name).starts_with("libmpi"))
          static_cast<std::vector<std::string>*>(into)->emplace_back(info->dlpi_name);
        return 0;
      },
      &files);
  std::vector<Candidate> found;
  for (const std::string& file : files)
    if (const auto one = candidate(file.c_str())) found.push_back(*one);
  if (found.empty() && dlsym(RTLD_DEFAULT, any_function) != nullptr)
    found.push_back({{family_of("", RTLD_DEFAULT), ""}, RTLD_DEFAULT});
  return found;
}

std::string setting() {
  const char* const value = std::getenv("ATOLL_MPI");
  return value == nullptr ? "" : value;
}

/// Whether ATOLL_MPI means this one.
bool is_meant(const Library& library) {
  for (const Interface& interface : interfaces)
    if (setting() == interface.setting) return interface.family == library.family;
  std::error_code different;  // one of them is not there, or has no folder
  return setting() == name_of(library.file) ||
         std::filesystem::equivalent(setting(), library.file, different);
}

std::optional<Candidate> load(const char* file) {
  if (file == nullptr) return {};
  // Beside another one it must find its own functions first, and lend none to others.
  const int scope = candidates().empty() ? RTLD_GLOBAL : RTLD_LOCAL | RTLD_DEEPBIND;
  void* const handle = dlopen(file, RTLD_LAZY | scope);
  if (handle == nullptr) return {};
  void* const function = dlsym(handle, any_function);
  Dl_info place{};
  if (function == nullptr || dladdr(function, &place) == 0) return {};
  return Candidate{{family_of(place.dli_fname, handle), place.dli_fname}, handle};
}

std::optional<Candidate> load(const Interface& interface) {
  for (const char* file : interface.files)
    if (auto found = load(file)) return found;
  return {};
}

bool has_started_us(const Interface& interface) {
  return std::any_of(interface.started.begin(), interface.started.end(), [](const char* variable) {
    return variable != nullptr && std::getenv(variable) != nullptr;
  });
}

constexpr const char* remedy =
    "; expected one of MPICH's kind (libmpi.so.12), Open MPI (libmpi.so.40) or the standard "
    "binary interface (libmpi_abi.so.1): pip install mpich, or load the machine's MPI, or let "
    "ATOLL_MPI be its path (docs/install.md)";

Candidate load_what_is_set() {
  for (const Interface& interface : interfaces)
    if (setting() == interface.setting) {
      if (auto found = load(interface)) return *found;
      throw Error(ErrorKind::communication, "ATOLL_MPI=" + setting() + ": the loader finds no " +
                                                interface.files[0] + remedy);
    }
  if (auto found = load(setting().c_str())) return *found;
  const char* const text = dlerror();
  throw Error(ErrorKind::value, "ATOLL_MPI=" + setting() +
                                    ": expected mpich, openmpi, abi or the path of an MPI library" +
                                    (text == nullptr ? "" : std::string(" (") + text + ")"));
}

/// Where the system has its libraries, whatever the loader is told: that of the C library among
/// them. (glibc does not mark them in the list of folders that it gives.)
std::vector<std::string> folders_of_system() {
  std::vector<std::string> folders{"/lib", "/usr/lib", "/lib64", "/usr/lib64"};
  Dl_info libc{};
  if (dladdr(reinterpret_cast<void*>(&std::getenv), &libc) != 0)
    folders.push_back(std::filesystem::path(libc.dli_fname).parent_path());
  for (std::string& folder : folders) folder = std::filesystem::weakly_canonical(folder).string();
  return folders;
}

/// Where the loader looks for what we load before it looks where the system has its libraries: in
/// LD_LIBRARY_PATH, and where the build, or pip, has put an MPI beside us.
std::vector<std::string> nearby_folders() {
  Dl_info ours{};
  if (dladdr(&chosen, &ours) == 0) return {};
  void* handle = dlopen(ours.dli_fname, RTLD_NOLOAD | RTLD_LAZY);
  if (handle == nullptr) handle = dlopen(nullptr, RTLD_LAZY);  // we are the program
  Dl_serinfo size{};
  if (dlinfo(handle, RTLD_DI_SERINFOSIZE, &size) != 0) return {};
  std::vector<std::max_align_t> room(size.dls_size / sizeof(std::max_align_t) + 1);
  auto* const list = reinterpret_cast<Dl_serinfo*>(room.data());
  list->dls_size = size.dls_size;
  list->dls_cnt = size.dls_cnt;
  if (dlinfo(handle, RTLD_DI_SERINFO, list) != 0) return {};
  const std::vector<std::string> systems = folders_of_system();
  std::vector<std::string> folders;
  for (const Dl_serpath& place : std::span(&list->dls_serpath[0], list->dls_cnt)) {
    std::string folder = std::filesystem::weakly_canonical(place.dls_name).string();
    if (std::find(systems.begin(), systems.end(), folder) == systems.end())
      folders.push_back(std::move(folder));
  }
  return folders;
}

/// Of two that the loader would find, the nearer one: what an environment or a module brings, and
/// not what the system has besides.
std::optional<Candidate> load_nearby() {
  for (const std::string& folder : nearby_folders())
    for (const Interface& interface : interfaces)
      for (const char* file : interface.files)
        if (file != nullptr)
          if (auto found = load((folder + '/' + file).c_str())) return found;
  return {};
}

Candidate load_one() {
  if (!setting().empty()) return load_what_is_set();
  for (const Interface& interface : interfaces)
    if (has_started_us(interface))
      if (auto found = load(interface)) return *found;
  if (const auto found = load_nearby()) return *found;
  for (const Interface& interface : interfaces)
    if (auto found = load(interface)) return *found;
  throw Error(ErrorKind::communication, std::string("there is no MPI library") + remedy);
}

bool was_started(const Candidate& one) {
  const auto initialized = reinterpret_cast<int (*)(int*)>(dlsym(one.handle, "MPI_Initialized"));
  int answer = 0;
  return initialized != nullptr && initialized(&answer) == 0 && answer != 0;
}

Candidate choose() {
  std::vector<Candidate> found = candidates();
  if (found.empty()) return load_one();
  std::string files;
  for (const Candidate& one : found) files += (files.empty() ? "" : " and ") + where(one.library);
  if (!setting().empty()) {
    // One that somebody has only loaded, as a library of files does, is in nobody's way.
    const bool started = std::any_of(found.begin(), found.end(), was_started);
    std::erase_if(found, [](const Candidate& one) { return !is_meant(one.library); });
    if (found.empty() && !started) {
      is_beside_another = true;
      return load_what_is_set();
    }
    if (found.empty())
      throw Error(ErrorKind::communication,
                  "ATOLL_MPI=" + setting() + ", but this process runs with " + files +
                      " already: link the program, and install mpi4py, for the MPI that is wanted, "
                      "or leave ATOLL_MPI out");
  }
  if (found.size() == 1) return found.front();
  throw Error(ErrorKind::communication,
              "several MPI libraries are in this process, and handles of one mean nothing to "
              "another: " +
                  files +
                  "; link the program, mpi4py and all others with one of them, or let ATOLL_MPI be "
                  "the path of the one that Atoll is to use");
}

/// What stands before MPI (a profiler, a test) is to see Atoll's calls, too.
void* find(const char* name) {
  void* const seen_by_all = dlsym(RTLD_DEFAULT, name);
  return seen_by_all != nullptr ? seen_by_all : dlsym(chosen_handle, name);
}
/// Objects are those that all use: of Open MPI's a program may have copies.
void* find_in_library(const char* name) {
  const bool shared = std::string_view(name).starts_with("ompi_") && !is_beside_another;
  return shared ? find(name) : dlsym(chosen_handle, name);
}

/// By the library that `atoll simulate` loads before all others.
bool simulated() {
  const char* const setting = std::getenv("ATOLL_SIMULATE");
  if (setting == nullptr) return false;
  using Fill = bool(Calls*, std::size_t);
  auto* const fill = reinterpret_cast<Fill*>(dlsym(RTLD_DEFAULT, "atoll_simulation_fill"));
  Calls filled{};
  if (fill == nullptr || !fill(&filled, sizeof filled))
    throw Error(ErrorKind::value,
                std::string("environment variable ATOLL_SIMULATE=") + setting +
                    ": expected what `atoll simulate` sets, with the libatoll_simulation.so of "
                    "this build (docs/simulation.md)");
  calls = filled;
  chosen = new Library{MpiFamily::other, "simulated"};
  return true;
}

void fill_or_throw(const Library& library, Lookup look_up) {
  Calls filled{};
  const std::vector<std::string> missing = fill(library.family, look_up, filled);
  if (!missing.empty())
    throw Error(ErrorKind::communication, "the MPI in use, " + where(library) + ", has no " +
                                              missing.front() + ": expected " +
                                              in_words(library.family) + " with MPI 3.1 or newer");
  calls = filled;
  chosen = new Library(library);
}

}  // namespace

std::vector<std::string> fill(MpiFamily family, Lookup find, Calls& into) {
  switch (family) {
    case MpiFamily::mpich: return fill_for_mpich(into, find);
    case MpiFamily::open_mpi: return fill_for_open_mpi(into, find);
    default: return fill_for_standard(into, find);
  }
}

const Library& library() {
  std::call_once(choosing, [] {
    if (chosen != nullptr || simulated()) return;
    const Candidate candidate = choose();
    chosen_handle = candidate.handle;
    fill_or_throw(candidate.library, candidates().size() > 1 ? find_in_library : find);
  });
  return *chosen;
}

bool in_process() noexcept try {
  return chosen != nullptr || std::getenv("ATOLL_SIMULATE") != nullptr || !candidates().empty();
} catch (...) {
  return false;
}

std::string library_of(const char* object) {
  void* const handle = dlopen(object, RTLD_NOLOAD | RTLD_LAZY);
  if (handle == nullptr) return {};
  void* const function = dlsym(handle, any_function);
  Dl_info place{};
  const bool found = function != nullptr && dladdr(function, &place) != 0;
  dlclose(handle);
  return found && place.dli_fname != nullptr ? place.dli_fname : "";
}

std::string where(const Library& library) {
  return library.file.empty() ? "part of the program itself" : library.file;
}

bool is_of_library(const void* function) {
  Dl_info place{};
  if (dladdr(function, &place) != 0 && place.dli_fname != nullptr) {
    std::error_code different;  // one of them has no file
    if (std::filesystem::equivalent(place.dli_fname, library().file, different)) return true;
    if (candidates().size() > 1 && name_of(place.dli_fname).starts_with("libmpi")) return false;
  }
  return function == find(any_function);  // of who stands before MPI, or as the program sees it
}

std::string in_words(MpiFamily family) {
  switch (family) {
    case MpiFamily::mpich: return "MPICH";
    case MpiFamily::open_mpi: return "Open MPI";
    case MpiFamily::standard: return "MPI's standard binary interface";
    default: return "an unknown MPI";
  }
}

void use(MpiFamily family, Lookup find) { fill_or_throw({family, "of this program"}, find); }

}  // namespace lagoon::atoll::mpi
