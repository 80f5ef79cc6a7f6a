// Arrays in memory that is there already: that of another array, or what GA_Getmem gave. All are
// collective; contents are kept, and the memory lasts until the last of its users is destroyed.
#pragma once

#include <cstdint>
#include <string_view>

namespace lagoon::atoll::ga {

/// Allocates g_a, of GA_Create_handle, in the memory of g_p; of g_p's group where it has none.
/// Error(value) where g_a needs more memory on a process than g_p has there or lies on others,
/// Error(state) where g_a is allocated or g_p is not, Error(unsupported) for mirrored arrays.
void overlay(std::int64_t g_a, std::int64_t g_p);

/// The handle of a new array of g_a's plan in the memory of GA_Getmem that begins, on this process,
/// at `address`; errors as above.
int assemble_duplicate(std::int64_t g_a, std::string_view name, const void* address);

}  // namespace lagoon::atoll::ga
