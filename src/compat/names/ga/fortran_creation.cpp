// Fortran names: creating and destroying arrays.

#include <optional>
#include <utility>

#include "compat/fortran.hpp"
#include "compat/ga/creation.hpp"
#include "compat/names/ga/names.hpp"
#include "ga/typesf2c.h"

using namespace lagoon::atoll;
using compat::guarded;
using compat::text_of;
using compat::TextLength;
constexpr ga::Language fortran = ga::Language::fortran;

namespace {

logical give_handle(std::optional<int> handle, Integer* g_a) {
  if (handle) *g_a = *handle;
  return handle ? 1 : 0;
}

logical create(const char* routine, Integer type, Integer ndim, const Integer* dims,
               std::string_view name, const Integer* chunk, std::optional<Integer> group,
               Integer* g_a) {
  return guarded(routine, [&] {
    const Integer handle = group.value_or(ga::Runtime::get().groups.default_handle());
    ga::Plan plan = ga::plan_of<fortran>(type, ndim, dims, name, handle);
    ga::set_chunk<fortran>(plan, chunk);
    return give_handle(ga::create(std::move(plan)), g_a);
  });
}

}  // namespace

extern "C" {

logical ga_create_(const Integer* type, const Integer* dim1, const Integer* dim2, const char* name,
                   const Integer* chunk1, const Integer* chunk2, Integer* g_a, TextLength length) {
  const Integer dims[ga::most_dimensions] = {*dim1, *dim2};
  const Integer chunk[ga::most_dimensions] = {*chunk1, *chunk2};
  return create("ga_create", *type, 2, dims, text_of(name, length), chunk, std::nullopt, g_a);
}

logical nga_create_(const Integer* type, const Integer* ndim, const Integer* dims, const char* name,
                    const Integer* chunk, Integer* g_a, TextLength length) {
  return create("nga_create", *type, *ndim, dims, text_of(name, length), chunk, std::nullopt, g_a);
}

logical nga_create_config_(const Integer* type, const Integer* ndim, const Integer* dims,
                           const char* name, const Integer* chunk, const Integer* p_handle,
                           Integer* g_a, TextLength length) {
  return create("nga_create_config", *type, *ndim, dims, text_of(name, length), chunk, *p_handle,
                g_a);
}

Integer ga_create_handle_(void) {
  return guarded("ga_create_handle", [] {
    ga::Plan plan;
    return Integer{ga::Runtime::get().arrays.create(std::move(plan)).handle()};
  });
}
ATOLL_GA_ALSO(nga_create_handle_, ga_create_handle_);

void ga_set_data_(const Integer* g_a, const Integer* ndim, const Integer* dims,
                  const Integer* type) {
  guarded("ga_set_data", [&] {
    const int n = ga::checked_dimensions(*ndim);
    ga::set_shape(ga::plan_to_change(*g_a), *type, ga::extents<fortran>(dims, n));
  });
}
ATOLL_GA_ALSO(nga_set_data_, ga_set_data_);

void ga_set_chunk_(const Integer* g_a, const Integer* chunk) {
  guarded("ga_set_chunk", [&] { ga::set_chunk<fortran>(ga::plan_to_change(*g_a), chunk); });
}
ATOLL_GA_ALSO(nga_set_chunk_, ga_set_chunk_);

void ga_set_array_name_(const Integer* g_a, const char* name, TextLength length) {
  guarded("ga_set_array_name", [&] {
    ga::plan_to_change(*g_a).name = text_of(name, length).substr(0, ga::longest_name);
  });
}
ATOLL_GA_ALSO(nga_set_array_name_, ga_set_array_name_);

void ga_set_pgroup_(const Integer* g_a, const Integer* p_handle) {
  guarded("ga_set_pgroup", [&] {
    (void)ga::Runtime::get().groups.at(static_cast<int>(*p_handle));
    ga::plan_to_change(*g_a).group = static_cast<int>(*p_handle);
  });
}
ATOLL_GA_ALSO(nga_set_pgroup_, ga_set_pgroup_);

logical ga_allocate_(const Integer* g_a) {
  return guarded("ga_allocate", [&] { return logical{ga::array_of(*g_a).allocate() ? 1 : 0}; });
}
ATOLL_GA_ALSO(nga_allocate_, ga_allocate_);

logical ga_deallocate_(const Integer* g_a) {
  return guarded("ga_deallocate", [&] {
    ga::array_of(*g_a).deallocate();
    return logical{1};
  });
}
ATOLL_GA_ALSO(nga_deallocate_, ga_deallocate_);

logical ga_duplicate_(const Integer* g_a, Integer* g_b, const char* name, TextLength length) {
  return guarded("ga_duplicate", [&] {
    return give_handle(ga::duplicate(ga::array_of(*g_a), text_of(name, length)), g_b);
  });
}
ATOLL_GA_ALSO(nga_duplicate_, ga_duplicate_);

logical ga_destroy_(const Integer* g_a) {
  return guarded("ga_destroy", [&] { return logical{ga::destroy(*g_a) ? 1 : 0}; });
}
ATOLL_GA_ALSO(nga_destroy_, ga_destroy_);

Integer nga_register_type_(const Integer* bytes) {
  return guarded("nga_register_type",
                 [&] { return Integer{ga::register_datatype(static_cast<std::size_t>(*bytes))}; });
}

Integer nga_deregister_type_(const Integer* type) {
  return guarded("nga_deregister_type", [&] {
    return Integer{ga::deregister_datatype(static_cast<int>(*type)) ? 0 : -1};
  });
}

}  // extern "C"
