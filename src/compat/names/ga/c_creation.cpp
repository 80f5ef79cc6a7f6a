// C names: creating and destroying arrays.

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "compat/ga/creation.hpp"
#include "compat/names/ga/names.hpp"
#include "ga/ga.h"

using namespace lagoon::atoll;

namespace {

const char* text(const char* name) { return name == nullptr ? "" : name; }

/// The 1001st handle is 0, too (trap 3).
int handle_or_0(std::optional<int> handle) { return handle.value_or(0); }

template <class I>
int create(const char* routine, int type, int ndim, const I* dims, const char* name, const I* chunk,
           std::optional<int> group) {
  return compat::guarded(routine, [&] {
    const int handle = group.value_or(ga::Runtime::get().groups.default_handle());
    ga::Plan plan = ga::plan_of<ga::Language::c>(type, ndim, dims, text(name), handle);
    ga::set_chunk<ga::Language::c>(plan, chunk);
    return handle_or_0(ga::create(std::move(plan)));
  });
}

template <class I>
void set_data(const char* routine, int g_a, int ndim, const I* dims, int type) {
  compat::guarded(routine, [&] {
    const int n = ga::checked_dimensions(ndim);
    ga::set_shape(ga::plan_to_change(g_a), type, ga::extents<ga::Language::c>(dims, n));
  });
}

template <class I>
void set_chunk(const char* routine, int g_a, const I* chunk) {
  compat::guarded(routine, [&] { ga::set_chunk<ga::Language::c>(ga::plan_to_change(g_a), chunk); });
}

}  // namespace

extern "C" {

ATOLL_GA_BOTH(int, NGA_Create, (int type, int ndim, Int dims[], const char* name, Int chunk[]),
              create(__func__, type, ndim, dims, name, chunk, std::nullopt));
ATOLL_GA_BOTH(int, NGA_Create_config,
              (int type, int ndim, Int dims[], const char* name, Int chunk[], int p_handle),
              create(__func__, type, ndim, dims, name, chunk, p_handle));

int GA_Create_handle(void) {
  return compat::guarded("GA_Create_handle", [] {
    ga::Plan plan;
    return ga::Runtime::get().arrays.create(std::move(plan)).handle();
  });
}
ATOLL_GA_ALSO(NGA_Create_handle, GA_Create_handle);

ATOLL_GA_BOTH(void, GA_Set_data, (int g_a, int ndim, Int dims[], int type),
              set_data(__func__, g_a, ndim, dims, type));
ATOLL_GA_ALSO(NGA_Set_data, GA_Set_data);
ATOLL_GA_ALSO(NGA_Set_data64, GA_Set_data64);

ATOLL_GA_BOTH(void, GA_Set_chunk, (int g_a, Int chunk[]), set_chunk(__func__, g_a, chunk));
ATOLL_GA_ALSO(NGA_Set_chunk, GA_Set_chunk);
ATOLL_GA_ALSO(NGA_Set_chunk64, GA_Set_chunk64);

void GA_Set_array_name(int g_a, const char* name) {
  compat::guarded("GA_Set_array_name", [&] {
    const std::string_view all = text(name);
    ga::plan_to_change(g_a).name = all.substr(0, ga::longest_name);
  });
}
ATOLL_GA_ALSO(NGA_Set_array_name, GA_Set_array_name);

void GA_Set_pgroup(int g_a, int p_handle) {
  compat::guarded("GA_Set_pgroup", [&] {
    (void)ga::Runtime::get().groups.at(p_handle);
    ga::plan_to_change(g_a).group = p_handle;
  });
}
ATOLL_GA_ALSO(NGA_Set_pgroup, GA_Set_pgroup);

int GA_Allocate(int g_a) {
  return compat::guarded("GA_Allocate", [&] { return ga::array_of(g_a).allocate() ? 1 : 0; });
}
ATOLL_GA_ALSO(NGA_Allocate, GA_Allocate);

int GA_Deallocate(int g_a) {
  return compat::guarded("GA_Deallocate", [&] {
    ga::array_of(g_a).deallocate();
    return 1;
  });
}
ATOLL_GA_ALSO(NGA_Deallocate, GA_Deallocate);

int GA_Duplicate(int g_a, const char* array_name) {
  return compat::guarded("GA_Duplicate", [&] {
    return handle_or_0(ga::duplicate(ga::array_of(g_a), text(array_name)));
  });
}
ATOLL_GA_ALSO(NGA_Duplicate, GA_Duplicate);

void GA_Destroy(int g_a) {
  compat::guarded("GA_Destroy", [&] { (void)ga::destroy(g_a); });
}
ATOLL_GA_ALSO(NGA_Destroy, GA_Destroy);

int NGA_Register_type(size_t bytes) {
  return compat::guarded("NGA_Register_type", [&] { return ga::register_datatype(bytes); });
}

// 0 where there was such a type, else not: as GA's own.
int NGA_Deregister_type(int type) {
  return compat::guarded("NGA_Deregister_type",
                         [&] { return ga::deregister_datatype(type) ? 0 : -1; });
}

}  // extern "C"
