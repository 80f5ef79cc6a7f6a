// What memory is: a word that processes share is one word, wherever each has it.
#pragma once

#include "simulation/scheduler.hpp"

namespace lagoon::atoll::simulation {

/// Of this process alone.
Key private_key(const void* address) noexcept;
/// By what is mapped there.
Key key_of(const void* address) noexcept;
/// Mappings have changed.
void forget_mappings() noexcept;

}  // namespace lagoon::atoll::simulation
