// Groups, broadcasts, reductions and mirrored arrays.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <complex>

#include "atoll/world.hpp"
#include "ga/ga-mpi.h"
#include "ga_support.hpp"

using ga_test::Box;

extern "C" {
void ga_mpi_comm_(Integer* communicator);
void ga_mpi_comm_pgroup_(Integer* communicator, const Integer* grp);
void ga_mpi_comm_pgroup_default_(Integer* communicator);
}

namespace {

/// Back to the world, and the group gone.
void leave(int group) {
  GA_Pgroup_set_default(GA_Pgroup_get_world());
  GA_Sync();
  EXPECT_EQ(GA_Pgroup_destroy(group), 1);
}

TEST(GaGroups, AreNumberedFrom2AndTheWorldIsMinus1) {
  EXPECT_EQ(GA_Pgroup_get_world(), -1);
  EXPECT_EQ(GA_Pgroup_get_mirror(), 0);
  EXPECT_EQ(GA_Pgroup_get_default(), -1);
  int list[] = {0};
  const int first = GA_Pgroup_create(list, 1);
  const int second = GA_Pgroup_create(list, 1);
  EXPECT_EQ(first, 2);
  EXPECT_EQ(second, 3);
  EXPECT_EQ(GA_Pgroup_destroy(first), 1);
  EXPECT_EQ(GA_Pgroup_create(list, 1), 2);
  EXPECT_EQ(GA_Pgroup_destroy(2), 1);
  EXPECT_EQ(GA_Pgroup_destroy(3), 1);
  EXPECT_EQ(GA_Pgroup_destroy(17), 0);
}

TEST(GaGroups, ListsAreSortedAndCountFromTheDefaultGroup) {
  const int n = GA_Nnodes(), me = GA_Nodeid();
  std::vector<int> list;
  for (int p = n - 1; p >= 0; --p)
    if (p != 0 || n == 1) list.push_back(p);  // all but the first, backwards
  const int size = static_cast<int>(list.size()), skipped = n - size;
  const int group = GA_Pgroup_create(list.data(), size);
  EXPECT_EQ(GA_Pgroup_nnodes(group), size);
  for (int p = 0; p < size; ++p) EXPECT_EQ(GA_Pgroup_absolute_id(group, p), p + skipped);
  if (me >= skipped) {
    EXPECT_EQ(GA_Pgroup_nodeid(group), me - skipped);
    GA_Pgroup_set_default(group);
    EXPECT_EQ(GA_Nnodes(), size);
    EXPECT_EQ(GA_Nodeid(), me - skipped);
    int last[] = {size - 1};
    const int inner = GA_Pgroup_create(last, 1);
    EXPECT_EQ(GA_Pgroup_absolute_id(inner, 0), n - 1);
    EXPECT_EQ(GA_Pgroup_nodeid(inner), me == n - 1 ? 0 : -1);
    EXPECT_EQ(GA_Pgroup_destroy(inner), 1);
  } else {
    EXPECT_EQ(GA_Pgroup_nodeid(group), -1);
  }
  leave(group);
}

TEST(GaGroups, ArraysOfTheDefaultGroupLieOnItsProcessesOnly) {
  const int n = GA_Nnodes(), me = GA_Nodeid();
  const int half = GA_Pgroup_split_irreg(GA_Pgroup_get_world(), me % 2);
  GA_Pgroup_set_default(half);
  const int size = GA_Nnodes();
  EXPECT_EQ(size, me % 2 == 0 ? (n + 1) / 2 : n / 2);
  const int a = ga_test::create(C_INT, {40});
  EXPECT_EQ(GA_Get_pgroup(a), half);
  EXPECT_EQ(GA_Get_pgroup_size(half), size);
  int at[] = {GA_Nodeid()}, value = me, ld[] = {1};
  NGA_Put(a, at, at, &value, ld);
  GA_Sync();
  const std::vector<int> all = ga_test::contents<int>(a, {40}).data;
  for (int p = 0; p < size; ++p) EXPECT_EQ(all[static_cast<std::size_t>(p)], 2 * p + me % 2);
  double sum = 1;
  GA_Dgop(&sum, 1, "+");
  EXPECT_EQ(sum, size);
  GA_Destroy(a);
  leave(half);
}

TEST(GaGroups, SplitMakesConsecutivePartsAndGivesEachANumber) {
  const int n = GA_Nnodes(), me = GA_Nodeid();
  for (int parts = 1; parts <= n; ++parts) {
    const int size = (n + parts - 1) / parts, made = (n + size - 1) / size;
    const int mine = GA_Pgroup_split(GA_Pgroup_get_world(), parts);
    EXPECT_EQ(mine, 2 + me / size);
    EXPECT_EQ(GA_Pgroup_nnodes(mine), std::min(size, n - me / size * size));
    EXPECT_EQ(GA_Pgroup_absolute_id(mine, 0), me / size * size);
    GA_Sync();
    for (int group = 2; group < 2 + made; ++group) EXPECT_EQ(GA_Pgroup_destroy(group), 1);
  }
  const int self = GA_Pgroup_self();
  EXPECT_EQ(GA_Pgroup_nnodes(self), 1);
  EXPECT_EQ(GA_Pgroup_absolute_id(self, 0), GA_Nodeid());
  const int again = GA_Pgroup_duplicate(self);
  EXPECT_NE(again, self);
  EXPECT_EQ(GA_Pgroup_nnodes(again), 1);
  EXPECT_EQ(GA_Pgroup_destroy(again), 1);
  EXPECT_EQ(GA_Pgroup_destroy(self), 1);
}

TEST(GaGroups, HaveCommunicatorsOfTheirProcesses) {
  int size = 0, rank = 0;
  MPI_Comm_size(GA_MPI_Comm(), &size);
  MPI_Comm_rank(GA_MPI_Comm_pgroup_default(), &rank);
  EXPECT_EQ(size, GA_Nnodes());
  EXPECT_EQ(rank, GA_Nodeid());
  const int self = GA_Pgroup_self();
  MPI_Comm_size(GA_MPI_Comm_pgroup(self), &size);
  EXPECT_EQ(size, 1);
  EXPECT_EQ(GA_Pgroup_destroy(self), 1);
}

TEST(GaGroups, FortranHasTheSameCommunicators) {
  const auto handle = [](MPI_Comm communicator) { return MPI_Comm_c2f(communicator); };
  const int half = GA_Pgroup_split_irreg(GA_Pgroup_get_world(), GA_Nodeid() % 2);
  const Integer group = half;
  Integer world = -1, of_group = -1, standard = -1;
  ga_mpi_comm_(&world);
  ga_mpi_comm_pgroup_(&of_group, &group);
  ga_mpi_comm_pgroup_default_(&standard);
  EXPECT_EQ(world, handle(GA_MPI_Comm()));
  EXPECT_EQ(of_group, handle(GA_MPI_Comm_pgroup(half)));
  EXPECT_EQ(standard, world);
  GA_Pgroup_set_default(half);
  ga_mpi_comm_pgroup_default_(&standard);
  EXPECT_EQ(standard, of_group);
  int size = 0;
  MPI_Comm_size(MPI_Comm_f2c(static_cast<MPI_Fint>(standard)), &size);
  EXPECT_EQ(size, GA_Nnodes());
  leave(half);
}

TEST(GaRandomize, GoesOnAlikeOnAllAfterSomeHaveFilledAnArrayOfTheirOwn) {
  int dims[] = {4}, lo[] = {0}, hi[] = {3}, first[] = {0};
  double most = 1;
  const int self = GA_Pgroup_self();
  if (GA_Nodeid() == 0) {
    const int mine = NGA_Create_config(C_DBL, 1, dims, const_cast<char*>("mine"), nullptr, self);
    GA_Randomize(mine, &most);
    GA_Destroy(mine);
  }
  EXPECT_EQ(GA_Pgroup_destroy(self), 1);
  const int g_a = ga_test::create(C_DBL, {4});
  GA_Randomize(g_a, &most);  // with seeds that differ the job would end here
  double values[4] = {-1, -1, -1, -1};
  NGA_Get(g_a, lo, hi, values, first);
  for (const double value : values) EXPECT_TRUE(value >= 0 && value < 1) << value;
  GA_Destroy(g_a);
}

TEST(GaBrdcst, CopiesBytesOfEachRoot) {
  for (int root = 0; root < GA_Nnodes(); ++root) {
    std::vector<char> bytes(1001, static_cast<char>(GA_Nodeid()));
    GA_Brdcst(bytes.data(), 1001, root);
    EXPECT_EQ(bytes, std::vector<char>(1001, static_cast<char>(root)));
    GA_Pgroup_brdcst(GA_Pgroup_get_world(), bytes.data(), 0, root);
  }
}

/// What a serial loop makes of the values 1 - n .. n that processes contribute.
template <class T>
T serial(const std::string& op, int n, int k) {
  const auto value = [&](int p) { return static_cast<T>((p + 1) * (k % 2 == 0 ? 1 : -1)); };
  T result = value(0);
  const auto magnitude = [](T v) { return v < T(0) ? -v : v; };
  if (op.starts_with("abs")) result = magnitude(result);
  for (int p = 1; p < n; ++p) {
    if (op == "+") result += value(p);
    if (op == "*") result *= value(p);
    if (op == "max") result = std::max(result, value(p));
    if (op == "min") result = std::min(result, value(p));
    if (op == "absmax") result = std::max(result, magnitude(value(p)));
    if (op == "absmin") result = std::min(result, magnitude(value(p)));
  }
  return result;
}

template <class T, class F>
void expect_reductions(F&& gop) {
  const int n = GA_Nnodes(), me = GA_Nodeid();
  for (const std::string op : {"+", "*", "max", "min", "absmax", "absmin"}) {
    std::vector<T> values(5);
    for (int k = 0; k < 5; ++k)
      values[static_cast<std::size_t>(k)] = static_cast<T>((me + 1) * (k % 2 == 0 ? 1 : -1));
    gop(values.data(), 5, op.c_str());
    for (int k = 0; k < 5; ++k)
      EXPECT_EQ(values[static_cast<std::size_t>(k)], serial<T>(op, n, k)) << op;
  }
}

TEST(GaGop, ReducesEachTypeByEachOperator) {
  const int world = GA_Pgroup_get_world();
  expect_reductions<int>(GA_Igop);
  expect_reductions<long>(GA_Lgop);
  expect_reductions<long long>(GA_Llgop);
  expect_reductions<float>(GA_Fgop);
  expect_reductions<double>(GA_Dgop);
  expect_reductions<double>([](double* x, int n, const char* op) { GA_Gop(C_DBL, x, n, op); });
  expect_reductions<int>([&](int* x, int n, const char* op) { GA_Pgroup_igop(world, x, n, op); });
  expect_reductions<long>([&](long* x, int n, const char* op) { GA_Pgroup_lgop(world, x, n, op); });
  expect_reductions<long long>(
      [&](long long* x, int n, const char* op) { GA_Pgroup_llgop(world, x, n, op); });
  expect_reductions<float>(
      [&](float* x, int n, const char* op) { GA_Pgroup_fgop(world, x, n, op); });
  expect_reductions<double>(
      [&](double* x, int n, const char* op) { GA_Pgroup_dgop(world, x, n, op); });
}

TEST(GaGop, JoinsBitsAndTruthOfIntegers) {
  const int n = GA_Nnodes(), me = GA_Nodeid(), all = (1 << n) - 1;
  const auto reduced = [&](int value, const char* op) {
    GA_Igop(&value, 1, op);
    return value;
  };
  EXPECT_EQ(reduced(1 << me, "or"), all);
  EXPECT_EQ(reduced(1 << me, "|"), all);
  EXPECT_EQ(reduced(all | (1 << (8 + me)), "and"), n == 1 ? all | 256 : all);
  EXPECT_EQ(reduced(all | (1 << (8 + me)), "&"), n == 1 ? all | 256 : all);
  EXPECT_EQ(reduced(me == 0 ? 2 : 0, "||"), 1);
  EXPECT_EQ(reduced(me == 0 ? 0 : 2, "&&"), 0);
}

TEST(GaGop, AddsAndMultipliesComplexNumbers) {
  const int n = GA_Nnodes(), world = GA_Pgroup_get_world();
  DoubleComplex z = {1, 2};
  GA_Zgop(&z, 1, "+");
  EXPECT_EQ(z.imag, 2.0 * n);
  GA_Pgroup_zgop(world, &z, 1, "+");
  EXPECT_EQ(z.real, 1.0 * n * n);
  SingleComplex c = {0, 1};
  GA_Cgop(&c, 1, "*");
  std::complex<float> power = 1;
  for (int p = 0; p < n; ++p) power *= std::complex<float>(0, 1);
  EXPECT_EQ(c.real, power.real());
  EXPECT_EQ(c.imag, power.imag());
  GA_Pgroup_cgop(world, &c, 0, "+");
}

TEST(GaMirrored, ArraysHaveACopyOnEachNodeAndAreMergedToTheirSum) {
  const int nodes = GA_Cluster_nnodes();
  std::vector<int> dims = {9, 5};
  const int a = NGA_Create_config(C_DBL, 2, dims.data(), "m", nullptr, GA_Pgroup_get_mirror());
  EXPECT_EQ(GA_Is_mirrored(a), nodes > 1 ? 1 : 0);
  // Distribution and process numbers are those of my node.
  const int mates = nodes > 1 ? GA_Cluster_nprocs(GA_Cluster_nodeid()) : GA_Nnodes();
  EXPECT_EQ(GA_Pgroup_nnodes(GA_Pgroup_get_mirror()), mates);
  std::int64_t covered = 0;
  for (int p = 0; p < mates; ++p) {
    Box box{{0, 0}, {0, 0}};
    NGA_Distribution(a, p, box.lo.data(), box.hi.data());
    if (box.lo[0] >= 0) covered += box.elements();
  }
  EXPECT_EQ(covered, 45);
  // One process a node writes its node's number.
  Box all = ga_test::whole(dims);
  std::vector<int> ld = ga_test::leading(all);
  const std::vector<double> mine(45, GA_Cluster_nodeid() + 1.0);
  if (GA_Nodeid() == GA_Cluster_procid(GA_Cluster_nodeid(), 0))
    NGA_Put(a, all.lo.data(), all.hi.data(), const_cast<double*>(mine.data()), ld.data());
  GA_Sync();
  if (nodes > 1) {
    EXPECT_EQ(ga_test::contents<double>(a, dims).data, mine);
  }
  const int b = ga_test::create(C_DBL, {12, 8});
  int alo[] = {1, 1}, ahi[] = {8, 4}, blo[] = {2, 3}, bhi[] = {9, 6};
  NGA_Merge_distr_patch(a, alo, ahi, b, blo, bhi);
  const double sum = nodes * (nodes + 1) / 2.0;
  ga_test::Model<double> model{{12, 8}};
  Box{{2, 3}, {9, 6}}.each([&](const std::vector<int>& at, std::int64_t) { model.at(at) = sum; });
  EXPECT_EQ(ga_test::contents<double>(b, {12, 8}).data, model.data);
  int64_t alo64[] = {0, 0}, ahi64[] = {1, 1}, blo64[] = {0, 0}, bhi64[] = {1, 1};
  NGA_Merge_distr_patch64(a, alo64, ahi64, b, blo64, bhi64);
  EXPECT_EQ(ga_test::contents<double>(b, {12, 8}).at({1, 1}), sum);
  GA_Merge_mirrored(a);
  EXPECT_EQ(ga_test::contents<double>(a, dims).data, std::vector<double>(45, sum));
  GA_Sync();
  GA_Destroy(a);
  GA_Destroy(b);
}

}  // namespace
