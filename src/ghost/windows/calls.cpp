#include "ghost/windows/calls.hpp"

#include <array>
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

void tell_error(MPI_Win handle, int code) noexcept {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_Win_get_errhandler(handle, &handler);
  if (handler == MPI_ERRORS_ARE_FATAL) {
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    int length = 0;
    PMPI_Error_string(code, text.data(), &length);
    std::fprintf(stderr, "atoll ghost: an operation on a window: %s\n", text.data());
    // MPICH 5.0 ends this host only when the window's own handler does it.
    PMPI_Abort(MPI_COMM_WORLD, code);
  }
  PMPI_Errhandler_free(&handler);
  PMPI_Win_call_errhandler(handle, code);
}

}  // namespace lagoon::atoll::ghost
