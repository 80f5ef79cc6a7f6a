// What calls return and leave in their arguments, and what differs from process to process:
// programs look at all of it. Written from what callers do with the values.
#include <gtest/gtest.h>

#include <complex>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "compat/ga/runtime.hpp"
#include "ga/ga-wapi.h"
#include "ga/ga.h"
#include "ga/typesf2c.h"
#include "ga_support.hpp"

extern "C" {
void nga_nbget_(const Integer* g_a, const Integer* lo, const Integer* hi, void* buf,
                const Integer* ld, Integer* handle);
void nga_nbput_(const Integer* g_a, const Integer* lo, const Integer* hi, const void* buf,
                const Integer* ld, Integer* handle);
void nga_nbacc_(const Integer* g_a, const Integer* lo, const Integer* hi, const void* buf,
                const Integer* ld, const void* alpha, Integer* handle);
void ga_nbget_(const Integer* g_a, const Integer* ilo, const Integer* ihi, const Integer* jlo,
               const Integer* jhi, void* buf, const Integer* ld, Integer* handle);
void nga_nbwait_(const Integer* handle);
Integer nga_nbtest_(const Integer* handle);
void nga_nbget_ghost_dir_(const Integer* g_a, const Integer* mask, Integer* handle);
void nga_update_ghosts_nb_(const Integer* g_a, Integer* handle);
Integer ga_cluster_nprocs_(const Integer* node);
Integer ga_cluster_procid_(const Integer* node, const Integer* which);
Integer ga_cluster_nodeid_(void);
}

namespace {

/// Begins, skips all the rest where the handle is zero, as programs do, and waits more than once.
void expect_begun(const std::function<void(ga_nbhdl_t*)>& begin) {
  ga_nbhdl_t handle = 0;
  begin(&handle);
  ASSERT_NE(handle, 0);
  while (NGA_NbTest(&handle) == 0) {
  }
  NGA_NbWait(&handle);
  EXPECT_EQ(NGA_NbTest(&handle), 1);
  NGA_NbWait(&handle);
  GA_Sync();
  NGA_NbWait(&handle);
}

TEST(GaValues, ABegunOperationLeavesAHandleThatIsNotZero) {
  const int a = ga_test::create(C_DBL, {12, 8}), n = GA_Nnodes();
  std::vector<double> buffer(12 * 8, 1.5);
  double one = 1;
  int ld[] = {8};
  int64_t long_ld[] = {8};
  for (int process = 0; process < n; ++process) {  // on my node, and on others
    int lo[2], hi[2];
    NGA_Distribution(a, process, lo, hi);
    if (lo[0] < 0) continue;
    int64_t long_lo[] = {lo[0], lo[1]}, long_hi[] = {hi[0], hi[1]};
    double* const data = buffer.data();
    expect_begun([&](ga_nbhdl_t* h) { NGA_NbPut(a, lo, hi, data, ld, h); });
    expect_begun([&](ga_nbhdl_t* h) { NGA_NbGet(a, lo, hi, data, ld, h); });
    expect_begun([&](ga_nbhdl_t* h) { NGA_NbAcc(a, lo, hi, data, ld, &one, h); });
    expect_begun([&](ga_nbhdl_t* h) { NGA_NbPut64(a, long_lo, long_hi, data, long_ld, h); });
    expect_begun([&](ga_nbhdl_t* h) { NGA_NbGet64(a, long_lo, long_hi, data, long_ld, h); });
    expect_begun([&](ga_nbhdl_t* h) { NGA_Nbput_field(a, lo, hi, 0, 8, data, ld, h); });
    expect_begun([&](ga_nbhdl_t* h) { NGA_Nbget_field(a, lo, hi, 0, 8, data, ld, h); });
  }
  EXPECT_EQ(ga_test::contents<double>(a, {12, 8}).at({0, 0}), 1.5);
  GA_Sync();
  GA_Destroy(a);
}

TEST(GaValues, BegunInFortranLeaveHandlesThatAreNotZero) {
  const Integer a = ga_test::create(C_DBL, {12, 8}), lo[] = {1, 1}, hi[] = {8, 12}, ld[] = {8};
  std::vector<double> buffer(12 * 8, 2);
  const double one = 1;
  const auto expect = [](const std::function<void(Integer*)>& begin) {
    Integer handle = 0;
    begin(&handle);
    EXPECT_NE(handle, 0);
    nga_nbwait_(&handle);
    EXPECT_NE(nga_nbtest_(&handle), 0);
    nga_nbwait_(&handle);
    GA_Sync();
  };
  expect([&](Integer* h) { nga_nbput_(&a, lo, hi, buffer.data(), ld, h); });
  expect([&](Integer* h) { nga_nbget_(&a, lo, hi, buffer.data(), ld, h); });
  expect([&](Integer* h) { nga_nbacc_(&a, lo, hi, buffer.data(), ld, &one, h); });
  expect([&](Integer* h) { ga_nbget_(&a, &lo[0], &hi[0], &lo[1], &hi[1], buffer.data(), ld, h); });
  GA_Destroy(static_cast<int>(a));
}

TEST(GaValues, GhostsThatWereBegunLeaveHandlesThatAreNotZero) {
  int dims[] = {12, 9}, width[] = {1, 1}, chunk[] = {-1, -1}, mask[] = {1, 0};
  const int a = NGA_Create_ghosts(C_DBL, 2, dims, width, "ghosts", chunk);
  int64_t long_mask[] = {1, 0};
  const Integer g_a = a, fortran_mask[] = {1, 0};
  expect_begun([&](ga_nbhdl_t* h) { NGA_Update_ghosts_nb(a, h); });
  expect_begun([&](ga_nbhdl_t* h) { NGA_NbGet_ghost_dir(a, mask, h); });
  expect_begun([&](ga_nbhdl_t* h) { NGA_NbGet_ghost_dir64(a, long_mask, h); });
  expect_begun([&](ga_nbhdl_t* h) { nga_nbget_ghost_dir_(&g_a, fortran_mask, h); });
  expect_begun([&](ga_nbhdl_t* h) { nga_update_ghosts_nb_(&g_a, h); });
  GA_Sync();
  GA_Destroy(a);
}

TEST(GaValues, NodeMinusOneIsMyOwn) {
  const Integer none = -1, mine = ga_cluster_nodeid_();
  EXPECT_EQ(GA_Cluster_nprocs(-1), GA_Cluster_nprocs(GA_Cluster_nodeid()));
  EXPECT_EQ(ga_cluster_nprocs_(&none), ga_cluster_nprocs_(&mine));
  for (int i = 0; i < GA_Cluster_nprocs(-1); ++i) {
    const Integer which = i;
    EXPECT_EQ(GA_Cluster_procid(-1, i), GA_Cluster_procid(GA_Cluster_nodeid(), i));
    EXPECT_EQ(ga_cluster_procid_(&none, &which), ga_cluster_procid_(&mine, &which));
  }
  EXPECT_EQ(GA_Cluster_proc_nodeid(-1), GA_Cluster_nodeid());
}

/// The process that owns each element, by what the library says of each.
ga_test::Model<int> owners(int g_a, const std::vector<int>& dims) {
  ga_test::Model<int> model{dims};
  for (int process = 0; process < GA_Nnodes(); ++process) {
    ga_test::Box box{std::vector<int>(dims.size()), std::vector<int>(dims.size())};
    NGA_Distribution(g_a, process, box.lo.data(), box.hi.data());
    if (box.lo[0] < 0) continue;
    box.each([&](const std::vector<int>& at, std::int64_t) { model.at(at) = process; });
  }
  return model;
}

/// What a process passes.
template <class T>
T number_of(int process) {
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<T>(process + 1);
  else
    return static_cast<typename T::value_type>(process + 1);
}

template <class T>
void each_process_applies_its_own(int type) {
  const std::vector<int> dims = {11, 7};
  const int a = ga_test::create(type, dims);
  ga_test::Model<int> owner = owners(a, dims);
  T mine = number_of<T>(GA_Nodeid());
  int lo[] = {2, 1}, hi[] = {9, 6};
  ga_test::Model<T> expected{dims};
  const auto check = [&](const char* call, bool patch, const auto& change) {
    for (int i = 0; i < 11; ++i)
      for (int j = 0; j < 7; ++j)
        if (!patch || (i >= lo[0] && i <= hi[0] && j >= lo[1] && j <= hi[1]))
          expected.at({i, j}) = change(expected.at({i, j}), number_of<T>(owner.at({i, j})));
    EXPECT_EQ(ga_test::contents<T>(a, dims).data, expected.data) << call;
    GA_Sync();
  };
  GA_Fill(a, &mine);
  check("GA_Fill", false, [](T, T own) { return own; });
  GA_Scale(a, &mine);
  check("GA_Scale", false, [](T x, T own) { return x * own; });
  GA_Add_constant(a, &mine);
  check("GA_Add_constant", false, [](T x, T own) { return x + own; });
  NGA_Scale_patch(a, lo, hi, &mine);
  check("NGA_Scale_patch", true, [](T x, T own) { return x * own; });
  GA_Add_constant_patch(a, lo, hi, &mine);
  check("GA_Add_constant_patch", true, [](T x, T own) { return x + own; });
  NGA_Fill_patch(a, lo, hi, &mine);
  check("NGA_Fill_patch", true, [](T, T own) { return own; });
  GA_Add(&mine, a, &mine, a, a);
  check("GA_Add", false, [](T x, T own) { return own * x + own * x; });
  NGA_Add_patch(&mine, a, lo, hi, &mine, a, lo, hi, a, lo, hi);
  check("NGA_Add_patch", true, [](T x, T own) { return own * x + own * x; });
  GA_Destroy(a);
}

TEST(GaValues, NumbersThatDifferAreForWhatEachProcessHolds) {
  each_process_applies_its_own<int>(C_INT);
  each_process_applies_its_own<long>(C_LONG);
  each_process_applies_its_own<float>(C_FLOAT);
  each_process_applies_its_own<double>(C_DBL);
  each_process_applies_its_own<std::complex<float>>(C_SCPL);
  each_process_applies_its_own<std::complex<double>>(C_DCPL);
}

template <class T>
void marks_where_not_zero(int type, T small) {
  const int source = ga_test::create(C_DBL, {9}), target = ga_test::create(C_DBL, {9}),
            mask = ga_test::create(type, {9});
  std::vector<double> numbers{1, 2, 3, 4, 5, 6, 7, 8, 9}, ends{9, 8, 7, 6, 5, 4, 3, 2, 1};
  std::vector<T> marks(9, T(0));
  marks[2] = small;
  marks[4] = T(1);
  marks[7] = T(-3);
  int lo[] = {0}, hi[] = {8}, ld[] = {1}, count = -1;
  if (GA_Nodeid() == 0) {
    NGA_Put(source, lo, hi, numbers.data(), ld);
    NGA_Put(mask, lo, hi, marks.data(), ld);
    NGA_Put(target, lo, hi, ends.data(), ld);
  }
  GA_Sync();
  const auto expect = [&](const std::vector<double>& expected) {
    EXPECT_EQ(ga_test::contents<double>(target, {9}).data, expected);
    GA_Sync();
  };
  GA_Scan_add(source, target, mask, 0, 8, 0);
  expect({9, 8, 3, 7, 5, 11, 18, 8, 17});
  GA_Scan_copy(source, target, mask, 0, 8);
  expect({0, 0, 3, 3, 5, 5, 5, 8, 8});
  GA_Zero(target);
  GA_Pack(source, target, mask, 1, 8, &count);
  EXPECT_EQ(count, 3);
  expect({3, 5, 8, 0, 0, 0, 0, 0, 0});
  GA_Zero(target);
  GA_Unpack(source, target, mask, 1, 8, &count);
  EXPECT_EQ(count, 3);
  expect({0, 0, 1, 0, 2, 0, 0, 3, 0});
  for (const int g_a : {source, target, mask}) GA_Destroy(g_a);
}

TEST(GaValues, WhereChunksDifferTheFirstProcessCounts) {
  int dims[] = {12, 10}, mine[] = {GA_Nodeid() == 0 ? 12 : 1, 1 + GA_Nodeid()}, firsts[] = {12, 1};
  for (const int group : {GA_Pgroup_get_world(), GA_Pgroup_get_mirror()}) {
    const int a = NGA_Create_config(C_DBL, 2, dims, "a", mine, group),
              b = NGA_Create_config(C_DBL, 2, dims, "b", firsts, group);
    EXPECT_EQ(GA_Compare_distr(a, b), 0);
    GA_Destroy(b);
    GA_Destroy(a);
  }
}

TEST(GaValues, MasksAreSetWhereTheyAreNotZeroWhateverTheirType) {
  marks_where_not_zero<int>(C_INT, 1);
  marks_where_not_zero<long>(C_LONG, 1L << 32);
  marks_where_not_zero<float>(C_FLOAT, 0.25F);
  marks_where_not_zero<double>(C_DBL, -1e-300);
  marks_where_not_zero<std::complex<float>>(C_SCPL, {0, 0.5F});
  marks_where_not_zero<std::complex<double>>(C_DCPL, {0, -1});
}

TEST(GaValues, RealAndImaginaryPartsArePutAtTheSameTime) {
  using Complex = std::complex<double>;
  const std::vector<int> dims = {9, 8};
  const int a = ga_test::create(C_DCPL, dims), n = GA_Nnodes(), me = GA_Nodeid();
  std::vector<double> real(72), imaginary(72), got(72);
  for (int k = 0; k < 72; ++k) {
    real[static_cast<std::size_t>(k)] = k + 0.5;
    imaginary[static_cast<std::size_t>(k)] = -k;
  }
  int lo[] = {0, 0}, hi[] = {8, 7}, ld[] = {8};
  if (me == 0) NGA_Put_field(a, lo, hi, 0, sizeof(double), real.data(), ld);
  if (me == n - 1) NGA_Put_field(a, lo, hi, 8, sizeof(double), imaginary.data(), ld);
  GA_Sync();
  ga_test::Model<Complex> all = ga_test::contents<Complex>(a, dims);
  for (std::size_t k = 0; k < 72; ++k) EXPECT_EQ(all.data[k], Complex(real[k], imaginary[k]));
  // A patch, into a wider buffer.
  int plo[] = {2, 3}, phi[] = {7, 5};
  NGA_Get_field(a, plo, phi, 8, sizeof(double), got.data(), ld);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 3; ++j)
      EXPECT_EQ(got[static_cast<std::size_t>(8 * i + j)], -(8.0 * (i + 2) + j + 3));
  GA_Sync();
  GA_Destroy(a);
}

TEST(GaValues, PropertiesAreSetByTheNamesThatBuildSystemsLookFor) {
  const int a = ga_test::create(C_INT, {6});
  int value = 7, lo = 0, ld = 1;
  GA_Fill(a, &value);
  wnga_set_property(a, "read_only");
  EXPECT_TRUE(lagoon::atoll::ga::array_of(a).array().read_only());
  EXPECT_EQ(ga_test::contents<int>(a, {6}).data, std::vector<int>(6, 7));
  wnga_unset_property(a);
  GA_Sync();
  if (GA_Nodeid() == 0) NGA_Put(a, &lo, &lo, &ld, &ld);
  GA_Sync();
  EXPECT_EQ(ga_test::contents<int>(a, {6}).data[0], 1);
  GA_Sync();
  GA_Destroy(a);
}

TEST(GaValues, GroupZeroIsNoGroupToGetMemoryOn) {
  const std::vector<int> dims = {13, 9};
  const int model = ga_test::create(C_DBL, dims);
  int lo[2], hi[2];
  NGA_Distribution(model, GA_Nodeid(), lo, hi);
  const int count = lo[0] < 0 ? 0 : (hi[0] - lo[0] + 1) * (hi[1] - lo[1] + 1);
  auto* const memory = static_cast<double*>(GA_Getmem(C_DBL, count, 0));
  ASSERT_NE(memory, nullptr);
  for (int k = 0; k < count; ++k) memory[k] = GA_Nodeid() + 1;
  const int a = GA_Assemble_duplicate(model, "assembled", memory);
  GA_Sync();
  const ga_test::Model<int> owner = owners(model, dims);
  const ga_test::Model<double> all = ga_test::contents<double>(a, dims);
  for (std::size_t k = 0; k < all.data.size(); ++k) EXPECT_EQ(all.data[k], owner.data[k] + 1);
  GA_Sync();
  GA_Destroy(a);
  GA_Freemem(memory);
  GA_Destroy(model);
}

}  // namespace
