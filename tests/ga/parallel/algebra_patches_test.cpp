// Algebra of patches and of whole arrays: random shapes, random patches, one to four dimensions,
// all types of numbers, against loops over copies.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "algebra_serial.hpp"

namespace algebra_test {

namespace {

constexpr int rounds = 3;

template <class T>
class AlgebraOfPatches : public testing::Test {
 protected:
  std::vector<int> extents(int dimensions, int least, int most) {
    std::vector<int> result;
    for (int d = 0; d < dimensions; ++d) result.push_back(chance.between(least, most));
    return result;
  }

  /// work(a, b, c, patch of a, of b, of c) for arrays of their own shapes, patches of one.
  template <class Work>
  void try_patches(const Work& work) {
    for (int dimensions = 1; dimensions <= 4; ++dimensions)
      for (int round = 0; round < rounds; ++round) {
        const std::vector<int> part = extents(dimensions, 1, 5);
        const auto room = [&] {
          std::vector<int> shape = part;
          for (int& extent : shape) extent += chance.between(0, 3);
          return shape;
        };
        Twin<T> a(room(), chance), b(room(), chance), c(room(), chance);
        const Bounds pa = place(part, a.shape(), chance), pb = place(part, b.shape(), chance),
                     pc = place(part, c.shape(), chance);
        work(a, b, c, pa, pb, pc);
        EXPECT_EQ(a.read(), a.values);
        EXPECT_EQ(b.read(), b.values);
        EXPECT_EQ(c.read(), c.values);
      }
  }

  /// c = f(a, b) in the copies.
  template <class F>
  void apply(const F& f, const Twin<T>& a, const Bounds& pa, const Twin<T>& b, const Bounds& pb,
             Twin<T>& c, const Bounds& pc) {
    const auto from_a = a.places(pa), from_b = b.places(pb), to = c.places(pc);
    for (std::size_t i = 0; i < to.size(); ++i)
      c.values[to[i]] = f(a.values[from_a[i]], b.values[from_b[i]]);
  }

  Chance chance{20260};
};

using Numbers = testing::Types<int, long, float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(AlgebraOfPatches, Numbers);

int* at(const std::vector<int>& bounds) { return const_cast<int*>(bounds.data()); }
std::vector<int64_t> wide(const std::vector<int>& bounds) { return {bounds.begin(), bounds.end()}; }

}  // namespace

TYPED_TEST(AlgebraOfPatches, AddAsLoopsDo) {
  this->try_patches(
      [&](auto& a, auto& b, auto& c, const Bounds& pa, const Bounds& pb, const Bounds& pc) {
        TypeParam alpha = this->chance.template number<TypeParam>();
        TypeParam beta = this->chance.template number<TypeParam>();
        NGA_Add_patch(&alpha, a.handle(), at(pa.lo), at(pa.hi), &beta, b.handle(), at(pb.lo),
                      at(pb.hi), c.handle(), at(pc.lo), at(pc.hi));
        this->apply([&](TypeParam x, TypeParam y) { return alpha * x + beta * y; }, a, pa, b, pb, c,
                    pc);
      });
}

TYPED_TEST(AlgebraOfPatches, MultiplyAndDivideAsLoopsDo) {
  this->try_patches(
      [&](auto& a, auto& b, auto& c, const Bounds& pa, const Bounds& pb, const Bounds& pc) {
        GA_Elem_multiply_patch(a.handle(), at(pa.lo), at(pa.hi), b.handle(), at(pb.lo), at(pb.hi),
                               c.handle(), at(pc.lo), at(pc.hi));
        this->apply([](TypeParam x, TypeParam y) { return x * y; }, a, pa, b, pb, c, pc);
        // Back again; complex quotients are rounded.
        GA_Elem_divide_patch(c.handle(), at(pc.lo), at(pc.hi), b.handle(), at(pb.lo), at(pb.hi),
                             a.handle(), at(pa.lo), at(pa.hi));
        const std::vector<TypeParam> now = a.read();
        for (const std::size_t i : a.places(pa)) {
          EXPECT_LT(std::abs(now[i] - a.values[i]), 1e-4);
          a.values[i] = now[i];
        }
      });
}

// Of complex numbers by their moduli, the second one where these are equal.
TYPED_TEST(AlgebraOfPatches, ChooseTheLeastAndTheGreatest) {
  const auto less = [](TypeParam x, TypeParam y) {
    if constexpr (is_complex<TypeParam>)
      return std::abs(x) < std::abs(y);
    else
      return x < y;
  };
  this->try_patches([&](auto& a, auto& b, auto& c, const Bounds& pa, const Bounds& pb,
                        const Bounds& pc) {
    GA_Elem_maximum_patch(a.handle(), at(pa.lo), at(pa.hi), b.handle(), at(pb.lo), at(pb.hi),
                          c.handle(), at(pc.lo), at(pc.hi));
    this->apply([&](TypeParam x, TypeParam y) { return less(y, x) ? x : y; }, a, pa, b, pb, c, pc);
    EXPECT_EQ(c.read(), c.values);
    GA_Elem_minimum_patch(a.handle(), at(pa.lo), at(pa.hi), b.handle(), at(pb.lo), at(pb.hi),
                          c.handle(), at(pc.lo), at(pc.hi));
    this->apply([&](TypeParam x, TypeParam y) { return less(x, y) ? x : y; }, a, pa, b, pb, c, pc);
  });
}

TYPED_TEST(AlgebraOfPatches, ChangeOnlyTheirElements) {
  this->try_patches(
      [&](auto& a, auto& b, auto& c, const Bounds& pa, const Bounds& pb, const Bounds& pc) {
        TypeParam value = this->chance.template number<TypeParam>();
        const auto change = [](auto& array, const Bounds& bounds, const auto& f) {
          for (const std::size_t i : array.places(bounds)) array.values[i] = f(array.values[i]);
        };
        NGA_Scale_patch(a.handle(), at(pa.lo), at(pa.hi), &value);
        change(a, pa, [&](TypeParam x) { return x * value; });
        NGA_Fill_patch64(b.handle(), wide(pb.lo).data(), wide(pb.hi).data(), &value);
        change(b, pb, [&](TypeParam) { return value; });
        GA_Add_constant_patch(c.handle(), at(pc.lo), at(pc.hi), &value);
        change(c, pc, [&](TypeParam x) { return x + value; });
        EXPECT_EQ(c.read(), c.values);
        NGA_Zero_patch(c.handle(), at(pc.lo), at(pc.hi));
        change(c, pc, [](TypeParam) { return TypeParam(0); });
      });
}

TYPED_TEST(AlgebraOfPatches, TakeModuli) {
  this->try_patches([&](auto& a, auto&, auto&, const Bounds& pa, const Bounds&, const Bounds&) {
    GA_Abs_value_patch(a.handle(), at(pa.lo), at(pa.hi));
    const std::vector<TypeParam> now = a.read();
    for (const std::size_t i : a.places(pa)) {
      EXPECT_LT(std::abs(now[i] - TypeParam(std::abs(a.values[i]))), 1e-6);
      a.values[i] = now[i];
    }
  });
}

TYPED_TEST(AlgebraOfPatches, CopyAsTheyAreAndTransposed) {
  this->try_patches(
      [&](auto& a, auto& b, auto&, const Bounds& pa, const Bounds& pb, const Bounds&) {
        NGA_Copy_patch('n', a.handle(), at(pa.lo), at(pa.hi), b.handle(), at(pb.lo), at(pb.hi));
        const auto from = a.places(pa), to = b.places(pb);
        for (std::size_t i = 0; i < to.size(); ++i) b.values[to[i]] = a.values[from[i]];
        std::vector<int> shape(a.shape().rbegin(), a.shape().rend());
        Twin<TypeParam> turned(shape, this->chance);
        Bounds bounds{{pa.lo.rbegin(), pa.lo.rend()}, {pa.hi.rbegin(), pa.hi.rend()}};
        NGA_Copy_patch('T', a.handle(), at(pa.lo), at(pa.hi), turned.handle(), at(bounds.lo),
                       at(bounds.hi));
        const auto reversed = a.reversed_places(pa), there = turned.places(bounds);
        for (std::size_t i = 0; i < there.size(); ++i)
          turned.values[there[i]] = a.values[reversed[i]];
        EXPECT_EQ(turned.read(), turned.values);
      });
}

TYPED_TEST(AlgebraOfPatches, SumProducts) {
  this->try_patches(
      [&](auto& a, auto& b, auto&, const Bounds& pa, const Bounds& pb, const Bounds&) {
        TypeParam expected(0);
        const auto in_a = a.places(pa), in_b = b.places(pb);
        for (std::size_t i = 0; i < in_a.size(); ++i)
          expected += a.values[in_a[i]] * b.values[in_b[i]];
        const auto dot = [&](auto call) {
          return call(a.handle(), 'n', at(pa.lo), at(pa.hi), b.handle(), 'n', at(pb.lo), at(pb.hi));
        };
        if constexpr (std::is_same_v<TypeParam, int>) {
          EXPECT_EQ(dot(NGA_Idot_patch), expected);
        } else if constexpr (std::is_same_v<TypeParam, long>) {
          EXPECT_EQ(dot(NGA_Ldot_patch), expected);
          EXPECT_EQ(dot(NGA_Lldot_patch), expected);
        } else if constexpr (std::is_same_v<TypeParam, float>) {
          EXPECT_EQ(dot(NGA_Fdot_patch), expected);
        } else if constexpr (std::is_same_v<TypeParam, double>) {
          EXPECT_EQ(dot(NGA_Ddot_patch), expected);
        } else if constexpr (std::is_same_v<TypeParam, std::complex<float>>) {
          const SingleComplex result = dot(NGA_Cdot_patch);
          EXPECT_EQ(TypeParam(result.real, result.imag), expected);
        } else {
          const DoubleComplex result = dot(NGA_Zdot_patch);
          EXPECT_EQ(TypeParam(result.real, result.imag), expected);
        }
      });
}

TYPED_TEST(AlgebraOfPatches, OfOtherShapesGoInOrder) {
  for (int round = 0; round < 6; ++round) {
    const int i = this->chance.between(1, 6), j = this->chance.between(1, 6),
              k = this->chance.between(1, 4);
    Twin<TypeParam> a({i + 2, j * k + 1}, this->chance), b({i * j + 1, k + 1}, this->chance),
        c({i, 1, j + 2, k + 1}, this->chance);
    const Bounds pa = place({i, j * k}, a.shape(), this->chance),
                 pb = place({i * j, k}, b.shape(), this->chance),
                 pc = place({i, 1, j, k}, c.shape(), this->chance);
    TypeParam one(1), two(2);
    NGA_Add_patch(&one, a.handle(), at(pa.lo), at(pa.hi), &two, b.handle(), at(pb.lo), at(pb.hi),
                  c.handle(), at(pc.lo), at(pc.hi));
    this->apply([&](TypeParam x, TypeParam y) { return x + two * y; }, a, pa, b, pb, c, pc);
    EXPECT_EQ(c.read(), c.values);
    Twin<TypeParam> line({i * j * k}, this->chance);
    const Bounds all = line.all();
    NGA_Copy_patch('n', a.handle(), at(pa.lo), at(pa.hi), line.handle(), at(all.lo), at(all.hi));
    this->apply([](TypeParam x, TypeParam) { return x; }, a, pa, b, pb, line, all);
    EXPECT_EQ(line.read(), line.values);
    NGA_Copy_patch('t', b.handle(), at(pb.lo), at(pb.hi), line.handle(), at(all.lo), at(all.hi));
    const auto turned = b.reversed_places(pb);
    for (std::size_t n = 0; n < turned.size(); ++n) line.values[n] = b.values[turned[n]];
    EXPECT_EQ(line.read(), line.values);
    NGA_Copy_patch('n', line.handle(), at(all.lo), at(all.hi), a.handle(), at(pa.lo), at(pa.hi));
    this->apply([](TypeParam x, TypeParam) { return x; }, line, all, line, all, a, pa);
    EXPECT_EQ(a.read(), a.values);
  }
}

}  // namespace algebra_test
