// Global pointer arrays between GP_Initialize and GP_Terminate: their handles, small integers from
// 0, and the memory of their objects.
#pragma once

#include "compat/gp/pointer_array.hpp"
#include "compat/gp/pool.hpp"
#include "compat/handle_table.hpp"

namespace lagoon::atoll::gp {

class Session {
 public:
  /// Error(state) before GP_Initialize.
  static Session& get();
  /// Collective over the world. Does nothing when there is one.
  static void start();
  /// Collective over the world: destroys all arrays and the memory.
  static void stop();

  /// The lowest free handle.
  int create() { return arrays_.add(std::make_unique<PointerArray>(arrays_.next())); }
  /// Error(value) for a number that is no such array.
  PointerArray& at(int handle);
  /// Collective over the array's group. Whether there was such an array.
  bool destroy(int handle);

  Pool pool;

 private:
  explicit Session(const Group& world) : pool(world) {}
  static Session* running;
  compat::HandleTable<PointerArray> arrays_;
};

/// The array of a handle.
inline PointerArray& array_of(int handle) { return Session::get().at(handle); }

}  // namespace lagoon::atoll::gp
