// Get, put, accumulate, scattered elements, direct access, counters, nonblocking operations.
#include <gtest/gtest.h>

#include <complex>
#include <set>

#include "ga_support.hpp"

using ga_test::Box;

namespace {

/// Writes `value(k)` into a buffer with more room per row than the patch needs.
struct Padded {
  explicit Padded(const Box& box) : shape(box.shape()) {
    for (std::size_t d = 1; d < shape.size(); ++d) ld.push_back(shape[d] + static_cast<int>(d));
    std::int64_t size = shape[0];
    for (const int extent : ld) size *= extent;
    data.resize(static_cast<std::size_t>(size), -7.0);
    ld.push_back(1);
  }
  double& at(const Box& box, const std::vector<int>& subscript) {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < shape.size(); ++d)
      offset = offset * (d == 0 ? 1 : ld[d - 1]) + subscript[d] - box.lo[d];
    return data[static_cast<std::size_t>(offset)];
  }
  std::vector<int> shape, ld;
  std::vector<double> data;
};

std::vector<std::vector<int>> shapes() {
  return {{17}, {9, 11}, {5, 6, 7}, {3, 4, 2, 5}, {2, 2, 2, 2, 2, 2, 2}};
}

TEST(GaPut, AndGetMoveAnyPatchOfAnyShapeLikeASerialArray) {
  for (const std::vector<int>& dims : shapes()) {
    std::mt19937 random(11);  // alike on all processes
    const int a = ga_test::create(C_DBL, dims);
    ga_test::Model<double> model{dims};
    for (int round = 0; round < 12; ++round) {
      Box box = ga_test::random_box(dims, random);
      Padded buffer(box);
      box.each([&](const std::vector<int>& at, std::int64_t k) {
        buffer.at(box, at) = model.at(at) = 100.0 * round + static_cast<double>(k);
      });
      if (round % GA_Nnodes() == GA_Nodeid())
        NGA_Put(a, box.lo.data(), box.hi.data(), buffer.data.data(), buffer.ld.data());
      GA_Sync();
      Box other = ga_test::random_box(dims, random);
      Padded got(other);
      NGA_Get(a, other.lo.data(), other.hi.data(), got.data.data(), got.ld.data());
      other.each([&](const std::vector<int>& at, std::int64_t) {
        EXPECT_EQ(got.at(other, at), model.at(at));
      });
      GA_Sync();
    }
    EXPECT_EQ(ga_test::contents<double>(a, dims).data, model.data);
    GA_Destroy(a);
  }
}

template <class T>
void expect_all_contributions(int type, T alpha) {
  const std::vector<int> dims = {6, 10};
  const int a = ga_test::create(type, dims);
  ga_test::Model<T> mine{dims};
  ga_test::whole(dims).each([&](const std::vector<int>& at, std::int64_t k) {
    mine.at(at) = static_cast<T>(static_cast<float>(k + GA_Nodeid()));
  });
  Box all = ga_test::whole(dims);
  std::vector<int> ld = ga_test::leading(all);
  for (int times = 0; times < 3; ++times)
    NGA_Acc(a, all.lo.data(), all.hi.data(), mine.data.data(), ld.data(), &alpha);
  GA_Sync();
  ga_test::Model<T> sum = ga_test::contents<T>(a, dims);
  all.each([&](const std::vector<int>& at, std::int64_t k) {
    T expected{};
    for (int p = 0; p < GA_Nnodes(); ++p)
      expected += T(3) * alpha * static_cast<T>(static_cast<float>(k + p));
    EXPECT_EQ(sum.at(at), expected);
  });
  GA_Destroy(a);
}

TEST(GaAccumulate, AddsEveryContributionForEachTypeThatAdds) {
  expect_all_contributions<int>(C_INT, 2);
  expect_all_contributions<long>(C_LONG, -3);
  expect_all_contributions<float>(C_FLOAT, 0.5F);
  expect_all_contributions<double>(C_DBL, 0.25);
  expect_all_contributions<std::complex<float>>(C_SCPL, {0.0F, 1.0F});
  expect_all_contributions<std::complex<double>>(C_DCPL, {0.5, -1.0});
}

TEST(GaStrided, TouchesEverySkipthElementOnly) {
  const std::vector<int> dims = {10, 12};
  const int a = ga_test::create(C_DBL, dims);
  int lo[] = {1, 2}, hi[] = {8, 11}, skip[] = {3, 2}, ld[] = {5};
  std::vector<double> values(3 * 5);
  std::iota(values.begin(), values.end(), 1.0);
  double two = 2.0;
  if (GA_Nodeid() == GA_Nnodes() - 1) {
    NGA_Strided_put(a, lo, hi, skip, values.data(), ld);
    NGA_Strided_acc(a, lo, hi, skip, values.data(), ld, &two);
  }
  GA_Sync();
  ga_test::Model<double> model{dims};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 5; ++j) model.at({1 + 3 * i, 2 + 2 * j}) = 3.0 * (1 + 5 * i + j);
  EXPECT_EQ(ga_test::contents<double>(a, dims).data, model.data);
  std::vector<double> got(values.size());
  int64_t lo64[] = {1, 2}, hi64[] = {8, 11}, skip64[] = {3, 2}, ld64[] = {5};
  NGA_Strided_get64(a, lo64, hi64, skip64, got.data(), ld64);
  for (std::size_t k = 0; k < got.size(); ++k) EXPECT_EQ(got[k], 3.0 * values[k]);
  GA_Destroy(a);
}

TEST(GaScattered, ElementsGoWhereTheirSubscriptsSay) {
  const std::vector<int> dims = {8, 9, 3};
  const int a = ga_test::create(C_LONG, dims);
  const int me = GA_Nodeid(), n = GA_Nnodes();
  std::vector<int> flat;
  std::vector<int*> pointers;
  std::vector<long> values;
  ga_test::whole(dims).each([&](const std::vector<int>& at, std::int64_t k) {
    if (k % n != me) return;
    flat.insert(flat.end(), at.begin(), at.end());
    values.push_back(static_cast<long>(10 * k + 1));
  });
  const int count = static_cast<int>(values.size());
  for (int k = 0; k < count; ++k) pointers.push_back(flat.data() + std::ptrdiff_t{3} * k);
  NGA_Scatter(a, values.data(), pointers.data(), count);
  GA_Sync();
  long three = 3;
  NGA_Scatter_acc_flat(a, values.data(), flat.data(), count, &three);
  GA_Sync();
  ga_test::whole(dims).each([&, all = ga_test::contents<long>(a, dims)](const std::vector<int>& at,
                                                                        std::int64_t k) mutable {
    EXPECT_EQ(all.at(at), 4 * (10 * k + 1));
  });
  std::vector<long> got(values.size());
  NGA_Gather_flat(a, got.data(), flat.data(), count);
  for (std::size_t k = 0; k < got.size(); ++k) EXPECT_EQ(got[k], 4 * values[k]);
  std::ranges::fill(got, 0);
  NGA_Gather(a, got.data(), pointers.data(), count);
  for (std::size_t k = 0; k < got.size(); ++k) EXPECT_EQ(got[k], 4 * values[k]);
  NGA_Gather_flat(a, got.data(), flat.data(), 0);
  GA_Sync();
  GA_Destroy(a);
}

TEST(GaAccess, PointsToTheMemoryThatOthersGet) {
  const std::vector<int> dims = {12, 7};
  const int a = ga_test::create(C_DBL, dims);
  Box mine{{0, 0}, {0, 0}};
  NGA_Distribution(a, GA_Nodeid(), mine.lo.data(), mine.hi.data());
  if (mine.lo[0] >= 0) {
    double* data = nullptr;
    int ld = 0;
    NGA_Access(a, mine.lo.data(), mine.hi.data(), &data, &ld);
    mine.each([&](const std::vector<int>& at, std::int64_t) {
      data[(at[0] - mine.lo[0]) * ld + at[1] - mine.lo[1]] = 100 * at[0] + at[1];
    });
    NGA_Release_update(a, mine.lo.data(), mine.hi.data());
    // A part of it, too.
    Box last{mine.hi, mine.hi};
    NGA_Access(a, last.lo.data(), last.hi.data(), &data, &ld);
    EXPECT_EQ(*data, 100 * last.lo[0] + last.lo[1]);
    NGA_Release(a, last.lo.data(), last.hi.data());
  }
  GA_Sync();
  ga_test::whole(dims).each([&, all = ga_test::contents<double>(a, dims)](
                                const std::vector<int>& at, std::int64_t) mutable {
    EXPECT_EQ(all.at(at), 100 * at[0] + at[1]);
  });
  GA_Destroy(a);
}

template <class T>
void expect_unique_tickets(int type) {
  const int a = ga_test::create(type, {4, 4});
  int at[] = {3, 2};
  std::vector<int> taken(static_cast<std::size_t>(50 * GA_Nnodes()));
  for (int k = 0; k < 50; ++k) ++taken[static_cast<std::size_t>(NGA_Read_inc(a, at, 2) / 2)];
  GA_Igop(taken.data(), static_cast<int>(taken.size()), "+");
  for (const int times : taken) EXPECT_EQ(times, 1);
  GA_Sync();
  EXPECT_EQ(ga_test::contents<T>(a, {4, 4}).at({3, 2}), 100 * GA_Nnodes());
  GA_Destroy(a);
}

TEST(GaReadInc, HandsOutEachValueOnce) {
  expect_unique_tickets<int>(C_INT);
  expect_unique_tickets<long>(C_LONG);
}

TEST(GaNonblocking, HandlesAreReusedWithoutLimitAndTheOldestCompleteOfThemselves) {
  const std::vector<int> dims = {64, 8};
  const int a = ga_test::create(C_DBL, dims);
  const int me = GA_Nodeid(), n = GA_Nnodes();
  std::vector<double> rows(64 * 8), got(64 * 8);
  std::vector<ga_nbhdl_t> handles(64);
  for (int round = 0; round < 10; ++round) {
    for (int i = me; i < 64; i += n) {
      for (int j = 0; j < 8; ++j) rows[static_cast<std::size_t>(8 * i + j)] = round + 8 * i + j;
      int lo[] = {i, 0}, hi[] = {i, 7}, ld[] = {8};
      NGA_NbPut(a, lo, hi, &rows[static_cast<std::size_t>(8 * i)], ld,
                &handles[static_cast<std::size_t>(i)]);
    }
    for (int i = me; i < 64; i += n) NGA_NbWait(&handles[static_cast<std::size_t>(i)]);
    for (int i = me; i < 64; i += n) NGA_NbWait(&handles[static_cast<std::size_t>(i)]);  // legal
    GA_Sync();
    for (int k = 0; k < 320; ++k) {  // more than may be on their way
      int lo[] = {k % 64, 0}, hi[] = {k % 64, 7}, ld[] = {8};
      NGA_NbGet(a, lo, hi, &got[static_cast<std::size_t>(8 * (k % 64))], ld, nullptr);
    }
    GA_Sync();
    for (int k = 0; k < 64 * 8; ++k) EXPECT_EQ(got[static_cast<std::size_t>(k)], round + k);
  }
  ga_nbhdl_t handle = 0;
  double one = 1;
  int at[] = {5, 5}, ld[] = {1};
  NGA_NbAcc(a, at, at, &one, ld, &one, &handle);
  while (NGA_NbTest(&handle) == 0) {
  }
  GA_Sync();
  EXPECT_EQ(ga_test::contents<double>(a, dims).at({5, 5}), 9 + 45 + n);
  GA_Destroy(a);
}

TEST(GaFence, CompletesWhatWasPutBetweenItsTwoCalls) {
  const int n = GA_Nnodes(), me = GA_Nodeid(), next = (me + 1) % n;
  const int data = ga_test::create(C_INT, {n, 100}), flag = ga_test::create(C_INT, {n});
  std::vector<int> values(100, me + 1);
  int lo[] = {next, 0}, hi[] = {next, 99}, ld[] = {100}, at[] = {next};
  GA_Init_fence();
  NGA_Put(data, lo, hi, values.data(), ld);
  GA_Fence();
  (void)NGA_Read_inc(flag, at, 1);
  int mine[] = {me};
  while (NGA_Read_inc(flag, mine, 0) == 0) {
  }
  std::vector<int> got(100);
  int from[] = {me, 0}, to[] = {me, 99};
  NGA_Get(data, from, to, got.data(), ld);
  EXPECT_EQ(got, std::vector<int>(100, (me + n - 1) % n + 1));
  GA_Sync();
  GA_Destroy(data);
  GA_Destroy(flag);
}

TEST(GaMutex, KeepsOthersOut) {
  EXPECT_EQ(GA_Create_mutexes(3), 1);
  EXPECT_EQ(GA_Create_mutexes(3), 0);
  const int a = ga_test::create(C_INT, {1});
  int at[] = {0}, ld[] = {1};
  for (int k = 0; k < 20; ++k) {
    int value = 0;
    GA_Lock(2);
    NGA_Get(a, at, at, &value, ld);
    ++value;
    NGA_Put(a, at, at, &value, ld);
    GA_Unlock(2);
  }
  GA_Sync();
  EXPECT_EQ(ga_test::contents<int>(a, {1}).data[0], 20 * GA_Nnodes());
  EXPECT_EQ(GA_Destroy_mutexes(), 1);
  EXPECT_EQ(GA_Destroy_mutexes(), 0);
  GA_Destroy(a);
}

}  // namespace
