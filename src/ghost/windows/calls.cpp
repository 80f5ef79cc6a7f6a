#include "ghost/windows/calls.hpp"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <new>

#include "atoll/error.hpp"
#include "world/ending.hpp"

namespace lagoon::atoll::ghost {

Fault fault_of(const std::exception_ptr& thrown) noexcept {
  try {
    std::rethrow_exception(thrown);
  } catch (const Refused& refused) {
    return {refused.code, refused.words};
  } catch (const std::bad_alloc&) {
    return {MPI_ERR_NO_MEM, {}};
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::memory) return {MPI_ERR_NO_MEM, {}};
    std::fprintf(stderr, "atoll ghost: %s\n", error.what());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "atoll ghost: %s\n", error.what());
  }
  return {MPI_ERR_OTHER, {}};
}

void tell_error(MPI_Win handle, const char* function, const Fault& fault) noexcept {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_Win_get_errhandler(handle, &handler);
  if (handler == MPI_ERRORS_ARE_FATAL) {
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    int length = 0;
    PMPI_Error_string(fault.code, text.data(), &length);
    std::fprintf(stderr, "atoll ghost: %s: %s%s%s\n", function, text.data(),
                 fault.words.empty() ? "" : ": ", fault.words.c_str());
    atoll::detail::let_output_be_read(STDERR_FILENO);
    // MPICH 5.0 ends this host only when the window's own handler does it.
    PMPI_Abort(MPI_COMM_WORLD, fault.code);
  }
  PMPI_Errhandler_free(&handler);
  PMPI_Win_call_errhandler(handle, fault.code);
}

}  // namespace lagoon::atoll::ghost
