// C names: memory shared in the node, and arrays in memory that is there already.

#include "compat/failure.hpp"
#include "compat/ga/memories.hpp"
#include "compat/ga/overlays.hpp"
#include "compat/names/ga/names.hpp"
#include "ga/ga.h"

using namespace lagoon::atoll;
using compat::guarded;

extern "C" {

void* GA_Getmem(int type, int nelem, int grp_id) {
  return guarded("GA_Getmem", [&] { return ga::get_memory(type, nelem, grp_id); });
}

void GA_Freemem(void* ptr) {
  guarded("GA_Freemem", [&] { ga::memories().free(ptr); });
}

int GA_Assemble_duplicate(int g_a, const char* name, void* ptr) {
  return guarded("GA_Assemble_duplicate",
                 [&] { return ga::assemble_duplicate(g_a, name == nullptr ? "" : name, ptr); });
}

int GA_Overlay(int g_a, int g_p) {
  guarded("GA_Overlay", [&] { ga::overlay(g_a, g_p); });
  return 1;
}
ATOLL_GA_ALSO(NGA_Overlay, GA_Overlay);

}  // extern "C"
