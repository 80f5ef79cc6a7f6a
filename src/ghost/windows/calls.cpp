#include "ghost/windows/calls.hpp"

#include <cstdio>

#include "atoll/error.hpp"

namespace lagoon::atoll::ghost {

int code_of(const std::exception_ptr& thrown) noexcept {
  try {
    std::rethrow_exception(thrown);
  } catch (const Refused& refused) {
    return refused.code;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::memory) return MPI_ERR_NO_MEM;
    std::fprintf(stderr, "atoll ghost: %s\n", error.what());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "atoll ghost: %s\n", error.what());
  }
  return MPI_ERR_OTHER;
}

}  // namespace lagoon::atoll::ghost
