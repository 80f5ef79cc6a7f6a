// Entry: a call from Python into the library.
//
// The library wants one thread of a rank at a time; Python programs have others. An Entry makes the
// threads take turns, and lets go of Python's interpreter lock (GIL) where the call may wait.
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
  /// Of all threads together: odd while one is inside, another number after each call.
  static std::uint64_t count() noexcept;
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;

 private:
  PyThreadState* released_ = nullptr;
};

/// Runs `call` as an Entry that may wait. It must not touch Python objects.
template <class F>
decltype(auto) waiting(F&& call) {
  const Entry entry(Entry::Waits::yes);
  return call();
}

}  // namespace lagoon::atoll::python
