// What the tests of files share: folders that go afterwards, random bytes, words for codes.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "ga/eaf.h"
#include "ga/sf.h"

namespace files_test {

inline int rank() {
  int number = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &number);
  return number;
}

inline int ranks() {
  int number = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &number);
  return number;
}

inline void synchronize() { MPI_Barrier(MPI_COMM_WORLD); }

/// A new folder that all ranks know, with one for each rank in it.
class Files : public testing::Test {
 protected:
  Files() {
    char path[256] = "";
    if (rank() == 0) {
      const std::string pattern = std::filesystem::temp_directory_path() / "atoll-files-XXXXXX";
      pattern.copy(path, sizeof path - 1);
      if (mkdtemp(path) == nullptr) path[0] = '\0';
    }
    MPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
    common = path;
    mine = common + "/" + std::to_string(rank());
    std::filesystem::create_directory(mine);
    synchronize();
  }
  ~Files() override {
    synchronize();
    std::error_code ignored;
    if (rank() == 0) std::filesystem::remove_all(common, ignored);
  }
  std::string common, mine;
};

using Bytes = std::vector<char>;

inline Bytes random_bytes(std::size_t size, std::mt19937::result_type seed) {
  std::mt19937 numbers(seed);
  Bytes bytes(size);
  for (char& byte : bytes) byte = static_cast<char>(numbers() & 0xff);
  return bytes;
}

inline std::string words(int code) {
  char text[80];
  std::fill(std::begin(text), std::end(text), '?');
  EAF_Errmsg(code, text);
  char same[80];
  SF_Errmsg(code, same);
  EXPECT_STREQ(text, same);
  return text;
}

}  // namespace files_test
