// Disk arrays against plain memory: values that tell where they belong, global arrays filled from
// vectors and read into them, a folder that all processes see.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <complex>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "ga/dra.h"
#include "ga/ga-mpi.h"
#include "ga/ga.h"

namespace dra_test {

using Extents = std::vector<int>;

inline std::int64_t elements_of(const Extents& dims) {
  std::int64_t result = 1;
  for (const int extent : dims) result *= extent;
  return result;
}

/// Made by the first process, gone with this. Collective.
class Folder {
 public:
  Folder() {
    char made[256] = "";
    if (GA_Nodeid() == 0) {
      const std::string pattern =
          (std::filesystem::temp_directory_path() / "atoll-dra-XXXXXX").string();
      pattern.copy(made, sizeof made - 1);
      if (mkdtemp(made) == nullptr) made[0] = 0;
    }
    MPI_Bcast(made, sizeof made, MPI_CHAR, 0, GA_MPI_Comm());
    path_ = made;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    MPI_Barrier(GA_MPI_Comm());
    std::error_code ignored;
    if (GA_Nodeid() == 0 && !path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// Between DRA_Init and DRA_Terminate.
class DiskResidentArrays : public testing::Test {
 protected:
  DiskResidentArrays() { EXPECT_EQ(DRA_Init(10, -1., -1., -1.), 0); }
  ~DiskResidentArrays() override { EXPECT_EQ(DRA_Terminate(), 0); }
  Folder folder;
};

/// What NDRA_Inquire tells.
struct Inquiry {
  int type = 0, ndim = 0;
  dra_size_t dims[GA_MAX_DIM] = {};
  char name[73] = "", path[249] = "";
  explicit Inquiry(int handle) {
    EXPECT_EQ(NDRA_Inquire(handle, &type, &ndim, dims, name, path), 0);
  }
};

/// Of element `at`, another one for each `salt`.
template <class T>
T value(std::int64_t at, int salt) {
  const auto number = static_cast<int>(at % 100000) + 100000 * salt;
  return static_cast<T>(static_cast<float>(number));
}
template <>
inline std::complex<float> value(std::int64_t at, int salt) {
  return {value<float>(at, salt), -value<float>(at, salt + 1)};
}
template <>
inline std::complex<double> value(std::int64_t at, int salt) {
  return {value<double>(at, salt), -value<double>(at, salt + 1)};
}

template <class T>
std::vector<T> values(const Extents& dims, int salt) {
  std::vector<T> result;
  for (std::int64_t i = 0; i < elements_of(dims); ++i) result.push_back(value<T>(i, salt));
  return result;
}

/// A global array in the C view, filled and read as a whole.
template <class T>
class Global {
 public:
  Global(int type, Extents dims) : dims_(std::move(dims)) {
    handle_ = NGA_Create(type, static_cast<int>(dims_.size()), dims_.data(), "of a test", nullptr);
    EXPECT_NE(handle_, 0);
  }
  Global(const Global&) = delete;
  Global& operator=(const Global&) = delete;
  ~Global() { GA_Destroy(handle_); }
  int handle() const { return handle_; }
  const Extents& dims() const { return dims_; }

  /// Collective; the last process of the default group puts it all.
  void fill(std::vector<T> all) {
    GA_Sync();
    Extents lo, hi, leading;
    whole(lo, hi, leading);
    if (GA_Nodeid() == GA_Nnodes() - 1)
      NGA_Put(handle_, lo.data(), hi.data(), all.data(), leading.data());
  }
  /// Collective.
  std::vector<T> read() {
    GA_Sync();
    std::vector<T> all(static_cast<std::size_t>(elements_of(dims_)));
    Extents lo, hi, leading;
    whole(lo, hi, leading);
    NGA_Get(handle_, lo.data(), hi.data(), all.data(), leading.data());
    GA_Sync();
    return all;
  }

 private:
  void whole(Extents& lo, Extents& hi, Extents& leading) const {
    for (const int extent : dims_) hi.push_back(extent - 1);
    lo.assign(dims_.size(), 0);
    leading.assign(dims_.begin() + 1, dims_.end());
    leading.push_back(0);
  }
  Extents dims_;
  int handle_ = 0;
};

/// A new disk array; its handle.
inline int create(int type, const Extents& dims, const std::string& path,
                  const std::string& name = "name", const Extents& typical = {}) {
  std::vector<dra_size_t> extents(dims.begin(), dims.end());
  std::vector<dra_size_t> request(dims.size(), -1);
  if (!typical.empty()) request.assign(typical.begin(), typical.end());
  int handle = 0;
  EXPECT_EQ(NDRA_Create(type, static_cast<int>(dims.size()), extents.data(), name.c_str(),
                        path.c_str(), DRA_RW, request.data(), &handle),
            0);
  return handle;
}

inline int open(const std::string& path, int mode) {
  int handle = 0;
  EXPECT_EQ(DRA_Open(path.c_str(), mode, &handle), 0);
  return handle;
}

/// Moves all of an array and waits for it.
inline void write_all(int g_a, int d_a) {
  int request = DRA_REQ_INVALID;
  EXPECT_EQ(NDRA_Write(g_a, d_a, &request), 0);
  EXPECT_EQ(DRA_Wait(request), 0);
}
inline void read_all(int g_a, int d_a) {
  int request = DRA_REQ_INVALID;
  EXPECT_EQ(NDRA_Read(g_a, d_a, &request), 0);
  EXPECT_EQ(DRA_Wait(request), 0);
}

/// Bounds of a section, both included.
struct Section {
  Extents lo, hi;
  std::vector<dra_size_t> disk_lo() const { return {lo.begin(), lo.end()}; }
  std::vector<dra_size_t> disk_hi() const { return {hi.begin(), hi.end()}; }
  Extents shape() const {
    Extents result;
    for (std::size_t d = 0; d < lo.size(); ++d) result.push_back(hi[d] - lo[d] + 1);
    return result;
  }
};

inline int begin_write(bool transposed, int g_a, const Section& from, int d_a, const Section& to) {
  int request = DRA_REQ_INVALID;
  EXPECT_EQ(NDRA_Write_section(transposed, g_a, from.lo.data(), from.hi.data(), d_a,
                               to.disk_lo().data(), to.disk_hi().data(), &request),
            0);
  return request;
}
inline int begin_read(bool transposed, int g_a, const Section& to, int d_a, const Section& from) {
  int request = DRA_REQ_INVALID;
  EXPECT_EQ(NDRA_Read_section(transposed, g_a, to.lo.data(), to.hi.data(), d_a,
                              from.disk_lo().data(), from.disk_hi().data(), &request),
            0);
  return request;
}

/// to[to_section] = from[from_section], serially; transposed: with indices in reverse.
template <class T>
void copy(const std::vector<T>& from, const Extents& from_dims, const Section& from_section,
          std::vector<T>& to, const Extents& to_dims, const Section& to_section, bool transposed) {
  const auto n = from_dims.size();
  const auto place = [n](const Extents& dims, const Extents& lo, const Extents& offset,
                         bool reversed) {
    std::int64_t at = 0;
    for (std::size_t d = 0; d < n; ++d)
      at = at * dims[d] + lo[d] + offset[reversed ? n - 1 - d : d];
    return static_cast<std::size_t>(at);
  };
  const Extents shape = from_section.shape();
  Extents offset(n, 0);
  for (std::int64_t left = elements_of(shape); left > 0; --left) {
    to[place(to_dims, to_section.lo, offset, transposed)] =
        from[place(from_dims, from_section.lo, offset, false)];
    for (std::size_t d = n; d-- > 0;) {
      if (++offset[d] < shape[d]) break;
      offset[d] = 0;
    }
  }
}

}  // namespace dra_test
