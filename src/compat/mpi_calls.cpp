#include "compat/mpi_calls.hpp"

#include <array>
#include <string>

#include "atoll/error.hpp"
#include "atoll/world.hpp"

namespace lagoon::atoll::compat {

void check(int status, const char* what) {
  if (status == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(status, text.data(), &length);
  throw Error(ErrorKind::communication, std::string(what) + " failed: " + text.data());
}

void complete(MPI_Request& request, const char* what, MPI_Status* status) {
  World::current().wait_until([&] {
    int done = 0;
    check(MPI_Test(&request, &done, status), what);
    return done != 0;
  });
}

}  // namespace lagoon::atoll::compat
