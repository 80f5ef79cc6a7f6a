#include "compat/ga/blocks/properties.hpp"

#include <string>

#include "atoll/error.hpp"
#include "compat/ga/pending.hpp"

namespace lagoon::atoll::ga {

namespace {

/// Of a mirrored array every node has all: there is nothing to keep.
void set_read_only(GlobalArray& a, bool read_only) {
  Runtime& runtime = Runtime::get();
  runtime.pending->wait_all();
  if (!a.mirrored()) a.array().set_read_only(read_only);
}

}  // namespace

void set_property(GlobalArray& a, std::string_view property) {
  if (property != "read_only" && property != "read_cache")
    throw Error(ErrorKind::value,
                "property is '" + std::string(property) + "'; expected read_only or read_cache");
  set_read_only(a, true);
}

void unset_property(GlobalArray& a) { set_read_only(a, false); }

}  // namespace lagoon::atoll::ga
