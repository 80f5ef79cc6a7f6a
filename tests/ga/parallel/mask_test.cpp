// GA_Mask_sync: what the next collective call leaves out, and that no other one does.
#include <gtest/gtest.h>
#include <mpi.h>

#include <chrono>
#include <functional>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ga/ga-mpi.h"
#include "ga_support.hpp"

namespace {

constexpr int elements = 64;

int vector_of(int type, int value) {
  int dims[] = {elements};
  const int array = NGA_Create(type, 1, dims, "masked", nullptr);
  double as_double = value;
  if (type == C_DBL)
    GA_Fill(array, &as_double);
  else
    GA_Fill(array, &value);
  return array;
}

std::vector<int> all_of(int array) {
  std::vector<int> seen(elements);
  int lo[] = {0}, hi[] = {elements - 1}, ld[] = {1};
  NGA_Get(array, lo, hi, seen.data(), ld);
  return seen;
}

/// The last process is late: what does not wait for it misses what it does.
void let_the_last_be_late() {
  if (GA_Nodeid() == GA_Nnodes() - 1) std::this_thread::sleep_for(std::chrono::milliseconds(3));
}

/// Whether all others go through `call` while process 0 is busy elsewhere until they have said so.
bool waits_for_nobody(const std::function<void()>& call) {
  const MPI_Comm processes = GA_MPI_Comm();
  const int others = GA_Nnodes() - 1;
  bool through = true;
  if (GA_Nodeid() == 0) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(3);
    for (int heard = 0; heard < others && through;) {
      int there = 0;
      MPI_Iprobe(MPI_ANY_SOURCE, 77, processes, &there, MPI_STATUS_IGNORE);
      if (there != 0) {
        MPI_Recv(nullptr, 0, MPI_BYTE, MPI_ANY_SOURCE, 77, processes, MPI_STATUS_IGNORE);
        ++heard;
      } else {
        through = std::chrono::steady_clock::now() < end;
        std::this_thread::yield();
      }
    }
    call();
  } else {
    call();
    MPI_Request sent = MPI_REQUEST_NULL;
    MPI_Isend(nullptr, 0, MPI_BYTE, 0, 77, processes, &sent);
    MPI_Request_free(&sent);
  }
  GA_Sync();
  return through;
}

TEST(GaMask, MaskedCallsOnTheOwnPartWaitForNobody) {
  const int a = vector_of(C_INT, 3), b = vector_of(C_INT, 0);
  int two = 2, five = 5, lo[] = {8}, hi[] = {elements - 1};
  const std::vector<std::pair<std::string, std::function<void()>>> calls = {
      {"fill", [&] { GA_Fill(a, &five); }},
      {"scale", [&] { GA_Scale(a, &two); }},
      {"add_constant", [&] { GA_Add_constant(a, &two); }},
      {"copy", [&] { GA_Copy(a, b); }},
      {"add", [&] { GA_Add(&two, a, &five, b, b); }},
      {"zero_patch", [&] { NGA_Zero_patch(a, lo, hi); }},
      {"zero", [&] { GA_Zero(a); }},
  };
  GA_Sync();
  for (const auto& one : calls) {  // a binding cannot be captured by all compilers
    EXPECT_TRUE(waits_for_nobody([&one] {
      GA_Mask_sync(0, 0);
      one.second();
    })) << one.first;
  }
  EXPECT_EQ(all_of(a), std::vector<int>(elements, 0));
  EXPECT_EQ(all_of(b), std::vector<int>(elements, 2 * 12 + 5 * 12));
  GA_Sync();
  GA_Destroy(b);
  GA_Destroy(a);
}

TEST(GaMask, MaskedCallsGiveWhatOthersGive) {
  const std::vector<int> dims = {7, 11};
  const int a = ga_test::create(C_DBL, dims), b = ga_test::create(C_DBL, dims),
            c = ga_test::create(C_DBL, dims);
  double one = 1, three = 3, half = 0.5, minus = -1;
  int lo[] = {2, 3}, hi[] = {5, 9};
  for (const bool masked : {false, true}) {
    const int flag = masked ? 0 : 1;
    const auto next = [&] {
      GA_Sync();
      GA_Mask_sync(flag, flag);
    };
    next(), GA_Fill(a, &three);
    next(), GA_Add_constant_patch(a, lo, hi, &half);
    next(), GA_Copy(a, b);
    next(), NGA_Scale_patch(b, lo, hi, &minus);
    next(), GA_Add(&one, a, &three, b, c);
    GA_Sync();
    std::vector<double> seen(77), expected(77);
    int first[] = {0, 0}, last[] = {6, 10}, ld[] = {11};
    NGA_Get(c, first, last, seen.data(), ld);
    ga_test::whole(dims).each([&](const std::vector<int>& at, std::int64_t k) {
      const bool inside = at[0] >= 2 && at[0] <= 5 && at[1] >= 3 && at[1] <= 9;
      expected[static_cast<std::size_t>(k)] = inside ? 3.5 - 3 * 3.5 : 3 + 3 * 3;
    });
    EXPECT_EQ(seen, expected) << (masked ? "masked" : "not masked");
    GA_Sync();
  }
  for (const int array : {a, b, c}) GA_Destroy(array);
}

TEST(GaMask, IsForTheNextCollectiveCallOnly) {
  const int a = vector_of(C_INT, 0), other = vector_of(C_INT, 1);
  int number = 0;
  const std::vector<std::pair<std::string, std::function<void()>>> between = {
      {"sync", [] { GA_Sync(); }},
      {"reduction", [&] { GA_Igop(&number, 1, "+"); }},
      {"broadcast", [&] { GA_Brdcst(&number, sizeof number, 0); }},
      {"dot", [&] { (void)GA_Idot(other, other); }},
      {"product", [&] { GA_Elem_multiply(other, other, other); }},
      {"merge of what is not mirrored", [&] { GA_Merge_mirrored(other); }},
      {"destroying and making one", [&] { GA_Destroy(vector_of(C_INT, 1)); }},
      {"a copy onto itself", [&] { GA_Copy(other, other); }},
      {"a masked call", [&] { GA_Scale(other, &number); }},
  };
  for (const auto& [name, call] : between) {
    ++number;
    GA_Igop(&number, 1, "max");
    GA_Mask_sync(0, 0);
    call();
    let_the_last_be_late();
    int value = 100 + number;
    GA_Fill(a, &value);
    EXPECT_EQ(all_of(a), std::vector<int>(elements, value)) << name;
    GA_Sync();
  }
  GA_Destroy(other);
  GA_Destroy(a);
}

TEST(GaMask, OfOneSideLeavesTheOther) {
  const int a = vector_of(C_INT, 0);
  int seven = 7;
  // Everybody writes all, and the call comes behind it everywhere.
  std::vector<int> ones(elements, 1);
  int lo[] = {0}, hi[] = {elements - 1}, ld[] = {1};
  let_the_last_be_late();
  NGA_Put(a, lo, hi, ones.data(), ld);
  GA_Mask_sync(1, 0);
  GA_Zero(a);
  GA_Sync();
  EXPECT_EQ(all_of(a), std::vector<int>(elements, 0));
  GA_Sync();
  let_the_last_be_late();
  GA_Mask_sync(0, 1);
  GA_Fill(a, &seven);
  EXPECT_EQ(all_of(a), std::vector<int>(elements, 7));
  GA_Sync();
  GA_Destroy(a);
}

}  // namespace
