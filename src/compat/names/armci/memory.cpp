// The C names of memory: what processes share, and what is one's own.
#include <cstdlib>
#include <new>
#include <string>

#include "compat/armci/arguments.hpp"
#include "compat/armci/done.hpp"
#include "compat/armci/session.hpp"

using lagoon::atoll::Error;
using lagoon::atoll::ErrorKind;
using lagoon::atoll::armci::done;
using lagoon::atoll::armci::given;
using lagoon::atoll::armci::Pool;
using lagoon::atoll::armci::refuse;
using lagoon::atoll::armci::Session;
using lagoon::atoll::compat::guarded;

namespace {

constexpr std::size_t alignment = 64;

int allocate(const char* routine, void** addresses, armci_size_t bytes, const int* group) {
  return done(routine, [&] {
    Session& session = Session::get();
    if (addresses == nullptr) refuse("ptr_arr is a null pointer");
    session.allocations.allocate(group == nullptr ? session.world : session.group(group), bytes,
                                 addresses);
  });
}

Pool& pool() {
  Session& session = Session::get();
  if (session.pool == nullptr)
    throw Error(ErrorKind::state, "ARMCI_Init comes first, which sets memory aside for this");
  return *session.pool;
}

int free_memory(const char* routine, void* address, const int* group) {
  return done(routine, [&] {
    Session& session = Session::get();
    // Nothing that is still on its way may find the memory gone.
    session.pending.wait_all();
    session.allocations.free(group == nullptr ? session.world : session.group(group), address);
  });
}

}  // namespace

extern "C" {

int ARMCI_Malloc(void* ptr_arr[], armci_size_t bytes) {
  return allocate("ARMCI_Malloc", ptr_arr, bytes, nullptr);
}

int ARMCI_Malloc_group(void* ptr_arr[], armci_size_t bytes, ARMCI_Group* group) {
  return guarded("ARMCI_Malloc_group", [&] {
    if (group == nullptr) refuse("group is a null pointer");
    return allocate("ARMCI_Malloc_group", ptr_arr, bytes, group);
  });
}

// A device is a wish: all memory is the node's.
int ARMCI_Malloc_memdev(void* ptr_arr[], armci_size_t bytes, const char* /*device*/) {
  return allocate("ARMCI_Malloc_memdev", ptr_arr, bytes, nullptr);
}

int ARMCI_Malloc_group_memdev(void* ptr_arr[], armci_size_t bytes, ARMCI_Group* group,
                              const char* /*device*/) {
  return ARMCI_Malloc_group(ptr_arr, bytes, group);
}

int ARMCI_Free(void* ptr) { return free_memory("ARMCI_Free", ptr, nullptr); }
int ARMCI_Free_memdev(void* ptr) { return free_memory("ARMCI_Free_memdev", ptr, nullptr); }

int ARMCI_Free_group(void* ptr, ARMCI_Group* group) {
  return guarded("ARMCI_Free_group", [&] {
    if (group == nullptr) refuse("group is a null pointer");
    return free_memory("ARMCI_Free_group", ptr, group);
  });
}

void* ARMCI_Malloc_local(armci_size_t bytes) {
  return guarded("ARMCI_Malloc_local", [&] {
    if (bytes < 0) refuse("bytes is " + std::to_string(bytes) + ", which is below 0");
    const std::size_t rounded =
        (static_cast<std::size_t>(bytes) + alignment) / alignment * alignment;
    void* memory = std::aligned_alloc(alignment, rounded);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
  });
}

int ARMCI_Free_local(void* ptr) {
  std::free(ptr);
  return 0;
}

void ARMCI_Memget(size_t bytes, armci_meminfo_t* meminfo, int memflg) {
  guarded("ARMCI_Memget", [&] {
    if (memflg != 0) refuse("memflg is " + std::to_string(memflg) + ", not 0");
    given("meminfo", meminfo) = pool().take(bytes);
  });
}

void* ARMCI_Memat(armci_meminfo_t* meminfo, long offset) {
  return guarded("ARMCI_Memat", [&] { return pool().find(given("meminfo", meminfo), offset); });
}

void ARMCI_Memctl(armci_meminfo_t* meminfo) {
  guarded("ARMCI_Memctl", [&] { pool().give_back(given("meminfo", meminfo)); });
}

// Atoll's settings say how much memory a node may give (ATOLL_MEMORY).
void ARMCI_Set_shm_limit(unsigned long /*shmemlimit*/) {}

int ARMCI_Uses_shm(void) { return 1; }

int ARMCI_Uses_shm_grp(ARMCI_Group* group) {
  return guarded("ARMCI_Uses_shm_grp", [&] {
    (void)Session::get().group(group);
    return 1;
  });
}

}  // extern "C"
