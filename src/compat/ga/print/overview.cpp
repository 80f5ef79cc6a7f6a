// What there is beside the elements: who owns what, which arrays there are.
#include <algorithm>
#include <string>

#include "compat/ga/print/element_text.hpp"
#include "compat/ga/print/print.hpp"

namespace lagoon::atoll::ga {

namespace {

constexpr int last_listed = first_handle + 99;

/// "1:3,1:3"
template <Language language>
std::string text_of(const Patch& patch) {
  std::int64_t lo[most_dimensions] = {}, hi[most_dimensions] = {};
  give_patch<language>(patch, lo, hi);
  std::string text;
  for (int d = 0; d < patch.dimensions(); ++d)
    text += (d > 0 ? "," : "") + std::to_string(lo[d]) + ":" + std::to_string(hi[d]);
  return text;
}

template <Language language>
std::string text_of(const Index& shape, const char* between) {
  std::int64_t extents[most_dimensions] = {};
  give_extents<language>(shape, extents);
  std::string text;
  for (int d = 0; d < shape.size(); ++d)
    text += (d > 0 ? between : "") + std::to_string(extents[d]);
  return text;
}

/// Calls `f(process, patch)` for all parts of the array, without the dimension of bytes that opaque
/// elements have.
template <class F>
void for_each_part(const GlobalArray& a, const F& f) {
  for (int process = 0; process < a.processes().size(); ++process)
    for (const Patch& stored : a.array().patches(a.rank_of(process))) {
      Patch patch{Index::filled(a.dimensions(), 0), Index::filled(a.dimensions(), 0)};
      std::copy_n(stored.lo.begin(), a.dimensions(), patch.lo.begin());
      std::copy_n(stored.hi.begin(), a.dimensions(), patch.hi.begin());
      f(process, patch);
    }
}

void write(std::FILE* file, const std::string& text) { std::fputs(text.c_str(), file); }

bool is_first_process() { return Runtime::get().groups.default_group().rank() == 0; }

}  // namespace

template <Language language>
void print_distribution(std::FILE* file, GlobalArray& a) {
  const Group& group = a.array().whole_group();
  group.barrier();
  if (group.rank() == 0) {
    write(file, "Array Handle=" + std::to_string(a.handle()) + " Name:'" + a.plan.name +
                    "' Data Type:" + std::string(type_name(a.plan.type)) + "\n");
    write(file, "Array Dimensions:" + text_of<language>(a.shape(), "x") + "\n");
    for_each_part(a, [&](int process, const Patch& patch) {
      write(file, "Process=" + std::to_string(process) + "\t owns array section: [" +
                      text_of<language>(patch) + "]\n");
    });
    std::fflush(file);
  }
  group.barrier();
}

template void print_distribution<Language::c>(std::FILE*, GlobalArray&);
template void print_distribution<Language::fortran>(std::FILE*, GlobalArray&);

void summarize(std::FILE* file, bool verbose) {
  if (!is_first_process()) return;
  write(file, " Summary of allocated global arrays\n");
  write(file, "-----------------------------------\n");
  Arrays& arrays = Runtime::get().arrays;
  bool any = false;
  for (int handle = first_handle; handle <= last_listed; ++handle) {
    const GlobalArray* a = arrays.find(handle);
    if (a == nullptr || !a->allocated()) continue;
    any = true;
    write(file, "  array " + std::to_string(handle - first_handle) + " => " +
                    std::string(type_name(a->plan.type)) + " " + a->plan.name + "(" +
                    text_of<Language::fortran>(a->shape(), ",") +
                    "),  handle: " + std::to_string(handle) + "\n");
    if (verbose)
      for_each_part(*a, [&](int process, const Patch& patch) {
        write(file, "    (" + text_of<Language::fortran>(patch) + ") -> " +
                        std::to_string(process) + "\n");
      });
  }
  if (!any) write(file, "  none\n");
  write(file, "\n");
  std::fflush(file);
}

void print_statistics(std::FILE* file) {
  if (!is_first_process()) return;
  const Runtime& runtime = Runtime::get();
  write(file, "\n GA statistics of process 0\n --------------------------\n");
  write(file, " arrays: " + std::to_string(runtime.arrays.handles().size()) + "\n");
  write(file, " bytes in arrays: " + std::to_string(runtime.memory_used) + "\n");
  write(file, " limit of these: " +
                  (runtime.memory_limit ? std::to_string(*runtime.memory_limit) : "none") + "\n\n");
  std::fflush(file);
}

}  // namespace lagoon::atoll::ga
