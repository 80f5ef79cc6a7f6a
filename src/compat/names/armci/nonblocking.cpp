// The C names of nonblocking transfers, and of waiting for them.
#include "compat/armci/arguments.hpp"
#include "compat/armci/done.hpp"
#include "compat/armci/transfers.hpp"

using lagoon::atoll::armci::begin;
using lagoon::atoll::armci::contiguous;
using lagoon::atoll::armci::Deed;
using lagoon::atoll::armci::done;
using lagoon::atoll::armci::given;
using lagoon::atoll::armci::Session;
using lagoon::atoll::armci::Strided;
using lagoon::atoll::compat::guarded;

namespace {

int begin_strided(const char* routine, const Deed& deed, const Strided& strided, int process,
                  armci_hdl_t* handle) {
  return done(routine,
              [&] { Session::get().pending.add(handle, process, begin(deed, strided, process)); });
}

int begin_vectors(const char* routine, const Deed& deed, const armci_giov_t* vectors, int count,
                  int process, armci_hdl_t* handle) {
  return done(routine, [&] {
    Session::get().pending.add(handle, process, begin(deed, vectors, count, process));
  });
}

Deed accumulate(const char* routine, int operation, const void* scale) {
  return guarded(routine, [&] { return Deed::accumulate(operation, scale); });
}

}  // namespace

extern "C" {

int ARMCI_NbPut(void* src, void* dst, int bytes, int proc, armci_hdl_t* nb_handle) {
  return begin_strided("ARMCI_NbPut", Deed::put(), contiguous(src, dst, bytes), proc, nb_handle);
}

int ARMCI_NbGet(void* src, void* dst, int bytes, int proc, armci_hdl_t* nb_handle) {
  return begin_strided("ARMCI_NbGet", Deed::get(), contiguous(src, dst, bytes), proc, nb_handle);
}

int ARMCI_NbPutS(void* src_ptr, int src_stride_arr[], void* dst_ptr, int dst_stride_arr[],
                 int count[], int stride_levels, int proc, armci_hdl_t* nb_handle) {
  return begin_strided("ARMCI_NbPutS", Deed::put(),
                       {src_ptr, src_stride_arr, dst_ptr, dst_stride_arr, count, stride_levels},
                       proc, nb_handle);
}

int ARMCI_NbGetS(void* src_ptr, int src_stride_arr[], void* dst_ptr, int dst_stride_arr[],
                 int count[], int stride_levels, int proc, armci_hdl_t* nb_handle) {
  return begin_strided("ARMCI_NbGetS", Deed::get(),
                       {src_ptr, src_stride_arr, dst_ptr, dst_stride_arr, count, stride_levels},
                       proc, nb_handle);
}

int ARMCI_NbAccS(int optype, void* scale, void* src_ptr, int src_stride_arr[], void* dst_ptr,
                 int dst_stride_arr[], int count[], int stride_levels, int proc,
                 armci_hdl_t* nb_handle) {
  return begin_strided("ARMCI_NbAccS", accumulate("ARMCI_NbAccS", optype, scale),
                       {src_ptr, src_stride_arr, dst_ptr, dst_stride_arr, count, stride_levels},
                       proc, nb_handle);
}

int ARMCI_NbPutV(armci_giov_t darr[], int len, int proc, armci_hdl_t* nb_handle) {
  return begin_vectors("ARMCI_NbPutV", Deed::put(), darr, len, proc, nb_handle);
}

int ARMCI_NbGetV(armci_giov_t darr[], int len, int proc, armci_hdl_t* nb_handle) {
  return begin_vectors("ARMCI_NbGetV", Deed::get(), darr, len, proc, nb_handle);
}

int ARMCI_NbAccV(int op, void* scale, armci_giov_t darr[], int len, int proc,
                 armci_hdl_t* nb_handle) {
  return begin_vectors("ARMCI_NbAccV", accumulate("ARMCI_NbAccV", op, scale), darr, len, proc,
                       nb_handle);
}

int ARMCI_Wait(armci_hdl_t* nb_handle) {
  return done("ARMCI_Wait", [&] { Session::get().pending.wait(given("nb_handle", nb_handle)); });
}

int ARMCI_Test(armci_hdl_t* nb_handle) {
  return guarded("ARMCI_Test", [&] {
    return Session::get().pending.test(given("nb_handle", nb_handle)) ? 0 : 1;
  });
}

int ARMCI_WaitAll(void) {
  return done("ARMCI_WaitAll", [] { Session::get().pending.wait_all(); });
}

int ARMCI_WaitProc(int proc) {
  return done("ARMCI_WaitProc", [&] {
    Session& session = Session::get();
    session.pending.wait_process(session.process(proc));
  });
}

void ARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t* nb_handle) {
  guarded("ARMCI_SET_AGGREGATE_HANDLE",
          [&] { Session::get().pending.aggregate(given("nb_handle", nb_handle)); });
}

void ARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t* nb_handle) {
  guarded("ARMCI_UNSET_AGGREGATE_HANDLE",
          [&] { Session::get().pending.end_aggregate(given("nb_handle", nb_handle)); });
}

}  // extern "C"
