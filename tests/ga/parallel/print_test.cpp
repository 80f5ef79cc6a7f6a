// What GA's printing writes, once whatever the number of ranks. Process 0 reads it back.
#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "ga/ga.h"

extern "C" {
void ga_print_patch_(const Integer* g_a, const Integer* ilo, const Integer* ihi, const Integer* jlo,
                     const Integer* jhi, const Integer* pretty);
void ga_print_distribution_(const Integer* g_a);
void ga_print_(const Integer* g_a);
void nga_print_patch_(const Integer* g_a, const Integer* lo, const Integer* hi,
                      const Integer* pretty);
void ga_summarize_(const Integer* verbose);
}

namespace {

/// What all of `call` writes to standard output, in this process.
std::string printed(const std::function<void()>& call) {
  testing::internal::CaptureStdout();
  call();
  return testing::internal::GetCapturedStdout();
}

/// The same on process 0; that the others write nothing.
void expect_printed(const std::function<void()>& call, const std::string& expected) {
  EXPECT_EQ(printed(call), GA_Nodeid() == 0 ? expected : "");
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Elements of type T are 1, 2, 3, ... in C's order; `scale` makes them of it.
template <class T>
int filled(int type, std::vector<int> dims, const char* name, T scale) {
  std::string title = name;
  const int handle =
      NGA_Create(type, static_cast<int>(dims.size()), dims.data(), title.data(), nullptr);
  std::size_t elements = 1;
  std::vector<int> lo(dims.size(), 0), hi = dims;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    elements *= static_cast<std::size_t>(dims[d]);
    --hi[d];
  }
  std::vector<T> values(elements);
  for (std::size_t i = 0; i < elements; ++i) values[i] = static_cast<T>(i + 1) * scale;
  if (GA_Nodeid() == 0) NGA_Put(handle, lo.data(), hi.data(), values.data(), dims.data() + 1);
  GA_Sync();
  return handle;
}

std::string handle_text(int handle) { return ",  handle: " + std::to_string(handle) + "\n"; }

TEST(Print, ShowsAMatrixAsFortranSeesItInColumnsWithNumbers) {
  const int a = filled<double>(C_DBL, {2, 3}, "A", 0.5);
  const std::string expected = "\n global array: A[1:3,1:2]" + handle_text(a) +
                               "\n"
                               "            1           2\n"
                               "       ----------- -----------\n"
                               "   1       0.50000     2.00000\n"
                               "   2       1.00000     2.50000\n"
                               "   3       1.50000     3.00000\n";
  const Integer g_a = a;
  expect_printed([&] { GA_Print(a); }, expected);
  expect_printed([&] { ga_print_(&g_a); }, expected);
  GA_Destroy(a);
}

TEST(Print, CutsWideMatricesIntoGroupsOfSixColumns) {
  const int a = filled<double>(C_DBL, {13, 1}, "wide", 1);
  const std::string text = printed([&] { GA_Print(a); });
  if (GA_Nodeid() == 0) {
    EXPECT_TRUE(contains(text, "5           6\n"));
    EXPECT_TRUE(contains(text, "   1      13.00000\n"));
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U);
  }
  GA_Destroy(a);
}

TEST(Print, ShowsVectorsAndMoreDimensionsByTwo) {
  const int vector = filled<int>(C_INT, {3}, "vector", -7);
  expect_printed([&] { GA_Print(vector); }, "\n global array: vector[1:3]" + handle_text(vector) +
                                                "   1         -7\n"
                                                "   2        -14\n"
                                                "   3        -21\n");
  const int solid = filled<long>(C_LONG, {2, 2, 3}, "solid", 1);
  const std::string heading = "\n           1        2\n       -------- --------\n";
  expect_printed([&] { GA_Print(solid); }, "\n global array: solid[1:3,1:2,1:2]" +
                                               handle_text(solid) +
                                               "\n -- patch: solid[1:3,1:2,1]\n" + heading +
                                               "   1          1        4\n"
                                               "   2          2        5\n"
                                               "   3          3        6\n"
                                               "\n -- patch: solid[1:3,1:2,2]\n" +
                                               heading +
                                               "   1          7       10\n"
                                               "   2          8       11\n"
                                               "   3          9       12\n");
  GA_Destroy(vector);
  GA_Destroy(solid);
}

TEST(Print, ShowsPatchesAsATableOrOneElementALine) {
  const int a = filled<int>(C_INT, {3, 4}, "A", 1);
  int lo[] = {1, 0}, hi[] = {2, 1};
  const std::string title = "\n global array: A[1:2,2:3]" + handle_text(a);
  expect_printed([&] { NGA_Print_patch(a, lo, hi, 1); },
                 title +
                     "\n           2        3\n       -------- --------\n"
                     "   1          5        9\n"
                     "   2          6       10\n");
  const std::string lines = title + "A(1,2) = 5\nA(2,2) = 6\nA(1,3) = 9\nA(2,3) = 10\n";
  expect_printed([&] { NGA_Print_patch(a, lo, hi, 0); }, lines);
  expect_printed([&] { GA_Print_patch(a, 1, 2, 0, 1, 0); }, lines);
  int64_t lo64[] = {1, 0}, hi64[] = {2, 1};
  expect_printed([&] { NGA_Print_patch64(a, lo64, hi64, 0); }, lines);
  const Integer g_a = a, ilo = 1, ihi = 2, jlo = 2, jhi = 3, plain = 0;
  expect_printed([&] { ga_print_patch_(&g_a, &ilo, &ihi, &jlo, &jhi, &plain); }, lines);
  const Integer first[] = {1, 2}, last[] = {2, 3};
  expect_printed([&] { nga_print_patch_(&g_a, first, last, &plain); }, lines);
  GA_Destroy(a);
}

TEST(Print, KeepsNumbersApartWhateverTheirSize) {
  const int a = filled<double>(C_DBL, {3, 1}, "A", -123456789e3);
  const std::string text = printed([&] { GA_Print(a); });
  if (GA_Nodeid() == 0) {
    EXPECT_TRUE(contains(text, " -1.2346e+11 -2.4691e+11 -3.7037e+11\n"));
  }
  const int b = filled<long>(C_LONG, {2, 1}, "B", 1000000000000000L);
  const std::string wide = printed([&] { GA_Print(b); });
  if (GA_Nodeid() == 0) {
    EXPECT_TRUE(contains(wide, " 1000000000000000 2000000000000000\n"));
  }
  GA_Destroy(a);
  GA_Destroy(b);
}

TEST(Print, ShowsEachTypeOfElements) {
  int dims[] = {1, 1};
  for (const int type : {C_INT, C_LONG, C_LONGLONG, C_FLOAT, C_DBL, C_SCPL, C_DCPL}) {
    char name[] = "one";
    const int a = NGA_Create(type, 2, dims, name, nullptr);
    const std::string text = printed([&] { GA_Print(a); });
    if (GA_Nodeid() == 0) {
      EXPECT_TRUE(contains(text, "   1  ")) << type;
      EXPECT_TRUE(contains(text, "0\n")) << type;
    }
    GA_Destroy(a);
  }
}

TEST(Print, WritesToFiles) {
  const int a = filled<double>(C_DBL, {2, 2}, "A", 1);
  std::FILE* file = GA_Nodeid() == 0 ? std::tmpfile() : nullptr;
  EXPECT_EQ(printed([&] { GA_Print_file(file, a); }), "");
  const std::string expected = printed([&] { GA_Print(a); });
  if (file != nullptr) {
    EXPECT_EQ(std::fseek(file, 0, SEEK_SET), 0);
    std::string text;
    for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) text += static_cast<char>(c);
    EXPECT_EQ(text, expected);
    std::fclose(file);
  }
  GA_Destroy(a);
}

TEST(Print, GoesThroughLongColumnsSlabBySlab) {
  const int a = filled<int>(C_INT, {1, 5000}, "long", 1);
  const std::string text = printed([&] { GA_Print(a); });
  if (GA_Nodeid() == 0) {
    std::istringstream lines(text);
    std::string line;
    while (std::getline(lines, line) && !contains(line, "---")) {
    }
    for (int i = 1; i <= 5000; ++i) {
      std::getline(lines, line);
      std::istringstream numbers(line);
      int row = 0, value = 0;
      numbers >> row >> value;
      ASSERT_EQ(row, i);
      ASSERT_EQ(value, i);
    }
  }
  GA_Destroy(a);
}

TEST(Print, TellsWhoOwnsWhatInTheLanguageOfTheCaller) {
  const int a = filled<double>(C_DBL, {40, 3}, "A", 1);
  const std::string in_c = printed([&] { GA_Print_distribution(a); });
  const Integer g_a = a;
  const std::string in_fortran = printed([&] { ga_print_distribution_(&g_a); });
  std::string parts_in_c, parts_in_fortran;
  for (int p = 0; p < GA_Nnodes(); ++p) {
    int lo[2], hi[2];
    NGA_Distribution(a, p, lo, hi);
    if (hi[0] < 0) continue;
    const auto part = [&](int d, int base) {
      return std::to_string(lo[d] + base) + ":" + std::to_string(hi[d] + base);
    };
    const std::string owner = "Process=" + std::to_string(p) + "\t owns array section: [";
    parts_in_c += owner + part(0, 0) + "," + part(1, 0) + "]\n";
    parts_in_fortran += owner + part(1, 1) + "," + part(0, 1) + "]\n";
  }
  const std::string title =
      "Array Handle=" + std::to_string(a) + " Name:'A' Data Type:double precision\n";
  const bool first = GA_Nodeid() == 0;
  EXPECT_EQ(in_c, first ? title + "Array Dimensions:40x3\n" + parts_in_c : "");
  EXPECT_EQ(in_fortran, first ? title + "Array Dimensions:3x40\n" + parts_in_fortran : "");
  GA_Destroy(a);
}

TEST(Print, ListsTheLiveArrays) {
  const int a = filled<double>(C_DBL, {4, 3}, "first", 1);
  const int b = filled<int>(C_INT, {5}, "second", 1);
  const std::string brief = printed([] { GA_Summarize(0); });
  const std::string full = printed([] { GA_Summarize(1); });
  const Integer verbose[] = {0, 1};
  EXPECT_EQ(printed([&] { ga_summarize_(&verbose[0]); }), brief);
  EXPECT_EQ(printed([&] { ga_summarize_(&verbose[1]); }), full);
  if (GA_Nodeid() == 0) {
    EXPECT_TRUE(contains(brief, "double precision first(3,4)" + handle_text(a)));
    EXPECT_TRUE(contains(brief, "integer second(5)" + handle_text(b)));
    EXPECT_FALSE(contains(brief, "->"));
    EXPECT_TRUE(contains(full, ") -> 0\n"));
    EXPECT_TRUE(contains(printed([] { GA_Print_stats(); }), " arrays: "));
  } else {
    EXPECT_EQ(brief + full, "");
  }
  GA_Destroy(a);
  GA_Destroy(b);
  EXPECT_FALSE(contains(printed([] { GA_Summarize(0); }), handle_text(b)));
}

}  // namespace
