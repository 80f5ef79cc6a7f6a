// What a program promises about an array: that it will only be read for some time.
#pragma once

#include <string_view>

#include "compat/ga/runtime.hpp"

namespace lagoon::atoll::ga {

/// Collective. "read_only" and "read_cache": nobody writes until the property is unset, and each
/// node keeps what its processes have got. Error(value) for another word.
void set_property(GlobalArray& a, std::string_view property);
void unset_property(GlobalArray& a);

}  // namespace lagoon::atoll::ga
