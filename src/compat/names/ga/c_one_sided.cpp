// C names: one-sided access.

#include <cstdint>

#include "compat/ga/direct.hpp"
#include "compat/ga/one_sided.hpp"
#include "compat/names/ga/names.hpp"
#include "ga/ga.h"

using namespace lagoon::atoll;
constexpr ga::Language c_language = ga::Language::c;

namespace {

/// Subscripts in one list, and subscripts by pointers, as functions of an element's number.
template <class I>
auto flat(int g_a, const I* subscripts) {
  const int n = compat::guarded("GA", [&] { return ga::array_of(g_a).dimensions(); });
  return [=](std::int64_t i) { return subscripts + i * n; };
}

template <class I>
auto pointed(I* const* subscripts) {
  return [=](std::int64_t i) { return subscripts[i]; };
}

}  // namespace

extern "C" {

ATOLL_GA_BOTH(void, NGA_Get, (int g_a, Int lo[], Int hi[], void* buf, Int ld[]),
              ga::get<c_language>(__func__, g_a, lo, hi, buf, ld));
ATOLL_GA_BOTH(void, NGA_Put, (int g_a, Int lo[], Int hi[], void* buf, Int ld[]),
              ga::put<c_language>(__func__, g_a, lo, hi, buf, ld));
ATOLL_GA_BOTH(void, NGA_Acc, (int g_a, Int lo[], Int hi[], void* buf, Int ld[], void* alpha),
              ga::accumulate<c_language>(__func__, g_a, lo, hi, buf, ld, alpha));

ATOLL_GA_BOTH(void, NGA_NbGet,
              (int g_a, Int lo[], Int hi[], void* buf, Int ld[], ga_nbhdl_t* nbhandle),
              ga::get_begin<c_language>(__func__, g_a, lo, hi, buf, ld, nbhandle));
ATOLL_GA_BOTH(void, NGA_NbPut,
              (int g_a, Int lo[], Int hi[], void* buf, Int ld[], ga_nbhdl_t* nbhandle),
              ga::put_begin<c_language>(__func__, g_a, lo, hi, buf, ld, nbhandle));
ATOLL_GA_BOTH(void, NGA_NbAcc,
              (int g_a, Int lo[], Int hi[], void* buf, Int ld[], void* alpha, ga_nbhdl_t* nbhandle),
              ga::accumulate_begin<c_language>(__func__, g_a, lo, hi, buf, ld, alpha, nbhandle));
void NGA_NbWait(ga_nbhdl_t* nbhandle) {
  compat::guarded("NGA_NbWait", [&] { ga::Runtime::get().pending->wait(*nbhandle); });
}
int NGA_NbTest(ga_nbhdl_t* nbhandle) {
  return compat::guarded("NGA_NbTest",
                         [&] { return ga::Runtime::get().pending->test(*nbhandle) ? 1 : 0; });
}

ATOLL_GA_BOTH(void, NGA_Strided_get, (int g_a, Int lo[], Int hi[], Int skip[], void* buf, Int ld[]),
              ga::strided_get<c_language>(__func__, g_a, lo, hi, skip, buf, ld));
ATOLL_GA_BOTH(void, NGA_Strided_put, (int g_a, Int lo[], Int hi[], Int skip[], void* buf, Int ld[]),
              ga::strided_put<c_language>(__func__, g_a, lo, hi, skip, buf, ld));
ATOLL_GA_BOTH(void, NGA_Strided_acc,
              (int g_a, Int lo[], Int hi[], Int skip[], void* buf, Int ld[], void* alpha),
              ga::strided_accumulate<c_language>(__func__, g_a, lo, hi, skip, buf, ld, alpha));

void NGA_Get_field(int g_a, int* lo, int* hi, int foff, int fsize, void* buf, int* ld) {
  ga::get_field<c_language>("NGA_Get_field", g_a, lo, hi, foff, fsize, buf, ld);
}
void NGA_Put_field(int g_a, int* lo, int* hi, int foff, int fsize, void* buf, int* ld) {
  ga::put_field<c_language>("NGA_Put_field", g_a, lo, hi, foff, fsize, buf, ld);
}
void NGA_Nbget_field(int g_a, int* lo, int* hi, int foff, int fsize, void* buf, int* ld,
                     ga_nbhdl_t* nbhandle) {
  ga::get_field_begin<c_language>("NGA_Nbget_field", g_a, lo, hi, foff, fsize, buf, ld, nbhandle);
}
void NGA_Nbput_field(int g_a, int* lo, int* hi, int foff, int fsize, void* buf, int* ld,
                     ga_nbhdl_t* nbhandle) {
  ga::put_field_begin<c_language>("NGA_Nbput_field", g_a, lo, hi, foff, fsize, buf, ld, nbhandle);
}

ATOLL_GA_BOTH(void, NGA_Gather, (int g_a, void* v, Int* subsArray[], Int n),
              ga::gather<c_language>(__func__, g_a, v, n, pointed(subsArray)));
ATOLL_GA_BOTH(void, NGA_Gather_flat, (int g_a, void* v, Int subsArray[], Int n),
              ga::gather<c_language>(__func__, g_a, v, n, flat(g_a, subsArray)));
ATOLL_GA_BOTH(void, NGA_Scatter, (int g_a, void* v, Int* subsArray[], Int n),
              ga::scatter<c_language>(__func__, g_a, v, n, pointed(subsArray)));
ATOLL_GA_BOTH(void, NGA_Scatter_flat, (int g_a, void* v, Int subsArray[], Int n),
              ga::scatter<c_language>(__func__, g_a, v, n, flat(g_a, subsArray)));
ATOLL_GA_BOTH(void, NGA_Scatter_acc, (int g_a, void* v, Int* subsArray[], Int n, void* alpha),
              ga::scatter_accumulate<c_language>(__func__, g_a, v, n, alpha, pointed(subsArray)));
ATOLL_GA_BOTH(void, NGA_Scatter_acc_flat, (int g_a, void* v, Int subsArray[], Int n, void* alpha),
              ga::scatter_accumulate<c_language>(__func__, g_a, v, n, alpha, flat(g_a, subsArray)));
// Atoll's scattered access needs no memory set aside.
void NGA_Alloc_gatscat_buf(int) {}
void NGA_Free_gatscat_buf(void) {}

ATOLL_GA_BOTH(long, NGA_Read_inc, (int g_a, Int subscript[], long inc),
              ga::read_increment<c_language>(__func__, g_a, subscript, inc));

ATOLL_GA_BOTH(void, NGA_Access, (int g_a, Int lo[], Int hi[], void* ptr, Int ld[]),
              ga::access<c_language>(__func__, g_a, lo, hi, ptr, ld));
// GA's releases fail nothing, also where there is no such array any more.
ATOLL_GA_BOTH(void, NGA_Release, (int g_a, Int* lo, Int* hi),
              ga::release<c_language>(g_a, lo, hi, false));
ATOLL_GA_BOTH(void, NGA_Release_update, (int g_a, Int* lo, Int* hi),
              ga::release<c_language>(g_a, lo, hi, true));

}  // extern "C"
