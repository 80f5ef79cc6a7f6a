// Reports of MA for people, on standard output.
#pragma once

#include "compat/ma/session.hpp"

namespace lagoon::atoll::ma {

void print_blocks(const Allocator& allocator);
void print_usage(const Session& session, bool with_calls);

}  // namespace lagoon::atoll::ma
