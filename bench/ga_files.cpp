// ga: disk resident arrays (DRA), exclusive and shared files (EAF, SF), in memory (/dev/shm): what
// is measured is calls, not devices.
#include <fcntl.h>
#include <unistd.h>

#include <stdexcept>

#include "ga/dra.h"
#include "ga/eaf.h"
#include "ga/sf.h"
#include "ga_calls.hpp"

namespace bench {

namespace {

constexpr int record_bytes = 16 << 10;
constexpr int records = 64;

/// Of all files.
std::string path_to(const std::string& name) { return "/dev/shm/atoll-bench-" + name; }

void check(int code, const char* what) {
  if (code != 0) throw std::runtime_error(std::string(what) + " failed");
}

std::int64_t offset_of(std::int64_t i) { return i % records * record_bytes; }

void time_disk_arrays(Calls& calls) {
  constexpr int n = 1000;
  const atoll::World& world = calls.world();
  GaArray array({n, n});
  const dra_size_t dims[] = {n, n};
  int handle = 0;
  check(DRA_Init(2, -1, -1, -1), "DRA_Init");
  check(NDRA_Create(C_DBL, 2, dims, "bench", path_to("dra").c_str(), DRA_RW, dims, &handle),
        "NDRA_Create");
  atoll::DiskArray disk =
      atoll::DiskArray::create(world, path_to("array.zarr"), {n, n}, atoll::ElementType::float64,
                               {.request = {n, n}, .durability = atoll::Durability::scratch});
  const auto move = [&](auto begin) {
    return [&, begin] {
      int request = 0;
      begin(array.handle, handle, &request);
      DRA_Wait(request);
    };
  };
  calls.together("NDRA_Write, DRA_Wait 1000x1000",
                 {way("NDRA_Write", move(NDRA_Write)),
                  way("write_async, wait", [&] { disk.write_async(array.array).wait(); })});
  calls.together("NDRA_Read, DRA_Wait 1000x1000",
                 {way("NDRA_Read", move(NDRA_Read)),
                  way("read_async, wait", [&] { disk.read_async(array.array).wait(); })});
  check(DRA_Delete(handle), "DRA_Delete");
  DRA_Terminate();
  disk.close();
  if (calls.rank() == 0) atoll::DiskArray::remove(path_to("array.zarr"));
}

void time_exclusive_files(Calls& calls) {
  const std::string own = std::to_string(calls.rank()), path = path_to("eaf-" + own);
  int file = 0, request = 0;
  check(EAF_Open(path.c_str(), EAF_RW, &file), "EAF_Open");
  atoll::PrivateFile beside({.directories = {"/dev/shm"}, .name = "atoll-bench-private-" + own});
  std::vector<std::byte> buffer(record_bytes);
  const std::span<std::byte> data(buffer);
  const auto at = [](std::int64_t i) { return static_cast<eaf_off_t>(offset_of(i)); };
  calls.alone(
      "EAF_Write 16 KiB",
      {way("EAF_Write",
           [&](std::int64_t i) { EAF_Write(file, at(i), buffer.data(), record_bytes); }),
       way("PrivateFile::write", [&](std::int64_t i) { beside.write(offset_of(i), data); })});
  for (std::int64_t i = 0; i < records; ++i) {  // all of them are there
    EAF_Write(file, at(i), buffer.data(), record_bytes);
    beside.write(offset_of(i), data);
  }
  calls.alone(
      "EAF_Read 16 KiB",
      {way("EAF_Read", [&](std::int64_t i) { EAF_Read(file, at(i), buffer.data(), record_bytes); }),
       way("PrivateFile::read", [&](std::int64_t i) { beside.read(offset_of(i), data); })});
  calls.alone("EAF_Aread, EAF_Wait 16 KiB",
              {way("EAF_Aread",
                   [&](std::int64_t i) {
                     EAF_Aread(file, at(i), buffer.data(), record_bytes, &request);
                     EAF_Wait(file, request);
                   }),
               way("read_async, wait",
                   [&](std::int64_t i) { beside.read_async(offset_of(i), data).wait(); })});
  check(EAF_Close(file), "EAF_Close");
  check(EAF_Delete(path.c_str()), "EAF_Delete");
  beside.remove();
}

void time_shared_files(Calls& calls) {
  std::string name = path_to("sf");
  int file = 0, request = 0;
  check(SF_Create(name.data(), 1e9, 1e6, record_bytes, &file), "SF_Create");
  atoll::SharedFile beside(calls.world(), path_to("shared"));
  std::vector<std::byte> buffer(record_bytes);
  const std::span<std::byte> data(buffer);
  char* const bytes = reinterpret_cast<char*>(buffer.data());
  const auto at = [](std::int64_t i) { return static_cast<SFsize_t>(offset_of(i)); };
  const auto write = [&](std::int64_t i) {
    SF_Write(file, at(i), record_bytes, bytes, &request);
    SF_Wait(&request);
  };
  calls.alone("SF_Write, SF_Wait 16 KiB",
              {way("SF_Write", write), way("write_async, wait", [&](std::int64_t i) {
                 beside.write_async(offset_of(i), data).wait();
               })});
  for (std::int64_t i = 0; i < records; ++i) {
    write(i);
    beside.write(offset_of(i), data);
  }
  calls.world().sync();
  calls.alone("SF_Read, SF_Wait 16 KiB", {way("SF_Read",
                                              [&](std::int64_t i) {
                                                SF_Read(file, at(i), record_bytes, bytes, &request);
                                                SF_Wait(&request);
                                              }),
                                          way("read_async, wait", [&](std::int64_t i) {
                                            beside.read_async(offset_of(i), data).wait();
                                          })});
  // What programs do that share a file: each request behind a lock, on both ranks.
  const int plain = open((name + ".0").c_str(), O_RDWR);
  check(GA_Create_mutexes(1) == 1 && plain >= 0 ? 0 : 1, "GA_Create_mutexes");
  const auto locked = [](auto body) {
    return [=](std::int64_t i) {
      GA_Lock(0);
      body(i);
      GA_Unlock(0);
    };
  };
  calls.together("locked SF_Write, SF_Wait 16 KiB",
                 {way("SF_Write", locked(write)),
                  way("pwrite", locked([&](std::int64_t i) {
                        check(pwrite(plain, bytes, record_bytes, offset_of(i)) < 0, "pwrite");
                      }))});
  calls.together("locked SF_Read, SF_Wait 16 KiB",
                 {way("SF_Read", locked([&](std::int64_t i) {
                        SF_Read(file, at(i), record_bytes, bytes, &request);
                        SF_Wait(&request);
                      })),
                  way("pread", locked([&](std::int64_t i) {
                        check(pread(plain, bytes, record_bytes, offset_of(i)) < 0, "pread");
                      }))});
  GA_Destroy_mutexes();
  close(plain);
  check(SF_Destroy(file), "SF_Destroy");
  beside.close();
}

}  // namespace

void ga_files(Calls& calls) {
  time_disk_arrays(calls);
  time_exclusive_files(calls);
  time_shared_files(calls);
}

}  // namespace bench
