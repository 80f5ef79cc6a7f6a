// Entry: a call from Python into the library.
//
// One-sided operations may be called by any threads at once; a OneSided lets go of Python's
// interpreter lock (GIL) where the call may wait. Of all else the library wants one thread of a
// rank at a time: an Entry makes the threads take turns as well.
#pragma once

#include <Python.h>

#include <cstdint>

#include "atoll/namespace.hpp"

namespace lagoon::atoll::python {

class Entry {
 public:
  enum class Waits : bool { no, yes };
  /// REQUIRES: the GIL is held. One inside another, in a function that the library calls back, does
  /// nothing. With `Waits::no` the GIL
  /// stays held (it costs more than a small get), unless another thread is inside the library.
  explicit Entry(Waits waits);
  ~Entry();
  /// Of all threads together: twice as many as calls have begun, one more while one is inside.
  static std::uint64_t count() noexcept;
  /// The turn alone, with the GIL or without: false, at once, while another thread has it.
  static bool try_take_turn() noexcept;
  static void give_turn_back() noexcept;
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;

 private:
  PyThreadState* released_ = nullptr;
};

class OneSided {
 public:
  /// REQUIRES: the GIL is held, which a small get in the node keeps.
  explicit OneSided(Entry::Waits waits);
  ~OneSided();
  OneSided(const OneSided&) = delete;
  OneSided& operator=(const OneSided&) = delete;

 private:
  PyThreadState* released_ = nullptr;
};

/// Runs `call`, a one-sided operation that may wait. It must not touch Python objects.
template <class F>
decltype(auto) waiting_aside(F&& call) {
  const OneSided entry(Entry::Waits::yes);
  return call();
}

/// Runs `call` as an Entry that may wait. It must not touch Python objects.
template <class F>
decltype(auto) waiting(F&& call) {
  const Entry entry(Entry::Waits::yes);
  return call();
}

}  // namespace lagoon::atoll::python
