// C names of global pointer arrays: beginning and ending, arrays, and the objects of elements.
#include <cstdio>
#include <string>

#include "atoll/error.hpp"
#include "compat/failure.hpp"
#include "compat/ga/blocks/cuts.hpp"
#include "compat/ga/collective.hpp"
#include "compat/gp/session.hpp"
#include "compat/gp/transfers.hpp"
#include "ga/gp.h"
#include "ga/macommon.h"

using namespace lagoon::atoll;
using compat::guarded;
using ga::Language;
using gp::array_of;
using gp::PointerArray;
using gp::Session;

namespace {

Index position(const PointerArray& array, const int* subscript) {
  return ga::position<Language::c>(subscript, array.dimensions());
}

std::byte* address_of(const gp::Object& object) {
  if (!object.exists()) return nullptr;
  std::byte* const block = Session::get().pool.memory().address(object.rank);
  if (block == nullptr)
    throw Error(ErrorKind::value, "the element belongs to process " + std::to_string(object.rank) +
                                      ", which is on another node");
  return block + object.offset;
}

/// All that needs to be done: stores are seen by others after GP_Sync.
void release(const char* routine, int g_p, const int* subscript) {
  guarded(routine, [&] {
    const PointerArray& array = array_of(g_p);
    array.check_inside(position(array, subscript));
  });
}

std::string description(int g_p) {
  const PointerArray& array = array_of(g_p);
  const int me = array.group().rank();
  const Patch mine = array.owned(me);
  std::string text = "global pointer array " + std::to_string(g_p) + ", process " +
                     std::to_string(me) + " owns " + mine.to_string() + "\n";
  int number = 0;
  for (const gp::Object& object : array.objects(mine))
    text += "  " + std::to_string(number++) + ": " +
            (object.exists()
                 ? std::to_string(object.size) + " bytes at offset " + std::to_string(object.offset)
                 : "nothing") +
            "\n";
  return text;
}

}  // namespace

extern "C" {

void GP_Initialize(void) {
  guarded("GP_Initialize", [] { Session::start(); });
}
void GP_Terminate(void) {
  guarded("GP_Terminate", [] { Session::stop(); });
}

void GP_Sync(void) {
  guarded("GP_Sync", [] { ga::synchronise(ga::Runtime::get().groups.default_group()); });
}

void* GP_Malloc(size_t size) {
  return guarded("GP_Malloc", [&] { return Session::get().pool.take(size); });
}

void GP_Free(void* ptr) {
  guarded("GP_Free", [&] {
    if (ptr != nullptr) Session::get().pool.give_back(ptr);
  });
}

int GP_Create_handle(void) {
  return guarded("GP_Create_handle", [] { return Session::get().create(); });
}

void GP_Set_dimensions(int g_p, int ndim, int* dims) {
  guarded("GP_Set_dimensions", [&] {
    const int n = ga::checked_dimensions(ndim);
    ga::set_shape(array_of(g_p).plan(), MT_C_LONGLONG, ga::extents<Language::c>(dims, n));
  });
}

void GP_Set_chunk(int g_p, int* chunk) {
  guarded("GP_Set_chunk", [&] { ga::set_chunk<Language::c>(array_of(g_p).shaped_plan(), chunk); });
}

void GP_Set_irreg_distr(int g_p, int* mapc, int* blocks) {
  guarded("GP_Set_irreg_distr",
          [&] { ga::set_irregular<Language::c>(array_of(g_p).shaped_plan(), blocks, mapc); });
}

int GP_Allocate(int g_p) {
  return guarded("GP_Allocate", [&] { return array_of(g_p).allocate() ? 1 : 0; });
}

int GP_Destroy(int g_p) {
  return guarded("GP_Destroy", [&] { return Session::get().destroy(g_p) ? 1 : 0; });
}

int GP_Get_dimension(int g_p) {
  return guarded("GP_Get_dimension", [&] { return array_of(g_p).dimensions(); });
}

void GP_Distribution(int g_p, int proc, int* lo, int* hi) {
  guarded("GP_Distribution",
          [&] { ga::give_patch<Language::c>(array_of(g_p).owned(proc), lo, hi); });
}

void GP_Debug(int g_p) {
  guarded("GP_Debug", [&] {
    std::fputs(description(g_p).c_str(), stdout);
    std::fflush(stdout);
  });
}

void GP_Assign_local_element(int g_p, int* subscript, void* ptr, int size) {
  guarded("GP_Assign_local_element", [&] {
    PointerArray& array = array_of(g_p);
    if (size < 0)
      throw Error(ErrorKind::value, "size is " + std::to_string(size) + "; expected 0 or more");
    const std::int64_t offset = Session::get().pool.offset_of(ptr, size);
    array.set_mine(position(array, subscript), offset, size);
  });
}

void* GP_Free_local_element(int g_p, int* subscript) {
  return guarded("GP_Free_local_element", [&] {
    PointerArray& array = array_of(g_p);
    const Index at = position(array, subscript);
    array.check_mine(at);
    void* const address = address_of(array.object(at));
    array.set_mine(at, 0, 0);
    return address;
  });
}

void GP_Memzero(int g_p) {
  guarded("GP_Memzero", [&] {
    const PointerArray& array = array_of(g_p);
    ga::synchronise(array.group());
    gp::zero(array.objects(array.owned(array.group().rank())));
    ga::synchronise(array.group());
  });
}

void GP_Access_element(int g_p, int* subscript, void* ptr, int* size) {
  guarded("GP_Access_element", [&] {
    const PointerArray& array = array_of(g_p);
    const gp::Object object = array.object(position(array, subscript));
    *static_cast<void**>(ptr) = address_of(object);
    *size = static_cast<int>(object.size);
  });
}

void GP_Release_element(int g_p, int* subscript) { release("GP_Release_element", g_p, subscript); }
void GP_Release_update_element(int g_p, int* subscript) {
  release("GP_Release_update_element", g_p, subscript);
}

}  // extern "C"
