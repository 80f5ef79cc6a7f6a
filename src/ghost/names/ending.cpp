// MPI's end, before which the World's threads have to be out of MPI: from the first line of its
// MPI_Finalize on MPICH takes no locks.
//
// MPI_Finalize lets the attributes of MPI_COMM_SELF go, the latest first, and the program's
// functions for that may still use windows. So they are let go here, while the World still runs.
#include <mpi.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "ghost/ghost.hpp"
#include "ghost/life.hpp"

using namespace lagoon::atoll::ghost;

namespace {

/// The keyvals of MPI_COMM_SELF's attributes that the program has set since the World runs.
struct OfSelf {
  std::mutex lock;
  std::vector<int> set;    // in their order
  std::vector<int> freed;  // what the program has freed of these, whose attributes stay
};

OfSelf& of_self() {
  static OfSelf& self = *new OfSelf;  // exit() may come in any call
  return self;
}

int set_attribute(MPI_Comm communicator, int keyval, void* value) {
  const int status = PMPI_Comm_set_attr(visible(communicator), keyval, value);
  if (status != MPI_SUCCESS || communicator != MPI_COMM_SELF || !active()) return status;
  OfSelf& self = of_self();
  const std::lock_guard lock(self.lock);
  std::erase(self.set, keyval);
  self.set.push_back(keyval);
  return status;
}

int delete_attribute(MPI_Comm communicator, int keyval) {
  const int status = PMPI_Comm_delete_attr(visible(communicator), keyval);
  if (status != MPI_SUCCESS || communicator != MPI_COMM_SELF) return status;
  OfSelf& self = of_self();
  const std::lock_guard lock(self.lock);
  std::erase(self.set, keyval);
  return status;
}

/// Without it an attribute could not be named any more.
int free_keyval(int* keyval) {
  OfSelf& self = of_self();
  {
    const std::lock_guard lock(self.lock);
    if (std::ranges::find(self.set, *keyval) != self.set.end()) {
      self.freed.push_back(*keyval);
      *keyval = MPI_KEYVAL_INVALID;
      return MPI_SUCCESS;
    }
  }
  return PMPI_Comm_free_keyval(keyval);
}

/// The keyval of the latest attribute that is still there, no longer written down; or none.
int take_latest() {
  OfSelf& self = of_self();
  const std::lock_guard lock(self.lock);
  if (self.set.empty()) return MPI_KEYVAL_INVALID;
  const int keyval = self.set.back();
  self.set.pop_back();
  return keyval;
}

/// Gives what first went wrong.
int let_attributes_go() {
  int first = MPI_SUCCESS;
  for (int keyval = take_latest(); keyval != MPI_KEYVAL_INVALID; keyval = take_latest())
    if (const int status = PMPI_Comm_delete_attr(MPI_COMM_SELF, keyval); first == MPI_SUCCESS)
      first = status;
  for (int keyval : of_self().freed) PMPI_Comm_free_keyval(&keyval);
  of_self().freed.clear();
  return first;
}

}  // namespace

extern "C" {

int MPI_Comm_set_attr(MPI_Comm comm, int comm_keyval, void* attribute_val) {
  return set_attribute(comm, comm_keyval, attribute_val);
}

int MPI_Comm_delete_attr(MPI_Comm comm, int comm_keyval) {
  return delete_attribute(comm, comm_keyval);
}

int MPI_Comm_free_keyval(int* comm_keyval) { return free_keyval(comm_keyval); }

#ifdef PMPI_Attr_put
int MPI_Attr_put(MPI_Comm comm, int keyval, void* attribute_val) {
  return set_attribute(comm, keyval, attribute_val);
}

int MPI_Attr_delete(MPI_Comm comm, int keyval) { return delete_attribute(comm, keyval); }

int MPI_Keyval_free(int* keyval) { return free_keyval(keyval); }
#endif

int MPI_Finalize(void) {
  if (!active()) return PMPI_Finalize();
  const int of_attributes = let_attributes_go();
  end();
  const int status = PMPI_Finalize();
  return of_attributes != MPI_SUCCESS ? of_attributes : status;
}

}  // extern "C"
