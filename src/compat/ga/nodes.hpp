// Processes of the default group, and the nodes of the world (GA's "cluster" inquiries).
#pragma once

#include <cstdint>

namespace lagoon::atoll::ga {

/// Of the default group.
int my_process();
int process_count();

/// The node that the caller is on, or the caller itself, where one is asked about.
inline constexpr std::int64_t my_own = -1;

/// Nodes are those of the world; process numbers the world's. Error(value) for a node or process
/// that is none, nor `my_own`.
int node_count();
int my_node();
int processes_of_node(std::int64_t node);
int process_of_node(std::int64_t node, std::int64_t which);
int node_of_process(std::int64_t process);

/// Whether a handle is an array's.
bool is_valid(std::int64_t g_a);

}  // namespace lagoon::atoll::ga
