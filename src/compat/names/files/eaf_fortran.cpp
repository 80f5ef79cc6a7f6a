// EAF's Fortran names, and two that only Fortran has.
#include <algorithm>
#include <limits>
#include <random>
#include <string>

#include "compat/files/arguments.hpp"
#include "ga/eaf.h"

using namespace lagoon::atoll::files;
using lagoon::atoll::compat::text_of;
using lagoon::atoll::compat::TextLength;

namespace {

std::string path_of(const char* text, TextLength length) {
  return std::string(text_of(text, length));
}

std::size_t size_of(Integer bytes) { return static_cast<std::size_t>(bytes); }

/// What an Integer holds of a number that is never negative.
Integer clipped(long value) {
  return static_cast<Integer>(std::min<long>(value, std::numeric_limits<Integer>::max()));
}

}  // namespace

extern "C" {

Integer eaf_open_(const char* fname, const Integer* type, Integer* fd, TextLength length) {
  int descriptor = -1;
  const int code = EAF_Open(path_of(fname, length).c_str(), small(*type), &descriptor);
  *fd = descriptor;
  return code;
}

Integer eaf_close_(const Integer* fd) { return EAF_Close(small(*fd)); }

Integer eaf_delete_(const char* fname, TextLength length) {
  return EAF_Delete(path_of(fname, length).c_str());
}

Integer eaf_write_(const Integer* fd, const double* offset, const void* buf, const Integer* bytes) {
  return EAF_Write(small(*fd), *offset, buf, size_of(*bytes));
}

Integer eaf_read_(const Integer* fd, const double* offset, void* buf, const Integer* bytes) {
  return EAF_Read(small(*fd), *offset, buf, size_of(*bytes));
}

Integer eaf_awrite_(const Integer* fd, const double* offset, const void* buf, const Integer* bytes,
                    Integer* req_id) {
  int id = 0;
  const int code = EAF_Awrite(small(*fd), *offset, buf, size_of(*bytes), &id);
  *req_id = id;
  return code;
}

Integer eaf_aread_(const Integer* fd, const double* offset, void* buf, const Integer* bytes,
                   Integer* req_id) {
  int id = 0;
  const int code = EAF_Aread(small(*fd), *offset, buf, size_of(*bytes), &id);
  *req_id = id;
  return code;
}

Integer eaf_wait_(const Integer* fd, const Integer* id) { return EAF_Wait(small(*fd), small(*id)); }

Integer eaf_probe_(const Integer* id, Integer* status) {
  int done = 0;
  const int code = EAF_Probe(small(*id), &done);
  *status = done;
  return code;
}

Integer eaf_length_(const Integer* fd, double* length) { return EAF_Length(small(*fd), length); }

Integer eaf_truncate_(const Integer* fd, const double* length) {
  return EAF_Truncate(small(*fd), *length);
}

Integer eaf_stat_(const char* path, Integer* avail_kb, char* fstype, TextLength path_length,
                  TextLength type_length) {
  long available = 0;
  char type[32] = "";
  const int code = EAF_Stat(path_of(path, path_length).c_str(), &available, type, sizeof type);
  if (code != ok) return code;
  *avail_kb = clipped(available);
  give_fortran_text(type, fstype, type_length);
  return code;
}

Integer eaf_eof_(const Integer* code) { return EAF_Eof(small(*code)) == 0 ? 1 : 0; }

void eaf_errmsg_(const Integer* code, char* msg, TextLength length) {
  give_fortran_text(message_of(small(*code)), msg, length);
}

void eaf_print_stats_(const Integer* fd) { EAF_Print_stats(small(*fd)); }

/// Evenly from 0 to 1, 1 excluded. A seed that is not 0 begins anew, the same for the same seed.
double eaf_util_random_(const Integer* seed) {
  static std::mt19937_64 numbers;  // NOLINT(bugprone-random-generator-seed): the same in each run
  if (*seed != 0) numbers.seed(static_cast<std::mt19937_64::result_type>(*seed));
  return static_cast<double>(numbers() >> 11) * 0x1p-53;
}

/// Bytes of an integer.
Integer eaf_util_szint_(void) { return sizeof(Integer); }

}  // extern "C"
