// Synchronisation, broadcasts and reductions among the processes of a group.
#pragma once

#include <cstdint>
#include <string_view>

#include "atoll/group.hpp"

namespace lagoon::atoll::ga {

/// Completes what is under way, nonblocking operations of this process included, and waits for all.
void synchronise(const Group& group);
/// Begins, and completes at their targets, the operations of this process in between.
void begin_fence();
void fence();

/// Error(value) for a root that is no process of the group, or less than no bytes.
void broadcast(const Group& group, void* data, std::int64_t bytes, std::int64_t root);
/// In place on all processes. `op` begins with one of + * max min absmax absmin or and || && | &;
/// Error(value) for another, Error(type) for one that the type does not have.
void reduce(const Group& group, ElementType type, void* data, std::int64_t count,
            std::string_view op);
/// For elements of one of GA's types.
void reduce_typed(const Group& group, std::int64_t type, void* data, std::int64_t count,
                  std::string_view op);

/// Collective over the world, `count` > 0: false where there are mutexes already.
bool create_mutexes(std::int64_t count);
bool destroy_mutexes();
void lock(std::int64_t mutex);
void unlock(std::int64_t mutex);

}  // namespace lagoon::atoll::ga
