// Puts, gets and accumulates of ARMCI's three shapes (contiguous, strided, vectors of addresses) as
// transfers of Atoll's.
#pragma once

#include <vector>

#include "compat/armci/session.hpp"
#include "ga/armci.h"

namespace lagoon::atoll::armci {

/// What to do, and for accumulates with which type and factor.
struct Deed {
  enum class Kind : std::uint8_t { put, get, accumulate } kind;
  ElementType type = ElementType::uint8;
  const void* scale = nullptr;

  static Deed put() { return {Kind::put}; }
  static Deed get() { return {Kind::get}; }
  /// Error(value) for an operation that is none.
  static Deed accumulate(int operation, const void* scale);
};

/// `count[0]` contiguous bytes, `count[1]` times at the distance of the first stride, and so on.
struct Strided {
  void* source;
  const int* source_strides;  // bytes, `levels` of them
  void* target;
  const int* target_strides;
  const int* count;  // `levels` + 1 of them
  int levels;
};

/// `bytes` contiguous ones. `bytes` is kept by reference.
inline Strided contiguous(void* source, void* target, const int& bytes) {
  return {source, nullptr, target, nullptr, &bytes, 0};
}

/// Returns when what is mine may be used again, or has arrived.
void run(const Deed& deed, const Strided& strided, int process);
void run(const Deed& deed, const armci_giov_t* vectors, int count, int process);
/// The same on its way. What is done already is left out.
std::vector<Handle> begin(const Deed& deed, const Strided& strided, int process);
std::vector<Handle> begin(const Deed& deed, const armci_giov_t* vectors, int count, int process);

}  // namespace lagoon::atoll::armci
