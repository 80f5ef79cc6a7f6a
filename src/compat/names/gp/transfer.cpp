// C names of global pointer arrays: moving the objects of patches and of lists of elements.
#include "compat/failure.hpp"
#include "compat/ga/language.hpp"
#include "compat/gp/session.hpp"
#include "compat/gp/transfers.hpp"
#include "ga/gp.h"

using namespace lagoon::atoll;
using compat::guarded;
using ga::Language;
using gp::array_of;

namespace {

Patch patch(int g_p, const int* lo, const int* hi) {
  return ga::patch<Language::c>(lo, hi, array_of(g_p).dimensions());
}

gp::Places places(const Patch& patch, void** pointers, const int* ld, void* sizes,
                  const int* ld_sz) {
  const int n = patch.dimensions();
  const Index shape = patch.shape();
  return {{pointers, shape, ga::strides<Language::c>(ld, n)},
          {static_cast<int*>(sizes), shape, ga::strides<Language::c>(ld_sz, n)}};
}

gp::Places places(void** pointers, int* sizes) {
  return {gp::Table<void*>(pointers), gp::Table<int>(sizes)};
}

}  // namespace

extern "C" {

void GP_Get_size(int g_p, int* lo, int* hi, int* size) {
  guarded("GP_Get_size",
          [&] { *size = gp::total_size(array_of(g_p).objects(patch(g_p, lo, hi))); });
}

void GP_Gather_size(int g_p, int nv, int* subscript, int* size) {
  guarded("GP_Gather_size", [&] { *size = gp::total_size(array_of(g_p).objects(subscript, nv)); });
}

// The buffer is filled whatever its last argument is.
void GP_Get(int g_p, int* lo, int* hi, void* buf, void** buf_ptr, int* ld, void* buf_size,
            int* ld_sz, int* size, int) {
  guarded("GP_Get", [&] {
    const Patch wanted = patch(g_p, lo, hi);
    *size =
        gp::get(array_of(g_p).objects(wanted), buf, places(wanted, buf_ptr, ld, buf_size, ld_sz));
  });
}

void GP_Gather(int g_p, int nv, int* subscript, void* buf, void** buf_ptr, int* buf_size, int* size,
               int) {
  guarded("GP_Gather", [&] {
    *size = gp::get(array_of(g_p).objects(subscript, nv), buf, places(buf_ptr, buf_size));
  });
}

void GP_Put(int g_p, int* lo, int* hi, void** buf_ptr, int* ld, void* buf_size, int* ld_sz,
            int* size, int checksize) {
  guarded("GP_Put", [&] {
    const Patch wanted = patch(g_p, lo, hi);
    *size = gp::put(array_of(g_p).objects(wanted), places(wanted, buf_ptr, ld, buf_size, ld_sz),
                    checksize != 0);
  });
}

void GP_Scatter(int g_p, int nv, int* subscript, void** buf_ptr, int* buf_size, int* size,
                int checksize) {
  guarded("GP_Scatter", [&] {
    *size =
        gp::put(array_of(g_p).objects(subscript, nv), places(buf_ptr, buf_size), checksize != 0);
  });
}

}  // extern "C"
