// ARMCI's walk over the segments of a strided patch.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "atoll/error.hpp"
#include "compat/failure.hpp"
#include "ga/iterator.h"

using namespace lagoon::atoll;
using compat::guarded;

namespace {

constexpr std::int64_t most = std::numeric_limits<int>::max();

std::int64_t checked(std::int64_t value, const char* what) {
  if (value < 0 || value > most)
    throw Error(ErrorKind::value, std::string(what) + " is " + std::to_string(value) +
                                      ", expected 0 to " + std::to_string(most));
  return value;
}

void begin(stride_info_t& info, void* base, int levels, const int* strides, const int* counts) {
  if (levels < 0 || levels > ARMCI_MAX_STRIDE_LEVEL)
    throw Error(ErrorKind::value, "stride_levels is " + std::to_string(levels) +
                                      ", expected 0 to " + std::to_string(ARMCI_MAX_STRIDE_LEVEL));
  if (counts == nullptr || (levels > 0 && strides == nullptr))
    throw Error(ErrorKind::value, "stride_arr and seg_count must not be null");
  info = {static_cast<char*>(base), levels, {}, {}, 0, 0, {}};
  std::copy_n(counts, levels + 1, info.seg_count);
  std::copy_n(strides, levels, info.stride_arr);
  std::int64_t size = 1;
  for (int level = 0; level <= levels; ++level) {
    const std::int64_t count = checked(info.seg_count[level], "an element of seg_count");
    if (level > 0) size = checked(size * count, "the number of segments");
  }
  info.size = static_cast<int>(size);
}

void require_segment(const stride_info_t& info) {
  if (info.pos >= info.size)
    throw Error(ErrorKind::state, "all " + std::to_string(info.size) + " segments are behind");
}

void move_on(stride_info_t& info) {
  require_segment(info);
  ++info.pos;
  for (int level = 0; level < info.stride_levels; ++level) {
    if (++info.itr[level] < info.seg_count[level + 1]) return;
    info.itr[level] = 0;
  }
}

std::int64_t offset(const stride_info_t& info) {
  require_segment(info);
  std::int64_t bytes = 0;
  for (int level = 0; level < info.stride_levels; ++level)
    bytes += static_cast<std::int64_t>(info.itr[level]) * info.stride_arr[level];
  return bytes;
}

}  // namespace

extern "C" {

void armci_stride_info_init(stride_info_t* sinfo, void* base_ptr, int stride_levels,
                            const int* stride_arr, const int* seg_count) {
  guarded("armci_stride_info_init",
          [&] { begin(*sinfo, base_ptr, stride_levels, stride_arr, seg_count); });
}

void armci_stride_info_destroy(stride_info_t* sinfo) { *sinfo = {}; }

int armci_stride_info_size(stride_info_t* sinfo) { return sinfo->size; }
int armci_stride_info_count(stride_info_t* sinfo) { return sinfo->size; }
int armci_stride_info_pos(stride_info_t* sinfo) { return sinfo->pos; }
int armci_stride_info_has_more(stride_info_t* sinfo) { return sinfo->pos < sinfo->size ? 1 : 0; }

void armci_stride_info_next(stride_info_t* sinfo) {
  guarded("armci_stride_info_next", [&] { move_on(*sinfo); });
}

void* armci_stride_info_seg_ptr(stride_info_t* sinfo) {
  return guarded("armci_stride_info_seg_ptr",
                 [&]() -> void* { return sinfo->base_ptr + offset(*sinfo); });
}

int armci_stride_info_seg_off(stride_info_t* sinfo) {
  return guarded("armci_stride_info_seg_off", [&] {
    const std::int64_t bytes = offset(*sinfo);
    if (bytes < -most || bytes > most)
      throw Error(ErrorKind::value, "the segment lies " + std::to_string(bytes) +
                                        " bytes from the base: more than an int holds");
    return static_cast<int>(bytes);
  });
}

int armci_stride_info_seg_size(stride_info_t* sinfo) { return sinfo->seg_count[0]; }

}  // extern "C"
