// Why library files open `namespace lagoon::atoll` while users write `atoll::`.
//
// The C library declares a function `atoll` in the global namespace, so a global namespace of that
// name is ill-formed. The library lives in lagoon::atoll; the directive below makes `atoll::`
// (where lookup considers only namespaces and types) find it. `std::atoll("1")` and
// `::atoll("1")` keep working. `lagoon` holds nothing else.
#pragma once

namespace lagoon::atoll::detail {}
using namespace lagoon;  // NOLINT(google-build-using-namespace): brings in one name, `atoll`

/// Deletes a function and says why, also to the compilers that only show the line.
#if defined(__cpp_deleted_function) && __cplusplus > 202302L  // before, compilers warn of it
#define ATOLL_DELETED(reason) = delete (reason)
#else
#define ATOLL_DELETED(reason) = delete
#endif
