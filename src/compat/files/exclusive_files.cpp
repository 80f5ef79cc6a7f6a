#include "compat/files/exclusive_files.hpp"

#include <cstdio>

#include "compat/files/arguments.hpp"
#include "ga/eaf.h"

namespace lagoon::atoll::files {

namespace {

FileOpening opening_of(int mode) {
  if (mode == EAF_R) return FileOpening::read_only;
  if (mode == EAF_RW || mode == EAF_W || mode > 0) return FileOpening::open_or_create;
  throw Failure(open_failed, "the type is " + std::to_string(mode));
}

PrivateFile open_file(const std::string& path, int mode) {
  const std::size_t slash = path.rfind('/');
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  if (name.empty()) throw Failure(open_failed, "there is no name");
  std::string directory = slash == std::string::npos ? "." : path.substr(0, slash);
  if (directory.empty()) directory = "/";
  PrivateFile file({.directories = {directory}, .name = name, .opening = opening_of(mode)});
  if (mode == EAF_W) file.resize(0);
  return file;
}

void check_may_write(const ExclusiveFile& file, Code code) {
  if (file.mode == EAF_R) throw Failure(code, "the file was opened for reading only");
}

void check_may_read(const ExclusiveFile& file, Code code) {
  if (file.mode == EAF_W) throw Failure(code, "the file was opened for writing only");
}

void print_row(const char* what, const Traffic& traffic) {
  std::printf("%-16s %12lld %16lld %12.6f", what, static_cast<long long>(traffic.calls),
              static_cast<long long>(traffic.bytes), traffic.seconds);
  if (traffic.seconds > 0 && traffic.bytes > 0)
    std::printf(" %12.3f", static_cast<double>(traffic.bytes) / 1e6 / traffic.seconds);
  std::printf("\n");
}

}  // namespace

ExclusiveFile::ExclusiveFile(const std::string& path_, int mode_)
    : path(path_), mode(mode_), file(open_file(path_, mode_)) {}

int ExclusiveFile::write(double offset, const void* address, std::size_t bytes) {
  const Timed timed(writes);
  return coded(write_failed, [&] {
    check_may_write(*this, write_failed);
    file.write(whole("offset", offset), memory(address, bytes));
    writes.bytes += static_cast<std::int64_t>(bytes);
  });
}

int ExclusiveFile::read(double offset, void* address, std::size_t bytes) {
  const Timed timed(reads);
  return coded(read_failed, [&] {
    check_may_read(*this, read_failed);
    const std::int64_t got = file.read(whole("offset", offset), memory(address, bytes));
    reads.bytes += got;
    if (static_cast<std::size_t>(got) < bytes)
      throw Failure(end_of_file,
                    std::to_string(got) + " of " + std::to_string(bytes) + " bytes read");
  });
}

Request ExclusiveFile::begin_write(int descriptor, double offset, const void* address,
                                   std::size_t bytes) {
  const Timed timed(async_writes);
  check_may_write(*this, asynchronous_write_failed);
  Request request{file.write_async(whole("offset", offset), memory(address, bytes)),
                  static_cast<std::int64_t>(bytes), descriptor, asynchronous_write_failed};
  async_writes.bytes += request.bytes;
  return request;
}

Request ExclusiveFile::begin_read(int descriptor, double offset, void* address, std::size_t bytes) {
  const Timed timed(async_reads);
  check_may_read(*this, asynchronous_read_failed);
  Request request{file.read_async(whole("offset", offset), memory(address, bytes)),
                  static_cast<std::int64_t>(bytes), descriptor, asynchronous_read_failed};
  async_reads.bytes += request.bytes;
  return request;
}

void ExclusiveFile::resize(double length) {
  check_may_write(*this, truncate_failed);
  file.resize(whole("length", length));
}

void ExclusiveFile::print_statistics(int descriptor) const {
  std::printf("\nEAF file %d, '%s', %lld bytes long\n", descriptor, path.c_str(),
              static_cast<long long>(file.length()));
  std::printf("%-16s %12s %16s %12s %12s\n", "", "calls", "bytes", "seconds", "MB/s");
  print_row("write", writes);
  print_row("read", reads);
  print_row("awrite", async_writes);
  print_row("aread", async_reads);
  print_row("wait", waits);
  std::fflush(stdout);  // in order with what Fortran prints
}

ExclusiveFiles& ExclusiveFiles::get() {
  static ExclusiveFiles& instance = *new ExclusiveFiles;  // files may be used until the very end
  return instance;
}

int ExclusiveFiles::open(const std::string& path, int mode) {
  return files_.add(std::make_unique<ExclusiveFile>(path, mode));
}

ExclusiveFile& ExclusiveFiles::at(int descriptor) {
  if (ExclusiveFile* const found = files_.find(descriptor)) return *found;
  throw Failure(invalid_descriptor, "descriptor " + std::to_string(descriptor));
}

int ExclusiveFiles::close(int descriptor) {
  (void)at(descriptor);
  const int code = requests.wait_all_of(descriptor);
  const int closed = coded(close_failed, [&] { files_.take(descriptor)->file.close(); });
  return code != ok ? code : closed;
}

int ExclusiveFiles::wait(int descriptor, int request) {
  const Timed timed(at(descriptor).waits);
  return requests.wait(request);
}

}  // namespace lagoon::atoll::files
