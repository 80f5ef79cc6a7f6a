// What the tests of global pointer arrays share: a model of the objects that every process computes
// from the subscript, an array that holds them, and comparing the two.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include "ga/gp.h"
#include "ga_support.hpp"

namespace gp_test {

using ga_test::Box;

using Bytes = std::vector<unsigned char>;
using Subscript = std::vector<int>;

inline unsigned number_of(const Subscript& at) {
  unsigned number = 1;
  for (const int i : at) number = number * 31 + static_cast<unsigned>(i);
  return number;
}

inline bool has_object(const Subscript& at) { return number_of(at) % 5 != 0; }

/// What the object of an element is after `round` changes.
inline Bytes object_of(const Subscript& at, unsigned round = 0) {
  if (!has_object(at)) return {};
  std::mt19937 random(number_of(at));
  Bytes bytes(random() % 4 == 0 ? 0 : random() % 100);
  for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random() + round * 7);
  return bytes;
}

/// GP runs, and an array with all its objects.
class Pointers {
 public:
  enum class Cut { free, chunks, irregular };

  explicit Pointers(Subscript extents, Cut cut = Cut::free) : dims(std::move(extents)) {
    GP_Initialize();
    handle = GP_Create_handle();
    EXPECT_EQ(handle, 0);
    GP_Set_dimensions(handle, dimensions(), dims.data());
    if (cut == Cut::chunks) {
      Subscript chunk = dims;
      chunk[0] = 1;
      GP_Set_chunk(handle, chunk.data());
    }
    if (cut == Cut::irregular) cut_last_dimension();
    EXPECT_EQ(GP_Allocate(handle), 1);
    EXPECT_EQ(GP_Get_dimension(handle), dimensions());
    mine = patch_of(GA_Nodeid());
    if (mine.lo[0] >= 0) assign();
    GP_Sync();
  }
  ~Pointers() {
    GP_Sync();
    EXPECT_EQ(GP_Destroy(handle), 1);
    EXPECT_EQ(GP_Destroy(handle), 0);
    GP_Terminate();
  }
  Pointers(const Pointers&) = delete;

  int dimensions() const { return static_cast<int>(dims.size()); }
  Box all() const { return ga_test::whole(dims); }
  Box patch_of(int process) const {
    Box box{dims, dims};
    GP_Distribution(handle, process, box.lo.data(), box.hi.data());
    return box;
  }
  template <class F>
  void each_of_mine(F&& f) const {
    if (mine.lo[0] >= 0) mine.each([&](Subscript at, std::int64_t) { f(at.data(), at); });
  }

  Subscript dims;
  int handle = -1;
  Box mine;

 private:
  /// One block a process, the first of one index, as far as there are any.
  void cut_last_dimension() {
    Subscript blocks(dims.size(), 1), starts(dims.size() - 1, 0);
    blocks.back() = std::min(GA_Nnodes(), dims.back());
    for (int b = 0; b < blocks.back(); ++b) starts.push_back(b);
    GP_Set_irreg_distr(handle, starts.data(), blocks.data());
  }
  void assign() const {
    each_of_mine([&](int* at, const Subscript& subscript) {
      if (!has_object(subscript)) return;
      const Bytes bytes = object_of(subscript);
      void* memory = GP_Malloc(bytes.size());
      if (!bytes.empty()) std::memcpy(memory, bytes.data(), bytes.size());
      GP_Assign_local_element(handle, at, memory, static_cast<int>(bytes.size()));
    });
  }
};

/// Objects of a patch or a list, the tables wider than they need to be.
struct Fetched {
  explicit Fetched(Box box) : wanted(std::move(box)), ld(ga_test::leading(wanted)), ld_sizes(ld) {
    std::int64_t pointer_rows = wanted.shape()[0], size_rows = pointer_rows;
    for (std::size_t d = 0; d + 1 < wanted.lo.size(); ++d) {
      ld[d] += 2;
      ld_sizes[d] += 1;
      pointer_rows *= ld[d];
      size_rows *= ld_sizes[d];
    }
    pointers.resize(static_cast<std::size_t>(pointer_rows));
    sizes.resize(static_cast<std::size_t>(size_rows), -1);
  }
  static std::size_t place(const Box& box, const Subscript& at, const Subscript& leading) {
    std::int64_t place = at[0] - box.lo[0];
    for (std::size_t d = 1; d < at.size(); ++d) place = place * leading[d - 1] + at[d] - box.lo[d];
    return static_cast<std::size_t>(place);
  }
  void*& pointer(const Subscript& at) { return pointers[place(wanted, at, ld)]; }
  int& size(const Subscript& at) { return sizes[place(wanted, at, ld_sizes)]; }

  Box wanted;
  Subscript ld, ld_sizes, sizes;
  std::vector<void*> pointers;
  Bytes buffer;
};

/// An object that lies at `*next` in a buffer, behind the one before it.
inline void expect_object(const Bytes& expected, const void* pointer, int size,
                          unsigned char** next, bool exists) {
  ASSERT_EQ(static_cast<std::size_t>(size), expected.size());
  EXPECT_EQ(pointer, exists ? *next : nullptr);
  EXPECT_EQ(Bytes(*next, *next + size), expected);
  *next += size;
}

/// `object(subscript)` is what each is to be.
template <class F>
void expect_patch(const Pointers& array, Box box, F&& object) {
  int bytes = -1, got = -1;
  GP_Get_size(array.handle, box.lo.data(), box.hi.data(), &bytes);
  Fetched to(box);
  to.buffer.resize(static_cast<std::size_t>(bytes) + 1, 0xEE);
  GP_Get(array.handle, box.lo.data(), box.hi.data(), to.buffer.data(), to.pointers.data(),
         to.ld.data(), to.sizes.data(), to.ld_sizes.data(), &got, bytes % 2);
  unsigned char* next = to.buffer.data();
  box.each([&](const Subscript& at, std::int64_t) {
    expect_object(object(at), to.pointer(at), to.size(at), &next, has_object(at));
  });
  EXPECT_EQ(next - to.buffer.data(), bytes);
  EXPECT_EQ(got, bytes);
  EXPECT_EQ(*next, 0xEE);
}

template <class F>
void expect_list(const Pointers& array, std::vector<Subscript> list, F&& object) {
  std::vector<int> flat, sizes(list.size(), -1);
  for (const Subscript& at : list) flat.insert(flat.end(), at.begin(), at.end());
  const int count = static_cast<int>(list.size());
  int bytes = -1, got = -1;
  GP_Gather_size(array.handle, count, flat.data(), &bytes);
  Bytes buffer(static_cast<std::size_t>(bytes) + 1, 0xEE);
  std::vector<void*> pointers(list.size());
  GP_Gather(array.handle, count, flat.data(), buffer.data(), pointers.data(), sizes.data(), &got,
            bytes % 2);
  unsigned char* next = buffer.data();
  for (std::size_t k = 0; k < list.size(); ++k)
    expect_object(object(list[k]), pointers[k], sizes[k], &next, has_object(list[k]));
  EXPECT_EQ(next - buffer.data(), bytes);
  EXPECT_EQ(got, bytes);
  EXPECT_EQ(*next, 0xEE);
}

}  // namespace gp_test
