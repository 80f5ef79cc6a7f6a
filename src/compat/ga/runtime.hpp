// What GA keeps between its initialisation and its end.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <typeindex>
#include <typeinfo>

#include "atoll/mutexes.hpp"
#include "atoll/world.hpp"
#include "compat/failure.hpp"
#include "compat/ga/arrays.hpp"
#include "compat/ga/groups.hpp"
#include "mpi/handles.hpp"

namespace lagoon::atoll::ga {

class Memories;
class PendingOperations;
namespace sparse {
class Matrices;
}

class Runtime {
 public:
  /// Error(state) where GA is not initialized.
  static Runtime& get() {
    if (instance_ == nullptr) [[unlikely]]
      not_running();
    return *instance_;
  }
  static bool running() noexcept { return instance_ != nullptr; }
  /// Collective; does nothing when GA runs.
  static void start(mpi::Comm communicator = mpi::comm_world);
  /// Collective: destroys all arrays.
  static void stop();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  ~Runtime();

  World& world() const noexcept { return world_; }

  Groups groups;
  Arrays arrays;
  /// Bytes a process that arrays may take; none: no limit.
  std::optional<std::int64_t> memory_limit;
  std::int64_t memory_used = 0;
  std::int64_t allocations = 0;  ///< of arrays, so far
  std::atomic<int> fences{0};    ///< GA_Init_fence without its GA_Fence
  bool debugging = false;
  /// Mutex m is lock m / n of process m % n, of n processes: they lie on all in turn.
  std::unique_ptr<Mutexes> mutexes;
  std::int64_t mutex_count = 0;
  std::unique_ptr<PendingOperations> pending;
  std::unique_ptr<Memories> memories;
  std::unique_ptr<sparse::Matrices> sparse_matrices;
  /// Of disk arrays, which move arrays while the program goes on: that ends before GA does, and
  /// before the memory of the array of this handle goes.
  void (*before_stop)() = nullptr;
  void (*before_deallocate)(int handle) = nullptr;

  /// What one part of the library keeps while GA runs: a T of its own, gone with GA's end.
  template <class T>
  T& keep() {
    std::shared_ptr<void>& kept = kept_[typeid(T)];
    if (!kept) kept = std::make_shared<T>();
    return *static_cast<T*>(kept.get());
  }

 private:
  std::map<std::type_index, std::shared_ptr<void>> kept_;
  explicit Runtime(World& world);
  [[noreturn]] static void not_running();
  static Runtime* instance_;
  World& world_;
};

/// The array of a handle. A short word for what every call begins with.
inline GlobalArray& array_of(std::int64_t handle) {
  return Runtime::get().arrays.at(static_cast<int>(handle));
}

}  // namespace lagoon::atoll::ga
