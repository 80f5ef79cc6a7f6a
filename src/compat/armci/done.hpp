// What functions of ARMCI return that have nothing to tell.
#pragma once

#include "compat/failure.hpp"

namespace lagoon::atoll::armci {

/// Runs `body` as the entry point `routine`; zero, for success.
template <class Body>
int done(const char* routine, Body&& body) {
  compat::guarded(routine, body);
  return 0;
}

}  // namespace lagoon::atoll::armci
