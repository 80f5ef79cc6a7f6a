// The C names of blocking transfers.
#include "compat/armci/done.hpp"
#include "compat/armci/transfers.hpp"

using lagoon::atoll::armci::contiguous;
using lagoon::atoll::armci::Deed;
using lagoon::atoll::armci::done;
using lagoon::atoll::armci::run;
using lagoon::atoll::armci::Session;
using lagoon::atoll::armci::Strided;

namespace {

/// The data, then the flag, in this order at the target.
int put_with_flag(const char* routine, const Strided& data, int* flag, int value, int process) {
  return done(routine, [&] {
    run(Deed::put(), data, process);
    Session::get().world.fence(process);
    constexpr int flag_bytes = sizeof value;
    run(Deed::put(), contiguous(&value, flag, flag_bytes), process);
  });
}

}  // namespace

extern "C" {

int ARMCI_Put(void* src, void* dst, int bytes, int proc) {
  return done("ARMCI_Put", [&] { run(Deed::put(), contiguous(src, dst, bytes), proc); });
}

int ARMCI_Get(void* src, void* dst, int bytes, int proc) {
  return done("ARMCI_Get", [&] { run(Deed::get(), contiguous(src, dst, bytes), proc); });
}

int ARMCI_Acc(int optype, void* scale, void* src, void* dst, int bytes, int proc) {
  return done("ARMCI_Acc",
              [&] { run(Deed::accumulate(optype, scale), contiguous(src, dst, bytes), proc); });
}

int ARMCI_PutS(void* src_ptr, int src_stride_arr[], void* dst_ptr, int dst_stride_arr[],
               int count[], int stride_levels, int proc) {
  return done("ARMCI_PutS", [&] {
    run(Deed::put(), {src_ptr, src_stride_arr, dst_ptr, dst_stride_arr, count, stride_levels},
        proc);
  });
}

int ARMCI_GetS(void* src_ptr, int src_stride_arr[], void* dst_ptr, int dst_stride_arr[],
               int count[], int stride_levels, int proc) {
  return done("ARMCI_GetS", [&] {
    run(Deed::get(), {src_ptr, src_stride_arr, dst_ptr, dst_stride_arr, count, stride_levels},
        proc);
  });
}

int ARMCI_AccS(int optype, void* scale, void* src_ptr, int src_stride_arr[], void* dst_ptr,
               int dst_stride_arr[], int count[], int stride_levels, int proc) {
  return done("ARMCI_AccS", [&] {
    run(Deed::accumulate(optype, scale),
        {src_ptr, src_stride_arr, dst_ptr, dst_stride_arr, count, stride_levels}, proc);
  });
}

int ARMCI_PutV(armci_giov_t darr[], int len, int proc) {
  return done("ARMCI_PutV", [&] { run(Deed::put(), darr, len, proc); });
}

int ARMCI_GetV(armci_giov_t darr[], int len, int proc) {
  return done("ARMCI_GetV", [&] { run(Deed::get(), darr, len, proc); });
}

int ARMCI_AccV(int op, void* scale, armci_giov_t darr[], int len, int proc) {
  return done("ARMCI_AccV", [&] { run(Deed::accumulate(op, scale), darr, len, proc); });
}

int ARMCI_Put_flag(void* src, void* dst, int bytes, int* f, int v, int proc) {
  return put_with_flag("ARMCI_Put_flag", contiguous(src, dst, bytes), f, v, proc);
}

int ARMCI_PutS_flag(void* src_ptr, int src_stride_arr[], void* dst_ptr, int dst_stride_arr[],
                    int count[], int stride_levels, int* flag, int val, int proc) {
  return put_with_flag("ARMCI_PutS_flag",
                       {src_ptr, src_stride_arr, dst_ptr, dst_stride_arr, count, stride_levels},
                       flag, val, proc);
}

int ARMCI_PutS_flag_dir(void* src_ptr, int src_stride_arr[], void* dst_ptr, int dst_stride_arr[],
                        int count[], int stride_levels, int* flag, int val, int proc) {
  return put_with_flag("ARMCI_PutS_flag_dir",
                       {src_ptr, src_stride_arr, dst_ptr, dst_stride_arr, count, stride_levels},
                       flag, val, proc);
}

}  // extern "C"
