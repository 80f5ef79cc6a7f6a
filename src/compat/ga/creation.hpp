// Creating arrays at once or in steps, written once for both languages.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

#include "compat/ga/language.hpp"
#include "compat/ga/runtime.hpp"

namespace lagoon::atoll::ga {

/// What most calls that create begin with. Error(value) for dimensions that cannot be, Error(type)
/// for a type that is none.
template <Language language, class I>
Plan plan_of(std::int64_t type, std::int64_t dimensions, const I* dims, std::string_view name,
             std::int64_t group);

/// Collective over the group: the new array's handle, or none, on all alike, where there is no
/// memory for it.
std::optional<int> create(Plan plan);
/// Collective; another array of the same plan.
std::optional<int> duplicate(const GlobalArray& array, std::string_view name);
/// Collective. Whether there was such an array.
bool destroy(std::int64_t g_a);

/// Error(state) where an array that is allocated would be changed.
Plan& plan_to_change(std::int64_t g_a);

void set_shape(Plan& plan, std::int64_t type, const Index& shape);
/// Error(state) before GA_Set_data.
void check_shaped(const Plan& plan);
/// Blocks are not to be smaller; below 1: any size. Null: all free.
template <Language language, class I>
void set_chunk(Plan& plan, const I* chunk) {
  check_shaped(plan);
  if (plan.cut != Cut::blocked && plan.cut != Cut::irregular) return;  // the blocks are given
  plan.block = Index::filled(plan.shape.size(), 0);
  if (chunk == nullptr) return;
  plan.block = extents<language>(chunk, plan.shape.size());
  for (std::int64_t& least : plan.block) least = std::max<std::int64_t>(least, 0);
}

int checked_dimensions(std::int64_t dimensions);

template <Language language, class I>
Plan plan_of(std::int64_t type, std::int64_t dimensions, const I* dims, std::string_view name,
             std::int64_t group) {
  Plan plan;
  set_shape(plan, type, extents<language>(dims, checked_dimensions(dimensions)));
  plan.name = name;
  plan.group = static_cast<int>(group);
  return plan;
}

}  // namespace lagoon::atoll::ga
