// EAF's C names.
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "atoll/error.hpp"
#include "atoll/file_system.hpp"
#include "compat/files/arguments.hpp"
#include "compat/files/exclusive_files.hpp"
#include "ga/eaf.h"

using namespace lagoon::atoll;
using namespace lagoon::atoll::files;

namespace {

ExclusiveFile& file(int descriptor) { return ExclusiveFiles::get().at(descriptor); }

/// Calls a body that returns a code.
template <class Body>
int answered(Code otherwise, Body&& body) {
  int code = ok;
  const int failure = coded(otherwise, [&] { code = body(); });
  return failure != ok ? failure : code;
}

/// Of a path, or of its folder if it is not there yet.
FileSystem file_system_around(const std::string& path) {
  try {
    return file_system(path);
  } catch (const Error& error) {
    if (error.error_number() != ENOENT) throw;
  }
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return file_system(folder.empty() ? "." : folder.string());
}

constexpr int least_type_room = 8;  // GA asks for it

}  // namespace

extern "C" {

int EAF_Open(const char* fname, int type, int* fd) {
  return coded(open_failed, [&] { *fd = ExclusiveFiles::get().open(fname, type); });
}

int EAF_Close(int fd) {
  return answered(close_failed, [&] { return ExclusiveFiles::get().close(fd); });
}

int EAF_Delete(const char* fname) {
  return coded(delete_failed, [&] {
    if (::unlink(fname) != 0 && errno != ENOENT)
      throw Error::of_file(errno, std::string("remove '") + fname + "'");
  });
}

int EAF_Write(int fd, eaf_off_t offset, const void* buf, size_t bytes) {
  return answered(write_failed, [&] { return file(fd).write(offset, buf, bytes); });
}

int EAF_Read(int fd, eaf_off_t offset, void* buf, size_t bytes) {
  return answered(read_failed, [&] { return file(fd).read(offset, buf, bytes); });
}

int EAF_Awrite(int fd, eaf_off_t offset, const void* buf, size_t bytes, int* req_id) {
  return ExclusiveFiles::get().requests.start(*req_id, asynchronous_write_failed, [&] {
    return file(fd).begin_write(fd, offset, buf, bytes);
  });
}

int EAF_Aread(int fd, eaf_off_t offset, void* buf, size_t bytes, int* req_id) {
  return ExclusiveFiles::get().requests.start(*req_id, asynchronous_read_failed, [&] {
    return file(fd).begin_read(fd, offset, buf, bytes);
  });
}

int EAF_Wait(int fd, int id) {
  return answered(wait_failed, [&] { return ExclusiveFiles::get().wait(fd, id); });
}

int EAF_Probe(int id, int* status) {
  return coded(probe_failed, [&] {
    *status = 1;  // also for a number of none: nobody is to wait for it
    *status = ExclusiveFiles::get().requests.done(id) ? 1 : 0;
  });
}

int EAF_Length(int fd, eaf_off_t* length) {
  return coded(length_failed, [&] { *length = static_cast<double>(file(fd).file.length()); });
}

int EAF_Truncate(int fd, eaf_off_t length) {
  return coded(truncate_failed, [&] { file(fd).resize(length); });
}

int EAF_Stat(const char* path, long* avail_kb, char* fstype, int fslen) {
  return coded(stat_failed, [&] {
    if (fslen < least_type_room) throw Failure(text_too_short, "fslen is " + std::to_string(fslen));
    const FileSystem found = file_system_around(path);
    *avail_kb = static_cast<long>(found.available / 1024);
    give_text(found.type, fstype, static_cast<std::size_t>(fslen));
  });
}

int EAF_Eof(int code) { return code == end_of_file ? 0 : 1; }

void EAF_Errmsg(int code, char* msg) { give_text(message_of(code), msg, message_room); }

void EAF_Print_stats(int fd) {
  const int code = coded(invalid_descriptor, [&] { file(fd).print_statistics(fd); });
  if (code != ok) std::fprintf(stderr, "EAF_Print_stats: %s\n", message_of(code).c_str());
}

}  // extern "C"
