// One file opened by all ranks of a group: the first makes or opens it, the others open it by its
// name and make sure that it is the same file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "atoll/group.hpp"
#include "disk/open_file.hpp"

namespace lagoon::atoll::detail {

/// Whether all begins anew where the others do not find the file that the first one has opened:
/// another one may have taken its place meanwhile.
enum class IfReplaced : bool { error, again };

/// Collective; errors of any rank are thrown by all. `sharers`, the group itself or parts of it,
/// are those that open the same file. `first` runs on every rank, may throw, and returns a file on
/// the first sharer only.
std::shared_ptr<OpenFile> open_together(const Group& group, const Group& sharers,
                                        std::string_view operation, std::uint64_t arguments,
                                        const std::function<std::shared_ptr<OpenFile>()>& first,
                                        bool writes, IfReplaced if_replaced = IfReplaced::error);

}  // namespace lagoon::atoll::detail
