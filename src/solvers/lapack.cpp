// LAPACK by its Fortran names, as blas.cpp has the BLAS.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "solvers/kernels.hpp"
#include "solvers/workspace.hpp"

// Lengths of the character arguments come last, as compilers of Fortran pass them.
#define LAGOON_DECLARE_LAPACK(T, prefix)                                                         \
  void prefix##potrf_(const char*, const int*, T*, const int*, int*, std::size_t);               \
  void prefix##potri_(const char*, const int*, T*, const int*, int*, std::size_t);               \
  void prefix##potrs_(const char*, const int*, const int*, const T*, const int*, T*, const int*, \
                      int*, std::size_t);                                                        \
  void prefix##gesv_(const int*, const int*, T*, const int*, int*, T*, const int*, int*);        \
  void prefix##trsm_(const char*, const char*, const char*, const char*, const int*, const int*, \
                     const T*, const T*, const int*, T*, const int*, std::size_t, std::size_t,   \
                     std::size_t, std::size_t);                                                  \
  void prefix##geqrf_(const int*, const int*, T*, const int*, T*, T*, const int*, int*);
#define LAGOON_DECLARE_REAL_LAPACK(T, prefix)                                                      \
  LAGOON_DECLARE_LAPACK(T, prefix)                                                                 \
  void prefix##syevd_(const char*, const char*, const int*, T*, const int*, T*, T*, const int*,    \
                      int*, const int*, int*, std::size_t, std::size_t);                           \
  void prefix##sygst_(const int*, const char*, const int*, T*, const int*, const T*, const int*,   \
                      int*, std::size_t);                                                          \
  void prefix##orgqr_(const int*, const int*, const int*, T*, const int*, const T*, T*,            \
                      const int*, int*);                                                           \
  void prefix##gesdd_(const char*, const int*, const int*, T*, const int*, T*, T*, const int*, T*, \
                      const int*, T*, const int*, int*, int*, std::size_t);
#define LAGOON_DECLARE_COMPLEX_LAPACK(T, R, prefix)                                                \
  LAGOON_DECLARE_LAPACK(T, prefix)                                                                 \
  void prefix##heevd_(const char*, const char*, const int*, T*, const int*, R*, T*, const int*,    \
                      R*, const int*, int*, const int*, int*, std::size_t, std::size_t);           \
  void prefix##hegst_(const int*, const char*, const int*, T*, const int*, const T*, const int*,   \
                      int*, std::size_t);                                                          \
  void prefix##ungqr_(const int*, const int*, const int*, T*, const int*, const T*, T*,            \
                      const int*, int*);                                                           \
  void prefix##gesdd_(const char*, const int*, const int*, T*, const int*, R*, T*, const int*, T*, \
                      const int*, T*, const int*, R*, int*, int*, std::size_t);

extern "C" {
LAGOON_DECLARE_REAL_LAPACK(float, s)
LAGOON_DECLARE_REAL_LAPACK(double, d)
LAGOON_DECLARE_COMPLEX_LAPACK(std::complex<float>, float, c)
LAGOON_DECLARE_COMPLEX_LAPACK(std::complex<double>, double, z)
}

namespace lagoon::atoll::detail {

namespace {

/// The routine of T among those of the four types.
template <BlasElement T, class S, class D, class C, class Z>
constexpr auto one_of(S single, D twice, C complex_single, Z complex_twice) noexcept {
  if constexpr (std::same_as<T, float>)
    return single;
  else if constexpr (std::same_as<T, double>)
    return twice;
  else if constexpr (std::same_as<T, std::complex<float>>)
    return complex_single;
  else
    return complex_twice;
}

template <BlasElement T>
class LapackKernels final : public Kernels<T> {
  using M = Columns<T>;
  using R = Real<T>;

 public:
  int heevd(char triangle, const M& a, R* values, const M& z) override {
    const auto routine = one_of<T>(&ssyevd_, &dsyevd_, &cheevd_, &zheevd_);
    const char job = z.data == nullptr ? 'N' : 'V';
    int info = 0;
    with_workspace<T, Besides::integers>([&](auto*... work) {
      routine(&job, &triangle, &a.rows, a.data, &a.distance, values, work..., &info, 1, 1);
    });
    if (z.data != nullptr && info == 0) copy_columns(a, z);
    return info;
  }
  int hegst(char triangle, const M& a, const M& b) override {
    const auto routine = one_of<T>(&ssygst_, &dsygst_, &chegst_, &zhegst_);
    const int type = 1;
    int info = 0;
    routine(&type, &triangle, &a.rows, a.data, &a.distance, b.data, &b.distance, &info, 1);
    return info;
  }
  int potrf(char triangle, const M& a) override {
    const auto routine = one_of<T>(&spotrf_, &dpotrf_, &cpotrf_, &zpotrf_);
    int info = 0;
    routine(&triangle, &a.rows, a.data, &a.distance, &info, 1);
    return info;
  }
  int potri(char triangle, const M& a) override {
    const auto routine = one_of<T>(&spotri_, &dpotri_, &cpotri_, &zpotri_);
    int info = 0;
    routine(&triangle, &a.rows, a.data, &a.distance, &info, 1);
    return info;
  }
  int potrs(char triangle, const M& a, const M& b) override {
    const auto routine = one_of<T>(&spotrs_, &dpotrs_, &cpotrs_, &zpotrs_);
    int info = 0;
    routine(&triangle, &a.rows, &b.columns, a.data, &a.distance, b.data, &b.distance, &info, 1);
    return info;
  }
  int gesv(const M& a, const M& b) override {
    const auto routine = one_of<T>(&sgesv_, &dgesv_, &cgesv_, &zgesv_);
    std::vector<int> pivots(static_cast<std::size_t>(a.rows));
    int info = 0;
    routine(&a.rows, &b.columns, a.data, &a.distance, pivots.data(), b.data, &b.distance, &info);
    return info;
  }
  void trsm(char triangle, char form, const M& a, const M& b) override {
    const auto routine = one_of<T>(&strsm_, &dtrsm_, &ctrsm_, &ztrsm_);
    const char side = 'L', diagonal = 'N';
    const T one(1);
    routine(&side, &triangle, &form, &diagonal, &b.rows, &b.columns, &one, a.data, &a.distance,
            b.data, &b.distance, 1, 1, 1, 1);
  }
  int gesvd(const M& a, R* values, const M& u, const M& vh) override {
    const auto routine = one_of<T>(&sgesdd_, &dgesdd_, &cgesdd_, &zgesdd_);
    const char job = u.data == nullptr ? 'N' : 'S';
    const auto shorter = static_cast<std::size_t>(std::min(a.rows, a.columns));
    const auto longer = static_cast<std::size_t>(std::max(a.rows, a.columns));
    std::vector<int> integers(8 * shorter);
    // Only the complex routines have it, and do not answer when asked how much.
    const std::size_t a_value =
        job == 'N' ? 7 : std::max(5 * shorter + 7, 2 * (longer + shorter) + 1);
    std::vector<R> reals(is_complex_element<T> ? shorter * a_value : 0);
    int info = 0;
    const auto call = [&](T* work, const int* length) {
      if constexpr (is_complex_element<T>)
        routine(&job, &a.rows, &a.columns, a.data, &a.distance, values, u.data, &u.distance,
                vh.data, &vh.distance, work, length, reals.data(), integers.data(), &info, 1);
      else
        routine(&job, &a.rows, &a.columns, a.data, &a.distance, values, u.data, &u.distance,
                vh.data, &vh.distance, work, length, integers.data(), &info, 1);
    };
    with_workspace<T, Besides::nothing>(call);
    return info;
  }
  int complete_basis(const M& a, int known) override {
    const auto factor = one_of<T>(&sgeqrf_, &dgeqrf_, &cgeqrf_, &zgeqrf_);
    const auto form = one_of<T>(&sorgqr_, &dorgqr_, &cungqr_, &zungqr_);
    std::vector<T> reflectors(static_cast<std::size_t>(known));
    int info = 0;
    with_workspace<T, Besides::nothing>([&](T* work, const int* length) {
      factor(&a.rows, &known, a.data, &a.distance, reflectors.data(), work, length, &info);
    });
    if (info != 0) return info;
    with_workspace<T, Besides::nothing>([&](T* work, const int* length) {
      form(&a.rows, &a.rows, &known, a.data, &a.distance, reflectors.data(), work, length, &info);
    });
    return info;
  }

 private:
  static void copy_columns(const M& from, const M& to) {
    for (int column = 0; column < from.columns; ++column)
      std::copy_n(from.data + std::ptrdiff_t{column} * from.distance, from.rows,
                  to.data + std::ptrdiff_t{column} * to.distance);
  }
};

}  // namespace

template <BlasElement T>
std::unique_ptr<Kernels<T>> lapack_kernels() {
  return std::make_unique<LapackKernels<T>>();
}
template std::unique_ptr<Kernels<float>> lapack_kernels();
template std::unique_ptr<Kernels<double>> lapack_kernels();
template std::unique_ptr<Kernels<std::complex<float>>> lapack_kernels();
template std::unique_ptr<Kernels<std::complex<double>>> lapack_kernels();

}  // namespace lagoon::atoll::detail
