#include "compat/mpi_calls.hpp"

#include <array>
#include <string>

#include "atoll/error.hpp"
#include "atoll/world.hpp"
#include "mpi/face.hpp"

namespace lagoon::atoll::compat {

void check(int status, const char* what) {
  if (status == mpi::success) return;
  std::array<char, mpi::max_error_string> text{};
  int length = 0;
  mpi::error_string(status, text.data(), &length);
  throw Error(ErrorKind::communication, std::string(what) + " failed: " + text.data());
}

void complete(mpi::Request& request, const char* what, mpi::Status* status) {
  World::current().wait_until([&] {
    int done = 0;
    check(mpi::test(&request, &done, status), what);
    return done != 0;
  });
}

}  // namespace lagoon::atoll::compat
