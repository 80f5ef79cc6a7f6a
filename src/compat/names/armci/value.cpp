// Single numbers: ARMCI_PutValue..., ARMCI_GetValue... and ARMCI_Rmw.
#include <cstdint>
#include <string>

#include "compat/armci/arguments.hpp"
#include "compat/armci/done.hpp"
#include "compat/armci/transfers.hpp"

using lagoon::atoll::ElementType;
using lagoon::atoll::armci::contiguous;
using lagoon::atoll::armci::Deed;
using lagoon::atoll::armci::done;
using lagoon::atoll::armci::Place;
using lagoon::atoll::armci::refuse;
using lagoon::atoll::armci::run;
using lagoon::atoll::armci::Session;
using lagoon::atoll::compat::guarded;

namespace {

static_assert(sizeof(long) == 8 && sizeof(int) == 4, "Atoll's int64 and int32");

template <class T>
constexpr int bytes_of = sizeof(T);

template <class T>
int put_value(const char* routine, T value, void* target, int process) {
  return done(routine, [&] { run(Deed::put(), contiguous(&value, target, bytes_of<T>), process); });
}

/// The value is gone with the call, so it is on its way, or there, when this returns.
template <class T>
int begin_put_value(const char* routine, T value, void* target, int process, armci_hdl_t* handle) {
  return done(routine, [&] {
    run(Deed::put(), contiguous(&value, target, bytes_of<T>), process);
    Session::get().pending.add(handle, process, {});
  });
}

template <class T>
T get_value(const char* routine, void* source, int process) {
  return guarded(routine, [&] {
    T value{};
    run(Deed::get(), contiguous(source, &value, bytes_of<T>), process);
    return value;
  });
}

template <class T>
void swap(ElementType type, const Place& place, T& value) {
  value = static_cast<T>(place.memory->swap(type, place.rank, place.offset, value));
}

template <class T>
void fetch_and_add(ElementType type, const Place& place, T& value, int extra) {
  value = static_cast<T>(place.memory->fetch_add(type, place.rank, place.offset, extra));
}

void read_modify_write(int operation, void* local, const Place& place, int extra) {
  switch (operation) {
    case ARMCI_SWAP: return swap(ElementType::int32, place, *static_cast<int*>(local));
    case ARMCI_SWAP_LONG: return swap(ElementType::int64, place, *static_cast<long*>(local));
    case ARMCI_FETCH_AND_ADD:
      return fetch_and_add(ElementType::int32, place, *static_cast<int*>(local), extra);
    case ARMCI_FETCH_AND_ADD_LONG:
      return fetch_and_add(ElementType::int64, place, *static_cast<long*>(local), extra);
    default: break;
  }
  refuse("the operation " + std::to_string(operation) +
         " is none of ARMCI_SWAP, ARMCI_SWAP_LONG, ARMCI_FETCH_AND_ADD and "
         "ARMCI_FETCH_AND_ADD_LONG");
}

}  // namespace

extern "C" {

int ARMCI_PutValueInt(int src, void* dst, int proc) {
  return put_value("ARMCI_PutValueInt", src, dst, proc);
}
int ARMCI_PutValueLong(long src, void* dst, int proc) {
  return put_value("ARMCI_PutValueLong", src, dst, proc);
}
int ARMCI_PutValueFloat(float src, void* dst, int proc) {
  return put_value("ARMCI_PutValueFloat", src, dst, proc);
}
int ARMCI_PutValueDouble(double src, void* dst, int proc) {
  return put_value("ARMCI_PutValueDouble", src, dst, proc);
}

int ARMCI_NbPutValueInt(int src, void* dst, int proc, armci_hdl_t* nb_handle) {
  return begin_put_value("ARMCI_NbPutValueInt", src, dst, proc, nb_handle);
}
int ARMCI_NbPutValueLong(long src, void* dst, int proc, armci_hdl_t* nb_handle) {
  return begin_put_value("ARMCI_NbPutValueLong", src, dst, proc, nb_handle);
}
int ARMCI_NbPutValueFloat(float src, void* dst, int proc, armci_hdl_t* nb_handle) {
  return begin_put_value("ARMCI_NbPutValueFloat", src, dst, proc, nb_handle);
}
int ARMCI_NbPutValueDouble(double src, void* dst, int proc, armci_hdl_t* nb_handle) {
  return begin_put_value("ARMCI_NbPutValueDouble", src, dst, proc, nb_handle);
}

int ARMCI_GetValueInt(void* src, int proc) {
  return get_value<int>("ARMCI_GetValueInt", src, proc);
}
long ARMCI_GetValueLong(void* src, int proc) {
  return get_value<long>("ARMCI_GetValueLong", src, proc);
}
float ARMCI_GetValueFloat(void* src, int proc) {
  return get_value<float>("ARMCI_GetValueFloat", src, proc);
}
double ARMCI_GetValueDouble(void* src, int proc) {
  return get_value<double>("ARMCI_GetValueDouble", src, proc);
}

int ARMCI_Rmw(int op, void* ploc, void* prem, int extra, int proc) {
  return done("ARMCI_Rmw", [&] {
    Session& session = Session::get();
    (void)session.process(proc);
    if (ploc == nullptr) refuse("ploc is a null pointer");
    read_modify_write(op, ploc, session.allocations.at(prem, proc), extra);
  });
}

}  // extern "C"
