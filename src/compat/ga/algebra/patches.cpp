#include "compat/ga/algebra/patches.hpp"

#include <string>

#include "atoll/error.hpp"

namespace lagoon::atoll::ga {

Patch MatrixPart::patch() const {
  const GlobalArray& array = array_of(handle);
  if (array.dimensions() > 2)
    throw Error(ErrorKind::value, "array " + std::to_string(handle) + " '" + array.plan.name +
                                      "' has " + std::to_string(array.dimensions()) +
                                      " dimensions; this call is for matrices");
  const std::int64_t lo[] = {ilo, jlo}, hi[] = {ihi, jhi};
  return ga::patch<Language::fortran>(lo, hi, array.dimensions());
}

}  // namespace lagoon::atoll::ga
