#include "compat/ga/creation.hpp"

#include <string>
#include <utility>

#include "atoll/error.hpp"
#include "compat/ga/mask.hpp"
#include "compat/ga/pending.hpp"

namespace lagoon::atoll::ga {

int checked_dimensions(std::int64_t dimensions) {
  if (dimensions < 1 || dimensions > most_dimensions)
    throw Error(ErrorKind::value, "ndim is " + std::to_string(dimensions) + "; expected 1 to 7");
  return static_cast<int>(dimensions);
}

void set_shape(Plan& plan, std::int64_t type, const Index& shape) {
  plan.type = datatype(static_cast<int>(type)).code;
  for (const std::int64_t extent : shape)
    if (extent < 1)
      throw Error(ErrorKind::value, "dims are " + shape.to_string() + "; expected 1 or more");
  plan.shape = shape;
}

void check_shaped(const Plan& plan) {
  if (plan.shape.empty()) throw Error(ErrorKind::state, "GA_Set_data is to be called first");
}

std::optional<int> create(Plan plan) {
  Arrays& arrays = Runtime::get().arrays;
  GlobalArray& made = arrays.create(std::move(plan));
  if (made.allocate()) return made.handle();
  arrays.destroy(made.handle());
  return std::nullopt;
}

std::optional<int> duplicate(const GlobalArray& array, std::string_view name) {
  Plan plan = array.plan;
  plan.name = name;
  return create(std::move(plan));
}

bool destroy(std::int64_t g_a) {
  Runtime& runtime = Runtime::get();
  const int handle = static_cast<int>(g_a);
  drop_mask();
  if (runtime.arrays.find(handle) == nullptr) return false;
  runtime.pending->wait_all();
  runtime.arrays.destroy(handle);
  return true;
}

Plan& plan_to_change(std::int64_t g_a) {
  GlobalArray& array = array_of(g_a);
  if (array.allocated())
    throw Error(ErrorKind::state, "array " + std::to_string(g_a) + " is allocated already");
  return array.plan;
}

}  // namespace lagoon::atoll::ga
