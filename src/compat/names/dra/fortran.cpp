// The Fortran names of disk arrays: dra_* for two dimensions, ndra_* for any number.
#include "compat/fortran.hpp"

#include <algorithm>

#include "compat/dra/calls.hpp"
#include "compat/failure.hpp"
#include "compat/ga/datatypes.hpp"
#include "ga/dra.h"

using namespace lagoon::atoll;
using compat::guarded;
using compat::text_of;
using compat::TextLength;
using dra::Direction;
using dra::Session;
using ga::Language;

namespace {

void give_text(std::string_view text, char* out, TextLength length) {
  const std::string_view part = text.substr(0, static_cast<std::size_t>(length));
  std::fill(std::copy(part.begin(), part.end(), out), out + length, ' ');
}

Integer create(const char* routine, Integer type, Integer ndim, const Integer* dims,
               std::string_view name, std::string_view path, Integer mode, const Integer* request,
               Integer* d_a) {
  return guarded(routine, [&] {
    *d_a = Session::get()
               .create(dra::plan<Language::fortran>(type, ndim, dims, std::string(name),
                                                    std::string(path), mode, request))
               .handle;
    return ELIO_OK;
  });
}

Integer move_section(const char* routine, Direction direction, Logical transp, Integer g_a,
                     const Integer* glo, const Integer* ghi, Integer d_a, const Integer* dlo,
                     const Integer* dhi, Integer* request) {
  return guarded(routine, [&] {
    return dra::move_section<Language::fortran>(direction, transp != 0, g_a, glo, ghi, d_a, dlo,
                                                dhi, request);
  });
}

/// dra_* are for arrays of two dimensions only.
dra::OpenArray& matrix(Integer d_a) {
  dra::OpenArray& array = Session::get().at(static_cast<int>(d_a));
  if (array.disk.shape().size() != 2)
    throw Error(ErrorKind::value, "disk array '" + array.name + "' has " +
                                      std::to_string(array.disk.shape().size()) +
                                      " dimensions, expected 2: ndra_* are for all");
  return array;
}

Integer move_matrix(const char* routine, Direction direction, Logical transp, Integer g_a,
                    const Integer (&glo)[2], const Integer (&ghi)[2], Integer d_a,
                    const Integer (&dlo)[2], const Integer (&dhi)[2], Integer* request) {
  return guarded(routine, [&] {
    (void)matrix(d_a);
    if (ga::array_of(g_a).dimensions() != 2)
      throw Error(ErrorKind::value, "the global array has " +
                                        std::to_string(ga::array_of(g_a).dimensions()) +
                                        " dimensions, expected 2: ndra_* are for all");
    return move_section(routine, direction, transp, g_a, glo, ghi, d_a, dlo, dhi, request);
  });
}

Integer move(const char* routine, Direction direction, Integer g_a, Integer d_a, Integer* request) {
  return guarded(routine, [&] { return dra::move(direction, g_a, d_a, request); });
}

void give_names(const dra::OpenArray& array, char* name, TextLength name_length, char* filename,
                TextLength filename_length) {
  give_text(array.name, name, name_length);
  give_text(array.disk.path(), filename, filename_length);
}

}  // namespace

extern "C" {

Integer dra_init_(const Integer*, const DoublePrecision*, const DoublePrecision*,
                  const DoublePrecision*) {
  return DRA_Init(-1, -1., -1., -1.);
}

Integer dra_terminate_(void) { return DRA_Terminate(); }

Integer dra_create_(const Integer* type, const Integer* dim1, const Integer* dim2, const char* name,
                    const char* filename, const Integer* mode, const Integer* rdim1,
                    const Integer* rdim2, Integer* d_a, TextLength name_length,
                    TextLength filename_length) {
  const Integer dims[] = {*dim1, *dim2}, request[] = {*rdim1, *rdim2};
  return create("dra_create", *type, 2, dims, text_of(name, name_length),
                text_of(filename, filename_length), *mode, request, d_a);
}

Integer ndra_create_(const Integer* type, const Integer* ndim, const Integer* dims,
                     const char* name, const char* filename, const Integer* mode,
                     const Integer* reqdims, Integer* d_a, TextLength name_length,
                     TextLength filename_length) {
  return create("ndra_create", *type, *ndim, dims, text_of(name, name_length),
                text_of(filename, filename_length), *mode, reqdims, d_a);
}

// The two numbers are a hint that changes nothing, as those of dra_set_default_config.
Integer ndra_create_config_(const Integer* type, const Integer* ndim, const Integer* dims,
                            const char* name, const char* filename, const Integer* mode,
                            const Integer* reqdims, const Integer*, const Integer*, Integer* d_a,
                            TextLength name_length, TextLength filename_length) {
  return create("ndra_create_config", *type, *ndim, dims, text_of(name, name_length),
                text_of(filename, filename_length), *mode, reqdims, d_a);
}

Integer dra_open_(const char* filename, const Integer* mode, Integer* d_a,
                  TextLength filename_length) {
  int handle = 0;
  const int result = DRA_Open(std::string(text_of(filename, filename_length)).c_str(),
                              static_cast<int>(*mode), &handle);
  if (result == ELIO_OK) *d_a = handle;
  return result;
}

Integer dra_close_(const Integer* d_a) { return DRA_Close(static_cast<int>(*d_a)); }
Integer dra_delete_(const Integer* d_a) { return DRA_Delete(static_cast<int>(*d_a)); }

Integer dra_inquire_(const Integer* d_a, Integer* type, Integer* dim1, Integer* dim2, char* name,
                     char* filename, TextLength name_length, TextLength filename_length) {
  return guarded("dra_inquire", [&] {
    const dra::OpenArray& array = matrix(*d_a);
    *type = ga::code_for_fortran(array.type);
    Integer dims[2];
    ga::give_extents<Language::fortran>(array.disk.shape(), dims);
    *dim1 = dims[0];
    *dim2 = dims[1];
    give_names(array, name, name_length, filename, filename_length);
    return ELIO_OK;
  });
}

Integer ndra_inquire_(const Integer* d_a, Integer* type, Integer* ndim, Integer* dims, char* name,
                      char* filename, TextLength name_length, TextLength filename_length) {
  return guarded("ndra_inquire", [&] {
    const dra::OpenArray& array = Session::get().at(static_cast<int>(*d_a));
    *type = ga::code_for_fortran(array.type);
    *ndim = array.disk.shape().size();
    ga::give_extents<Language::fortran>(array.disk.shape(), dims);
    give_names(array, name, name_length, filename, filename_length);
    return ELIO_OK;
  });
}

Integer dra_write_(const Integer* g_a, const Integer* d_a, Integer* request) {
  return move("dra_write", Direction::write, *g_a, *d_a, request);
}
Integer ndra_write_(const Integer* g_a, const Integer* d_a, Integer* request) {
  return move("ndra_write", Direction::write, *g_a, *d_a, request);
}
Integer dra_read_(const Integer* g_a, const Integer* d_a, Integer* request) {
  return move("dra_read", Direction::read, *g_a, *d_a, request);
}
Integer ndra_read_(const Integer* g_a, const Integer* d_a, Integer* request) {
  return move("ndra_read", Direction::read, *g_a, *d_a, request);
}

Integer dra_write_section_(const Logical* transp, const Integer* g_a, const Integer* gilo,
                           const Integer* gihi, const Integer* gjlo, const Integer* gjhi,
                           const Integer* d_a, const Integer* dilo, const Integer* dihi,
                           const Integer* djlo, const Integer* djhi, Integer* request) {
  return move_matrix("dra_write_section", Direction::write, *transp, *g_a, {*gilo, *gjlo},
                     {*gihi, *gjhi}, *d_a, {*dilo, *djlo}, {*dihi, *djhi}, request);
}

Integer dra_read_section_(const Logical* transp, const Integer* g_a, const Integer* gilo,
                          const Integer* gihi, const Integer* gjlo, const Integer* gjhi,
                          const Integer* d_a, const Integer* dilo, const Integer* dihi,
                          const Integer* djlo, const Integer* djhi, Integer* request) {
  return move_matrix("dra_read_section", Direction::read, *transp, *g_a, {*gilo, *gjlo},
                     {*gihi, *gjhi}, *d_a, {*dilo, *djlo}, {*dihi, *djhi}, request);
}

Integer ndra_write_section_(const Logical* transp, const Integer* g_a, const Integer* glo,
                            const Integer* ghi, const Integer* d_a, const Integer* dlo,
                            const Integer* dhi, Integer* request) {
  return move_section("ndra_write_section", Direction::write, *transp, *g_a, glo, ghi, *d_a, dlo,
                      dhi, request);
}

Integer ndra_read_section_(const Logical* transp, const Integer* g_a, const Integer* glo,
                           const Integer* ghi, const Integer* d_a, const Integer* dlo,
                           const Integer* dhi, Integer* request) {
  return move_section("ndra_read_section", Direction::read, *transp, *g_a, glo, ghi, *d_a, dlo, dhi,
                      request);
}

Integer dra_wait_(const Integer* request) { return DRA_Wait(static_cast<int>(*request)); }

Integer dra_probe_(const Integer* request, Integer* compl_status) {
  return guarded("dra_probe", [&] { return dra::probe(*request, compl_status); });
}

void dra_flick_(void) { DRA_Flick(); }

Integer dra_set_debug_(const Logical* flag) {
  DRA_Set_debug(*flag);
  return ELIO_OK;
}

void dra_set_default_config_(const Integer* numfiles, const Integer* numioprocs) {
  DRA_Set_default_config(static_cast<int>(*numfiles), static_cast<int>(*numioprocs));
}

// In GA, too, it does nothing.
void dra_set_mode_(const Integer*) {}

void dra_print_internals_(const Integer* d_a) {
  guarded("dra_print_internals", [&] { dra::print_internals<Language::fortran>(*d_a); });
}

}  // extern "C"
