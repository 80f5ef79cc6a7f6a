// ga, ga-mirrored: copies of what others own: ghost cells inside a node, and mirrored arrays, which
// on one node are ordinary ones, between two.
#include "ga_calls.hpp"

namespace bench {

namespace {
constexpr int extent = 1024;
}

void ga_ghosts(Calls& calls) {
  int dims[] = {extent, extent}, width[] = {1, 1};
  GaArray array(Made{NGA_Create_ghosts(C_DBL, 2, dims, width, "ghosts", nullptr)});
  const atoll::HaloOptions periodic{.periodic = {true}};
  calls.together("GA_Update_ghosts 1024x1024",
                 {way("GA_Update_ghosts", [&] { GA_Update_ghosts(array.handle); }),
                  way("update_halo", [&] { atoll::update_halo(array.array, periodic); })});
}

namespace {

Made create_mirrored() {
  int dims[] = {extent, extent};
  return Made{NGA_Create_config(C_DBL, 2, dims, "mirrored", nullptr, GA_Pgroup_get_mirror())};
}

/// A mirrored array and a distributed one.
struct Mirrors {
  GaArray mirrored{create_mirrored()};
  GaArray spread{{extent, extent}};
};

// Every merge has something to do: all of the array has been written since the last one.
void time_merges(Calls& calls, Mirrors& m) {
  calls.together("GA_Fill, GA_Merge_mirrored 1024x1024",
                 {way("GA_Merge_mirrored",
                      [&] {
                        double one = 1.0;
                        GA_Fill(m.mirrored.handle, &one);
                        GA_Merge_mirrored(m.mirrored.handle);
                      }),
                  way("fill, merge", [&] {
                    atoll::fill(m.mirrored.array, 1.0);
                    atoll::merge(m.mirrored.array);
                  })});
  int lo[] = {0, 0}, hi[] = {extent - 1, extent - 1};
  calls.together(
      "NGA_Merge_distr_patch 1024x1024",
      {way("NGA_Merge_distr_patch",
           [&] { NGA_Merge_distr_patch(m.mirrored.handle, lo, hi, m.spread.handle, lo, hi); }),
       way("merge_into", [&] { atoll::merge_into(m.mirrored.array, m.spread.array); })});
}

void time_get(Calls& calls, Mirrors& m) {
  int lo[] = {extent - 1, 0}, hi[] = {extent - 1, 511}, ld[] = {512};
  const atoll::Patch patch{{lo[0], 0}, {lo[0] + 1, 512}};
  std::vector<double> buffer(512);
  double* const to = buffer.data();
  calls.alone("NGA_Get 4 KiB, mirrored",
              {way("NGA_Get", [&] { NGA_Get(m.mirrored.handle, lo, hi, to, ld); }),
               way("Array::get", [&] { m.mirrored.array.get(patch, to); })});
}

}  // namespace

void ga_mirrored(Context& context) {
  GA_Initialize();
  {
    Calls calls(context);
    Mirrors mirrors;
    time_merges(calls, mirrors);
    time_get(calls, mirrors);
  }
  GA_Terminate();
}

}  // namespace bench
