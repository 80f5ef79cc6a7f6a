// Checkpoints that were begun and that nobody has waited for: they are saved all the same, at the
// latest when the world ends.
#pragma once

#include <memory>
#include <string>

#include "disk/checkpoint_save.hpp"

namespace lagoon::atoll::detail {

void finish_at_end(std::shared_ptr<CheckpointSave> save);
/// Those of a folder whose requests all ranks have dropped: they hold copies of arrays. Collective.
void finish_dropped(const Group& group, const std::string& folder);

}  // namespace lagoon::atoll::detail
