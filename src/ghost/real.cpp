#include "ghost/real.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace lagoon::atoll::ghost {

void* real_function(const char* name) noexcept {
  void* const found = dlsym(RTLD_NEXT, name);
  if (found != nullptr) return found;
  std::fprintf(stderr,
               "atoll ghost: the MPI library of this program has no %s: expected the one that "
               "libatoll_ghost.so was built with\n",
               name);
  std::_Exit(1);
}

}  // namespace lagoon::atoll::ghost
