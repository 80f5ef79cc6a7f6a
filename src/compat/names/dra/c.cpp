// The C names of disk arrays.
#include <algorithm>

#include "compat/dra/calls.hpp"
#include "compat/failure.hpp"
#include "compat/ga/datatypes.hpp"
#include "ga/dra.h"

using namespace lagoon::atoll;
using compat::guarded;
using dra::Direction;
using dra::Session;
using ga::Language;

namespace {

void give_text(const std::string& text, char* out) {
  *std::copy(text.begin(), text.end(), out) = 0;
}

}  // namespace

extern "C" {

// What programs tell about their arrays beforehand is not needed: tables grow.
int DRA_Init(int, double, double, double) {
  return guarded("DRA_Init", [] {
    Session::start();
    return ELIO_OK;
  });
}

int DRA_Terminate(void) {
  return guarded("DRA_Terminate", [] {
    Session::stop();
    return ELIO_OK;
  });
}

int NDRA_Create(int type, int ndim, const dra_size_t dims[], const char* name, const char* filename,
                int mode, const dra_size_t reqdims[], int* d_a) {
  return guarded("NDRA_Create", [&] {
    *d_a = Session::get()
               .create(dra::plan<Language::c>(type, ndim, dims, name, filename, mode, reqdims))
               .handle;
    return ELIO_OK;
  });
}

int DRA_Open(const char* filename, int mode, int* d_a) {
  return guarded("DRA_Open", [&] {
    const dra::OpenArray* const array = Session::get().open(filename, mode);
    if (array != nullptr) *d_a = array->handle;
    return array == nullptr ? -1 : ELIO_OK;
  });
}

int DRA_Close(int d_a) {
  return guarded("DRA_Close", [&] {
    Session::get().close(d_a);
    return ELIO_OK;
  });
}

int DRA_Delete(int d_a) {
  return guarded("DRA_Delete", [&] {
    Session::get().remove(d_a);
    return ELIO_OK;
  });
}

int NDRA_Inquire(int d_a, int* type, int* ndim, dra_size_t dims[], char* name, char* filename) {
  return guarded("NDRA_Inquire", [&] {
    const dra::OpenArray& array = Session::get().at(d_a);
    *type = ga::code_for_c(array.type);
    *ndim = array.disk.shape().size();
    ga::give_extents<Language::c>(array.disk.shape(), dims);
    give_text(array.name, name);
    give_text(array.disk.path(), filename);
    return ELIO_OK;
  });
}

int NDRA_Write(int g_a, int d_a, int* request) {
  return guarded("NDRA_Write", [&] { return dra::move(Direction::write, g_a, d_a, request); });
}

int NDRA_Read(int g_a, int d_a, int* request) {
  return guarded("NDRA_Read", [&] { return dra::move(Direction::read, g_a, d_a, request); });
}

int NDRA_Write_section(logical transp, int g_a, const int glo[], const int ghi[], int d_a,
                       const dra_size_t dlo[], const dra_size_t dhi[], int* request) {
  return guarded("NDRA_Write_section", [&] {
    return dra::move_section<Language::c>(Direction::write, transp != 0, g_a, glo, ghi, d_a, dlo,
                                          dhi, request);
  });
}

int NDRA_Read_section(logical transp, int g_a, const int glo[], const int ghi[], int d_a,
                      const dra_size_t dlo[], const dra_size_t dhi[], int* request) {
  return guarded("NDRA_Read_section", [&] {
    return dra::move_section<Language::c>(Direction::read, transp != 0, g_a, glo, ghi, d_a, dlo,
                                          dhi, request);
  });
}

int DRA_Wait(int request) {
  return guarded("DRA_Wait", [&] {
    Session::get().wait(request);
    return ELIO_OK;
  });
}

int DRA_Probe(int request, int* compl_status) {
  return guarded("DRA_Probe", [&] { return dra::probe(request, compl_status); });
}

void DRA_Flick(void) {
  guarded("DRA_Flick", [] { Session::get().advance(); });
}

void DRA_Set_debug(logical flag) {
  guarded("DRA_Set_debug", [&] { Session::get().debugging = flag != 0; });
}

// A hint that changes nothing: an array is one file, or one a node, and all processes move it.
void DRA_Set_default_config(int, int) {}

void DRA_Print_internals(int d_a) {
  guarded("DRA_Print_internals", [&] { dra::print_internals<Language::c>(d_a); });
}

}  // extern "C"
