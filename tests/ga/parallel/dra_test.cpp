// Disk resident arrays by their C names: what is written comes back, whole and in sections,
// transposed, in any order of requests, on other processes.
#include <algorithm>
#include <random>

#include "dra_programs.hpp"
#include "dra_support.hpp"
#include "ga/macdecls.h"

namespace {

using namespace dra_test;

template <class T>
void write_and_read_back(const Folder& folder, int type, const Extents& dims, int told_type) {
  const std::string path = folder / "whole";
  const std::vector<T> expected = values<T>(dims, 1);
  {
    Global<T> array(type, dims);
    array.fill(expected);
    const int disk = create(type, dims, path, "whole array");
    write_all(array.handle(), disk);
    EXPECT_EQ(DRA_Close(disk), 0);
  }
  const int disk = open(path, DRA_R);
  const Inquiry inquiry(disk);
  EXPECT_EQ(inquiry.type, told_type);
  EXPECT_EQ(Extents(inquiry.dims, inquiry.dims + inquiry.ndim), dims);
  EXPECT_STREQ(inquiry.name, "whole array");
  EXPECT_EQ(inquiry.path, path);
  Global<T> array(type, dims);
  array.fill(values<T>(dims, 5));
  read_all(array.handle(), disk);
  EXPECT_EQ(array.read(), expected);
  EXPECT_EQ(DRA_Close(disk), 0);
}

TEST_F(DiskResidentArrays, ComeBackInAllTypes) {
  const Extents dims{13, 7};
  write_and_read_back<int>(folder, MT_C_INT, dims, MT_C_INT);
  write_and_read_back<long>(folder, MT_C_LONGINT, dims, MT_C_LONGINT);
  write_and_read_back<float>(folder, MT_C_FLOAT, dims, MT_C_FLOAT);
  write_and_read_back<double>(folder, MT_C_DBL, dims, MT_C_DBL);
  write_and_read_back<std::complex<float>>(folder, MT_C_SCPL, dims, MT_C_SCPL);
  write_and_read_back<std::complex<double>>(folder, MT_C_DCPL, dims, MT_C_DCPL);
  write_and_read_back<double>(folder, MT_F_DBL, dims, MT_C_DBL);
  write_and_read_back<Integer>(folder, MT_F_INT, dims,
                               sizeof(Integer) == 8 ? MT_C_LONGINT : MT_C_INT);
}

TEST_F(DiskResidentArrays, ComeBackInOneToFourDimensions) {
  for (const Extents& dims : {Extents{101}, Extents{1, 40}, Extents{9, 5, 11}, Extents{3, 7, 2, 5}})
    write_and_read_back<double>(folder, MT_C_DBL, dims, MT_C_DBL);
}

TEST_F(DiskResidentArrays, AreOfZerosAtFirst) {
  const int disk = create(MT_C_DBL, {20, 30}, folder / "zeros");
  Global<double> array(MT_C_DBL, {20, 30});
  array.fill(values<double>({20, 30}, 1));
  read_all(array.handle(), disk);
  EXPECT_EQ(array.read(), std::vector<double>(600, 0.));
}

/// A section of this shape, somewhere.
Section place(std::mt19937& random, const Extents& dims, const Extents& shape) {
  Section result{{}, {}};
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const int lo = std::uniform_int_distribution(0, dims[d] - shape[d])(random);
    result.lo.push_back(lo);
    result.hi.push_back(lo + shape[d] - 1);
  }
  return result;
}

// The disk array and the global array have a model each, in memory, that every process keeps.
void move_sections_at_random(const Folder& folder, const Extents& array_dims,
                             const Extents& disk_dims, const Extents& typical, unsigned seed) {
  std::mt19937 random(seed);
  const auto n = array_dims.size();
  Global<double> array(MT_C_DBL, array_dims);
  std::vector<double> array_model = values<double>(array_dims, 1);
  array.fill(array_model);
  std::vector<double> disk_model(static_cast<std::size_t>(elements_of(disk_dims)), 0.);
  const int disk = create(MT_C_DBL, disk_dims, folder / "sections", "sections", typical);
  for (int step = 0; step < 40; ++step) {
    const bool transposed = random() % 2 == 0, writes = random() % 2 == 0;
    Extents in_array, on_disk(n);
    for (std::size_t d = 0; d < n; ++d) {
      const int most = std::min(array_dims[d], disk_dims[transposed ? n - 1 - d : d]);
      in_array.push_back(std::uniform_int_distribution(1, most)(random));
      on_disk[transposed ? n - 1 - d : d] = in_array[d];
    }
    const Section a = place(random, array_dims, in_array), d = place(random, disk_dims, on_disk);
    if (writes) {
      if (step % 3 == 0) {  // put by one process just before
        array_model = values<double>(array_dims, step + 2);
        array.fill(array_model);
      }
      EXPECT_EQ(DRA_Wait(begin_write(transposed, array.handle(), a, disk, d)), 0);
      copy(array_model, array_dims, a, disk_model, disk_dims, d, transposed);
    } else {
      EXPECT_EQ(DRA_Wait(begin_read(transposed, array.handle(), a, disk, d)), 0);
      copy(disk_model, disk_dims, d, array_model, array_dims, a, transposed);
      ASSERT_EQ(array.read(), array_model) << "step " << step << " of seed " << seed;
    }
  }
  EXPECT_EQ(DRA_Close(disk), 0);
  Global<double> all(MT_C_DBL, disk_dims);
  const int again = open(folder / "sections", DRA_R);
  read_all(all.handle(), again);
  EXPECT_EQ(all.read(), disk_model);
  EXPECT_EQ(DRA_Delete(again), 0);
}

TEST_F(DiskResidentArrays, TakeAndGiveSectionsAnywhereTransposedOrNot) {
  move_sections_at_random(folder, {50}, {90}, {}, 1);
  move_sections_at_random(folder, {20, 31}, {40, 17}, {}, 2);
  move_sections_at_random(folder, {20, 31}, {40, 50}, {8, 10}, 3);
  move_sections_at_random(folder, {7, 9, 5}, {10, 6, 8}, {3, -1, 4}, 4);
  move_sections_at_random(folder, {4, 5, 3, 6}, {6, 3, 5, 4}, {2, 2, 2, 2}, 5);
}

TEST_F(DiskResidentArrays, MoveManyRequestsAtATimeWaitedForInAnyOrder) {
  constexpr int blocks = 12, rows = 5, columns = 23;
  const Extents dims{blocks * rows, columns};
  const int disk = create(MT_C_DBL, dims, folder / "requests", "requests", {rows, columns});
  Global<double> array(MT_C_DBL, dims), back(MT_C_DBL, dims);
  const std::vector<double> expected = values<double>(dims, 1);
  array.fill(expected);
  std::mt19937 random(7);
  const auto move_all = [&](int g_a, bool writes) {
    std::vector<int> requests;
    for (int b = 0; b < blocks; ++b) {
      const Section rows_of_block{{b * rows, 0}, {(b + 1) * rows - 1, columns - 1}};
      requests.push_back(writes ? begin_write(false, g_a, rows_of_block, disk, rows_of_block)
                                : begin_read(false, g_a, rows_of_block, disk, rows_of_block));
    }
    for (int b = 0; b < blocks; ++b)
      EXPECT_EQ(std::ranges::count(requests, requests[static_cast<std::size_t>(b)]), 1);
    std::ranges::shuffle(requests, random);
    for (const int request : requests) {
      DRA_Flick();
      EXPECT_EQ(DRA_Wait(request), 0);
    }
  };
  move_all(array.handle(), true);
  move_all(back.handle(), false);
  EXPECT_EQ(back.read(), expected);
}

TEST_F(DiskResidentArrays, ActInTheOrderInWhichRequestsBegan) {
  const Extents dims{30, 30};
  const int disk = create(MT_C_DBL, dims, folder / "order");
  Global<double> first(MT_C_DBL, dims), second(MT_C_DBL, dims), back(MT_C_DBL, dims);
  first.fill(values<double>(dims, 1));
  second.fill(values<double>(dims, 2));
  int requests[3];
  EXPECT_EQ(NDRA_Write(first.handle(), disk, &requests[0]), 0);
  const Section middle{{10, 10}, {19, 19}};
  requests[1] = begin_write(false, second.handle(), middle, disk, middle);
  EXPECT_EQ(NDRA_Read(back.handle(), disk, &requests[2]), 0);
  for (const int at : {2, 0, 1}) EXPECT_EQ(DRA_Wait(requests[at]), 0);
  std::vector<double> expected = values<double>(dims, 1);
  copy(values<double>(dims, 2), dims, middle, expected, dims, middle, false);
  EXPECT_EQ(back.read(), expected);
}

TEST_F(DiskResidentArrays, AreProbedUntilTheyAreDone) {
  const Extents dims{200, 100};
  const int disk = create(MT_C_DBL, dims, folder / "probe");
  Global<double> array(MT_C_DBL, dims), back(MT_C_DBL, dims);
  array.fill(values<double>(dims, 1));
  for (const bool writes : {true, false}) {
    int request = DRA_REQ_INVALID, status = ELIO_PENDING;
    EXPECT_EQ(writes ? NDRA_Write(array.handle(), disk, &request)
                     : NDRA_Read(back.handle(), disk, &request),
              0);
    while (status != ELIO_DONE) {
      EXPECT_EQ(DRA_Probe(request, &status), 0);
      EXPECT_TRUE(status == ELIO_DONE || status == ELIO_OK) << status;
    }
    EXPECT_EQ(DRA_Wait(request), 0);  // once more does no harm
  }
  EXPECT_EQ(back.read(), values<double>(dims, 1));
  EXPECT_EQ(DRA_Wait(DRA_REQ_INVALID), 0);
  EXPECT_EQ(DRA_Wait(1000), 0);
}

TEST_F(DiskResidentArrays, EndRequestsWhenTheyAreClosed) {
  const Extents dims{60, 40};
  const int disk = create(MT_C_DBL, dims, folder / "closed");
  Global<double> array(MT_C_DBL, dims), back(MT_C_DBL, dims);
  array.fill(values<double>(dims, 1));
  int request = DRA_REQ_INVALID;
  EXPECT_EQ(NDRA_Write(array.handle(), disk, &request), 0);
  EXPECT_EQ(DRA_Close(disk), 0);
  EXPECT_EQ(DRA_Wait(request), 0);
  read_all(back.handle(), open(folder / "closed", DRA_R));
  EXPECT_EQ(back.read(), values<double>(dims, 1));
}

TEST_F(DiskResidentArrays, HaveAllOfAnArrayThatIsDestroyedBeforeItWasWaitedFor) {
  const Extents dims{900, 700};
  const int disk = create(MT_C_DBL, dims, folder / "destroyed");
  int request = DRA_REQ_INVALID;
  {
    Global<double> array(MT_C_DBL, dims);
    array.fill(values<double>(dims, 1));
    EXPECT_EQ(NDRA_Write(array.handle(), disk, &request), 0);
  }
  EXPECT_EQ(DRA_Wait(request), 0);
  Global<double> back(MT_C_DBL, dims);
  read_all(back.handle(), disk);
  EXPECT_EQ(back.read(), values<double>(dims, 1));
}

TEST_F(DiskResidentArrays, AreReadByOtherNumbersOfProcesses) {
  const Extents dims{33, 21};
  const std::string path = folder / "shared";
  Global<double> array(MT_C_DBL, dims);
  array.fill(values<double>(dims, 1));
  const int disk = create(MT_C_DBL, dims, path);
  write_all(array.handle(), disk);
  EXPECT_EQ(DRA_Close(disk), 0);
  // Half of the processes, rounded up, read it and write it anew.
  std::vector<int> half;
  for (int p = 0; p < (GA_Nnodes() + 1) / 2; ++p) half.push_back(p);
  const bool member = GA_Nodeid() < static_cast<int>(half.size());
  const int group = GA_Pgroup_create(half.data(), static_cast<int>(half.size()));
  if (member) {
    GA_Pgroup_set_default(group);
    {
      Global<double> of_half(MT_C_DBL, dims);
      const int part = open(path, DRA_RW);
      read_all(of_half.handle(), part);
      EXPECT_EQ(of_half.read(), values<double>(dims, 1));
      of_half.fill(values<double>(dims, 2));
      write_all(of_half.handle(), part);
      EXPECT_EQ(DRA_Close(part), 0);
    }
    GA_Pgroup_set_default(GA_Pgroup_get_world());
  }
  GA_Sync();
  read_all(array.handle(), open(path, DRA_R));
  EXPECT_EQ(array.read(), values<double>(dims, 2));
  GA_Pgroup_destroy(group);
}

#ifdef ATOLL_TEST_FORTRAN
TEST_F(DiskResidentArrays, ServeProgramsInFortran) {
  const std::string path = folder / "";
  Integer line = -1;
  dra_program_in_fortran_(path.c_str(), &line, static_cast<int>(path.size()));
  EXPECT_EQ(line, 0) << "what failed in dra_program.F90";
}

TEST_F(DiskResidentArrays, AreTheSameInBothLanguagesWithDimensionsReversed) {
  const Extents dims{3, 5, 7};
  const std::string path = folder / "both";
  Global<double> array(MT_C_DBL, dims);
  array.fill(values<double>(dims, 1));
  const int disk = create(MT_C_DBL, dims, path, "of C");
  write_all(array.handle(), disk);
  EXPECT_EQ(DRA_Close(disk), 0);
  Integer line = -1;
  dra_program_reads_c_(path.c_str(), &line, static_cast<int>(path.size()));
  EXPECT_EQ(line, 0) << "what failed in dra_program.F90";
}
#else
TEST_F(DiskResidentArrays, ServeProgramsInFortran) {
  GTEST_SKIP() << "without a Fortran compiler, and with sanitizers";
}
#endif

}  // namespace
