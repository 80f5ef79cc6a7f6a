// C names: one-sided access.
#include <mpi.h>

#include <cstdint>

#include "compat/ga/direct.hpp"
#include "compat/ga/one_sided.hpp"
#include "ga/ga.h"

using namespace lagoon::atoll;
constexpr ga::View c_view = ga::View::c;

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

void NGA_Get(int g_a, int lo[], int hi[], void* buf, int ld[]) {
  ga::get<c_view>("NGA_Get", g_a, lo, hi, buf, ld);
}
void NGA_Get64(int g_a, int64_t lo[], int64_t hi[], void* buf, int64_t ld[]) {
  ga::get<c_view>("NGA_Get64", g_a, lo, hi, buf, ld);
}
void NGA_Put(int g_a, int lo[], int hi[], void* buf, int ld[]) {
  ga::put<c_view>("NGA_Put", g_a, lo, hi, buf, ld);
}
void NGA_Put64(int g_a, int64_t lo[], int64_t hi[], void* buf, int64_t ld[]) {
  ga::put<c_view>("NGA_Put64", g_a, lo, hi, buf, ld);
}
void NGA_Acc(int g_a, int lo[], int hi[], void* buf, int ld[], void* alpha) {
  ga::accumulate<c_view>("NGA_Acc", g_a, lo, hi, buf, ld, alpha);
}
void NGA_Acc64(int g_a, int64_t lo[], int64_t hi[], void* buf, int64_t ld[], void* alpha) {
  ga::accumulate<c_view>("NGA_Acc64", g_a, lo, hi, buf, ld, alpha);
}

void NGA_NbGet(int g_a, int lo[], int hi[], void* buf, int ld[], ga_nbhdl_t* nbhandle) {
  ga::get_begin<c_view>("NGA_NbGet", g_a, lo, hi, buf, ld, nbhandle);
}
void NGA_NbGet64(int g_a, int64_t lo[], int64_t hi[], void* buf, int64_t ld[],
                 ga_nbhdl_t* nbhandle) {
  ga::get_begin<c_view>("NGA_NbGet64", g_a, lo, hi, buf, ld, nbhandle);
}
void NGA_NbPut(int g_a, int lo[], int hi[], void* buf, int ld[], ga_nbhdl_t* nbhandle) {
  ga::put_begin<c_view>("NGA_NbPut", g_a, lo, hi, buf, ld, nbhandle);
}
void NGA_NbPut64(int g_a, int64_t lo[], int64_t hi[], void* buf, int64_t ld[],
                 ga_nbhdl_t* nbhandle) {
  ga::put_begin<c_view>("NGA_NbPut64", g_a, lo, hi, buf, ld, nbhandle);
}
void NGA_NbAcc(int g_a, int lo[], int hi[], void* buf, int ld[], void* alpha,
               ga_nbhdl_t* nbhandle) {
  ga::accumulate_begin<c_view>("NGA_NbAcc", g_a, lo, hi, buf, ld, alpha, nbhandle);
}
void NGA_NbAcc64(int g_a, int64_t lo[], int64_t hi[], void* buf, int64_t ld[], void* alpha,
                 ga_nbhdl_t* nbhandle) {
  ga::accumulate_begin<c_view>("NGA_NbAcc64", g_a, lo, hi, buf, ld, alpha, nbhandle);
}
void NGA_NbWait(ga_nbhdl_t* nbhandle) {
  compat::guarded("NGA_NbWait", [&] { ga::Runtime::get().pending->wait(*nbhandle); });
}
int NGA_NbTest(ga_nbhdl_t* nbhandle) {
  return compat::guarded("NGA_NbTest",
                         [&] { return ga::Runtime::get().pending->test(*nbhandle) ? 1 : 0; });
}

void NGA_Strided_get(int g_a, int lo[], int hi[], int skip[], void* buf, int ld[]) {
  ga::strided_get<c_view>("NGA_Strided_get", g_a, lo, hi, skip, buf, ld);
}
void NGA_Strided_get64(int g_a, int64_t lo[], int64_t hi[], int64_t skip[], void* buf,
                       int64_t ld[]) {
  ga::strided_get<c_view>("NGA_Strided_get64", g_a, lo, hi, skip, buf, ld);
}
void NGA_Strided_put(int g_a, int lo[], int hi[], int skip[], void* buf, int ld[]) {
  ga::strided_put<c_view>("NGA_Strided_put", g_a, lo, hi, skip, buf, ld);
}
void NGA_Strided_put64(int g_a, int64_t lo[], int64_t hi[], int64_t skip[], void* buf,
                       int64_t ld[]) {
  ga::strided_put<c_view>("NGA_Strided_put64", g_a, lo, hi, skip, buf, ld);
}
void NGA_Strided_acc(int g_a, int lo[], int hi[], int skip[], void* buf, int ld[], void* alpha) {
  ga::strided_accumulate<c_view>("NGA_Strided_acc", g_a, lo, hi, skip, buf, ld, alpha);
}
void NGA_Strided_acc64(int g_a, int64_t lo[], int64_t hi[], int64_t skip[], void* buf, int64_t ld[],
                       void* alpha) {
  ga::strided_accumulate<c_view>("NGA_Strided_acc64", g_a, lo, hi, skip, buf, ld, alpha);
}

void NGA_Get_field(int g_a, int* lo, int* hi, int foff, int fsize, void* buf, int* ld) {
  ga::get_field<c_view>("NGA_Get_field", g_a, lo, hi, foff, fsize, buf, ld);
}
void NGA_Put_field(int g_a, int* lo, int* hi, int foff, int fsize, void* buf, int* ld) {
  ga::put_field<c_view>("NGA_Put_field", g_a, lo, hi, foff, fsize, buf, ld);
}
void NGA_Nbget_field(int g_a, int* lo, int* hi, int foff, int fsize, void* buf, int* ld,
                     ga_nbhdl_t* nbhandle) {
  ga::get_field_begin<c_view>("NGA_Nbget_field", g_a, lo, hi, foff, fsize, buf, ld, nbhandle);
}
void NGA_Nbput_field(int g_a, int* lo, int* hi, int foff, int fsize, void* buf, int* ld,
                     ga_nbhdl_t* nbhandle) {
  ga::put_field_begin<c_view>("NGA_Nbput_field", g_a, lo, hi, foff, fsize, buf, ld, nbhandle);
}

void NGA_Gather(int g_a, void* v, int* subsArray[], int n) {
  ga::gather<c_view>("NGA_Gather", g_a, v, n, pointed(subsArray));
}
void NGA_Gather64(int g_a, void* v, int64_t* subsArray[], int64_t n) {
  ga::gather<c_view>("NGA_Gather64", g_a, v, n, pointed(subsArray));
}
void NGA_Gather_flat(int g_a, void* v, int subsArray[], int n) {
  ga::gather<c_view>("NGA_Gather_flat", g_a, v, n, flat(g_a, subsArray));
}
void NGA_Gather_flat64(int g_a, void* v, int64_t subsArray[], int64_t n) {
  ga::gather<c_view>("NGA_Gather_flat64", g_a, v, n, flat(g_a, subsArray));
}
void NGA_Scatter(int g_a, void* v, int* subsArray[], int n) {
  ga::scatter<c_view>("NGA_Scatter", g_a, v, n, pointed(subsArray));
}
void NGA_Scatter64(int g_a, void* v, int64_t* subsArray[], int64_t n) {
  ga::scatter<c_view>("NGA_Scatter64", g_a, v, n, pointed(subsArray));
}
void NGA_Scatter_flat(int g_a, void* v, int subsArray[], int n) {
  ga::scatter<c_view>("NGA_Scatter_flat", g_a, v, n, flat(g_a, subsArray));
}
void NGA_Scatter_flat64(int g_a, void* v, int64_t subsArray[], int64_t n) {
  ga::scatter<c_view>("NGA_Scatter_flat64", g_a, v, n, flat(g_a, subsArray));
}
void NGA_Scatter_acc(int g_a, void* v, int* subsArray[], int n, void* alpha) {
  ga::scatter_accumulate<c_view>("NGA_Scatter_acc", g_a, v, n, alpha, pointed(subsArray));
}
void NGA_Scatter_acc64(int g_a, void* v, int64_t* subsArray[], int64_t n, void* alpha) {
  ga::scatter_accumulate<c_view>("NGA_Scatter_acc64", g_a, v, n, alpha, pointed(subsArray));
}
void NGA_Scatter_acc_flat(int g_a, void* v, int subsArray[], int n, void* alpha) {
  ga::scatter_accumulate<c_view>("NGA_Scatter_acc_flat", g_a, v, n, alpha, flat(g_a, subsArray));
}
void NGA_Scatter_acc_flat64(int g_a, void* v, int64_t subsArray[], int64_t n, void* alpha) {
  ga::scatter_accumulate<c_view>("NGA_Scatter_acc_flat64", g_a, v, n, alpha, flat(g_a, subsArray));
}
// Atoll's scattered access needs no memory set aside.
void NGA_Alloc_gatscat_buf(int) {}
void NGA_Free_gatscat_buf(void) {}

long NGA_Read_inc(int g_a, int subscript[], long inc) {
  return ga::read_increment<c_view>("NGA_Read_inc", g_a, subscript, inc);
}
long NGA_Read_inc64(int g_a, int64_t subscript[], long inc) {
  return ga::read_increment<c_view>("NGA_Read_inc64", g_a, subscript, inc);
}

void NGA_Access(int g_a, int lo[], int hi[], void* ptr, int ld[]) {
  ga::access<c_view>("NGA_Access", g_a, lo, hi, ptr, ld);
}
void NGA_Access64(int g_a, int64_t lo[], int64_t hi[], void* ptr, int64_t ld[]) {
  ga::access<c_view>("NGA_Access64", g_a, lo, hi, ptr, ld);
}
// GA's releases do nothing, also where there is no such array any more.
void NGA_Release(int, int*, int*) {}
void NGA_Release64(int, int64_t*, int64_t*) {}
void NGA_Release_update(int, int*, int*) {}
void NGA_Release_update64(int, int64_t*, int64_t*) {}

}  // extern "C"
