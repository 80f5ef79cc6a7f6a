// SF's Fortran names.
#include <string>

#include "compat/files/arguments.hpp"
#include "compat/files/shared_files.hpp"
#include "ga/sf.h"

using namespace lagoon::atoll::files;
using lagoon::atoll::compat::text_of;
using lagoon::atoll::compat::TextLength;

namespace {

char* address(void* buffer) { return static_cast<char*>(buffer); }

}  // namespace

extern "C" {

Integer sf_create_(const char* fname, const double* hard_limit, const double* soft_limit,
                   const double* req_size, Integer* handle, TextLength length) {
  std::string name(text_of(fname, length));
  int made = 0;
  const int code = SF_Create(name.data(), *hard_limit, *soft_limit, *req_size, &made);
  *handle = made;
  return code;
}

Integer sf_create_suffix_(const char* fname, const double* hard_limit, const double* soft_limit,
                          const double* req_size, Integer* handle, const Integer* suffix,
                          TextLength length) {
  std::string name(text_of(fname, length));
  int made = 0;
  const int code =
      SF_Create_suffix(name.data(), *hard_limit, *soft_limit, *req_size, &made, small(*suffix));
  *handle = made;
  return code;
}

Integer sf_destroy_(const Integer* handle) { return SF_Destroy(small(*handle)); }
Integer sf_open_(const Integer* handle) { return SF_Open(small(*handle)); }
Integer sf_close_(const Integer* handle) { return SF_Close(small(*handle)); }
Integer sf_rwtor_(const Integer* handle) { return SF_Rwtor(small(*handle)); }
Integer sf_fsync_(const Integer* handle) { return SF_Fsync(small(*handle)); }

Integer sf_write_(const Integer* handle, const double* offset, const double* bytes, void* buffer,
                  Integer* req_id) {
  int id = 0;
  const int code = SF_Write(small(*handle), *offset, *bytes, address(buffer), &id);
  *req_id = id;
  return code;
}

Integer sf_read_(const Integer* handle, const double* offset, const double* bytes, void* buffer,
                 Integer* req_id) {
  int id = 0;
  const int code = SF_Read(small(*handle), *offset, *bytes, address(buffer), &id);
  *req_id = id;
  return code;
}

Integer sf_wait_(Integer* req_id) {
  int id = small(*req_id);
  const int code = SF_Wait(&id);
  *req_id = id;
  return code;
}

Integer sf_waitall_(Integer* list, const Integer* num) {
  Integer first = ok;
  for (Integer i = 0; i < *num; ++i) {
    const Integer code = sf_wait_(&list[i]);
    if (first == ok) first = code;
  }
  return first;
}

void sf_errmsg_(const Integer* code, char* msg, TextLength length) {
  give_fortran_text(message_of(small(*code)), msg, length);
}

}  // extern "C"
