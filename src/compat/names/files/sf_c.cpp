// SF's C names.
#include "compat/files/arguments.hpp"
#include "compat/files/shared_files.hpp"
#include "ga/sf.h"

using namespace lagoon::atoll::files;

extern "C" {

int SF_Create(char* fname, SFsize_t, SFsize_t, SFsize_t, int* handle) {
  return coded(open_failed, [&] { *handle = SharedFiles::get().create(fname, std::nullopt); });
}

int SF_Create_suffix(char* fname, SFsize_t, SFsize_t, SFsize_t, int* handle, int suffix) {
  return coded(open_failed, [&] { *handle = SharedFiles::get().create(fname, suffix); });
}

int SF_Destroy(int handle) {
  int code = ok;
  const int failure = coded(delete_failed, [&] { code = SharedFiles::get().destroy(handle); });
  return failure != ok ? failure : code;
}

int SF_Open(int handle) {
  return coded(open_failed, [&] { SharedFiles::get().set_open(handle, true); });
}

int SF_Close(int handle) {
  return coded(close_failed, [&] { SharedFiles::get().set_open(handle, false); });
}

int SF_Rwtor(int handle) {
  return coded(open_failed, [&] { SharedFiles::get().set_read_only(handle); });
}

int SF_Fsync(int handle) {
  return coded(sync_failed, [&] { SharedFiles::get().sync(handle); });
}

int SF_Write(int handle, SFsize_t offset, SFsize_t bytes, char* buffer, int* req_id) {
  return SharedFiles::get().requests.start(*req_id, write_failed, [&] {
    return SharedFiles::get().begin_write(handle, offset, bytes, buffer);
  });
}

int SF_Read(int handle, SFsize_t offset, SFsize_t bytes, char* buffer, int* req_id) {
  return SharedFiles::get().requests.start(*req_id, read_failed, [&] {
    return SharedFiles::get().begin_read(handle, offset, bytes, buffer);
  });
}

int SF_Wait(int* req_id) {
  const int code = SharedFiles::get().requests.wait(*req_id);
  *req_id = waited_for;
  return code;
}

int SF_Waitall(int* list, int num) {
  int first = ok;
  for (int i = 0; i < num; ++i) {
    const int code = SF_Wait(&list[i]);
    if (first == ok) first = code;
  }
  return first;
}

void SF_Errmsg(int code, char* msg) { give_text(message_of(code), msg, message_room); }

}  // extern "C"
