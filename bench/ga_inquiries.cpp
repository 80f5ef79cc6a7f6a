// ga: questions about processes and arrays, which nobody else has to answer; and making and taking
// away arrays.
#include "ga_calls.hpp"

namespace bench {

namespace {

constexpr int extent = 1024;

void time_processes(Calls& calls) {
  const atoll::World& world = calls.world();
  int found = 0;
  calls.alone("GA_Nodeid", {way("GA_Nodeid",
                                [&] {
                                  found = GA_Nodeid();
                                  touch(&found);
                                }),
                            way("Group::rank", [&] {
                              found = world.rank();
                              touch(&found);
                            })});
}

void time_arrays(Calls& calls, GaArray& a) {
  int type = 0, dimensions = 0, dims[2] = {}, lo[2] = {}, hi[2] = {}, map[8] = {}, owners[2] = {};
  int whole_lo[] = {0, 0}, whole_hi[] = {extent - 1, extent - 1};
  const atoll::Index position{extent - 1, extent - 1};
  const atoll::Patch everything = atoll::whole(a.array.shape());
  calls.alone("NGA_Inquire",
              {way("NGA_Inquire", [&] { NGA_Inquire(a.handle, &type, &dimensions, dims); }),
               way("type, shape", [&] {
                 atoll::ElementType element = a.array.type();
                 atoll::Index shape = a.array.shape();
                 touch(&element);
                 touch(&shape);
               })});
  calls.alone("NGA_Distribution",
              {way("NGA_Distribution", [&] { NGA_Distribution(a.handle, 1, lo, hi); }),
               way("Array::patches", [&] { touch(a.array.patches(1).data()); })});
  calls.alone("NGA_Locate", {way("NGA_Locate",
                                 [&] {
                                   owners[0] = NGA_Locate(a.handle, whole_hi);
                                   touch(owners);
                                 }),
                             way("Array::owner", [&] {
                               owners[0] = a.array.owner(position);
                               touch(owners);
                             })});
  calls.alone("NGA_Locate_region",
              {way("NGA_Locate_region",
                   [&] { NGA_Locate_region(a.handle, whole_lo, whole_hi, map, owners); }),
               way("Array::locate", [&] { touch(a.array.locate(everything).data()); })});
}

}  // namespace

void ga_inquiries(Calls& calls) {
  GaArray array({extent, extent});
  time_processes(calls);
  time_arrays(calls, array);
}

void ga_creation(Calls& calls) {
  const atoll::World& world = calls.world();
  GaArray like({extent, extent});
  int dims[] = {extent, extent};
  const atoll::ArrayOptions as_it_is{.zero = false};
  calls.together(
      "NGA_Create, GA_Destroy 1024x1024",
      {way("NGA_Create", [&] { GA_Destroy(NGA_Create(C_DBL, 2, dims, "made", nullptr)); }),
       way("Array, destroy",
           [&] {
             atoll::Array<double> made(world, {extent, extent}, as_it_is);
             made.destroy();
           }),
       way("zeroed", [&] {
         atoll::Array<double> made(world, {extent, extent});
         made.destroy();
       })});
  calls.together("GA_Duplicate, GA_Destroy 1024x1024",
                 {way("GA_Duplicate", [&] { GA_Destroy(GA_Duplicate(like.handle, "made")); }),
                  way("duplicate, destroy", [&] { like.array.duplicate("made", false).destroy(); }),
                  way("zeroed", [&] { like.array.duplicate("made").destroy(); })});
}

}  // namespace bench
