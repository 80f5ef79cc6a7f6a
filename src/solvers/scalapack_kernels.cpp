// ScaLAPACK's routines on the ranks of a grid.
#include <algorithm>
#include <string>
#include <vector>

#include "solvers/kernels.hpp"
#include "solvers/scalapack.hpp"
#include "solvers/workspace.hpp"

namespace lagoon::atoll::detail {

namespace {

constexpr int one = 1;  // all matrices begin at row and column one

template <BlasElement T>
constexpr char prefix() noexcept {
  if constexpr (is_complex_element<T>) return std::same_as<Real<T>, float> ? 'c' : 'z';
  return std::same_as<T, float> ? 's' : 'd';
}

template <BlasElement T>
class ScalapackKernels final : public Kernels<T> {
  using M = Columns<T>;
  using R = Real<T>;
  using Text = const char*;
  using Number = const int*;
  using Length = std::size_t;  // of the character arguments, which come last

 public:
  int heevd(char triangle, const M& a, R* values, const M& z) override {
    // Divide and conquer always computes vectors.
    return z.data == nullptr
               ? eigenvalues<Besides::reals>(is_complex_element<T> ? "heev" : "syev", 'N', triangle,
                                             a, values, z)
               : eigenvalues<Besides::integers>(is_complex_element<T> ? "heevd" : "syevd", 'V',
                                                triangle, a, values, z);
  }
  int hegst(char triangle, const M& a, const M& b) override {
    const int type = 1;
    R scale = 1;  // one in all versions there are
    int info = 0;
    routine<void(Number, Text, Number, T*, Number, Number, Number, const T*, Number, Number, Number,
                 R*, int*, Length)>(is_complex_element<T> ? "hegst" : "sygst")(
        &type, &triangle, &a.rows, a.data, &one, &one, a.descriptor.data(), b.data, &one, &one,
        b.descriptor.data(), &scale, &info, 1);
    return info;
  }
  int potrf(char triangle, const M& a) override { return on_triangle("potrf", triangle, a); }
  int potri(char triangle, const M& a) override { return on_triangle("potri", triangle, a); }
  int potrs(char triangle, const M& a, const M& b) override {
    int info = 0;
    routine<void(Text, Number, Number, const T*, Number, Number, Number, T*, Number, Number, Number,
                 int*, Length)>("potrs")(&triangle, &a.rows, &b.columns, a.data, &one, &one,
                                         a.descriptor.data(), b.data, &one, &one,
                                         b.descriptor.data(), &info, 1);
    return info;
  }
  int gesv(const M& a, const M& b) override {
    // Pivots of my rows, and a block more.
    std::vector<int> pivots(static_cast<std::size_t>(a.distance) +
                            static_cast<std::size_t>(a.descriptor[4]));
    int info = 0;
    routine<void(Number, Number, T*, Number, Number, Number, int*, T*, Number, Number, Number,
                 int*)>("gesv")(&a.rows, &b.columns, a.data, &one, &one, a.descriptor.data(),
                                pivots.data(), b.data, &one, &one, b.descriptor.data(), &info);
    return info;
  }
  void trsm(char triangle, char form, const M& a, const M& b) override {
    const char side = 'L', diagonal = 'N';
    const T factor(1);
    routine<void(Text, Text, Text, Text, Number, Number, const T*, const T*, Number, Number, Number,
                 T*, Number, Number, Number)>("trsm")(
        &side, &triangle, &form, &diagonal, &b.rows, &b.columns, &factor, a.data, &one, &one,
        a.descriptor.data(), b.data, &one, &one, b.descriptor.data());
  }
  int gesvd(const M& a, R* values, const M& u, const M& vh) override {
    const char job = u.data == nullptr ? 'N' : 'V';
    // Only the complex routines have it.
    std::vector<R> reals(1 + 4 * static_cast<std::size_t>(std::max(a.rows, a.columns)));
    int info = 0;
    const auto call = [&](auto*... reals_of_complex) {
      with_workspace<T, Besides::nothing>([&](T* work, Number length) {
        routine<void(Text, Text, Number, Number, T*, Number, Number, Number, R*, T*, Number, Number,
                     Number, T*, Number, Number, Number, T*, Number, decltype(reals_of_complex)...,
                     int*, Length, Length)>("gesvd")(
            &job, &job, &a.rows, &a.columns, a.data, &one, &one, a.descriptor.data(), values,
            u.data, &one, &one, u.descriptor.data(), vh.data, &one, &one, vh.descriptor.data(),
            work, length, reals_of_complex..., &info, 1, 1);
      });
    };
    if constexpr (is_complex_element<T>)
      call(reals.data());
    else
      call();
    return info;
  }
  int complete_basis(const M& a, int known) override {
    // One for each of my columns, and a block more.
    std::vector<T> reflectors(static_cast<std::size_t>(a.local_columns) +
                              static_cast<std::size_t>(a.descriptor[5]));
    int info = 0;
    with_workspace<T, Besides::nothing>([&](T* work, Number length) {
      routine<void(Number, Number, T*, Number, Number, Number, T*, T*, Number, int*)>("geqrf")(
          &a.rows, &known, a.data, &one, &one, a.descriptor.data(), reflectors.data(), work, length,
          &info);
    });
    if (info != 0) return info;
    with_workspace<T, Besides::nothing>([&](T* work, Number length) {
      routine<void(Number, Number, Number, T*, Number, Number, Number, const T*, T*, Number, int*)>(
          is_complex_element<T> ? "ungqr" : "orgqr")(&a.rows, &a.rows, &known, a.data, &one, &one,
                                                     a.descriptor.data(), reflectors.data(), work,
                                                     length, &info);
    });
    return info;
  }

 private:
  template <class F>
  F* routine(const char* name) const {
    return Scalapack::get().routine<F>(std::string("p") + prefix<T>() + name);
  }
  template <Besides besides>
  int eigenvalues(const char* name, char job, char triangle, const M& a, R* values, const M& z) {
    // What they ask for is too little for their last step, p?ormtr, where there are few blocks.
    const std::int64_t block = a.descriptor[4];
    const std::int64_t more = 2 * block * (a.rows + block);
    int info = 0;
    const auto call = [&](auto*... work) {
      routine<void(Text, Text, Number, T*, Number, Number, Number, R*, T*, Number, Number, Number,
                   decltype(work)..., int*, Length, Length)>(name)(
          &job, &triangle, &a.rows, a.data, &one, &one, a.descriptor.data(), values, z.data, &one,
          &one, z.descriptor.data(), work..., &info, 1, 1);
    };
    with_workspace<T, besides>(call, more);
    return info;
  }
  int on_triangle(const char* name, char triangle, const M& a) {
    int info = 0;
    routine<void(Text, Number, T*, Number, Number, Number, int*, Length)>(name)(
        &triangle, &a.rows, a.data, &one, &one, a.descriptor.data(), &info, 1);
    return info;
  }
};

}  // namespace

template <BlasElement T>
std::unique_ptr<Kernels<T>> scalapack_kernels() {
  return std::make_unique<ScalapackKernels<T>>();
}
template std::unique_ptr<Kernels<float>> scalapack_kernels();
template std::unique_ptr<Kernels<double>> scalapack_kernels();
template std::unique_ptr<Kernels<std::complex<float>>> scalapack_kernels();
template std::unique_ptr<Kernels<std::complex<double>>> scalapack_kernels();

}  // namespace lagoon::atoll::detail
