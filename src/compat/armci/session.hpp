// What ARMCI keeps while it runs. It begins with ARMCI_Init, or, where Global Arrays run, with its
// first use; that is then not collective.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "atoll/mutexes.hpp"
#include "atoll/world.hpp"
#include "compat/armci/allocations.hpp"
#include "compat/armci/groups.hpp"
#include "compat/armci/pending.hpp"
#include "compat/armci/pool.hpp"
#include "mpi/handles.hpp"

namespace lagoon::atoll::armci {

class Session {
 public:
  /// Error(state) where neither ARMCI nor anything else has started a World.
  static Session& get();
  /// Collective; does nothing after the first time.
  static void start(mpi::Comm communicator = mpi::comm_world);
  /// Collective: frees all memory. Does nothing where ARMCI does not run.
  static void stop();
  explicit Session(World& world);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  World& world;
  Groups groups;
  Allocations allocations;
  PendingOperations pending;
  std::unique_ptr<Mutexes> mutexes;
  std::unique_ptr<Pool> pool;                  // after ARMCI_Init
  std::mutex notes;                            // guards the next two
  std::map<int, int> notified, notifications;  // by process: sent, received

  /// For messages: ARMCI's own after ARMCI_Init.
  mpi::Comm communicator() const {
    return own_ == mpi::comm_null ? world.mpi_communicator() : own_;
  }
  /// Error(value) for a number that is no process.
  int process(int number) const;
  /// The group behind a pointer of the program's.
  const Group& group(const int* number) const;
  /// Completes all operations of mine at their targets.
  void fence();

 private:
  bool stale() const;
  static std::unique_ptr<Session>& instance();
  Group held_;  // the world's, to tell it from one that comes after it
  mpi::Comm own_ = mpi::comm_null;
};

}  // namespace lagoon::atoll::armci
