#include "compat/ga/overlays.hpp"

#include <utility>

#include "compat/ga/memories.hpp"
#include "compat/ga/runtime.hpp"

namespace lagoon::atoll::ga {

void overlay(std::int64_t g_a, std::int64_t g_p) {
  GlobalArray& array = array_of(g_a);
  GlobalArray& parent = array_of(g_p);
  if (array.plan.group == group_of_allocation) array.plan.group = parent.plan.group;
  array.allocate_in(parent.array());
}

int assemble_duplicate(std::int64_t g_a, std::string_view name, const void* address) {
  Plan plan = array_of(g_a).plan;
  plan.name = name;
  const Memory& memory = memories().at(address);
  GlobalArray& made = Runtime::get().arrays.create(std::move(plan));
  made.allocate_in(memory);
  return made.handle();
}

}  // namespace lagoon::atoll::ga
